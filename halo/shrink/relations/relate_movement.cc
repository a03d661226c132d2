// Ops that rearrange elements: reshapes and bitcasts are equations of products; slices,
// concatenations and pads are equations of sums.
#include <algorithm>
#include <numeric>

#include "halo/shrink/relations/relations.h"

namespace halo {
namespace {

// A dimension this small is not worth splitting.
constexpr int64_t kSmall = 8;
// A dimension is split into at most this many equal blocks.
constexpr int64_t kMaxBlocks = 16;

// The dimensions in memory order, major to minor.
std::vector<DimId> Physical(const ShapeTable& shapes, ShapeId shape, std::span<const DimId> dims) {
  const Layout* layout = shapes.layout(shape);
  std::vector<DimId> order(dims.begin(), dims.end());
  if (layout == nullptr || layout->minor_to_major.size() != dims.size()) return order;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<size_t>(layout->minor_to_major[dims.size() - 1 - i]);
    if (at >= dims.size()) return {dims.begin(), dims.end()};
    order[i] = dims[at];
  }
  return order;
}

}  // namespace

void Relations::RelateBroadcast(InstId id) {
  const auto map = ints(id, AttrKey::k_dimensions);
  const Dims from = operand_dims(id, 0), to = of(id);
  if (map.size() != from.size()) return;
  for (size_t i = 0; i < from.size(); ++i) {
    const DimId target = to[static_cast<size_t>(map[i])];
    if (space_.size(from[i]) == space_.size(target)) space_.Unify(from[i], target, id);
  }
}

void Relations::RelateTranspose(InstId id) {
  const auto map = ints(id, AttrKey::k_dimensions);
  const Dims from = operand_dims(id, 0), to = of(id);
  if (map.size() != from.size()) return;
  for (size_t i = 0; i < to.size(); ++i) {
    space_.Unify(from[static_cast<size_t>(map[i])], to[i], id);
  }
}

void Relations::RelateBitcast(InstId id) {
  const ShapeId from = inst(operand(id, 0)).shape, to = inst(id).shape;
  if (!module_.shapes.is_array(from) || !module_.shapes.is_array(to)) {
    PinAll(id, "it is a bitcast of no array");
    return;
  }
  if (module_.shapes.ElementCount(from) != module_.shapes.ElementCount(to)) {
    PinAll(id, "it is a bitcast to elements of another width");
    return;
  }
  space_.UnifyProducts(Physical(module_.shapes, from, operand_dims(id, 0)),
                       Physical(module_.shapes, to, of(id)), id);
}

DimId Relations::SliceOf(DimId whole, int64_t start, int64_t limit, int64_t stride, InstId why) {
  const int64_t size = space_.size(whole);
  const int64_t taken = (limit - start + stride - 1) / stride;
  if (taken == size) return whole;
  const std::string reason =
      "takes [" + std::to_string(start) + ":" + std::to_string(limit) + "] of it";
  if (stride > 1 && taken > 1) {
    DimId hi, lo;
    if (start < stride && size % stride == 0 && taken == size / stride &&
        space_.SplitAt(whole, stride, why, &hi, &lo)) {
      space_.Pin(lo, why, "it is the step of a slice");
      return hi;
    }
    space_.Pin(whole, why, reason);
    return space_.Constant(taken, why);
  }
  if (space_.IsSum(whole)) {
    // Concatenated parts are separated again.
    DimSpace::SumForm inside;
    int64_t at = 0;
    bool fits = true;
    for (const DimSpace::SumTerm& term : space_.sum(whole)) {
      const int64_t length = term.part.valid() ? space_.size(term.part) : term.number;
      const int64_t from = std::max(at, start), to = std::min(at + length, limit);
      if (length < 0) fits = false;
      if (from < to) {
        if (from == at && to == at + length) {
          inside.push_back(term);
        } else if (!term.part.valid()) {
          inside.push_back({DimId(), to - from});
        } else {
          fits = false;
        }
      }
      at += length;
    }
    if (fits) return space_.Sum(inside, why);
  }
  if (size <= kSmall) {
    space_.Pin(whole, why, reason);
    return space_.Constant(taken, why);
  }
  const int64_t block = std::gcd(std::gcd(start, limit), size);
  if (block > 1 && size / block <= kMaxBlocks) {
    DimId hi, lo;
    if (space_.SplitAt(whole, block, why, &hi, &lo)) {
      space_.Pin(hi, why, reason);
      const std::vector<DimId> factors = {space_.Constant(taken / block, why), lo};
      const DimId result = space_.Make(taken);
      space_.UnifyProducts({&result, 1}, factors, why);
      return result;
    }
  }
  if (taken <= kSmall) {
    at_least_.emplace_back(whole, taken + 1);
    return space_.Constant(taken, why);
  }
  if (size - taken <= kEdge) {
    at_least_.emplace_back(whole, size - taken + 1);
    return space_.Sum({{whole, 0}, {DimId(), taken - size}}, why);
  }
  space_.Pin(whole, why, reason);
  return space_.Constant(taken, why);
}

