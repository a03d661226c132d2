// Reads the form of a collective instruction: which arrays are operands and results, which operands
// a start repeats, how arrays are split. Anything that does not fit a plain kind is left to the
// evaluator's definition.
#include "halo/runtime/make_collective.h"

#include <algorithm>
#include <optional>
#include <string>

#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/machine.h"
#include "halo/ir/frontend_attributes.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/sharding/scanner.h"
#include "halo/runtime/collective_meaning.h"
#include "halo/runtime/stored_array.h"
#include "halo/semantics/devices/manual_borders.h"

namespace halo {
namespace {

// The op without its start or async wrapper: the instruction that has its attributes, its operands
// and its result.
struct Form {
  DefinedOp op;
  std::vector<uint32_t> operand_leaves;  // of the instruction in the program
  uint32_t first_result = 0;             // leaf of that instruction's result
  uint32_t repeated = 0;                 // leaves before it that repeat operands
};

uint32_t LeafCount(const ShapeTable& shapes, ShapeId shape) {
  std::vector<ShapeId> leaves;
  ArrayLeaves(shapes, shape, leaves);
  return static_cast<uint32_t>(leaves.size());
}

bool IsDeviceTransfer(const Module& module, const Inst& inst) {
  return (inst.opcode == Opcode::kSend || inst.opcode == Opcode::kRecv) &&
         !module.BoolOr(inst.attrs, AttrKey::k_is_host_transfer, false);
}

// The instruction that a generic async-start wraps; none unless that is itself a collective.
InstId WrappedCollective(const Module& module, const Inst& inst) {
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  if (called.size() != 1 || !module.comp(called[0]).defined) return {};
  const InstId root = module.comp(called[0]).root;
  if (!root.valid() || !IsCollectiveOp(module.inst(root).opcode)) return {};
  for (const InstId operand : module.operands_of(module.inst(root))) {
    if (module.inst(operand).opcode != Opcode::kParameter) return {};
  }
  return root;
}

class FormReader {
 public:
  FormReader(const Module& module, InstId id) : module_(module), inst_(module.inst(id)), id_(id) {}

  std::optional<Form> Read() {
    if (IsCollectiveOp(inst_.opcode) || LeavesManualRegion(module_, inst_)) return Plain();
    if (IsDeviceTransfer(module_, inst_)) return Transfer();
    if (inst_.opcode != Opcode::kAsyncStart) return std::nullopt;
    if ((inst_.flags & kInstSugar) != 0) {
      if (!IsCollectiveOp(inst_.wrapped)) return std::nullopt;
      Form form;
      form.op = {id_, inst_.wrapped, {}, {}};
      for (size_t i = 0; i < operands().size(); ++i) AddOperand(i, form);
      return Started(std::move(form));
    }
    const InstId inner = WrappedCollective(module_, inst_);
    if (!inner.valid()) return std::nullopt;
    Form form;
    form.op = {inner, SynchronousOf(module_.inst(inner).opcode), {}, {}};
    for (const InstId parameter : module_.operands_of(module_.inst(inner))) {
      const size_t number = module_.inst(parameter).extra;
      if (number >= operands().size()) return std::nullopt;
      AddOperand(number, form);
    }
    return Started(std::move(form));
  }

 private:
  [[nodiscard]] std::span<const InstId> operands() const { return module_.operands_of(inst_); }

  void AddOperand(size_t number, Form& form) const {
    uint32_t leaf = 0;
    for (size_t i = 0; i < number; ++i) {
      leaf += LeafCount(module_.shapes, module_.inst(operands()[i]).shape);
    }
    const ShapeId shape = module_.inst(operands()[number]).shape;
    const uint32_t count = LeafCount(module_.shapes, shape);
    for (uint32_t i = 0; i < count; ++i) form.operand_leaves.push_back(leaf + i);
    form.op.operands.push_back(shape);
  }

  std::optional<Form> Plain() {
    Form form;
    form.op = {id_, SynchronousOf(inst_.opcode), {}, inst_.shape};
    for (size_t i = 0; i < operands().size(); ++i) AddOperand(i, form);
    const bool starts =
        inst_.opcode == Opcode::kAllGatherStart || inst_.opcode == Opcode::kCollectivePermuteStart;
    return starts ? Started(std::move(form)) : form;
  }

  // (operands, result, contexts...)
  std::optional<Form> Started(Form form) {
    if (!module_.shapes.is_tuple(inst_.shape)) return std::nullopt;
    const std::span<const ShapeId> parts = module_.shapes.elements(inst_.shape);
    if (parts.size() < 2) return std::nullopt;
    form.op.result = parts[1];
    form.first_result = LeafCount(module_.shapes, parts[0]);
    form.repeated = form.first_result;
    return form;
  }

