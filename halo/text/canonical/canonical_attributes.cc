// Brings attributes into XLA's form: defaults dropped or filled in, lists in the notation it
// prints, everything in printing order.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "halo/base/strings/escape.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/sharding/replica_groups.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/ir/types/numeric.h"
#include "halo/text/canonical/canonical.h"

namespace halo {
namespace {

class Normalizer {
 public:
  explicit Normalizer(Module& module) : module_(module) {}

  void Instruction(Inst& inst) {
    inst.shape = module_.shapes.WithDefaultLayouts(inst.shape);
    opcode_ = (inst.flags & kInstSugar) != 0 && inst.opcode == Opcode::kAsyncStart ? inst.wrapped
                                                                                   : inst.opcode;
    attrs_.assign(module_.attrs_of(inst).begin(), module_.attrs_of(inst).end());
    Rename(inst);
    for (Attr& attr : attrs_) Value(attr, inst);
    std::erase_if(attrs_, [this](const Attr& attr) { return IsDefault(attr); });
    Complete(inst);
    // Keys are unique except those unknown to this version, which are sorted by their text.
    std::sort(attrs_.begin(), attrs_.end(), [&](const Attr& a, const Attr& b) {
      return std::pair(Rank(inst, a.key), a.value) < std::pair(Rank(inst, b.key), b.value);
    });
    inst.attrs = module_.Attrs(attrs_);
  }

  void Header() {
    attrs_.assign(module_.attrs_of(module_.attrs).begin(), module_.attrs_of(module_.attrs).end());
    Inst none;
    opcode_ = Opcode::kUnknown;
    for (Attr& attr : attrs_) Value(attr, none);
    std::erase_if(attrs_, [this](const Attr& attr) { return IsDefaultInHeader(attr); });
    if (!Has(AttrKey::k_entry_computation_layout) && module_.entry.valid()) AddEntryLayout();
    std::sort(attrs_.begin(), attrs_.end(),
              [](const Attr& a, const Attr& b) { return HeaderRank(a.key) < HeaderRank(b.key); });
    module_.attrs = module_.Attrs(attrs_);
  }

 private:
  [[nodiscard]] bool Has(AttrKey key) const {
    return std::any_of(attrs_.begin(), attrs_.end(), [key](const Attr& a) { return a.key == key; });
  }
  [[nodiscard]] std::string_view Text(const Attr& attr) const {
    return module_.text(StrId(attr.value));
  }
  void SetText(Attr& attr, std::string_view text) { attr.value = module_.Str(text).value; }

  static int Rank(const Inst& inst, AttrKey key) {
    if ((inst.flags & kInstSugar) == 0) return PrintRank(inst.opcode, key);
    // The wrapped op's own attributes come between those of the start.
    if (key == AttrKey::k_async_execution_thread) return -1;
    if (key == AttrKey::k_output_to_operand_aliasing) return 999;
    return PrintRank(inst.wrapped, key);
  }

  static int HeaderRank(AttrKey key) {
    if (key == AttrKey::k_frontend_attributes)
      return static_cast<int>(AttrKey::k_num_partitions) * 2 + 1;
    return static_cast<int>(key) * 2;
  }

  // Attributes that XLA prints under a different name than it reads.
  void Rename(const Inst& inst) {
    if (inst.opcode == Opcode::kConditional) RenameBranches(inst);
    for (Attr& attr : attrs_) {
      if (inst.opcode == Opcode::kCustomCall && attr.key == AttrKey::k_to_apply) {
        const int64_t comp = attr.value;
        attr = module_.MakeInts(AttrKey::k_called_computations, {&comp, 1});
      }
    }
  }

  // A boolean selector prints true_computation and false_computation, an index prints a list.
  void RenameBranches(const Inst& inst) {
    std::vector<int64_t> branches;
    for (const Attr& attr : attrs_) {
      if (attr.key == AttrKey::k_branch_computations) {
        branches.assign(module_.list(attr.value).begin(), module_.list(attr.value).end());
      }
      if (attr.key == AttrKey::k_true_computation) branches.insert(branches.begin(), attr.value);
      if (attr.key == AttrKey::k_false_computation) branches.push_back(attr.value);
    }
    std::erase_if(attrs_, [](const Attr& attr) {
      return attr.key == AttrKey::k_branch_computations ||
             attr.key == AttrKey::k_true_computation || attr.key == AttrKey::k_false_computation;
    });
    const std::span<const InstId> operands = module_.operands_of(inst);
    const bool by_pred = !operands.empty() && operands[0].valid() &&
                         module_.shapes.type(module_.inst(operands[0]).shape) == ElementType::kPred;
    if (by_pred && branches.size() == 2) {
      attrs_.push_back(
          {AttrKey::k_true_computation, AttrForm::kPlain, 0, static_cast<uint32_t>(branches[0])});
      attrs_.push_back(
          {AttrKey::k_false_computation, AttrForm::kPlain, 0, static_cast<uint32_t>(branches[1])});
    } else if (!branches.empty()) {
      attrs_.push_back(module_.MakeInts(AttrKey::k_branch_computations, branches));
    }
  }

