// Decides when a reduction fits a cluster: it turns a loop into a row or column kernel, or joins
// one of the same shape. Everything downstream of a reduction must use the index of its row or of
// the element it came from, so that a kernel can traverse a row again.
#include <algorithm>

#include "halo/passes/fusion/fusion_cluster.h"
#include "halo/passes/rewrite/physical.h"

namespace halo {
namespace {

constexpr int64_t kMaxColumns = 1 << 20;

bool FoldsAlike(const ShapeTable& shapes, const ReduceShape& a, const ReduceShape& b) {
  return SameUpToOnes(shapes, a.input, b.input) && a.kept == b.kept && a.is_row == b.is_row;
}

}  // namespace

// Returns true if `map` is the domain's index without the reduced dimensions.
bool Cluster::IsRowOf(MapId map, const ReduceShape& shape) const {
  if (map == kScalar) return shape.kept.empty();
  return maps_[map].is_broadcast && maps_[map].parent == whole_ && maps_[map].kept == shape.kept;
}

// Returns true if everything computed from `id` is elementwise or broadcasts rows, at one of two
// indices.
bool Cluster::BehindIsAligned(InstId id, MapId a, MapId b) const {
  std::unordered_set<uint32_t> behind = {id.value};
  // Nodes are stored consumers first.
  for (size_t i = nodes_.size(); i-- > 0;) {
    const InstId node = nodes_[i];
    const std::span<const InstId> operands = module_->operands_of(module_->inst(node));
    if (std::ranges::none_of(operands, [&](InstId each) { return behind.contains(each.value); })) {
      continue;
    }
    behind.insert(node.value);
    const Opcode opcode = module_->inst(node).opcode;
    const bool is_plain = FusedOpOf(*module_, node) == FusedOp::kElementwise ||
                          opcode == Opcode::kBroadcast || opcode == Opcode::kReshape ||
                          opcode == Opcode::kBitcast || opcode == Opcode::kReduce;
    if (!is_plain) return false;
    for (const MapId map : maps_of_.at(node.value)) {
      if (map != a && map != b && map != kScalar) return false;
    }
  }
  return true;
}

// Returns true if every node uses the domain's own index or is a scalar.
bool Cluster::IsOnlyElementwise() const {
  return std::ranges::all_of(
      nodes_, [&](InstId node) { return MayBeInColumn(node, maps_of_.at(node.value)); });
}

bool Cluster::MayBeInColumn(InstId id, const Maps& maps) const {
  const Inst& inst = module_->inst(id);
  const bool spreads_scalar =
      inst.opcode == Opcode::kBroadcast && ElementsOf(*module_, module_->operands_of(inst)[0]) == 1;
  const bool is_plain = FusedOpOf(*module_, id) == FusedOp::kElementwise || spreads_scalar ||
                        inst.opcode == Opcode::kReduce;
  for (MapId map : maps) {
    if (map == kScalar) continue;
    if (map == whole_) {
      if (!is_plain) return false;
      continue;
    }
    // Any op may precede the reductions; only simple ops may follow them.
    while (map != hero_ && map != whole_ && map != kScalar) map = maps_[map].parent;
    if (form_ != KernelForm::kColumn || map != hero_) return false;
  }
  return true;
}

bool Cluster::JoinRow(InstId id, const Maps& maps, const ReduceShape& shape) {
  if (maps.size() != 1 || folds_small_) return false;
  const MapId map = maps[0];
  const ShapeTable& shapes = module_->shapes;
  if (form_ == KernelForm::kRow) {
    if (map != row_ || !FoldsAlike(shapes, shape, *reduction_)) return false;
    return BehindIsAligned(id, hero_, row_);
  }
  if (form_ != KernelForm::kLoop) return false;
  if (map == whole_ && SameUpToOnes(shapes, shape.result, domain_)) {
    if (!BehindIsAligned(id, whole_, whole_)) return false;
    row_ = whole_;
    hero_ = static_cast<MapId>(maps_.size());
    maps_.push_back({.count = static_cast<double>(shapes.ElementCount(shape.input).value_or(0))});
  } else {
    if (!SameUpToOnes(shapes, shape.input, domain_) || !IsRowOf(map, shape)) return false;
    if (shape.folded > kMaxColumns || !BehindIsAligned(id, whole_, map)) return false;
    row_ = map;
    hero_ = whole_;
    maps_[row_].count = static_cast<double>(shapes.ElementCount(shape.result).value_or(0));
  }
  form_ = KernelForm::kRow;
  reduction_ = shape;
  return true;
}

bool Cluster::JoinColumn(InstId /*id*/, const Maps& maps, const ReduceShape& shape) {
  if (maps.size() != 1 || maps[0] != whole_ || folds_small_) return false;
  const ShapeTable& shapes = module_->shapes;
  if (form_ == KernelForm::kColumn) return FoldsAlike(shapes, shape, *reduction_);
  if (form_ != KernelForm::kLoop || !IsOnlyElementwise()) return false;
  if (!SameUpToOnes(shapes, shape.result, domain_)) return false;
  row_ = whole_;
  hero_ = static_cast<MapId>(maps_.size());
  maps_.push_back({.count = static_cast<double>(shapes.ElementCount(shape.input).value_or(0))});
  form_ = KernelForm::kColumn;
  reduction_ = shape;
  return true;
}

bool Cluster::AddReduce(InstId id, const Maps& maps, std::string_view& why) {
  const ReduceShape shape = ReduceShapeOf(*module_, id);
  const bool is_tuple = module_->shapes.is_tuple(module_->inst(id).shape);
  const auto results = static_cast<double>(ElementsOf(*module_, id));
  const bool computed_once = Count(maps) <= results;
  const bool small = shape.folded <= kSmallFold && !is_tuple && computed_once &&
                     (form_ == KernelForm::kLoop || form_ == KernelForm::kUpdate);
  // Reducing a few elements along a major dimension belongs in the innermost loop.
  if (small && shape.is_column) {
    folds_small_ = true;
    return true;
  }
  if (shape.is_row && JoinRow(id, maps, shape)) return true;
  if (shape.is_column && JoinColumn(id, maps, shape)) return true;
  if (small) {
    folds_small_ = true;
    return true;
  }
  why = "a reduction of another shape than the kernel's";
  return false;
}

}  // namespace halo