  // A send takes (data, token) and yields (data, context, token). A recv takes a token and yields
  // the same.
  std::optional<Form> Transfer() {
    const std::span<const ShapeId> parts = module_.shapes.is_tuple(inst_.shape)
                                               ? module_.shapes.elements(inst_.shape)
                                               : std::span<const ShapeId>();
    if (parts.empty()) return std::nullopt;
    Form form;
    form.op = {id_, inst_.opcode, {}, parts[0]};
    if (inst_.opcode == Opcode::kSend) {
      if (operands().empty()) return std::nullopt;
      AddOperand(0, form);
      form.repeated = LeafCount(module_.shapes, parts[0]);
    }
    return form;
  }

  const Module& module_;
  const Inst& inst_;
  InstId id_;
};

// Describes the array as blocks around one of its dimensions.
CollectiveArray Around(const ShapeTable& shapes, ShapeId shape, size_t dim) {
  const std::span<const int64_t> dims = shapes.dims(shape);
  CollectiveArray array;
  array.type = shapes.type(shape);
  array.extent = dims[dim];
  const std::vector<int64_t> strides = StoredStrides(shapes, shape);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == dim) continue;
    // Among dimensions with equal strides, at most one has a size greater than 1.
    const bool minor = strides[i] < strides[dim] || (strides[i] == strides[dim] && dims[i] == 1);
    (minor ? array.inner : array.outer) *= dims[i];
  }
  return array;
}

CollectiveArray Whole(const ShapeTable& shapes, ShapeId shape) {
  CollectiveArray array;
  array.type = shapes.type(shape);
  array.extent = ElementsIn(shapes.dims(shape));
  return array;
}

// True if the dimensions of both arrays are stored in the same order, so that slices of one are
// blocks of the other.
bool SameOrder(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  if (shapes.dims(a).size() != shapes.dims(b).size()) return false;
  const std::vector<int64_t> left = StoredStrides(shapes, a);
  const std::vector<int64_t> right = StoredStrides(shapes, b);
  const auto counts = [&](size_t i) { return shapes.dims(a)[i] > 1 || shapes.dims(b)[i] > 1; };
  for (size_t i = 0; i < left.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (counts(i) && counts(j) && (left[i] < left[j]) != (right[i] < right[j])) return false;
    }
  }
  return true;
}

class Maker {
 public:
  Maker(const Module& module, const EvalOptions& options, InstId id, Form form)
      : module_(module),
        shapes_(module.shapes),
        options_(options),
        id_(id),
        form_(std::move(form)),
        inst_(module.inst(form_.op.id)),
        grid_(EvalState(module, options).grid) {}

