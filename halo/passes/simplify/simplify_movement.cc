// Simplifies ops that move elements: those that move none, two in a row, and those that are free in
// their present layouts.
#include <algorithm>
#include <numeric>
#include <vector>

#include "halo/passes/rewrite/constants.h"
#include "halo/passes/rewrite/physical.h"
#include "halo/passes/simplify/simplify_rules.h"

namespace halo {
namespace {

using Dims = std::vector<int64_t>;

Dims DimsOf(const ModuleEditor& edit, InstId id) {
  const std::span<const int64_t> dims = edit.module().shapes.dims(edit.inst(id).shape);
  return {dims.begin(), dims.end()};
}

Dims IntsOf(const ModuleEditor& edit, InstId id, AttrKey key) {
  const std::span<const int64_t> ints = edit.module().IntsOf(edit.inst(id).attrs, key);
  return {ints.begin(), ints.end()};
}

bool SameDims(const ModuleEditor& edit, InstId a, InstId b) {
  return std::ranges::equal(edit.module().shapes.dims(edit.inst(a).shape),
                            edit.module().shapes.dims(edit.inst(b).shape));
}

bool SameType(const ModuleEditor& edit, InstId a, InstId b) {
  return edit.module().shapes.type(edit.inst(a).shape) ==
         edit.module().shapes.type(edit.inst(b).shape);
}

InstId AddBitcast(ModuleEditor& edit, InstId id, InstId operand) {
  return edit.Add(edit.inst(id).parent, Opcode::kBitcast, edit.inst(id).shape, {operand}, {}, id);
}

InstId SimplifyReshape(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  if (!SameType(edit, id, operand)) return {};
  if (SameDims(edit, id, operand)) return operand;
  if (ReshapeIsBitcast(edit.module().shapes, edit.inst(operand).shape, edit.inst(id).shape)) {
    return AddBitcast(edit, id, operand);
  }
  if (edit.inst(operand).opcode != Opcode::kReshape) return {};
  const InstId source = edit.operand(operand, 0);
  return edit.Add(edit.inst(id).parent, Opcode::kReshape, edit.inst(id).shape, {source}, {}, id);
}

InstId SimplifyTranspose(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  Dims permutation = IntsOf(edit, id, AttrKey::k_dimensions);
  if (std::ranges::is_sorted(permutation)) return operand;
  if (TransposeIsBitcast(edit.module().shapes, edit.inst(operand).shape, edit.inst(id).shape,
                         permutation)) {
    return AddBitcast(edit, id, operand);
  }
  if (edit.inst(operand).opcode != Opcode::kTranspose) return {};
  const Dims inner = IntsOf(edit, operand, AttrKey::k_dimensions);
  for (int64_t& dim : permutation) dim = inner[static_cast<size_t>(dim)];
  const Attr attr = edit.tables().MakeInts(AttrKey::k_dimensions, permutation);
  return edit.Add(edit.inst(id).parent, Opcode::kTranspose, edit.inst(id).shape,
                  {edit.operand(operand, 0)}, {&attr, 1}, id);
}

InstId SimplifyBroadcast(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  if (!SameType(edit, id, operand)) return {};
  Dims map = IntsOf(edit, id, AttrKey::k_dimensions);
  const bool ordered = std::ranges::is_sorted(map);
  if (SameDims(edit, id, operand) && ordered) return operand;
  const Dims dims = DimsOf(edit, id);
  const auto count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  if (ordered && edit.module().shapes.ElementCount(edit.inst(operand).shape) == count) {
    return edit.Add(edit.inst(id).parent, Opcode::kReshape, edit.inst(id).shape, {operand}, {}, id);
  }
  if (edit.inst(operand).opcode != Opcode::kBroadcast) return {};
  Dims inner = IntsOf(edit, operand, AttrKey::k_dimensions);
  for (int64_t& dim : inner) dim = map[static_cast<size_t>(dim)];
  const Attr attr = edit.tables().MakeInts(AttrKey::k_dimensions, inner);
  return edit.Add(edit.inst(id).parent, Opcode::kBroadcast, edit.inst(id).shape,
                  {edit.operand(operand, 0)}, {&attr, 1}, id);
}

// Combines nested slices with stride 1.
InstId SimplifySlice(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  if (SameDims(edit, id, operand)) return operand;
  if (edit.inst(operand).opcode != Opcode::kSlice) return {};
  Dims outer = IntsOf(edit, id, AttrKey::k_slice);
  const Dims inner = IntsOf(edit, operand, AttrKey::k_slice);
  for (size_t at = 0; at + 2 < outer.size(); at += 3) {
    if (inner[at + 2] > 1) return {};
    outer[at] += inner[at];
    outer[at + 1] += inner[at];
  }
  const Attr attr = edit.tables().MakeInts(AttrKey::k_slice, outer);
  return edit.Add(edit.inst(id).parent, Opcode::kSlice, edit.inst(id).shape,
                  {edit.operand(operand, 0)}, {&attr, 1}, id);
}

// A dynamic-slice at a known offset.
InstId SimplifyDynamicSlice(ModuleEditor& edit, InstId id) {
  const InstId operand = edit.operand(id, 0);
  if (SameDims(edit, id, operand)) return operand;
  const Dims dims = DimsOf(edit, operand);
  const Dims sizes = DimsOf(edit, id);
  if (edit.inst(id).operand_count != dims.size() + 1) return {};
  Dims slice;
  for (size_t i = 0; i < dims.size(); ++i) {
    const InstId start = edit.operand(id, i + 1);
    if (!edit.module().shapes.dims(edit.inst(start).shape).empty()) return {};
    int64_t first = 0;
    if (sizes[i] != dims[i]) {
      const std::optional<Splat> known = SplatOf(edit, start);
      if (!known || known->type == ElementType::kU64 || !IntegerOf(*known)) return {};
      first = std::clamp<int64_t>(*IntegerOf(*known), 0, dims[i] - sizes[i]);
    }
    slice.insert(slice.end(), {first, first + sizes[i], 1});
  }
  const Attr attr = edit.tables().MakeInts(AttrKey::k_slice, slice);
  return edit.Add(edit.inst(id).parent, Opcode::kSlice, edit.inst(id).shape, {operand}, {&attr, 1},
                  id);
}

InstId SimplifyPad(ModuleEditor& edit, InstId id) {
  const Dims padding = IntsOf(edit, id, AttrKey::k_padding);
  const bool none = std::ranges::all_of(padding, [](int64_t each) { return each == 0; });
  return none ? edit.operand(id, 0) : InstId();
}

}  // namespace

InstId SimplifyMovement(ModuleEditor& edit, InstId id) {
  if (!edit.module().shapes.is_array(edit.inst(id).shape)) return {};
  switch (edit.inst(id).opcode) {
    case Opcode::kReshape: return SimplifyReshape(edit, id);
    case Opcode::kTranspose: return SimplifyTranspose(edit, id);
    case Opcode::kBroadcast: return SimplifyBroadcast(edit, id);
    case Opcode::kSlice: return SimplifySlice(edit, id);
    case Opcode::kDynamicSlice: return SimplifyDynamicSlice(edit, id);
    case Opcode::kDynamicUpdateSlice:
      return SameDims(edit, id, edit.operand(id, 1)) ? edit.operand(id, 1) : InstId();
    case Opcode::kConcatenate:
      return edit.inst(id).operand_count == 1 ? edit.operand(id, 0) : InstId();
    case Opcode::kPad: return SimplifyPad(edit, id);
    default: return {};
  }
}

}  // namespace halo