  void Value(Attr& attr, const Inst& inst) {
    switch (InfoOf(attr.key).kind) {
      case AttrKind::kNumber: {
        double value = 0;
        const std::string_view text = Text(attr);
        std::from_chars(text.data(), text.data() + text.size(), value);
        TextBuffer out;
        AppendShortFloat(static_cast<float>(value), out);
        SetText(attr, out.view());
        break;
      }
      case AttrKind::kBools: attr.form = AttrForm::kPlain; break;
      case AttrKind::kWindow: {
        Window window = DecodeWindow(module_.list(attr.value));
        window.fields = NeededFields(window);
        attr.value = module_.Ints(EncodeWindow(window)).value;
        break;
      }
      case AttrKind::kSlices: {
        std::vector<int64_t> slices(module_.list(attr.value).begin(),
                                    module_.list(attr.value).end());
        bool strided = false;
        for (size_t i = 2; i < slices.size(); i += 3) strided = strided || slices[i] > 1;
        for (size_t i = 2; i < slices.size(); i += 3) {
          slices[i] = strided ? std::max<int64_t>(slices[i], 1) : 0;
        }
        attr.value = module_.Ints(slices).value;
        break;
      }
      case AttrKind::kPadding: {
        bool interior = false;
        const std::span<const int64_t> padding = module_.list(attr.value);
        for (size_t i = 2; i < padding.size(); i += 3) interior = interior || padding[i] != 0;
        attr.form = interior ? AttrForm::kNested : AttrForm::kPlain;
        break;
      }
      case AttrKind::kSharding: {
        const bool is_tuple = inst.shape.valid() && module_.shapes.is_tuple(inst.shape);
        SetText(attr, CanonicalShardingText(Text(attr), is_tuple ? LeafCount(inst.shape) : 0));
        break;
      }
      case AttrKind::kGroups: SetText(attr, CanonicalGroupsText(Text(attr))); break;
      case AttrKind::kConfig:
        attr.form = LooksLikeJsonDict(Text(attr)) ? AttrForm::kBare : AttrForm::kQuoted;
        break;
      case AttrKind::kDict: Dict(attr); break;
      case AttrKind::kMetadata: Metadata(attr); break;
      case AttrKind::kShape:
        attr.value = module_.shapes.WithDefaultLayouts(ShapeId(attr.value)).value;
        break;
      case AttrKind::kShapes:
      case AttrKind::kProgramLayout: {
        std::vector<int64_t> shapes(module_.list(attr.value).begin(),
                                    module_.list(attr.value).end());
        for (int64_t& shape : shapes) {
          shape = module_.shapes.WithDefaultLayouts(ShapeId(static_cast<uint32_t>(shape))).value;
        }
        attr.value = module_.Ints(shapes).value;
        break;
      }
      case AttrKind::kAliasing: {
        std::vector<AliasEntry> entries = DecodeAliases(module_.list(attr.value));
        if (InfoOf(attr.key).scope == AttrScope::kModule) {
          std::sort(entries.begin(), entries.end(), [](const AliasEntry& a, const AliasEntry& b) {
            return a.output_index < b.output_index;
          });
          for (AliasEntry& entry : entries) {
            if (entry.kind == AliasKind::kUnspecified) entry.kind = AliasKind::kMay;
          }
        }
        attr.value = module_.Ints(EncodeAliases(entries)).value;
        break;
      }
      case AttrKind::kDonors: {
        std::vector<DonorEntry> entries = DecodeDonors(module_.list(attr.value));
        std::sort(entries.begin(), entries.end(), [](const DonorEntry& a, const DonorEntry& b) {
          return std::tie(a.number, a.index) < std::tie(b.number, b.index);
        });
        attr.value = module_.Ints(EncodeDonors(entries)).value;
        break;
      }
      default: break;
    }
  }

  [[nodiscard]] size_t LeafCount(ShapeId shape) const {
    if (!module_.shapes.is_tuple(shape)) return 1;
    size_t leaves = 0;
    for (const ShapeId element : module_.shapes.elements(shape)) leaves += LeafCount(element);
    return leaves;
  }

