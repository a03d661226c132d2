// reduce: folds elements along some dimensions by any computation, in blocks of outputs. Plain sums
// of floats are accumulated in double and rounded once; every other step rounds as the computation
// specifies.
#include <algorithm>
#include <vector>

#include "halo/base/parallel.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// How to walk an operand: all outputs, and for each all elements folded into it.
struct Walk {
  Dims out_dims, out_strides;    // kept dimensions
  Dims fold_dims, fold_strides;  // folded dimensions
  int64_t outputs = 1, folded = 1;
};

Walk WalkOf(const Array& array, std::span<const int64_t> folded) {
  Walk walk;
  const Dims strides = RowMajorStrides(array.dims());
  for (size_t i = 0; i < array.rank(); ++i) {
    const bool gone = std::ranges::find(folded, static_cast<int64_t>(i)) != folded.end();
    (gone ? walk.fold_dims : walk.out_dims).push_back(array.dim(i));
    (gone ? walk.fold_strides : walk.out_strides).push_back(strides[i]);
    (gone ? walk.folded : walk.outputs) *= array.dim(i);
  }
  return walk;
}

// Returns the offsets of the indices begin..end of a box in row-major order.
std::vector<int64_t> Offsets(std::span<const int64_t> dims, std::span<const int64_t> strides,
                             int64_t begin, int64_t end) {
  std::vector<int64_t> offsets;
  if (begin >= end) return offsets;  // also if a dimension is empty
  offsets.reserve(static_cast<size_t>(end - begin));
  Dims index(dims.size());
  int64_t rest = begin;
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = rest % dims[i];
    rest /= dims[i];
  }
  for (int64_t at = begin; at < end; ++at) {
    int64_t offset = 0;
    for (size_t i = 0; i < dims.size(); ++i) offset += index[i] * strides[i];
    offsets.push_back(offset);
    NextIndex(dims, index);
  }
  return offsets;
}

// Gathers elements at many offsets into contiguous storage.
void Collect(const Array& array, std::span<const int64_t> offsets, int64_t shift, uint8_t* to) {
  const size_t width = array.element_bytes();
  for (size_t i = 0; i < offsets.size(); ++i) {
    std::copy_n(array.bytes() + static_cast<size_t>(offsets[i] + shift) * width, width,
                to + i * width);
  }
}

bool IsFloatSum(const OpContext& cx, const LaneProgram* program, size_t count) {
  return program != nullptr && count == 1 && program->simple_binary() == Opcode::kAdd &&
         (LaneKindOf(cx.array(0).type()) == LaneKind::kFloat ||
          LaneKindOf(cx.array(0).type()) == LaneKind::kComplex);
}

// Returns true if the computation's scalars are of the same kind as the operands.
bool LanesFit(const OpContext& cx, const LaneProgram& program, size_t count) {
  if (program.parameter_types().size() != 2 * count || program.result_types().size() != count) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    const LaneKind kind = LaneKindOf(cx.array(i).type());
    if (LaneKindOf(cx.array(count + i).type()) != kind ||
        LaneKindOf(program.parameter_types()[i]) != kind ||
        LaneKindOf(program.parameter_types()[count + i]) != kind ||
        LaneKindOf(program.result_types()[i]) != kind) {
      return false;
    }
  }
  return true;
}

template <class T>
void SumRange(const Array& array, const Walk& walk, const Array& init, int64_t begin, int64_t end,
              uint8_t* out, ElementType type) {
  T start{};
  LoadLanes(init.type(), init.bytes(), 1, 1, &start);
  const size_t width = array.element_bytes();
  // Reads the innermost folded dimension as one run.
  const size_t inner = walk.fold_dims.size() - 1;
  const int64_t run = walk.fold_dims[inner];
  const std::vector<int64_t> shifts =
      Offsets(std::span(walk.fold_dims).first(inner), std::span(walk.fold_strides).first(inner), 0,
              run == 0 ? 0 : walk.folded / run);
  const std::vector<int64_t> offsets = Offsets(walk.out_dims, walk.out_strides, begin, end);
  LaneBlock lanes;
  for (int64_t at = begin; at < end; ++at) {
    T sum = start;
    for (const int64_t shift : shifts) {
      const int64_t from = offsets[static_cast<size_t>(at - begin)] + shift;
      for (int64_t i = 0; i < run; i += static_cast<int64_t>(kBlock)) {
        const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, run - i));
        LoadLanes(array.type(),
                  array.bytes() + static_cast<size_t>(from + i * walk.fold_strides[inner]) * width,
                  walk.fold_strides[inner], n, lanes.bytes);
        const T* values = lanes.as<T>();
        for (size_t j = 0; j < n; ++j) sum += values[j];
      }
    }
    StoreLanes(type, &sum, 1, out + static_cast<size_t>(at) * StoredBytes(type));
  }
}

