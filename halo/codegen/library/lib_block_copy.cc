// Instructions that only copy contiguous blocks of memory: a copy, a slice along one dimension, a
// concatenate, and an all-reduce of a device that runs alone, as this engine runs a module, so that
// the sum is the operand itself. The C library's memcpy knows when to bypass the caches. Copies of
// short blocks are left to generated code.
#include <algorithm>
#include <cstring>
#include <utility>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kShortest = 256;     // bytes; shorter blocks are not worth a call
constexpr int64_t kGrain = 128 << 10;  // bytes worth a thread

// `count` blocks of `bytes`, at a fixed distance from each other.
struct BlockMove {
  size_t operand = 0;
  size_t result = 0;
  int64_t from = 0, to = 0;
  int64_t bytes = 0;
  int64_t count = 1;
  int64_t from_step = 0, to_step = 0;
};

class BlockCopyOp : public LibraryOp {
 public:
  BlockCopyOp(std::vector<BlockMove> moves, size_t operands)
      : moves_(std::move(moves)), operands_(operands) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* /*scratch*/) override {
    for (const BlockMove& move : moves_) {
      auto* to = static_cast<uint8_t*>(buffers[operands_ + move.result]);
      const auto* from = static_cast<const uint8_t*>(buffers[move.operand]);
      if (from + move.from == to + move.to) continue;
      if (move.count == 1) {
        TeamFor(move.bytes, kGrain, [&](int64_t begin, int64_t end) {
          std::memcpy(to + move.to + begin, from + move.from + begin,
                      static_cast<size_t>(end - begin));
        });
        continue;
      }
      TeamFor(
          move.count, std::max<int64_t>(1, kGrain / move.bytes), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              std::memcpy(to + move.to + i * move.to_step, from + move.from + i * move.from_step,
                          static_cast<size_t>(move.bytes));
            }
          });
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string Text() const override {
    return "memcpy of " + std::to_string(moves_.size()) +
           (moves_.size() == 1 ? " range" : " ranges");
  }

 private:
  std::vector<BlockMove> moves_;
  size_t operands_;
};

// Dimensions from major to minor; the position of dimensions of size 1 does not matter.
std::vector<size_t> MajorToMinor(const Placed& array) {
  std::vector<size_t> order;
  for (size_t i = 0; i < array.dims.size(); ++i) order.push_back(i);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return array.strides[a] != array.strides[b] ? array.strides[a] > array.strides[b] : a < b;
  });
  return order;
}

// True if the array is stored in this order without gaps.
bool IsStoredIn(const Placed& array, const std::vector<size_t>& order) {
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t dim = order[i];
    if (array.dims[dim] != 1 && array.strides[dim] != stride) return false;
    stride *= array.dims[dim];
  }
  return true;
}

// The number of blocks before `dim`, and the number of elements after it.
std::pair<int64_t, int64_t> Around(const Placed& array, const std::vector<size_t>& order,
                                   size_t dim) {
  int64_t before = 1;
  int64_t behind = 1;
  bool passed = false;
  for (const size_t each : order) {
    if (each == dim) {
      passed = true;
    } else {
      (passed ? behind : before) *= array.dims[each];
    }
  }
  return {before, behind};
}

std::vector<BlockMove> Concatenation(const PlacedArrays& operands, const Placed& result,
                                     const std::vector<size_t>& order, size_t dim) {
  const auto [before, behind] = Around(result, order, dim);
  const int64_t unit = behind * static_cast<int64_t>(StoredBytes(result.type));
  std::vector<BlockMove> moves;
  int64_t at = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t bytes = operands[i].dims[dim] * unit;
    if (bytes > 0) moves.push_back({i, 0, 0, at, bytes, before, bytes, result.dims[dim] * unit});
    at += bytes;
  }
  return moves;
}

// Empty if it slices more than one dimension or skips elements.
std::vector<BlockMove> Slice(const Module& module, const Inst& inst, const Placed& operand,
                             const Placed& result, const std::vector<size_t>& order) {
  // start, limit and stride of each dimension; a stride of 0 was omitted and means 1
  const std::span<const int64_t> bounds = module.IntsOf(inst.attrs, AttrKey::k_slice);
  std::optional<size_t> cut;
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    if (operand.dims[i] == result.dims[i]) continue;
    if (cut || bounds[3 * i + 2] > 1) return {};
    cut = i;
  }
  if (!cut) return {{0, 0, 0, 0, result.bytes(), 1, 0, 0}};
  const auto [before, behind] = Around(result, order, *cut);
  const int64_t unit = behind * static_cast<int64_t>(StoredBytes(result.type));
  const int64_t bytes = result.dims[*cut] * unit;
  return {{0, 0, bounds[3 * *cut] * unit, 0, bytes, before, operand.dims[*cut] * unit, bytes}};
}

}  // namespace

std::unique_ptr<LibraryOp> MakeBlockCopyOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const std::optional<PlacedArrays> operands = PlacedOperands(module, inst);
  const std::optional<PlacedArrays> results = PlacedResults(module, inst);
  if (!operands || !results || results->size() != 1 || operands->empty()) return nullptr;
  const Placed& result = (*results)[0];
  if (result.count() == 0) return nullptr;
  const std::vector<size_t> order = MajorToMinor(result);
  for (const Placed& operand : *operands) {
    if (operand.type != result.type || operand.dims.size() != result.dims.size() ||
        !IsStoredIn(operand, order)) {
      return nullptr;
    }
  }
  std::vector<BlockMove> moves;
  switch (inst.opcode) {
    case Opcode::kCopy: moves = {{0, 0, 0, 0, result.bytes(), 1, 0, 0}}; break;
    case Opcode::kConcatenate: {
      const std::span<const int64_t> dims = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
      if (dims.size() != 1) return nullptr;
      moves = Concatenation(*operands, result, order, static_cast<size_t>(dims[0]));
      break;
    }
    case Opcode::kSlice: moves = Slice(module, inst, (*operands)[0], result, order); break;
    default: return nullptr;
  }
  if (moves.empty()) return nullptr;
  for (const BlockMove& move : moves) {
    if (move.count > 1 && move.bytes < kShortest) return nullptr;
  }
  return std::make_unique<BlockCopyOp>(std::move(moves), operands->size());
}

std::unique_ptr<LibraryOp> MakeAloneOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const std::optional<PlacedArrays> operands = PlacedOperands(module, inst);
  const std::optional<PlacedArrays> results = PlacedResults(module, inst);
  if (!operands || !results || operands->size() != results->size()) return nullptr;
  std::vector<BlockMove> moves;
  for (size_t i = 0; i < operands->size(); ++i) {
    const Placed& from = (*operands)[i];
    const Placed& to = (*results)[i];
    if (from.type != to.type || from.dims != to.dims || from.strides != to.strides) return nullptr;
    moves.push_back({i, i, 0, 0, from.bytes(), 1, 0, 0});
  }
  return std::make_unique<BlockCopyOp>(std::move(moves), operands->size());
}

}  // namespace halo