void Relations::RelateSlice(InstId id) {
  const auto slices = ints(id, AttrKey::k_slice);
  const Dims from = operand_dims(id, 0), to = of(id);
  if (slices.size() != 3 * from.size() || to.size() != from.size()) return;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t stride = std::max<int64_t>(slices[3 * i + 2], 1);
    const int64_t size = space_.size(from[i]), rest = size - space_.size(to[i]);
    std::vector<DimId> factors;
    space_.Factors(from[i], factors);
    // All but an edge of a dimension that nothing else splits: the larger dimension is the sum.
    if (rest > 0 && rest <= kEdge && stride == 1 && space_.size(to[i]) > kSmall &&
        factors.size() == 1 && !space_.IsSum(from[i]) && !space_.IsPinned(from[i]) &&
        std::gcd(std::gcd(slices[3 * i], slices[3 * i + 1]), size) == 1) {
      space_.Unify(from[i], space_.Sum({{to[i], 0}, {DimId(), rest}}, id), id);
      continue;
    }
    space_.Unify(to[i], SliceOf(from[i], slices[3 * i], slices[3 * i + 1], stride, id), id);
  }
}

void Relations::RelatePad(InstId id) {
  const auto padding = ints(id, AttrKey::k_padding);
  const Dims from = operand_dims(id, 0), to = of(id);
  if (padding.size() != 3 * from.size() || to.size() != from.size()) return;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t low = padding[3 * i], high = padding[3 * i + 1], interior = padding[3 * i + 2];
    const int64_t size = space_.size(from[i]), result = space_.size(to[i]);
    if (interior != 0) {
      space_.Pin(from[i], id, "it is padded between its elements");
      space_.Pin(to[i], id, "it is padded between its elements");
      continue;
    }
    DimId kept = from[i];
    if (low < 0 || high < 0) {
      kept = SliceOf(kept, std::max<int64_t>(-low, 0), size + std::min<int64_t>(high, 0), 1, id);
    }
    const int64_t before = std::max<int64_t>(low, 0), after = std::max<int64_t>(high, 0);
    const int64_t length = space_.size(kept);
    if (before == 0 && after == 0) {
      space_.Unify(to[i], kept, id);
    } else if (length > 1 && before % length == 0 && after % length == 0 &&
               result / length <= kMaxBlocks) {
      const std::vector<DimId> factors = {space_.Constant(result / length, id), kept};
      space_.UnifyProducts({&to[i], 1}, factors, id);
    } else if (std::max(before, after) <= kEdge) {
      space_.Unify(to[i], space_.Sum({{DimId(), before}, {kept, 0}, {DimId(), after}}, id), id);
    } else if (length <= kSmall) {
      // A few elements in a large frame: the frame determines the amount of padding.
      space_.Pin(kept, id, "is padded to a larger size");
      at_least_.emplace_back(to[i], length + std::min(before, after) + 1);
    } else {
      space_.Pin(kept, id, "is padded by another size");
      space_.Pin(to[i], id, "is padded by another size");
    }
  }
}

void Relations::RelateConcatenate(InstId id) {
  const auto along = ints(id, AttrKey::k_dimensions);
  if (along.size() != 1) return;
  const auto dim = static_cast<size_t>(along[0]);
  bool alike = true;
  DimSpace::SumForm terms;
  for (size_t i = 0; i < operand_count(id); ++i) {
    const Dims part = operand_dims(id, i);
    if (part.size() <= dim) return;
    for (size_t k = 0; k < part.size(); ++k) {
      if (k != dim) space_.Unify(part[k], of(id)[k], id);
    }
    alike = alike && space_.size(part[dim]) == space_.size(operand_dims(id, 0)[dim]);
    terms.push_back({part[dim], 0});
  }
  if (alike && space_.size(terms[0].part) > 1 && terms.size() > 1) {
    for (const auto& term : terms) space_.Unify(term.part, terms[0].part, id);
    const std::vector<DimId> factors = {space_.Constant(static_cast<int64_t>(terms.size()), id),
                                        terms[0].part};
    space_.UnifyProducts({&of(id)[dim], 1}, factors, id);
    return;
  }
  space_.Unify(of(id)[dim], space_.Sum(terms, id), id);
}

bool Relations::RelateMovement(InstId id) {
  switch (inst(id).opcode) {
    case Opcode::kIota: return true;
    case Opcode::kReverse: Same(operand_dims(id, 0), of(id), id); return true;
    case Opcode::kBroadcast: RelateBroadcast(id); return true;
    case Opcode::kTranspose: RelateTranspose(id); return true;
    case Opcode::kReshape:
    case Opcode::kDynamicReshape:
      space_.UnifyProducts(operand_dims(id, 0), of(id), id);
      return true;
    case Opcode::kBitcast: RelateBitcast(id); return true;
    case Opcode::kSlice: RelateSlice(id); return true;
    case Opcode::kPad: RelatePad(id); return true;
    case Opcode::kConcatenate: RelateConcatenate(id); return true;
    default: return false;
  }
}

}  // namespace halo