  void Dict(Attr& attr) {
    struct Item {
      int64_t key, value;
    };
    std::vector<Item> items;
    const std::span<const int64_t> flat = module_.list(attr.value);
    for (size_t i = 0; i + 2 < flat.size(); i += 3) items.push_back({flat[i], flat[i + 1]});
    const auto text = [this](int64_t id) { return module_.text(StrId(static_cast<uint32_t>(id))); };
    std::sort(items.begin(), items.end(),
              [&](const Item& a, const Item& b) { return text(a.key) < text(b.key); });
    std::vector<int64_t> sorted;
    for (const Item& item : items) {
      const AttrForm form =
          LooksLikeJsonDict(text(item.value)) ? AttrForm::kBare : AttrForm::kQuoted;
      sorted.insert(sorted.end(), {item.key, item.value, static_cast<int64_t>(form)});
    }
    attr.value = module_.Ints(sorted).value;
  }

  void Metadata(Attr& attr) {
    const AttrListId list(attr.value);
    std::vector<Attr> fields(module_.attrs_of(list).begin(), module_.attrs_of(list).end());
    std::erase_if(fields, [this](const Attr& field) {
      switch (InfoOf(field.key).kind) {
        case AttrKind::kInt: return module_.IntValue(field) == 0;
        case AttrKind::kInts: return module_.list(field.value).empty();
        case AttrKind::kString:
          return field.form != AttrForm::kOwnName && Text(field).empty() &&
                 field.key != AttrKey::k_metadata_payload;
        default: return field.key == AttrKey::k_unknown;
      }
    });
    std::sort(fields.begin(), fields.end(),
              [](const Attr& a, const Attr& b) { return a.key < b.key; });
    // XLA prints metadata only if it has one of these fields.
    const bool shown = std::any_of(fields.begin(), fields.end(), [](const Attr& field) {
      switch (field.key) {
        case AttrKey::k_op_type:
        case AttrKey::k_op_name:
        case AttrKey::k_source_file:
        case AttrKey::k_scheduling_name:
        case AttrKey::k_stack_frame_id:
        case AttrKey::k_metadata_payload: return true;
        default: return false;
      }
    });
    if (!shown) fields.clear();
    attr.value = module_.Attrs(fields).value;
  }

  [[nodiscard]] bool IsDefault(const Attr& attr) const {
    switch (attr.key) {
      case AttrKey::k_metadata: return attr.value == 0;
      case AttrKey::k_backend_config: return Text(attr).empty();
      case AttrKey::k_infeed_config:
      case AttrKey::k_outfeed_config: return Text(attr).empty();
      case AttrKey::k_frontend_attributes:
      case AttrKey::k_control_predecessors:
      case AttrKey::k_output_to_operand_aliasing: return module_.list(attr.value).empty();
      case AttrKey::k_called_computations: return module_.list(attr.value).empty();
      case AttrKey::k_window: return DecodeWindow(module_.list(attr.value)).dims.empty();
      case AttrKey::k_feature_group_count:
      case AttrKey::k_batch_group_count: return module_.IntValue(attr) == 1;
      case AttrKey::k_inferred_dimension: return module_.IntValue(attr) == -1;
      case AttrKey::k_is_stable: return attr.value == 0 && opcode_ != Opcode::kTopK;
      case AttrKey::k_indices_are_sorted:
      case AttrKey::k_unique_indices:
      case AttrKey::k_constrain_layout:
      case AttrKey::k_use_global_device_ids:
      case AttrKey::k_is_host_transfer:
      case AttrKey::k_custom_call_has_side_effect:
      case AttrKey::k_is_composite:
      case AttrKey::k_left_side:
      case AttrKey::k_lower:
      case AttrKey::k_unit_diagonal:
      case AttrKey::k_is_reverse: return attr.value == 0;
      case AttrKey::k_async_execution_thread: return Text(attr) == "main";
      case AttrKey::k_api_version: return Text(attr) == "API_VERSION_ORIGINAL";
      case AttrKey::k_schedule: return Text(attr) == "SCHEDULE_NONE";
      case AttrKey::k_padding_type: return Text(attr) == "PADDING_INVALID";
      case AttrKey::k_operand_precision: {
        const std::span<const int64_t> words = module_.list(attr.value);
        return std::all_of(words.begin(), words.end(), [this](int64_t word) {
          return module_.text(StrId(static_cast<uint32_t>(word))) == "default";
        });
      }
      case AttrKey::k_lhs_batch_dims:
      case AttrKey::k_rhs_batch_dims:
      case AttrKey::k_lhs_ragged_dims:
      case AttrKey::k_rhs_group_dims:
      case AttrKey::k_operand_batching_dims:
      case AttrKey::k_start_indices_batching_dims:
      case AttrKey::k_input_batching_dims:
      case AttrKey::k_scatter_indices_batching_dims: return module_.list(attr.value).empty();
      default: return false;
    }
  }

