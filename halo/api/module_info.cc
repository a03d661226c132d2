// One walk over the instructions, then the parts that look at single ones.
#include "halo/api/module_info.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "halo/api/run_counts.h"
#include "halo/ir/aliasing.h"
#include "halo/ir/replica_groups.h"

namespace halo {
namespace {

constexpr size_t kMaxGroupIds = size_t{1} << 20;

// How a computation comes to be run.
enum class Role : uint8_t { kOther, kProgram, kFused };

// Ops whose result is another value's memory, or a pointer to it.
bool MakesNothing(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kGetTupleElement:
    case Opcode::kTuple:
    case Opcode::kBitcast:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAsyncUpdate:
      return true;
    default: return HasTrait(opcode, kAsyncDone);
  }
}

// The opcode a collective is known by, or kUnknown: X for X-start in any notation.
Opcode CollectiveOf(const Inst& inst) {
  const Opcode opcode = (inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode;
  if (!HasTrait(opcode, kCollective)) return Opcode::kUnknown;
  if (HasTrait(inst.opcode, kAsyncDone) || HasTrait(inst.opcode, kAsyncUpdate)) return Opcode::kUnknown;
  switch (opcode) {
    case Opcode::kAllGatherStart: return Opcode::kAllGather;
    case Opcode::kAllReduceStart: return Opcode::kAllReduce;
    case Opcode::kCollectivePermuteStart: return Opcode::kCollectivePermute;
    default: return opcode;
  }
}

void SortByCount(std::vector<Tally>& tallies) {
  std::sort(tallies.begin(), tallies.end(), [](const Tally& a, const Tally& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
}

class Describer {
 public:
  Describer(const Module& module, const InfoOptions& options, ModuleInfo& info)
      : module_(module), options_(options), info_(info) {}

  void Describe() {
    AssignRoles();
    runs_ = CountRuns(module_);
    info_.name = module_.text(module_.name);
    info_.scheduled = module_.is_scheduled();
    info_.replica_count = module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1);
    info_.num_partitions = module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1);
    info_.computations = static_cast<int64_t>(module_.order.size());
    info_.instructions = static_cast<int64_t>(module_.insts.size());
    info_.memory_bytes = static_cast<int64_t>(module_.bytes());
    Walk();
    DescribeInterface();
  }

 private:
  [[nodiscard]] int64_t BytesOf(ShapeId shape) const {
    return module_.shapes.ByteSize(shape).value_or(0);
  }
  [[nodiscard]] std::string OpName(const Inst& inst) const {
    return std::string(module_.MetadataText(inst, AttrKey::k_op_name));
  }

  // Marks what runs as a program of its own (and so has values in memory), and what is fused into
  // one instruction.
  void AssignRoles() {
    roles_.assign(module_.comps.size(), Role::kOther);
    wrapped_async_.assign(module_.comps.size(), false);
    if (!module_.entry.valid()) return;
    std::vector<CompId> todo = {module_.entry};
    roles_[module_.entry.index()] = Role::kProgram;
    std::vector<CompId> called;
    while (!todo.empty()) {
      const CompId id = todo.back();
      todo.pop_back();
      const Computation& comp = module_.comp(id);
      for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
        const Inst& inst = module_.insts[i];
        called.clear();
        module_.CalledBy(inst, called);
        for (const CompId callee : called) {
          Role& role = roles_[callee.index()];
          if (role != Role::kOther) continue;
          role = CalleeRole(inst, roles_[id.index()]);
          if (inst.opcode == Opcode::kAsyncStart) wrapped_async_[callee.index()] = true;
          if (role != Role::kOther) todo.push_back(callee);
        }
      }
    }
  }

  static Role CalleeRole(const Inst& caller, Role role) {
    switch (caller.opcode) {
      case Opcode::kFusion: return Role::kFused;
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kCall:
      case Opcode::kAsyncStart: return role;
      default: return Role::kOther;
    }
  }

  void Walk() {
    std::array<int64_t, 256> by_opcode{};
    std::map<std::string_view, int64_t> by_text;  // X-start in sugar, opcodes not known
    std::vector<std::pair<int64_t, int64_t>> by_shape(module_.shapes.size());
    std::vector<std::pair<int64_t, uint32_t>> biggest;
    for (const CompId id : module_.order) {
      const Computation& comp = module_.comp(id);
      const Role role = roles_[id.index()];
      if (role == Role::kFused) info_.fused_instructions += comp.count;
      if (id == module_.entry) info_.entry_instructions = comp.count;
      for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
        const Inst& inst = module_.insts[i];
        if ((inst.flags & kInstSugar) != 0) {
          ++sugar_[{inst.opcode, inst.wrapped}];
        } else if (inst.opcode == Opcode::kUnknown) {
          ++by_text[module_.opcode_text(inst)];
        } else {
          ++by_opcode[static_cast<uint8_t>(inst.opcode)];
        }
        const bool in_memory = role == Role::kProgram && !MakesNothing(inst.opcode);
        auto& [uses, stored] = by_shape[inst.shape.index()];
        ++uses;
        if (in_memory) ++stored;
        if (in_memory) biggest.emplace_back(BytesOf(inst.shape), i);
        // Only the largest few are wanted; the list is cut before it grows with the module.
        if (biggest.size() > 4096) KeepLargest(biggest);
        LookAt(inst, id);
      }
    }
    for (size_t op = 0; op < OpcodeCount(); ++op) {
      if (by_opcode[op] != 0) {
        info_.opcodes.push_back({std::string(TextOf(static_cast<Opcode>(op))), by_opcode[op]});
      }
    }
    for (const auto& [ops, count] : sugar_) {
      const std::string_view suffix = ops.first == Opcode::kAsyncStart    ? "-start"
                                      : ops.first == Opcode::kAsyncUpdate ? "-update"
                                                                          : "-done";
      info_.opcodes.push_back({std::string(TextOf(ops.second)) + std::string(suffix), count});
    }
    for (const auto& [text, count] : by_text) info_.opcodes.push_back({std::string(text), count});
    SortByCount(info_.opcodes);
    TallyTypes(by_shape);
    KeepLargest(biggest);
    for (const auto& [bytes, index] : biggest) {
      const Inst& inst = module_.insts[index];
      if (bytes == 0) break;
      info_.largest.push_back({std::string(module_.name_of(inst)), std::string(module_.opcode_text(inst)),
                               module_.shapes.Text(inst.shape), OpName(inst), bytes});
    }
    for (auto& [name, tally] : fusions_) info_.fusions.push_back(std::move(tally));
    for (auto& [name, tally] : custom_calls_) info_.custom_calls.push_back(std::move(tally));
    SortByCount(info_.fusions);
    SortByCount(info_.custom_calls);
    for (auto& [opcode, collective] : collectives_) info_.collectives.push_back(std::move(collective));
    std::sort(info_.collectives.begin(), info_.collectives.end(),
              [](const CollectiveInfo& a, const CollectiveInfo& b) {
                return a.run_bytes != b.run_bytes ? a.run_bytes > b.run_bytes : a.opcode < b.opcode;
              });
  }

