// Walks the instructions once and tallies each kind that matters. Collectives and the interface are
// counted in separate files.
#include "halo/api/info/module_info.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "halo/analysis/graph/run_counts.h"
#include "halo/api/info/collective_info.h"
#include "halo/api/info/interface_info.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/text/generation.h"

namespace halo {
namespace {

// How a computation is executed.
enum class Role : uint8_t { kOther, kProgram, kFused };

// Ops whose result is the memory of another value, or a pointer to it.
bool MakesNothing(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kParameter:
    case OpFlow::kWhile:
    case OpFlow::kConditional:
    case OpFlow::kCall:
    case OpFlow::kToken:
    case OpFlow::kAsyncUpdate: return true;
    default: return PassesValuesOn(opcode) || HasTrait(opcode, kAsyncDone);
  }
}

// Of tallies: InfoCount or InfoSize.
template <class Tally>
void SortByCount(std::vector<Tally>& tallies) {
  std::sort(tallies.begin(), tallies.end(), [](const Tally& a, const Tally& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
}

class Describer {
 public:
  Describer(const Module& module, const InfoOptions& options, v0::InfoModule& info)
      : module_(module),
        options_(options),
        info_(info),
        runs_(CountRuns(module)),
        collectives_(module, runs_) {}

  void Describe() {
    AssignRoles();
    info_.name = module_.text(module_.name);
    info_.scheduled = module_.is_scheduled();
    info_.replica_count = module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1);
    info_.num_partitions = module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1);
    info_.computations = static_cast<int64_t>(module_.order.size());
    info_.instructions = static_cast<int64_t>(module_.insts.size());
    info_.memory_bytes = static_cast<int64_t>(module_.bytes());
    Walk();
    DescribeInterface(module_, info_);
  }

 private:
  [[nodiscard]] int64_t BytesOf(ShapeId shape) const {
    return module_.shapes.ByteSize(shape).value_or(0);
  }
  // A fusion without an op_name takes the op_name of its root.
  [[nodiscard]] std::string OpName(const Inst& inst) const {
    const std::string_view own = module_.MetadataText(inst, AttrKey::k_op_name);
    const Attr* calls = module_.Find(inst, AttrKey::k_calls);
    if (!own.empty() || calls == nullptr || module_.list(calls->value).empty())
      return std::string(own);
    const Computation& called = module_.comps[static_cast<size_t>(module_.list(calls->value)[0])];
    if (!called.root.valid()) return {};
    return std::string(module_.MetadataText(module_.inst(called.root), AttrKey::k_op_name));
  }

  // Marks which computations run as programs (and so have values in memory) and which are fused
  // into one instruction.
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
    switch (FlowOf(caller.opcode)) {
      case OpFlow::kFusion: return Role::kFused;
      case OpFlow::kWhile:
      case OpFlow::kConditional:
      case OpFlow::kCall:
      case OpFlow::kAsyncStart: return role;
      default: return Role::kOther;
    }
  }

  void Walk() {
    std::array<int64_t, 256> by_opcode{};
    std::map<std::string_view, int64_t> by_text;  // X-start in sugar, unknown opcodes
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
        if (in_memory) biggest.emplace_back(BytesOf(ResultShape(module_, inst)), i);
        // Only the largest few are needed, so the list is trimmed before it grows with the module.
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
      info_.largest.push_back(
          {std::string(module_.name_of(inst)), std::string(module_.opcode_text(inst)),
           module_.shapes.Text(ResultShape(module_, inst)), bytes, OpName(inst)});
    }
    for (auto& [name, tally] : fusions_) info_.fusions.push_back(std::move(tally));
    for (auto& [name, tally] : custom_calls_) info_.custom_calls.push_back(std::move(tally));
    SortByCount(info_.fusions);
    SortByCount(info_.custom_calls);
    info_.collectives = collectives_.Take();
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
        info_.dtypes.push_back(
            {{std::string(TextOf(static_cast<ElementType>(type))), count}, bytes});
      }
    }
    SortByCount(info_.dtypes);
  }

  void LookAt(const Inst& inst, CompId comp) {
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kConstant:
        if (module_.literals.is_elided(LiteralId(inst.extra))) ++info_.elided_constants;
        info_.constant_bytes += BytesOf(inst.shape);
        break;
      case OpFlow::kFusion: {
        const std::string_view kind = module_.TextOr(inst.attrs, AttrKey::k_kind, "?");
        v0::InfoCount& tally = fusions_[kind];
        tally.name = kind;
        ++tally.count;
        break;
      }
      case OpFlow::kWhile: DescribeLoop(inst, comp); break;
      default: break;
    }
    if (inst.opcode == Opcode::kCustomCall) {
      const std::string_view target =
          module_.TextOr(inst.attrs, AttrKey::k_custom_call_target, "?");
      v0::InfoSize& tally = custom_calls_[target];
      tally.name = target;
      ++tally.count;
      tally.bytes += BytesOf(inst.shape);
    }
    collectives_.Add(inst, comp, roles_[comp.index()] == Role::kFused,
                     wrapped_async_[comp.index()]);
  }

  void DescribeLoop(const Inst& inst, CompId comp) {
    v0::InfoLoop loop;
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

  const Module& module_;
  const InfoOptions& options_;
  v0::InfoModule& info_;
  std::vector<RunCount> runs_;
  std::map<std::pair<Opcode, Opcode>, int64_t> sugar_;
  std::map<std::string_view, v0::InfoCount> fusions_;
  std::map<std::string_view, v0::InfoSize> custom_calls_;
  CollectiveCounter collectives_;
  std::vector<Role> roles_;
  std::vector<bool> wrapped_async_;
};

v0::InfoGeneration GenerationOf(const Document& document, const DocumentModule& module) {
  GenerationGuess guess;
  guess.why = "not text";
  if (document.from_text()) guess = DetectGeneration(module.module);
  return {std::string(GenerationText(guess.generation)), std::string(GenerationText(guess.latest)),
          guess.why};
}

}  // namespace

v0::InfoModule DescribeModule(const Document& document, const DocumentModule& module,
                              const InfoOptions& options) {
  v0::InfoModule info;
  info.path = document.path;
  info.section = module.section;
  info.generation = GenerationOf(document, module);
  const std::string_view file_name = module.section.empty() ? document.path : module.section;
  const BackendGuess backend = DetectBackend(module.module, file_name);
  info.backend = {std::string(BackendText(backend.backend)), backend.why};
  Describer(module.module, options, info).Describe();
  return info;
}

}  // namespace halo
