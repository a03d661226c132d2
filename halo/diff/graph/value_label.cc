// Each interned shape, literal and attribute list is digested once, so that labelling costs a few
// operations for each instruction.
#include "halo/diff/graph/value_label.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/base/hash.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/sharding/replica_groups.h"
#include "halo/ir/unknown_attribute.h"

namespace halo {
namespace {

constexpr uint64_t kSeed = 0x2545F4914F6CDD1Dull;
// Replica groups of more devices are compared in the notation that they are written in.
constexpr size_t kMostGroupIds = 4096;

uint64_t TextHash(std::string_view text) { return HashBytes(text.data(), text.size()); }

uint64_t IntsHash(std::span<const int64_t> values) {
  return HashBytes(values.data(), values.size() * sizeof(int64_t));
}

// Dimensions of size 1 do not change the order in memory.
struct PhysicalDim {
  int64_t logical = 0;
  int64_t size = 0;
};

// Major to minor, without dimensions of size 1; nothing if there is no plain layout.
std::optional<std::vector<PhysicalDim>> PhysicalDims(const ShapeTable& shapes, ShapeId shape) {
  const std::span<const int64_t> dims = shapes.dims(shape);
  const Layout* layout = shapes.layout(shape);
  std::vector<PhysicalDim> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    size_t logical = i;
    if (layout != nullptr && layout->minor_to_major.size() == dims.size()) {
      const int64_t at = layout->minor_to_major[dims.size() - 1 - i];
      if (at < 0 || static_cast<size_t>(at) >= dims.size()) return std::nullopt;
      logical = static_cast<size_t>(at);
    }
    if (dims[logical] != 1) out.push_back({static_cast<int64_t>(logical), dims[logical]});
  }
  return out;
}

bool IsRowMajor(const std::vector<PhysicalDim>& dims) {
  return std::is_sorted(dims.begin(), dims.end(), [](const PhysicalDim& a, const PhysicalDim& b) {
    return a.logical < b.logical;
  });
}

}  // namespace

uint64_t HashWords(std::initializer_list<uint64_t> words) {
  uint64_t hash = kSeed;
  for (const uint64_t word : words) hash = HashMix(hash ^ word, kDigestKeys.k0) + kDigestKeys.k1;
  return HashMix(hash, kDigestKeys.k1) | 1;
}

bool IsCommutative(const Module& module, const Inst& inst) {
  if (inst.operand_count != 2) return false;
  if (PropertiesOf(inst.opcode).fold != FoldKind::kNone) return true;
  if (PropertiesOf(inst.opcode).elements != OpElements::kCompared) return false;
  const std::string_view direction = module.TextOr(inst.attrs, AttrKey::k_direction);
  return direction == "EQ" || direction == "NE";
}

bool DecidesResult(AttrKey key) {
  switch (key) {
    case AttrKey::k_index:  // edges know it
    case AttrKey::k_channel_id:
    case AttrKey::k_constrain_layout:
    case AttrKey::k_operand_layout_constraints:
    case AttrKey::k_api_version:
    case AttrKey::k_schedule:
    case AttrKey::k_async_execution_thread:
    case AttrKey::k_cross_program_prefetch_index:
    case AttrKey::k_parameter_replication:
    case AttrKey::k_output_to_operand_aliasing:
    case AttrKey::k_kind:
    case AttrKey::k_type:  // of a comparison: follows from the element type where it matters
    case AttrKey::k_indices_are_sorted:
    case AttrKey::k_unique_indices:
    case AttrKey::k_convolution_kind:
    case AttrKey::k_inferred_dimension: return false;
    default: return InfoOf(key).scope == AttrScope::kOp;
  }
}

// An attribute whose value is not understood decides as much as one that is.
bool DecidesResult(const Module& module, const Attr& attr) {
  if (attr.key != AttrKey::k_unknown) return DecidesResult(attr.key);
  const auto key = AttrKeyFromText(UnknownAttributeOf(module, attr).name);
  return key.has_value() && DecidesResult(*key);
}