  void KeepLargest(std::vector<std::pair<int64_t, uint32_t>>& values) const {
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (values.size() > options_.largest) values.resize(options_.largest);
  }

  void TallyTypes(const std::vector<std::pair<int64_t, int64_t>>& by_shape) {
    std::vector<std::pair<int64_t, int64_t>> by_type(ElementTypeCount());
    std::vector<ShapeId> todo;
    for (uint32_t shape = 0; shape < by_shape.size(); ++shape) {
      const auto [uses, stored] = by_shape[shape];
      if (uses == 0) continue;
      todo.assign(1, ShapeId(shape));
      while (!todo.empty()) {
        const ShapeId leaf = todo.back();
        todo.pop_back();
        if (module_.shapes.is_tuple(leaf)) {
          const std::span<const ShapeId> parts = module_.shapes.elements(leaf);
          todo.insert(todo.end(), parts.begin(), parts.end());
          continue;
        }
        auto& [count, bytes] = by_type[static_cast<size_t>(module_.shapes.type(leaf))];
        count += uses;
        bytes += stored * BytesOf(leaf);
      }
    }
    for (size_t type = 0; type < by_type.size(); ++type) {
      const auto [count, bytes] = by_type[type];
      if (count != 0) {
        info_.dtypes.push_back({std::string(TextOf(static_cast<ElementType>(type))), count, bytes});
      }
    }
    SortByCount(info_.dtypes);
  }

