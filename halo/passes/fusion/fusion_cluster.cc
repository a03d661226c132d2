// Index maps: the domain's own index, scalars, and what data-movement ops derive from them. Values
// read at the same index are computed once, so an elementwise op adds no map.
#include "halo/passes/fusion/fusion_cluster.h"

#include <algorithm>

#include "halo/passes/rewrite/physical.h"

namespace halo {
namespace {

constexpr size_t kMaxSize = 200;
constexpr size_t kMaxInputs = 40;
constexpr size_t kMaxRoots = 24;
constexpr size_t kMaxMaps = 8;
constexpr int64_t kLongRow = 32;  // elements; from here on, work per row is negligible

std::vector<int64_t> WithoutOnes(std::span<const int64_t> dims) {
  std::vector<int64_t> more;
  for (const int64_t dim : dims) {
    if (dim != 1) more.push_back(dim);
  }
  return more;
}

// The dimensions that a broadcast reads along, not counting dimensions of size 1.
std::vector<int64_t> KeptBy(const Module& module, const Inst& broadcast) {
  const std::span<const int64_t> dims = module.shapes.dims(broadcast.shape);
  std::vector<int64_t> number(dims.size(), -1);
  for (size_t i = 0, next = 0; i < dims.size(); ++i) {
    if (dims[i] != 1) number[i] = static_cast<int64_t>(next++);
  }
  std::vector<int64_t> kept;
  for (const int64_t dim : module.IntsOf(broadcast.attrs, AttrKey::k_dimensions)) {
    if (dims[static_cast<size_t>(dim)] != 1) kept.push_back(number[static_cast<size_t>(dim)]);
  }
  return kept;
}

InstId ThroughBitcasts(const Module& module, InstId id) {
  while (module.inst(id).opcode == Opcode::kBitcast) {
    id = module.operands_of(module.inst(id))[0];
  }
  return id;
}

}  // namespace

Cluster::Cluster(const Module& module, InstId root, int64_t position)
    : module_(&module), position_(position) {
  const Inst& inst = module.inst(root);
  domain_ = inst.shape;
  if (FusedOpOf(module, root) == FusedOp::kUpdate) {
    form_ = KernelForm::kUpdate;
    domain_ = module.inst(module.operands_of(inst)[1]).shape;
  }
  if (inst.opcode == Opcode::kReduce) domain_ = ReduceShapeOf(module, root).result;
  const auto elements = static_cast<double>(module.shapes.ElementCount(domain_).value_or(0));
  maps_.push_back({.count = 1});
  if (elements > 1) {
    whole_ = 1;
    maps_.push_back({.count = elements});
  }
  std::string_view why;
  if (inst.opcode == Opcode::kReduce) AddReduce(root, {whole_}, why);
  Take(root, {whole_}, /*as_root=*/true);
}

Cluster::MapId Cluster::NewMap(MapId parent, InstId through, size_t slot, double count) {
  const std::vector<int64_t> key = {0, parent, through.value, static_cast<int64_t>(slot)};
  const auto [at, added] = known_maps_.try_emplace(key, static_cast<MapId>(maps_.size()));
  if (added) maps_.push_back({.parent = parent, .through = through.value, .count = count});
  return at->second;
}

Cluster::MapId Cluster::BroadcastMap(MapId parent, std::vector<int64_t> kept, double count) {
  std::vector<int64_t> key = {1, parent};
  key.insert(key.end(), kept.begin(), kept.end());
  const auto [at, added] = known_maps_.try_emplace(key, static_cast<MapId>(maps_.size()));
  if (added) {
    maps_.push_back(
        {.parent = parent, .kept = std::move(kept), .is_broadcast = true, .count = count});
  }
  return at->second;
}

// Returns true if these are the outer dimensions of the domain. A value read only along them is
// computed once for everything inside.
bool Cluster::IsMajorPart(const std::vector<int64_t>& kept) const {
  const std::span<const int64_t> dims = module_->shapes.dims(domain_);
  std::vector<int64_t> number(dims.size(), 0);
  for (size_t i = 0, next = 0; i < dims.size(); ++i) {
    if (dims[i] != 1) number[i] = static_cast<int64_t>(next++);
  }
  std::vector<int64_t> outer = MajorToMinor(module_->shapes, domain_);
  int64_t inside = 1;
  for (size_t i = std::min(kept.size(), outer.size()); i < outer.size(); ++i) {
    inside *= dims[static_cast<size_t>(outer[i])];
  }
  outer.resize(std::min(kept.size(), outer.size()));
  for (int64_t& dim : outer) dim = number[static_cast<size_t>(dim)];
  std::vector<int64_t> sorted = kept;
  std::ranges::sort(sorted);
  std::ranges::sort(outer);
  return sorted == outer && inside >= kLongRow;
}

// How `user`, computed at the indices of `map`, reads operand `slot`.
std::optional<Cluster::MapId> Cluster::Transfer(InstId user, size_t slot, InstId value, MapId map) {
  const Inst& inst = module_->inst(user);
  const double count = maps_[map].count;
  if (inst.opcode == Opcode::kDynamicUpdateSlice) {
    if (slot == 0) return std::nullopt;
    return slot == 1 ? whole_ : kScalar;
  }
  if (inst.opcode == Opcode::kReduce) {
    if (slot * 2 >= inst.operand_count) return kScalar;
    if (form_ == KernelForm::kRow || form_ == KernelForm::kColumn) return hero_;
    return NewMap(map, user, 0, count * static_cast<double>(ReduceShapeOf(*module_, user).folded));
  }
  const int64_t elements = ElementsOf(*module_, value);
  if (elements == 1) return kScalar;
  if (FusedOpOf(*module_, user) == FusedOp::kElementwise) return map;
  const ShapeId from = module_->inst(value).shape;
  switch (inst.opcode) {
    case Opcode::kBroadcast: {
      if (WithoutOnes(module_->shapes.dims(from)).size() ==
          WithoutOnes(module_->shapes.dims(inst.shape)).size()) {
        const std::vector<int64_t> kept = KeptBy(*module_, inst);
        if (std::ranges::is_sorted(kept)) return map;
      }
      std::vector<int64_t> kept = KeptBy(*module_, inst);
      const bool per_row = map == whole_ && IsMajorPart(kept);
      return BroadcastMap(map, std::move(kept), per_row ? static_cast<double>(elements) : count);
    }
    case Opcode::kReshape:
      if (WithoutOnes(module_->shapes.dims(from)) ==
          WithoutOnes(module_->shapes.dims(inst.shape))) {
        return map;
      }
      break;
    case Opcode::kBitcast:
      if (SameUpToOnes(module_->shapes, from, inst.shape)) return map;
      break;
    case Opcode::kConcatenate:
      return NewMap(map, user, slot,
                    count * static_cast<double>(elements) /
                        static_cast<double>(std::max<int64_t>(1, ElementsOf(*module_, user))));
    default: break;
  }
  return NewMap(map, user, slot, count);
}

std::optional<Cluster::Maps> Cluster::Reads(InstId value, std::span<const InstId> users) {
  Maps maps;
  for (const InstId user : users) {
    const auto own = maps_of_.find(user.value);
    if (own == maps_of_.end()) continue;
    const std::span<const InstId> operands = module_->operands_of(module_->inst(user));
    for (size_t slot = 0; slot < operands.size(); ++slot) {
      if (operands[slot] != value) continue;
      for (const MapId map : own->second) {
        const std::optional<MapId> read = Transfer(user, slot, value, map);
        if (!read) return std::nullopt;
        if (std::ranges::find(maps, *read) == maps.end()) maps.push_back(*read);
      }
    }
  }
  return maps;
}

double Cluster::Count(const Maps& maps) const {
  double count = 0;
  for (const MapId map : maps) count += maps_[map].count;
  return count;
}

// A value that is overwritten must not be read by anything else.
bool Cluster::ReadsUpdated(InstId id) const {
  const InstId updated =
      ThroughBitcasts(*module_, module_->operands_of(module_->inst(roots_[0]))[0]);
  return std::ranges::any_of(module_->operands_of(module_->inst(id)), [&](InstId operand) {
    return ThroughBitcasts(*module_, operand) == updated;
  });
}

bool Cluster::Add(InstId id, Maps maps, bool as_root, std::string_view& why) {
  if (as_root && MayBeRoot(id)) {
    const MapId own = RootMap(id);
    if (std::ranges::find(maps, own) == maps.end()) maps.push_back(own);
  }
  if (maps.size() > kMaxMaps || size_ + maps.size() > kMaxSize) {
    why = "the kernel would be too large";
    return false;
  }
  if (inputs_.size() + module_->inst(id).operand_count > kMaxInputs + 1 ||
      (as_root && roots_.size() >= kMaxRoots)) {
    why = "the kernel would have too many operands";
    return false;
  }
  if (form_ == KernelForm::kUpdate && ReadsUpdated(id)) {
    why = "it reads what is updated in place";
    return false;
  }
  const FusedOp op = FusedOpOf(*module_, id);
  if (op == FusedOp::kReduce) {
    if (!AddReduce(id, maps, why)) return false;
  } else if (form_ == KernelForm::kColumn && !MayBeInColumn(id, maps)) {
    why = "only elementwise ops may follow a reduction of columns";
    return false;
  }
  Take(id, maps, as_root);
  return true;
}

void Cluster::Take(InstId id, const Maps& maps, bool as_root) {
  nodes_.push_back(id);
  if (as_root) roots_.push_back(id);
  size_ += maps.size();
  maps_of_[id.value] = maps;
  inputs_.erase(id.value);
  for (const InstId operand : module_->operands_of(module_->inst(id))) {
    if (!contains(operand)) inputs_.insert(operand.value);
  }
}

bool Cluster::IsPerRow(const Maps& maps) const {
  return form_ == KernelForm::kLoop && maps.size() == 1 &&
         (maps[0] == kScalar || (maps_[maps[0]].is_broadcast && maps_[maps[0]].parent == whole_));
}

Cluster::MapId Cluster::RootMap(InstId id) const {
  if (form_ != KernelForm::kRow) return whole_;
  return SameUpToOnes(module_->shapes, module_->inst(id).shape, reduction_->input) ? hero_ : row_;
}

bool Cluster::MayBeRoot(InstId id) const {
  const ShapeTable& shapes = module_->shapes;
  const ShapeId shape = module_->inst(id).shape;
  if (!shapes.is_array(shape)) return false;
  const auto alike = [&](ShapeId other) {
    return std::ranges::equal(shapes.dims(shape), shapes.dims(other)) &&
           SameUpToOnes(shapes, shape, other);
  };
  switch (form_) {
    case KernelForm::kLoop:
    case KernelForm::kColumn: return alike(domain_);
    case KernelForm::kRow:
      return SameUpToOnes(shapes, shape, reduction_->input) ||
             SameUpToOnes(shapes, shape, reduction_->result);
    default: return false;
  }
}

bool Cluster::Merge(const Cluster& other) {
  if (size_ + other.size_ > kMaxSize || roots_.size() + other.roots_.size() > kMaxRoots) {
    return false;
  }
  size_t inputs = inputs_.size();
  for (const uint32_t input : other.inputs_) inputs += inputs_.contains(input) ? 0 : 1;
  if (inputs > kMaxInputs) return false;
  // The maps are no longer needed: nothing is added after merging.
  for (const InstId id : other.nodes_) {
    if (!contains(id)) Take(id, other.maps_of_.at(id.value), false);
  }
  for (const InstId root : other.roots_) {
    if (std::ranges::find(roots_, root) == roots_.end()) roots_.push_back(root);
  }
  for (const InstId id : nodes_) inputs_.erase(id.value);
  return true;
}

}  // namespace halo
