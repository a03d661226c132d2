// Ops that read or write a part of an array at an offset known only at run time. A part that
// divides the whole is one of several equal pieces.
#include <algorithm>

#include "halo/base/containers/contains.h"
#include "halo/shrink/relations/relations.h"

namespace halo {

void Relations::PartOf(DimId whole, DimId part, InstId why) {
  const int64_t size = space_.size(whole), taken = space_.size(part);
  if (size == taken) {
    space_.Unify(whole, part, why);
  } else if (taken > 1) {
    DimId hi, lo;
    if (taken > 0 && size % taken == 0 && space_.SplitAt(whole, taken, why, &hi, &lo)) {
      space_.Unify(lo, part, why);
      pieces_.push_back({hi, lo, why});
    } else if (size - taken <= kEdge) {
      at_least_.emplace_back(whole, size - taken + 1);
      space_.Unify(part, space_.Sum({{whole, 0}, {DimId(), taken - size}}, why), why);
    } else {
      space_.Pin(whole, why, "parts that do not divide it are taken");
      space_.Pin(part, why, "it does not divide what it is a part of");
    }
  }
}

void Relations::RelateGather(InstId id) {
  const auto offsets = ints(id, AttrKey::k_offset_dims);
  const auto collapsed = ints(id, AttrKey::k_collapsed_slice_dims);
  const auto batching = ints(id, AttrKey::k_operand_batching_dims);
  const auto indices_batching = ints(id, AttrKey::k_start_indices_batching_dims);
  const auto vector_dim =
      static_cast<size_t>(module_.IntOr(inst(id).attrs, AttrKey::k_index_vector_dim, 0));
  const Dims from = operand_dims(id, 0), indices = operand_dims(id, 1), to = of(id);
  size_t next = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (Contains(collapsed, i) || Contains(batching, i)) continue;
    if (next < offsets.size()) PartOf(from[i], to[static_cast<size_t>(offsets[next])], id);
    ++next;
  }
  size_t k = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (Contains(offsets, i)) continue;
    if (k == vector_dim) ++k;
    if (k < indices.size()) space_.Unify(indices[k], to[i], id);
    ++k;
  }
  if (vector_dim < indices.size()) space_.Pin(indices[vector_dim], id, "it holds index vectors");
  for (size_t i = 0; i < std::min(batching.size(), indices_batching.size()); ++i) {
    space_.Unify(from[static_cast<size_t>(batching[i])],
                 indices[static_cast<size_t>(indices_batching[i])], id);
  }
}

void Relations::RelateScatter(InstId id) {
  const auto windows = ints(id, AttrKey::k_update_window_dims);
  const auto inserted = ints(id, AttrKey::k_inserted_window_dims);
  const auto batching = ints(id, AttrKey::k_input_batching_dims);
  const auto indices_batching = ints(id, AttrKey::k_scatter_indices_batching_dims);
  const auto vector_dim =
      static_cast<size_t>(module_.IntOr(inst(id).attrs, AttrKey::k_index_vector_dim, 0));
  const size_t inputs = (operand_count(id) - 1) / 2;
  const Dims indices = operand_dims(id, inputs);
  for (size_t n = 0; n < inputs; ++n) {
    const Dims into = operand_dims(id, n), updates = operand_dims(id, inputs + 1 + n);
    Same(into, inputs == 1 ? of(id) : dims_.element(id, static_cast<int64_t>(n)), id);
    size_t next = 0;
    for (size_t i = 0; i < into.size(); ++i) {
      if (Contains(inserted, i) || Contains(batching, i)) continue;
      if (next < windows.size()) PartOf(into[i], updates[static_cast<size_t>(windows[next])], id);
      ++next;
    }
    size_t k = 0;
    for (size_t i = 0; i < updates.size(); ++i) {
      if (Contains(windows, i)) continue;
      if (k == vector_dim) ++k;
      if (k < indices.size()) space_.Unify(indices[k], updates[i], id);
      ++k;
    }
    for (size_t i = 0; i < std::min(batching.size(), indices_batching.size()); ++i) {
      space_.Unify(into[static_cast<size_t>(batching[i])],
                   indices[static_cast<size_t>(indices_batching[i])], id);
    }
  }
  if (vector_dim < indices.size()) space_.Pin(indices[vector_dim], id, "it holds index vectors");
}

// Index vectors computed for every position of an array usually contain that position. A dimension
// they index is therefore unified with a dimension of the same size that they are computed for.
void Relations::RelateIndexVectors(InstId id) {
  const Opcode opcode = inst(id).opcode;
  if (opcode != Opcode::kGather && opcode != Opcode::kScatter) return;
  const bool gather = opcode == Opcode::kGather;
  const auto map =
      ints(id, gather ? AttrKey::k_start_index_map : AttrKey::k_scatter_dims_to_operand_dims);
  if (map.size() < 2) return;
  const auto vector_dim =
      static_cast<size_t>(module_.IntOr(inst(id).attrs, AttrKey::k_index_vector_dim, 0));
  const Dims into = operand_dims(id, 0);
  const Dims indices = operand_dims(id, gather ? 1 : (operand_count(id) - 1) / 2);
  std::vector<DimId> factors;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i != vector_dim) space_.Factors(indices[i], factors);
  }
  size_t next = 0;
  for (const int64_t dim : map) {
    const DimId target = into[static_cast<size_t>(dim)];
    if (space_.size(target) <= 1) continue;
    for (size_t first = next; first < factors.size(); ++first) {
      int64_t product = 1;
      size_t last = first;
      while (last < factors.size() && product < space_.size(target)) {
        product *= space_.size(factors[last++]);
      }
      if (product != space_.size(target)) continue;
      const std::vector<DimId> run(factors.begin() + static_cast<std::ptrdiff_t>(first),
                                   factors.begin() + static_cast<std::ptrdiff_t>(last));
      space_.UnifyProducts({&target, 1}, run, id);
      next = last;
      break;
    }
  }
}

bool Relations::RelateIndexing(InstId id) {
  switch (inst(id).opcode) {
    case Opcode::kDynamicSlice: {
      const Dims from = operand_dims(id, 0), to = of(id);
      for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) PartOf(from[i], to[i], id);
      if (operand_count(id) == 2) PinDims(operand_dims(id, 1), id, "it holds an index vector");
      return true;
    }
    case Opcode::kDynamicUpdateSlice: {
      const Dims into = operand_dims(id, 0), update = operand_dims(id, 1);
      Same(into, of(id), id);
      for (size_t i = 0; i < std::min(into.size(), update.size()); ++i) {
        PartOf(into[i], update[i], id);
      }
      if (operand_count(id) == 3) PinDims(operand_dims(id, 2), id, "it holds an index vector");
      return true;
    }
    case Opcode::kGather: RelateGather(id); return true;
    case Opcode::kScatter: RelateScatter(id); return true;
    case Opcode::kGetDimensionSize: return true;
    case Opcode::kSetDimensionSize: Same(operand_dims(id, 0), of(id), id); return true;
    default: return false;
  }
}

}  // namespace halo