  void LookAt(const Inst& inst, CompId comp) {
    switch (inst.opcode) {
      case Opcode::kConstant:
        if (module_.literals.is_elided(LiteralId(inst.extra))) ++info_.elided_constants;
        info_.constant_bytes += BytesOf(inst.shape);
        break;
      case Opcode::kFusion: {
        const std::string_view kind = module_.TextOr(inst.attrs, AttrKey::k_kind, "?");
        Tally& tally = fusions_[kind];
        tally.name = kind;
        ++tally.count;
        break;
      }
      case Opcode::kCustomCall: {
        const std::string_view target = module_.TextOr(inst.attrs, AttrKey::k_custom_call_target, "?");
        Tally& tally = custom_calls_[target];
        tally.name = target;
        ++tally.count;
        tally.bytes += BytesOf(inst.shape);
        break;
      }
      case Opcode::kWhile: DescribeLoop(inst, comp); break;
      default: break;
    }
    if (CollectiveOf(inst) != Opcode::kUnknown) DescribeCollective(inst, comp);
  }

  void DescribeLoop(const Inst& inst, CompId comp) {
    LoopInfo loop;
    loop.name = module_.name_of(inst);
    loop.op_name = OpName(inst);
    loop.trip_count = KnownTripCount(module_, inst);
    loop.carried_bytes = BytesOf(inst.shape);
    loop.runs = runs_[comp.index()].runs;
    if (const Attr* body = module_.Find(inst, AttrKey::k_body)) {
      const Computation& called = module_.comp(CompId(body->value));
      loop.body = module_.text(called.name);
      loop.body_instructions = called.count;
    }
    info_.loops.push_back(std::move(loop));
  }

  // What a start hands to its done: the second part of (operands, results, ...).
  [[nodiscard]] ShapeId ResultShape(const Inst& inst) const {
    const bool pairs = inst.opcode == Opcode::kAllGatherStart ||
                       inst.opcode == Opcode::kCollectivePermuteStart || inst.opcode == Opcode::kAsyncStart;
    const std::span<const ShapeId> parts = module_.shapes.elements(inst.shape);
    return pairs && parts.size() >= 2 ? parts[1] : inst.shape;
  }

  void DescribeCollective(const Inst& inst, CompId comp) {
    const Opcode opcode = CollectiveOf(inst);
    CollectiveInfo& collective = collectives_[opcode];
    collective.opcode = TextOf(opcode);
    ++collective.count;
    if (HasTrait(inst.opcode, kAsyncStart) || wrapped_async_[comp.index()]) ++collective.async;
    int64_t operand_bytes = 0;
    for (const InstId operand : module_.operands_of(inst)) {
      if (operand.valid()) operand_bytes += BytesOf(module_.inst(operand).shape);
    }
    const int64_t bytes = std::max(operand_bytes, BytesOf(ResultShape(inst)));
    const RunCount& runs = runs_[comp.index()];
    collective.bytes += bytes;
    collective.runs += runs.runs;
    int64_t run_bytes = 0;
    if (__builtin_mul_overflow(bytes, runs.runs, &run_bytes) ||
        __builtin_add_overflow(collective.run_bytes, run_bytes, &collective.run_bytes)) {
      collective.run_bytes = INT64_MAX;
    }
    collective.at_least = collective.at_least || runs.at_least;
    const int64_t size = GroupSizeOf(inst);
    for (GroupSize& group : collective.group_sizes) {
      if (group.size == size) {
        ++group.count;
        return;
      }
    }
    collective.group_sizes.push_back({size, 1});
  }

  int64_t GroupSizeOf(const Inst& inst) {
    if (const Attr* pairs = module_.Find(inst, AttrKey::k_source_target_pairs)) {
      return pairs->form == AttrForm::kNested ? module_.list(pairs->value)[0] : 0;
    }
    const int64_t everyone = info_.replica_count * info_.num_partitions;
    const Attr* groups = module_.Find(inst, AttrKey::k_replica_groups);
    if (groups == nullptr) return everyone;
    const auto [known, fresh] = group_sizes_.try_emplace(groups->value, everyone);
    if (fresh) {
      if (const auto parsed = ParseReplicaGroups(module_.text(StrId(groups->value)))) {
        if (parsed->kind == GroupsKind::kCounting) {
          known->second = parsed->group_size;
        } else if (const auto lists = ExpandReplicaGroups(*parsed, kMaxGroupIds); lists && !lists->empty()) {
          known->second = static_cast<int64_t>(lists->front().size());
        }
      }
    }
    return known->second;
  }