// Sums a block of outputs side by side, for outputs that are contiguous.
void SumColumns(const Array& array, const Walk& walk, const Array& init, int64_t begin, int64_t end,
                uint8_t* out, ElementType type) {
  double start = 0;
  LoadLanes(init.type(), init.bytes(), 1, 1, &start);
  const size_t width = array.element_bytes();
  const std::vector<int64_t> shifts = Offsets(walk.fold_dims, walk.fold_strides, 0, walk.folded);
  const int64_t line = walk.out_dims.back();
  LaneBlock sums;
  LaneBlock lanes;
  for (int64_t at = begin; at < end;) {
    const int64_t first = Offsets(walk.out_dims, walk.out_strides, at, at + 1)[0];
    const auto n = static_cast<size_t>(
        std::min<int64_t>({static_cast<int64_t>(kBlock), end - at, line - at % line}));
    std::fill_n(sums.as<double>(), n, start);
    for (const int64_t shift : shifts) {
      LoadLanes(array.type(), array.bytes() + static_cast<size_t>(first + shift) * width, 1, n,
                lanes.bytes);
      for (size_t j = 0; j < n; ++j) sums.as<double>()[j] += lanes.as<double>()[j];
    }
    StoreLanes(type, sums.bytes, n, out + static_cast<size_t>(at) * StoredBytes(type));
    at += static_cast<int64_t>(n);
  }
}

Array Sum(const OpContext& cx, const Walk& walk) {
  Array result = cx.Make(cx.type(), walk.out_dims);
  uint8_t* out = result.MutableBytes();
  const Array& array = cx.array(0);
  const Array& init = cx.array(1);
  const int64_t grain =
      std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(1, walk.folded));
  ParallelFor(walk.outputs, grain, cx.threads(), [&](int64_t begin, int64_t end) {
    if (LaneKindOf(array.type()) == LaneKind::kComplex) {
      SumRange<std::complex<double>>(array, walk, init, begin, end, out, cx.type());
    } else if (!walk.out_dims.empty() && walk.out_strides.back() == 1 &&
               walk.folded < (int64_t{1} << 24)) {
      SumColumns(array, walk, init, begin, end, out, cx.type());
    } else {
      SumRange<double>(array, walk, init, begin, end, out, cx.type());
    }
  });
  return result;
}

std::vector<Array> MakeResults(const OpContext& cx, const Walk& walk, size_t count) {
  std::vector<Array> results;
  for (size_t i = 0; i < count; ++i) {
    const ShapeId shape = cx.shape(i);
    results.push_back(cx.Make(cx.module.shapes.type(shape), walk.out_dims));
  }
  return results;
}

