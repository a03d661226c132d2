// Which elements of a parameter an array depends on behind broadcasts and reductions. Positions in
// memory are read as numbers whose digits are the indices, the minor dimension last. Some adjacent
// digits count the parameter's elements; they must stay adjacent and in order, while others come
// and go.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "halo/memory/check/check_inplace.h"

namespace halo::check {
namespace {

struct Digit {
  int64_t dim = 0;
  int64_t size = 1;
  int64_t stride = 1;  // in elements
};

// The dimensions with more than one index, minor first; nullopt if the elements are not simply in
// the order of some permutation of the dimensions.
std::optional<std::vector<Digit>> DigitsOf(const ShapeTable& shapes, ShapeId shape) {
  if (!shape.valid() || !shapes.is_array(shape) || !shapes.ElementCount(shape)) return std::nullopt;
  const auto dims = shapes.dims(shape);
  const Layout* layout = shapes.layout(shape);
  const auto rank = static_cast<int64_t>(dims.size());
  if (layout != nullptr && !layout->tiles.empty()) return std::nullopt;
  const bool is_permuted = layout != nullptr && !layout->minor_to_major.empty();
  if (is_permuted && layout->minor_to_major.size() != dims.size()) return std::nullopt;
  std::vector<Digit> digits;
  int64_t stride = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = is_permuted ? layout->minor_to_major[static_cast<size_t>(i)] : rank - 1 - i;
    if (dim < 0 || dim >= rank || dims[static_cast<size_t>(dim)] < 1) return std::nullopt;
    const int64_t size = dims[static_cast<size_t>(dim)];
    if (size > 1) digits.push_back({dim, size, stride});
    if (__builtin_mul_overflow(stride, size, &stride)) return std::nullopt;
  }
  return digits;
}

// `result_dim` has the dimension of the result for each one of the operand, -1 if there is none.
std::optional<int64_t> StepBehind(const Module& module, const Inst& inst,
                                  std::span<const int64_t> result_dim, int64_t step,
                                  int64_t count) {
  if (count == 1) return 1;  // everything depends on the one element
  const auto from = DigitsOf(module.shapes, module.inst(module.operands_of(inst)[0]).shape);
  const auto to = DigitsOf(module.shapes, inst.shape);
  int64_t period = 0;
  if (!from || !to || step < 1 || __builtin_mul_overflow(step, count, &period)) return std::nullopt;
  // The digits that count the parameter's elements, and what more of them it takes to separate
  // those from the others.
  auto first = std::ranges::find_if(
      *from, [&](const Digit& digit) { return digit.stride * digit.size > step; });
  if (first == from->end()) return std::nullopt;
  while (step % first->stride != 0) --first;  // the first stride is 1
  auto last = std::next(first);
  const auto end = [&] { return std::prev(last)->stride * std::prev(last)->size; };
  while (last != from->end() && end() % period != 0) ++last;
  if (end() % period != 0) return std::nullopt;
  const auto is_same = [&](const Digit& digit, const Digit& wanted) {
    return digit.dim == result_dim[static_cast<size_t>(wanted.dim)];
  };
  const auto found = std::search(to->begin(), to->end(), first, last, is_same);
  if (found == to->end()) return std::nullopt;
  int64_t result = 0;
  if (__builtin_mul_overflow(found->stride, step / first->stride, &result)) return std::nullopt;
  return result;
}

std::optional<size_t> RankOfFirstOperand(const Module& module, const Inst& inst) {
  const auto operands = module.operands_of(inst);
  if (operands.empty() || !operands[0].valid()) return std::nullopt;
  const ShapeId shape = module.inst(operands[0]).shape;
  if (!shape.valid() || !module.shapes.is_array(shape)) return std::nullopt;
  return module.shapes.dims(shape).size();
}

}  // namespace

std::optional<int64_t> StepOfBroadcast(const Module& module, const Inst& broadcast, int64_t step,
                                       int64_t count) {
  const auto rank = RankOfFirstOperand(module, broadcast);
  const auto result_dim = module.IntsOf(broadcast.attrs, AttrKey::k_dimensions);
  if (!rank || result_dim.size() != *rank) return std::nullopt;
  return StepBehind(module, broadcast, result_dim, step, count);
}

std::optional<int64_t> StepOfReduce(const Module& module, const Inst& reduce, int64_t step,
                                    int64_t count) {
  const auto rank = RankOfFirstOperand(module, reduce);
  if (!rank || reduce.operand_count != 2) return std::nullopt;
  std::vector<int64_t> result_dim(*rank, 0);
  for (const int64_t dim : module.IntsOf(reduce.attrs, AttrKey::k_dimensions)) {
    if (dim < 0 || static_cast<size_t>(dim) >= *rank) return std::nullopt;
    result_dim[static_cast<size_t>(dim)] = -1;
  }
  int64_t next = 0;
  for (int64_t& dim : result_dim) {
    if (dim == 0) dim = next++;
  }
  return StepBehind(module, reduce, result_dim, step, count);
}

}  // namespace halo::check