  Result<MadeCollective> Make() {
    made_.op.name = module_.name_of(module_.inst(id_));
    made_.op.channel = module_.IntOr(inst_.attrs, AttrKey::k_channel_id, 0);
    Result<std::vector<std::vector<int64_t>>> groups = GroupsOf(module_, form_.op.id, grid_);
    if (!groups) return groups.error();
    made_.op.groups = *std::move(groups);
    made_.operand_leaves = form_.operand_leaves;
    for (const ShapeId shape : form_.op.operands) ArrayLeaves(shapes_, shape, operands_);
    ArrayLeaves(shapes_, form_.op.result, results_);
    if (form_.op.opcode == Opcode::kSend) results_.clear();
    for (uint32_t i = 0; i < results_.size(); ++i) {
      made_.result_leaves.push_back(form_.first_result + i);
    }
    for (uint32_t i = 0; i < form_.repeated; ++i) {
      if (i < form_.operand_leaves.size()) made_.forwarded.emplace_back(form_.operand_leaves[i], i);
    }
    if (IsTransfer()) return MakeTransfer();
    if (!SetPlainKind()) {
      made_.op.kind = CollectiveKind::kDefinition;
      SetWhole();
      DefineByEvaluator(module_, options_, form_.op, made_.op);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool IsTransfer() const {
    return form_.op.opcode == Opcode::kSend || form_.op.opcode == Opcode::kRecv;
  }

  void SetWhole() {
    made_.op.operands.clear();
    made_.op.results.clear();
    for (const ShapeId shape : operands_) made_.op.operands.push_back(Whole(shapes_, shape));
    for (const ShapeId shape : results_) made_.op.results.push_back(Whole(shapes_, shape));
  }

  // Each result has the same shape and storage order as the operand with the same index.
  [[nodiscard]] bool SameShapes() const {
    if (operands_.size() != results_.size()) return false;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (shapes_.type(operands_[i]) != shapes_.type(results_[i]) ||
          !std::ranges::equal(shapes_.dims(operands_[i]), shapes_.dims(results_[i])) ||
          !SameOrder(shapes_, operands_[i], results_[i])) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool HasDynamicShapes() const {
    const auto dynamic = [&](ShapeId shape) {
      for (size_t i = 0; i < shapes_.dims(shape).size(); ++i) {
        if (shapes_.is_dynamic(shape, i)) return true;
      }
      return false;
    };
    return std::ranges::any_of(operands_, dynamic) || std::ranges::any_of(results_, dynamic);
  }

  // Returns false if only the definition specifies what the op does, or why it is invalid.
  bool SetPlainKind() {
    if (HasDynamicShapes() || operands_.empty()) return false;
    SetWhole();
    switch (PropertiesOf(form_.op.opcode).group) {
      case CollectiveFamily::kAllReduce:
        made_.op.kind = CollectiveKind::kAllReduce;
        return SameShapes() && SetFold();
      case CollectiveFamily::kReduceScatter:
        made_.op.kind = CollectiveKind::kReduceScatter;
        return SetParts(operands_, results_, made_.op.operands, made_.op.results) && SetFold();
      case CollectiveFamily::kAllGather:
        made_.op.kind = CollectiveKind::kAllGather;
        return SetParts(results_, operands_, made_.op.results, made_.op.operands);
      case CollectiveFamily::kAllToAll: return SetExchange();
      case CollectiveFamily::kPermute:
        made_.op.kind = CollectiveKind::kPermute;
        SetPairs(module_.IntsOf(inst_.attrs, AttrKey::k_source_target_pairs));
        return module_.IntsOf(inst_.attrs, AttrKey::k_slice_sizes).empty() && SameShapes();
      case CollectiveFamily::kBroadcast:
        made_.op.kind = CollectiveKind::kBroadcast;
        return !module_.BoolOr(inst_.attrs, AttrKey::k_has_dynamic_root, false) && SameShapes();
      default: return false;
    }
  }

  bool SetFold() {
    const Attr* to_apply = module_.Find(inst_, AttrKey::k_to_apply);
    if (to_apply == nullptr) return false;
    const ElementType type = shapes_.type(operands_[0]);
    for (const ShapeId shape : operands_) {
      if (shapes_.type(shape) != type) return false;
    }
    std::optional<FoldMeaning> meaning = FoldOf(module_, CompId(to_apply->value), type);
    if (!meaning) return false;
    made_.op.reduce = meaning->kind;
    made_.op.fold = std::move(meaning->fold);
    return true;
  }

  [[nodiscard]] std::optional<size_t> Dimension(size_t rank) const {
    const std::span<const int64_t> dims = module_.IntsOf(inst_.attrs, AttrKey::k_dimensions);
    if (dims.size() != 1 || dims[0] < 0 || dims[0] >= static_cast<int64_t>(rank)) {
      return std::nullopt;
    }
    return static_cast<size_t>(dims[0]);
  }

  // The group size, if all groups have the same size.
  [[nodiscard]] std::optional<int64_t> GroupSize() const {
    const size_t size = made_.op.groups[0].size();
    for (const std::vector<int64_t>& group : made_.op.groups) {
      if (group.size() != size) return std::nullopt;
    }
    return static_cast<int64_t>(size);
  }

  // Each of `wholes` consists of one of `parts` per group member along the dimension.
  bool SetParts(std::span<const ShapeId> wholes, std::span<const ShapeId> parts,
                std::vector<CollectiveArray>& whole_arrays,
                std::vector<CollectiveArray>& part_arrays) {
    const std::optional<int64_t> members = GroupSize();
    if (!members || wholes.size() != parts.size()) return false;
    for (size_t i = 0; i < wholes.size(); ++i) {
      const std::optional<size_t> dim = Dimension(shapes_.dims(wholes[i]).size());
      if (!dim || !SameOrder(shapes_, wholes[i], parts[i])) return false;
      whole_arrays[i] = Around(shapes_, wholes[i], *dim);
      part_arrays[i] = Around(shapes_, parts[i], *dim);
      // A dimension of size 1 may be stored at any position; use the position it has in the whole
      // array.
      part_arrays[i].outer = whole_arrays[i].outer;
      part_arrays[i].inner = whole_arrays[i].inner;
      if (part_arrays[i].type != whole_arrays[i].type ||
          part_arrays[i].count() != ElementsIn(shapes_.dims(parts[i])) ||
          whole_arrays[i].extent != part_arrays[i].extent * *members) {
        return false;
      }
    }
    return true;
  }

  bool SetExchange() {
    if (!SameShapes()) return false;
    const std::optional<int64_t> members = GroupSize();
    if (!members) return false;
    if (shapes_.is_tuple(form_.op.result)) {
      made_.op.kind = CollectiveKind::kAllToAllTuple;
      return static_cast<int64_t>(operands_.size()) == *members &&
             std::ranges::all_of(
                 made_.op.operands,
                 [&](const CollectiveArray& array) { return array == made_.op.operands[0]; }) &&
             std::ranges::all_of(operands_,
                                 [&](ShapeId s) { return SameOrder(shapes_, s, results_[0]); });
    }
    made_.op.kind = CollectiveKind::kAllToAll;
    const std::optional<size_t> dim = Dimension(shapes_.dims(operands_[0]).size());
    if (!dim || operands_.size() != 1) return false;
    made_.op.operands[0] = Around(shapes_, operands_[0], *dim);
    made_.op.results[0] = made_.op.operands[0];
    return made_.op.operands[0].extent % *members == 0;
  }

  // [count, 2, source, target, 2, source, target, ...] in replica or partition ids.
  void SetPairs(std::span<const int64_t> list) {
    const bool by_partition =
        GroupModeOf(module_, inst_, form_.op.opcode) == GroupMode::kCrossPartition;
    const int64_t limit = by_partition ? grid_.partitions : grid_.replicas;
    const int64_t others = by_partition ? grid_.replicas : grid_.partitions;
    const auto device = [&](int64_t moved, int64_t other) {
      return by_partition ? other * grid_.partitions + moved : moved * grid_.partitions + other;
    };
    for (size_t at = 1; at + 2 < list.size() && list[at] == 2; at += 3) {
      const int64_t source = list[at + 1];
      const int64_t target = list[at + 2];
      if (source < 0 || target < 0 || source >= limit || target >= limit) continue;
      for (int64_t other = 0; other < others; ++other) {
        made_.op.pairs.emplace_back(device(source, other), device(target, other));
      }
    }
  }

  // The source-target pairs are in a frontend attribute: {{0,1},{1,2}}.
  Result<MadeCollective> MakeTransfer() {
    const std::string_view text =
        FrontendAttribute(module_, inst_.attrs, "_xla_send_recv_source_target_pairs").value_or("");
    std::vector<int64_t> list = {0};
    Scanner scan(text);
    bool good = scan.Eat('{');
    while (good && !scan.Eat('}')) {
      const std::optional<int64_t> source = scan.Eat('{') ? scan.Int() : std::nullopt;
      const std::optional<int64_t> target = source && scan.Eat(',') ? scan.Int() : std::nullopt;
      good = target && scan.Eat('}');
      if (good) list.insert(list.end(), {2, *source, *target});
      scan.Eat(',');
    }
    if (!good || list.size() == 1) {
      return MakeBinaryDiagnostic(
          diag::kUnsupportedTransfer, 0,
          "instruction %" + made_.op.name + ": does not say between which devices it transfers");
    }
    made_.op.kind =
        form_.op.opcode == Opcode::kSend ? CollectiveKind::kSend : CollectiveKind::kRecv;
    SetWhole();
    SetPairs(list);
    return std::move(made_);
  }

  const Module& module_;
  const ShapeTable& shapes_;
  const EvalOptions& options_;
  InstId id_;
  Form form_;
  const Inst& inst_;
  DeviceGrid grid_;
  MadeCollective made_;
  std::vector<ShapeId> operands_;
  std::vector<ShapeId> results_;
};

}  // namespace

bool IsCollectiveStart(const Module& module, InstId id) {
  return FormReader(module, id).Read().has_value();
}

bool HasCollectiveDone(const Module& module, InstId id) {
  const Opcode opcode = module.inst(id).opcode;
  return HasTrait(opcode, kAsyncStart) && FlowOf(opcode) != OpFlow::kCopyStart;
}

Result<MadeCollective> MakeCollective(const Module& module, InstId id, const EvalOptions& options) {
  std::optional<Form> form = FormReader(module, id).Read();
  if (!form) {
    return MakeBinaryDiagnostic(
        diag::kCannotEvaluate, 0,
        "instruction %" + std::string(module.name_of(module.inst(id))) + " is no collective");
  }
  return Maker(module, options, id, *std::move(form)).Make();
}

}  // namespace halo