  [[nodiscard]] bool IsDefaultInHeader(const Attr& attr) const {
    switch (attr.key) {
      case AttrKey::k_is_scheduled:
      case AttrKey::k_alias_passthrough_params: return attr.value == 0;
      case AttrKey::k_replica_count:
      case AttrKey::k_num_partitions: return module_.IntValue(attr) == 1;
      case AttrKey::k_input_output_alias:
      case AttrKey::k_buffer_donor:
      case AttrKey::k_frontend_attributes: return module_.list(attr.value).empty();
      case AttrKey::k_allow_spmd_sharding_propagation_to_parameters:
      case AttrKey::k_allow_spmd_sharding_propagation_to_output: {
        const std::span<const int64_t> values = module_.list(attr.value);
        return values.empty() || (values.size() == 1 && values[0] == 0);
      }
      default: return false;
    }
  }

  // Attributes that XLA prints even if the text omits them.
  void Complete(const Inst& inst) {
    const auto add_ints = [this](AttrKey key) {
      if (!Has(key)) attrs_.push_back(module_.MakeInts(key, {}));
    };
    if (MayHave(opcode_, AttrKey::k_replica_groups) && !Has(AttrKey::k_replica_groups)) {
      attrs_.push_back(module_.MakeText(AttrKey::k_replica_groups, "{}"));
    }
    if (MayHave(opcode_, AttrKey::k_lhs_contracting_dims)) {
      add_ints(AttrKey::k_lhs_contracting_dims);
      add_ints(AttrKey::k_rhs_contracting_dims);
    }
    switch (opcode_) {
      case Opcode::kBroadcast:
      case Opcode::kReduce: add_ints(AttrKey::k_dimensions); break;
      case Opcode::kSort: CompleteSort(); break;
      case Opcode::kMap: CompleteMap(inst); break;
      case Opcode::kCompare: CompleteCompare(inst); break;
      case Opcode::kOutfeed: CompleteOutfeed(inst); break;
      case Opcode::kConvolution:
        if (!Has(AttrKey::k_dim_labels))
          attrs_.push_back(module_.MakeText(AttrKey::k_dim_labels, "b0f_0io->b0f"));
        break;
      default: break;
    }
  }

  void CompleteSort() {
    if (Has(AttrKey::k_dimensions)) return;
    // A vector can only be sorted along its single dimension.
    const int64_t zero = 0;
    attrs_.push_back(module_.MakeInts(AttrKey::k_dimensions, {&zero, 1}));
  }

  void CompleteMap(const Inst& inst) {
    if (Has(AttrKey::k_dimensions)) return;
    std::vector<int64_t> all;
    for (size_t i = 0; i < module_.shapes.dims(inst.shape).size(); ++i)
      all.push_back(static_cast<int64_t>(i));
    attrs_.push_back(module_.MakeInts(AttrKey::k_dimensions, all));
  }

  void CompleteOutfeed(const Inst& inst) {
    const std::span<const InstId> operands = module_.operands_of(inst);
    if (Has(AttrKey::k_outfeed_shape) || operands.empty() || !operands[0].valid()) return;
    const ShapeId shape = module_.shapes.WithDefaultLayouts(module_.inst(operands[0]).shape);
    attrs_.push_back({AttrKey::k_outfeed_shape, AttrForm::kPlain, 0, shape.value});
  }

  // type= is printed only if it differs from what the operands' type implies.
  void CompleteCompare(const Inst& inst) {
    const std::span<const InstId> operands = module_.operands_of(inst);
    if (operands.empty() || !operands[0].valid()) return;
    const std::string_view implied =
        ImpliedComparisonType(module_.shapes.type(module_.inst(operands[0]).shape));
    std::erase_if(attrs_, [&](const Attr& attr) {
      return attr.key == AttrKey::k_type && Text(attr) == implied;
    });
  }

  void AddEntryLayout() {
    const Computation& entry = module_.comp(module_.entry);
    std::vector<int64_t> shapes = {0};
    for (uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
      const Inst& inst = module_.insts[i];
      if (inst.opcode != Opcode::kParameter || inst.extra > entry.count) continue;
      if (shapes.size() < inst.extra + size_t{2}) shapes.resize(inst.extra + size_t{2});
      shapes[inst.extra + size_t{1}] = inst.shape.value;
    }
    if (!entry.root.valid()) return;
    shapes[0] = module_.inst(entry.root).shape.value;
    attrs_.push_back(module_.MakeInts(AttrKey::k_entry_computation_layout, shapes));
  }

  Module& module_;
  Opcode opcode_ = Opcode::kUnknown;
  std::vector<Attr> attrs_;
};

}  // namespace

void NormalizeAttributes(Module& module) {
  Normalizer normalizer(module);
  for (Inst& inst : module.insts) normalizer.Instruction(inst);
}

void NormalizeHeader(Module& module) {
  Normalizer(module).Header();
  Computation& entry = module.comps[module.entry.index()];
  entry.is_entry = true;
  if (!module.style.header)
    module.name = module.Str("module_" + std::string(module.text(entry.name)));
}

}  // namespace halo