std::optional<std::vector<int64_t>> BitcastPermutation(const ShapeTable& shapes, ShapeId from,
                                                       ShapeId to) {
  if (!shapes.is_array(from) || !shapes.is_array(to) || shapes.type(from) != shapes.type(to)) {
    return std::nullopt;
  }
  const auto before = PhysicalDims(shapes, from);
  const auto after = PhysicalDims(shapes, to);
  if (!before || !after) return std::nullopt;
  if (IsRowMajor(*before) && IsRowMajor(*after)) return std::vector<int64_t>();
  if (before->size() != after->size()) return std::nullopt;
  // The ranks of the dimensions that are not 1, in logical order, on both sides.
  const auto rank = [](const std::vector<PhysicalDim>& dims) {
    std::vector<size_t> order(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      order[i] = static_cast<size_t>(
          std::count_if(dims.begin(), dims.end(),
                        [&](const PhysicalDim& other) { return other.logical < dims[i].logical; }));
    }
    return order;
  };
  const std::vector<size_t> old_rank = rank(*before);
  const std::vector<size_t> new_rank = rank(*after);
  std::vector<int64_t> permutation(before->size());
  for (size_t i = 0; i < before->size(); ++i) {
    if ((*before)[i].size != (*after)[i].size) return std::nullopt;
    permutation[new_rank[i]] = static_cast<int64_t>(old_rank[i]);
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) permutation.clear();
  return permutation;
}

ValueLabels::ValueLabels(const Module& module, const LabelOptions& options)
    : module_(module),
      options_(options),
      shapes_(module.shapes.size(), 0),
      dims_(module.shapes.size(), 0),
      attrs_(module.attr_lists.size(), 0),
      literals_(module.literals.size(), 0),
      comps_(module.comps.size(), 0) {}

uint64_t ValueLabels::OfShape(ShapeId shape) {
  if (!shape.valid() || shape.index() >= shapes_.size()) return 1;
  uint64_t& known = shapes_[shape.index()];
  if (known == 0) {
    const std::string text = module_.shapes.Text(shape, false);
    known = TextHash(text) | 1;
  }
  return known;
}

uint64_t ValueLabels::OfDims(ShapeId shape) {
  if (!shape.valid() || shape.index() >= dims_.size()) return 1;
  uint64_t& known = dims_[shape.index()];
  if (known == 0) {
    known =
        module_.shapes.is_array(shape) ? IntsHash(module_.shapes.dims(shape)) | 1 : OfShape(shape);
  }
  return known;
}

uint64_t ValueLabels::OfLiteral(LiteralId id) {
  if (id.index() >= literals_.size() || options_.ignore_constants) return 1;
  uint64_t& known = literals_[id.index()];
  if (known == 0) {
    const std::span<const uint8_t> bits = module_.literals.bits(id);
    known = module_.literals.is_elided(id) ? 3 : HashBytes(bits.data(), bits.size()) | 1;
    if (module_.literals.is_verbatim(id)) known = TextHash(module_.literals.verbatim_text(id)) | 1;
  }
  return known;
}

uint64_t ValueLabels::OfAttr(const Attr& attr) {
  switch (InfoOf(attr.key).kind) {
    case AttrKind::kInt: return static_cast<uint64_t>(module_.IntValue(attr));
    case AttrKind::kBool: return attr.value;
    case AttrKind::kComp: return comps_[attr.value];
    case AttrKind::kCompList: {
      uint64_t hash = kSeed;
      for (const int64_t comp : module_.list(attr.value)) {
        hash = HashWords({hash, comps_[static_cast<size_t>(comp)]});
      }
      return hash;
    }
    case AttrKind::kWords: {
      uint64_t hash = kSeed;
      for (const int64_t word : module_.list(attr.value)) {
        hash = HashWords({hash, TextHash(module_.text(StrId(static_cast<uint32_t>(word))))});
      }
      return hash;
    }
    case AttrKind::kSlices: {
      std::vector<int64_t> slices(module_.list(attr.value).begin(), module_.list(attr.value).end());
      for (size_t i = 2; i < slices.size(); i += 3) slices[i] = std::max<int64_t>(slices[i], 1);
      return IntsHash(slices);
    }
    case AttrKind::kGroups: {
      const auto [at, is_new] = groups_.try_emplace(attr.value, 0);
      if (is_new) {
        at->second = TextHash(GroupListsText(module_.text(StrId(attr.value)), kMostGroupIds));
      }
      return at->second;
    }
    case AttrKind::kNumber:
    case AttrKind::kWord:
    case AttrKind::kString:
    case AttrKind::kConfig:
    case AttrKind::kDimLabels:
    case AttrKind::kSharding:
    case AttrKind::kVerbatim:
      if (attr.key == AttrKey::k_unknown) return OfUnknown(attr);
      return TextHash(module_.text(StrId(attr.value)));
    case AttrKind::kShape: return OfShape(ShapeId(attr.value));
    case AttrKind::kLiteral: return OfLiteral(LiteralId(attr.value));
    case AttrKind::kInts:
    case AttrKind::kBools:
    case AttrKind::kWindow:
    case AttrKind::kPadding: return IntsHash(module_.list(attr.value));
    default: return 0;
  }
}