// Folds one block of outputs at a time through the lane program.
void FoldLanes(const OpContext& cx, LaneProgram& program, const Walk& walk, size_t count,
               std::vector<Array>& results) {
  std::vector<LaneBlock> state(count);
  std::vector<LaneBlock> next(count);
  std::vector<const void*> arguments;
  std::vector<void*> outputs;
  for (LaneBlock& block : state) arguments.push_back(block.bytes);
  for (LaneBlock& block : next) arguments.push_back(block.bytes);
  for (LaneBlock& block : state) outputs.push_back(block.bytes);
  std::vector<uint8_t> collected(kBlock * kLaneBytes);
  const bool neighbours = !walk.out_strides.empty() && walk.out_strides.back() == 1;
  for (int64_t at = 0; at < walk.outputs;) {
    const int64_t line = neighbours ? walk.out_dims.back() - at % walk.out_dims.back()
                                    : static_cast<int64_t>(kBlock);
    const auto n = static_cast<size_t>(
        std::min<int64_t>({static_cast<int64_t>(kBlock), walk.outputs - at, line}));
    const std::vector<int64_t> offsets =
        Offsets(walk.out_dims, walk.out_strides, at, at + static_cast<int64_t>(n));
    for (size_t i = 0; i < count; ++i) {
      const Array& init = cx.array(count + i);
      LoadLanes(init.type(), init.bytes(), 0, n, state[i].bytes);
    }
    Dims fold(walk.fold_dims.size(), 0);
    for (int64_t step = 0; step < walk.folded; ++step) {
      int64_t shift = 0;
      for (size_t d = 0; d < fold.size(); ++d) shift += fold[d] * walk.fold_strides[d];
      for (size_t i = 0; i < count; ++i) {
        const Array& array = cx.array(i);
        const uint8_t* from = collected.data();
        if (neighbours) {
          from = array.bytes() + static_cast<size_t>(offsets[0] + shift) * array.element_bytes();
        } else {
          Collect(array, offsets, shift, collected.data());
        }
        LoadLanes(array.type(), from, 1, n, next[i].bytes);
      }
      program.Run(arguments, outputs, n);
      NextIndex(walk.fold_dims, fold);
    }
    for (size_t i = 0; i < count; ++i) {
      StoreLanes(results[i].type(), state[i].bytes, n,
                 results[i].MutableBytes() + static_cast<size_t>(at) * results[i].element_bytes());
    }
    at += static_cast<int64_t>(n);
  }
}

Value ScalarAt(const OpContext& cx, const Array& array, int64_t offset) {
  Array scalar = cx.Make(array.type(), {});
  std::copy_n(array.bytes() + static_cast<size_t>(offset) * array.element_bytes(),
              array.element_bytes(), scalar.MutableBytes());
  return scalar;
}

// Folds one element at a time, for computations that do more than scalar arithmetic.
std::optional<Diagnostic> FoldCalls(const OpContext& cx, CompId comp, const Walk& walk,
                                    size_t count, std::vector<Array>& results) {
  const std::vector<int64_t> shifts = Offsets(walk.fold_dims, walk.fold_strides, 0, walk.folded);
  for (int64_t at = 0; at < walk.outputs; ++at) {
    const int64_t offset = Offsets(walk.out_dims, walk.out_strides, at, at + 1)[0];
    std::vector<Value> state;
    for (size_t i = 0; i < count; ++i) state.push_back(cx.operand(count + i));
    for (const int64_t shift : shifts) {
      std::vector<Value> arguments = std::move(state);
      for (size_t i = 0; i < count; ++i) {
        arguments.push_back(ScalarAt(cx, cx.array(i), offset + shift));
      }
      Result<Value> folded = cx.Call(comp, std::move(arguments));
      if (!folded.ok()) return folded.error();
      state = folded->is_tuple() ? folded->TakeElements() : std::vector<Value>{*folded};
    }
    for (size_t i = 0; i < count; ++i) {
      std::copy_n(state[i].array().bytes(), results[i].element_bytes(),
                  results[i].MutableBytes() + static_cast<size_t>(at) * results[i].element_bytes());
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Value> EvalReduce(OpContext& cx) {
  const size_t count = cx.operands.size() / 2;
  const CompId comp = cx.computation();
  if (count == 0 || !comp.valid()) {
    return cx.Fail(diag::kCannotEvaluate, "needs operands and a computation");
  }
  const Walk walk = WalkOf(cx.array(0), cx.ints(AttrKey::k_dimensions));
  if (std::optional<Diagnostic> refused = cx.Spend(cx.array(0).count())) {
    return *std::move(refused);
  }
  LaneProgram* program = cx.Lanes(comp);
  if (IsFloatSum(cx, program, count) && !walk.fold_dims.empty()) return Value(Sum(cx, walk));
  std::vector<Array> results = MakeResults(cx, walk, count);
  const bool fits = program != nullptr && LanesFit(cx, *program, count);
  if (fits) {
    FoldLanes(cx, *program, walk, count, results);
  } else if (std::optional<Diagnostic> failed = FoldCalls(cx, comp, walk, count, results)) {
    return *std::move(failed);
  }
  if (!cx.module.shapes.is_tuple(cx.shape())) return Value(std::move(results[0]));
  return Value::Tuple(std::vector<Value>(results.begin(), results.end()));
}

}  // namespace halo