  void DescribeInterface() {
    if (!module_.entry.valid()) return;
    const Computation& entry = module_.comp(module_.entry);
    const std::vector<AliasEntry> aliases =
        DecodeAliases(module_.IntsOf(module_.attrs, AttrKey::k_input_output_alias));
    const std::vector<DonorEntry> donors =
        DecodeDonors(module_.IntsOf(module_.attrs, AttrKey::k_buffer_donor));
    for (uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
      const Inst& inst = module_.insts[i];
      if (inst.opcode != Opcode::kParameter) continue;
      ParameterInfo parameter;
      parameter.number = inst.extra;
      parameter.name = module_.name_of(inst);
      parameter.shape = module_.shapes.Text(inst.shape);
      parameter.op_name = OpName(inst);
      parameter.sharding = module_.TextOr(inst.attrs, AttrKey::k_sharding);
      parameter.bytes = module_.shapes.ByteSize(inst.shape);
      for (const AliasEntry& alias : aliases) parameter.aliased |= alias.number == parameter.number;
      for (const DonorEntry& donor : donors) parameter.donated |= donor.number == parameter.number;
      info_.parameter_bytes += parameter.bytes.value_or(0);
      info_.parameters.push_back(std::move(parameter));
    }
    std::sort(info_.parameters.begin(), info_.parameters.end(),
              [](const ParameterInfo& a, const ParameterInfo& b) { return a.number < b.number; });
    if (!entry.root.valid()) return;
    std::vector<int64_t> index;
    DescribeOutputs(module_.inst(entry.root), module_.inst(entry.root).shape, aliases, index);
  }

  // Shapes nest only as deep as the readers allow.
  void DescribeOutputs(const Inst& maker, ShapeId shape, const std::vector<AliasEntry>& aliases,
                       std::vector<int64_t>& index) {
    if (module_.shapes.is_tuple(shape)) {
      const std::vector<ShapeId> parts(module_.shapes.elements(shape).begin(),
                                       module_.shapes.elements(shape).end());
      const std::span<const InstId> operands = module_.operands_of(maker);
      for (size_t i = 0; i < parts.size(); ++i) {
        const bool known = maker.opcode == Opcode::kTuple && i < operands.size() && operands[i].valid();
        index.push_back(static_cast<int64_t>(i));
        DescribeOutputs(known ? module_.inst(operands[i]) : maker, parts[i], aliases, index);
        index.pop_back();
      }
      return;
    }
    OutputInfo output;
    output.index = index;
    output.name = module_.name_of(maker);
    output.shape = module_.shapes.Text(shape);
    output.op_name = OpName(maker);
    output.bytes = module_.shapes.ByteSize(shape);
    for (const AliasEntry& alias : aliases) {
      if (alias.output_index == index) output.aliases_parameter = alias.number;
    }
    info_.output_bytes += output.bytes.value_or(0);
    if (output.aliases_parameter) info_.aliased_bytes += output.bytes.value_or(0);
    info_.outputs.push_back(std::move(output));
  }

  const Module& module_;
  const InfoOptions& options_;
  ModuleInfo& info_;
  std::vector<Role> roles_;
  std::vector<bool> wrapped_async_;
  std::vector<RunCount> runs_;
  std::map<std::pair<Opcode, Opcode>, int64_t> sugar_;
  std::map<std::string_view, Tally> fusions_;
  std::map<std::string_view, Tally> custom_calls_;
  std::map<Opcode, CollectiveInfo> collectives_;
  std::unordered_map<uint32_t, int64_t> group_sizes_;
};

}  // namespace

ModuleInfo DescribeModule(const Document& document, const DocumentModule& module,
                          const InfoOptions& options) {
  ModuleInfo info;
  info.section = module.section;
  if (document.from_text()) {
    info.generation = DetectGeneration(module.module);
  } else {
    info.generation.why = "not text";
  }
  const std::string_view file_name = module.section.empty() ? document.path : module.section;
  info.backend = GuessBackend(module.module, file_name);
  Describer(module.module, options, info).Describe();
  return info;
}

}  // namespace halo