// The name and the text of an attribute that the reader did not understand; 0 for one whose name it
// does not know either.
uint64_t ValueLabels::OfUnknown(const Attr& attr) const {
  const UnknownAttribute unknown = UnknownAttributeOf(module_, attr);
  if (!AttrKeyFromText(unknown.name)) return 0;
  return HashWords({TextHash(unknown.name), TextHash(unknown.text)});
}

uint64_t ValueLabels::OfAttrs(AttrListId list) {
  if (list.index() >= attrs_.size()) return 1;
  uint64_t& known = attrs_[list.index()];
  if (known == 0) {
    uint64_t sum = 0;  // their order does not matter
    for (const Attr& attr : module_.attrs_of(list)) {
      if (!DecidesResult(module_, attr)) continue;
      if (attr.key == AttrKey::k_operand_precision && options_.ignore_precision) continue;
      const uint64_t value = OfAttr(attr);
      // XLA prints no false flag and no empty list; older versions did.
      if (InfoOf(attr.key).kind == AttrKind::kBool && value == 0) continue;
      sum += HashWords({static_cast<uint64_t>(attr.key), value});
    }
    known = sum | 1;
  }
  return known;
}

uint64_t ValueLabels::Transpose(ShapeId shape, const std::vector<int64_t>& permutation) {
  return HashWords(
      {static_cast<uint64_t>(Opcode::kTranspose), OfShape(shape), IntsHash(permutation)});
}

uint64_t ValueLabels::Of(InstId id, ShapeId shape) {
  if (!digested_) DigestComputations();
  const Inst& inst = module_.inst(id);
  uint64_t extra = 0;
  const OpFlow flow = FlowOf(inst.opcode);
  if (flow == OpFlow::kParameter) extra = inst.extra;
  if (flow == OpFlow::kConstant) extra = OfLiteral(LiteralId(inst.extra));
  if (inst.opcode == Opcode::kUnknown) extra = TextHash(module_.opcode_text(inst));
  if (inst.opcode == Opcode::kTranspose) {
    const std::span<const int64_t> dims = module_.IntsOf(inst.attrs, AttrKey::k_dimensions);
    const std::span<const int64_t> sizes = module_.shapes.dims(inst.shape);
    // As a bitcast would say it: without dimensions of size 1.
    std::vector<int64_t> kept;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i < sizes.size() && sizes[i] != 1) kept.push_back(dims[i]);
    }
    std::vector<int64_t> ranks(kept.size());
    std::vector<int64_t> sorted = kept;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < kept.size(); ++i) {
      ranks[i] = std::lower_bound(sorted.begin(), sorted.end(), kept[i]) - sorted.begin();
    }
    return Transpose(inst.shape, ranks);
  }
  return HashWords({static_cast<uint64_t>(SynchronousOf(inst.opcode)), OfShape(shape),
                    OfAttrs(inst.attrs), extra});
}

// Computations are digested as functions of their parameters, callees first.
void ValueLabels::DigestComputations() {
  digested_ = true;
  const CallGraph calls(module_);
  if (calls.cyclic().valid()) return;
  std::vector<uint64_t> values;
  for (const CompId id : calls.post_order()) {
    const Computation& comp = module_.comp(id);
    values.assign(comp.count, 0);
    for (uint32_t i = 0; i < comp.count; ++i) {
      const InstId inst_id(comp.first + i);
      const Inst& inst = module_.inst(inst_id);
      uint64_t hash = Of(inst_id);
      if (FlowOf(inst.opcode) == OpFlow::kElement) {
        hash = HashWords(
            {hash, static_cast<uint64_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0))});
      }
      const bool commutes = IsCommutative(module_, inst);
      uint64_t sum = 0;
      for (const InstId operand : module_.operands_of(inst)) {
        const size_t at = operand.valid() ? operand.index() - comp.first : comp.count;
        const uint64_t value = at < comp.count ? values[at] : 0;
        sum = commutes ? sum + HashWords({value}) : HashWords({sum, value});
      }
      values[i] = HashWords({hash, sum});
    }
    const size_t root = comp.root.valid() ? comp.root.index() - comp.first : comp.count;
    comps_[id.index()] = root < comp.count ? values[root] : 1;
  }
}

}  // namespace halo
