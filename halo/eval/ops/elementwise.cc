// Elementwise ops on whole arrays: runs the op's kernel on one block of lanes at a time. A scalar
// operand applies to all elements. If the program mixes element types, operands keep their values
// and the result is rounded to its own type.
#include <algorithm>
#include <array>

#include "halo/base/parallel.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lane_kernels.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int64_t kGrain = int64_t{1} << 16;

struct Source {
  const uint8_t* bytes = nullptr;
  ElementType type = ElementType::kPred;
  size_t width = 0;
  int64_t stride = 0;
  std::optional<ElementType> convert_to;  // set if its lanes are of another kind
};

struct Loop {
  LaneOp op;
  LaneKernel kernel = nullptr;
  std::array<Source, 3> sources;
  size_t operands = 0;
  uint8_t* out = nullptr;
  size_t out_width = 0;

  void Run(int64_t begin, int64_t end) const {
    std::array<LaneBlock, 3> lanes;
    LaneBlock other;
    LaneBlock result;
    std::array<const void*, 3> in{};
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(kBlock)) {
      const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, end - at));
      for (size_t i = 0; i < operands; ++i) {
        const Source& source = sources[i];
        const uint8_t* from = source.bytes + static_cast<size_t>(source.stride * at) * source.width;
        if (source.convert_to) {
          LoadLanes(source.type, from, source.stride, n, other.bytes);
          ConvertLanes(source.type, *source.convert_to, other.bytes, lanes[i].bytes, n);
        } else {
          LoadLanes(source.type, from, source.stride, n, lanes[i].bytes);
        }
        in[i] = lanes[i].bytes;
      }
      kernel(op, in.data(), result.bytes, n);
      StoreLanes(op.result, result.bytes, n, out + static_cast<size_t>(at) * out_width);
    }
  }
};

// Ops that by definition yield another kind of number than their operands.
bool ChangesKind(Opcode opcode) {
  const ResultType result = PropertiesOf(opcode).result;
  return result != ResultType::kFirstOperand && result != ResultType::kSecondOperand;
}

// Returns the operand that gives the result its dimensions: any that is not a scalar.
size_t ShapingOperand(const OpContext& cx) {
  for (size_t i = 0; i < cx.operands.size(); ++i) {
    if (cx.array(i).rank() != 0) return i;
  }
  return 0;
}

// Reuses the storage of an operand that has no other users for the result.
Array PositionFor(OpContext& cx, std::span<const int64_t> dims) {
  for (Value& operand : cx.operands) {
    Array& array = operand.array();
    if (array.is_unique() && array.element_bytes() == StoredBytes(cx.type()) &&
        std::ranges::equal(array.dims(), dims)) {
      return array.Retyped(cx.type());
    }
  }
  return cx.Make(cx.type(), dims);
}

}  // namespace

Result<Value> EvalElementwise(OpContext& cx) {
  if (cx.operands.empty() || cx.operands.size() > 3) {
    return cx.Fail(diag::kCannotEvaluate, "an elementwise op takes one to three operands");
  }
  Loop loop;
  loop.operands = cx.operands.size();
  loop.op = LaneOpOf(cx.module, cx.inst, cx.opcode, cx.type(), cx.array(0).type(),
                     cx.array(loop.operands > 1 ? 1 : 0).type());
  // Arithmetic on mixed kinds uses the kind of the result.
  if (!ChangesKind(cx.opcode) && LaneKindOf(loop.op.type) != LaneKindOf(cx.type())) {
    loop.op.type = cx.type();
  }
  loop.kernel = FindLaneKernel(loop.op);
  if (loop.kernel == nullptr) {
    return cx.Fail(diag::kCannotEvaluate, "is not defined on " + std::string(TextOf(loop.op.type)));
  }
  const size_t shaping = ShapingOperand(cx);
  const Dims dims(cx.array(shaping).dims().begin(), cx.array(shaping).dims().end());
  const int64_t count = ElementsIn(dims);
  for (size_t i = 0; i < loop.operands; ++i) {
    const Array& array = cx.array(i);
    if (array.count() != count && array.count() != 1) {
      return cx.Fail(diag::kCannotEvaluate, "operands differ in their number of elements");
    }
    Source& source = loop.sources[i];
    source = {
        array.bytes(), array.type(), array.element_bytes(), array.count() == count ? 1 : 0, {}};
    const LaneKind wanted = OperandKind(loop.op, i);
    if (LaneKindOf(array.type()) != wanted) {
      source.convert_to = wanted == LaneKindOf(loop.op.type) ? loop.op.type : ElementType::kPred;
    }
  }
  Array result = PositionFor(cx, dims);
  loop.out_width = result.element_bytes();
  // Deliberately shared with an operand: each block is read before it is written.
  loop.out = const_cast<uint8_t*>(result.bytes());
  ParallelFor(count, kGrain, cx.threads(),
              [&loop](int64_t begin, int64_t end) { loop.Run(begin, end); });
  return Value(std::move(result));
}

// Reinterprets the bits as elements of another width: a wider type absorbs a minor dimension, a
// narrower one adds one.
Result<Value> EvalBitcastConvert(OpContext& cx) {
  const Array& from = cx.array(0);
  const int from_bits = InfoOf(from.type()).bits;
  const int to_bits = InfoOf(cx.type()).bits;
  Array result = cx.Make(cx.type(), cx.dims());
  if (from_bits == to_bits && from_bits % 8 == 0) {
    if (from.type() == cx.type() || from.count() == result.count()) {
      return Value(from.Retyped(cx.type()));
    }
  }
  // Goes through a bit string: sub-byte elements are packed, the first in the lowest bits.
  const auto bits_of = [](const Array& array) { return array.count() * InfoOf(array.type()).bits; };
  if (bits_of(from) != bits_of(result)) {
    return cx.Fail(diag::kCannotEvaluate, "the result has another number of bits");
  }
  std::vector<uint8_t> packed(static_cast<size_t>((bits_of(from) + 7) / 8), 0);
  const auto move_bits = [&packed](int64_t element, int bits, const uint8_t* in, uint8_t* out) {
    for (int b = 0; b < bits; ++b) {
      const auto at = static_cast<size_t>(element * bits + b);
      const auto own = static_cast<size_t>(b);
      if (in != nullptr) {
        packed[at / 8] |= static_cast<uint8_t>((in[own / 8] >> (own % 8) & 1U) << (at % 8));
      } else {
        out[own / 8] |= static_cast<uint8_t>((packed[at / 8] >> (at % 8) & 1U) << (own % 8));
      }
    }
  };
  if (from_bits % 8 == 0) {
    std::copy_n(from.bytes(), packed.size(), packed.begin());
  } else {
    for (int64_t i = 0; i < from.count(); ++i) move_bits(i, from_bits, from.bytes() + i, nullptr);
  }
  uint8_t* out = result.MutableBytes();
  if (to_bits % 8 == 0) {
    std::copy_n(packed.begin(), packed.size(), out);
  } else {
    for (int64_t i = 0; i < result.count(); ++i) move_bits(i, to_bits, nullptr, out + i);
  }
  return Value(std::move(result));
}

}  // namespace halo
