// Where an inserted value is computed follows from the order of the second program: before the
// first instruction of the first program whose counterpart runs later.
#include "halo/diff/peak/replay.h"

#include <algorithm>
#include <map>
#include <set>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/diff/peak/edit_program.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/backend/backend_description.h"

namespace halo {
namespace {

constexpr size_t kMostPlaces = 48;      // of one cause that are replayed
constexpr size_t kMostNamed = 8;        // instructions that moved
constexpr uint32_t kMostLooked = 2000;  // instructions after a new one

class Replayer {
 public:
  Replayer(const MatchedPrograms& programs, StoredValues& before, StoredValues& after,
           const ReplayOptions& options)
      : programs_(programs),
        a_(programs.a),
        b_(programs.b),
        before_(before),
        after_(after),
        options_(options),
        users_(programs.a) {
    key_of_.assign(a_.insts.size(), kNoKey);
    const CallGraph calls(a_);
    for (uint32_t i = 0; i < a_.insts.size(); ++i) {
      // Inside kernels nothing is stored.
      const CompId comp = a_.insts[i].parent;
      if (calls.context(comp) != CallGraph::Context::kControlFlow) continue;
      const StoredKey key = before_.KeyOf(before_.resolver().Resolve(InstId(i), 0));
      if (!StoredValues::is_value(key) || PassesOn(a_.insts[i])) continue;
      key_of_[i] = key;
      insts_of_[key].push_back(InstId(i));
    }
  }

  std::optional<int64_t> Plan(const Module& module, AssignOptions assign) const {
    assign.with_uses = false;
    const Result<Assignment> plan = AssignBuffers(module, assign);
    if (!plan.ok()) return std::nullopt;
    return DeviceBytes(*plan, options_.backend);
  }

  // The instructions of the second program that run at another time, a few at most.
  [[nodiscard]] const std::vector<std::string>& moved() const { return moved_; }

  // The planned bytes with this cause alone; none if it cannot be replayed.
  std::optional<int64_t> Replay(const PeakCause& cause) {
    EditedProgram program{a_, options_.assign};
    bool is_edited = false;
    switch (cause.kind) {
      case PeakCauseKind::kDonation: is_edited = Donate(program); break;
      case PeakCauseKind::kLife:
      case PeakCauseKind::kSharing: is_edited = Reorder(program); break;
      case PeakCauseKind::kFusion:
      case PeakCauseKind::kCopy: {
        const bool is_new = cause.bytes > 0;
        is_edited = is_new ? InsertValues(cause, program) : RemoveValues(cause, program);
        break;
      }
      default: break;
    }
    if (!is_edited) return std::nullopt;
    return Plan(program.module, program.assign);
  }

 private:
  static constexpr StoredKey kNoKey = UINT64_MAX;

  // Bitcasts, tuples and their elements store nothing.
  static bool PassesOn(const Inst& inst) {
    const OpFlow flow = FlowOf(inst.opcode);
    return flow == OpFlow::kBitcast || flow == OpFlow::kTuple || flow == OpFlow::kElement ||
           flow == OpFlow::kForwards;
  }

  bool Donate(EditedProgram& program) const {
    // Numbers mean the same only if the inputs are the same.
    const auto parameters = [](const Module& module) {
      std::map<uint32_t, std::string> shapes;
      const Computation& comp = module.comp(module.entry);
      for (uint32_t i = 0; i < comp.count; ++i) {
        const Inst& inst = module.insts[comp.first + i];
        if (FlowOf(inst.opcode) != OpFlow::kParameter) continue;
        shapes[inst.extra] = module.shapes.Text(inst.shape, false);
      }
      return shapes;
    };
    const auto result = [](const Module& module) {
      return module.shapes.Text(module.inst(module.comp(module.entry).root).shape, false);
    };
    if (parameters(a_) != parameters(b_) || result(a_) != result(b_)) return false;
    program.assign.aliases = AliasesOf(b_);
    return true;
  }

  bool Reorder(EditedProgram& program) {
    // In the second program's entry.
    std::map<StoredKey, std::vector<int64_t>> positions;
    const Computation& entry_b = b_.comp(b_.entry);
    for (uint32_t i = 0; i < entry_b.count; ++i) {
      const InstId id(entry_b.first + i);
      if (PassesOn(b_.inst(id))) continue;
      const StoredKey key = after_.KeyOf(after_.resolver().Resolve(id, 0));
      if (StoredValues::is_value(key)) positions[key].push_back(i);
    }
    std::vector<int64_t> priorities(a_.insts.size(), 0);
    std::vector<int64_t> order;  // positions in the second program, in the first one's order
    std::map<StoredKey, size_t> used;
    const Computation& entry = a_.comp(a_.entry);
    for (uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
      int64_t& priority = priorities[i];
      for (const InstId operand : a_.operands_of(a_.insts[i])) {
        if (operand.valid() && operand.value < i) {
          priority = std::max(priority, priorities[operand.index()]);
        }
      }
      const auto found = positions.find(key_of_[i]);
      if (key_of_[i] == kNoKey || found == positions.end()) continue;
      const size_t number = std::min(used[key_of_[i]]++, found->second.size() - 1);
      priority = std::max(priority, found->second[number]);
      order.push_back(found->second[number]);
    }
    NameMoved(order);
    ReorderEntry(priorities, program);
    return true;
  }

  // The longest rising sequence of positions stays in place; the rest moved.
  void NameMoved(const std::vector<int64_t>& order) {
    std::vector<size_t> tails;  // by length, the index with the smallest last position
    std::vector<size_t> before(order.size(), SIZE_MAX);
    for (size_t i = 0; i < order.size(); ++i) {
      const auto at = std::lower_bound(tails.begin(), tails.end(), order[i],
                                       [&](size_t t, int64_t value) { return order[t] < value; });
      if (at != tails.begin()) before[i] = *(at - 1);
      if (at == tails.end()) {
        tails.push_back(i);
      } else {
        *at = i;
      }
    }
    std::vector<bool> stays(order.size(), false);
    for (size_t i = tails.empty() ? SIZE_MAX : tails.back(); i != SIZE_MAX; i = before[i]) {
      stays[i] = true;
    }
    moved_.clear();
    for (size_t i = 0; i < order.size() && moved_.size() < kMostNamed; ++i) {
      if (stays[i]) continue;
      const InstId inst(b_.comp(b_.entry).first + static_cast<uint32_t>(order[i]));
      moved_.emplace_back(b_.name_of(b_.inst(inst)));
    }
  }

  // The first instruction of `comp` after `low` whose counterpart runs after `inst_b`; `high` if
  // there is none before it.
  InstId PositionOf(InstId inst_b, CompId comp, InstId low, InstId high) {
    const Computation& comp_b = b_.comp(b_.inst(inst_b).parent);
    const uint32_t end = std::min(comp_b.first + comp_b.count, inst_b.value + kMostLooked);
    for (uint32_t i = inst_b.value + 1; i < end; ++i) {
      if (PassesOn(b_.insts[i])) continue;
      const StoredKey key = after_.KeyOf(after_.resolver().Resolve(InstId(i), 0));
      const auto found = insts_of_.find(key);
      if (!StoredValues::is_value(key) || found == insts_of_.end()) continue;
      for (const InstId id : found->second) {
        if (a_.inst(id).parent == comp && id > low && id <= high &&
            a_.inst(id).opcode != Opcode::kParameter && a_.inst(id).opcode != Opcode::kConstant) {
          return id;
        }
      }
    }
    return high;
  }

  bool InsertValues(const PeakCause& cause, EditedProgram& program) {
    std::vector<Insertion> insertions;
    for (size_t i = 0; i < std::min(kMostPlaces, cause.places.size()); ++i) {
      const PeakPlace& place = cause.places[i];
      if (!place.value_after.valid()) continue;
      const std::optional<Insertion> made = cause.kind == PeakCauseKind::kCopy
                                                ? CopyOf(place.value_after)
                                                : StoredFrom(place.value_after);
      if (!made) return false;
      insertions.push_back(*made);
    }
    if (insertions.empty()) return false;
    InsertAll(std::move(insertions), program);
    return true;
  }

  // A value that kernels of the first program compute inside.
  std::optional<Insertion> StoredFrom(ValueId value_b) {
    const StoredKey key = after_.key(value_b);
    const auto number = static_cast<uint32_t>(key >> 24);
    const InstId inst_b = after_.bound().value(value_b).inst;
    if (number >= programs_.classes_a.size() || !inst_b.valid()) return std::nullopt;
    Insertion made;
    InstId low;
    CompId comp;
    std::set<InstId> kernels;
    for (const uint32_t member : programs_.classes_a.members(number)) {
      const ValueNode& node = programs_.graph_a.nodes[member];
      if (node.kernel == node.inst || kernels.contains(node.kernel)) continue;
      const Inst& kernel = a_.inst(node.kernel);
      if (comp.valid() && kernel.parent != comp) continue;
      comp = kernel.parent;
      std::vector<uint32_t> within = Slots(node.inst);
      std::vector<uint32_t> only;
      if (a_.comp(a_.inst(node.inst).parent).root != node.inst) {
        only = OnlyInside(node.inst, within);
      }
      if (!made.shape.valid()) {
        made.shape = a_.inst(node.inst).shape;
        made.opcode = PropertiesOf(a_.inst(node.inst).opcode).category == OpCategory::kElementwise
                          ? a_.inst(node.inst).opcode
                          : Opcode::kCustomCall;
        for (const uint32_t slot : within) {
          if (slot >= kernel.operand_count) return std::nullopt;
          const InstId operand = a_.operands_of(kernel)[slot];
          made.operands.push_back(operand);
          if (!low.valid() || operand > low) low = operand;
        }
      }
      kernels.insert(node.kernel);
      made.uses.push_back({node.kernel, std::move(only)});
    }
    if (made.uses.empty() || !a_.shapes.is_array(made.shape)) return std::nullopt;
    const InstId high = *kernels.begin();
    if (!low.valid()) low = InstId(a_.comp(comp).first);
    made.before = PositionOf(inst_b, comp, low, high);
    return made;
  }

  // The parameters of a fused computation that an instruction of it is computed from.
  std::vector<uint32_t> Slots(InstId inst) const {
    std::set<uint32_t> slots;
    std::set<InstId> seen = {inst};
    std::vector<InstId> open = {inst};
    while (!open.empty()) {
      const Inst& at = a_.inst(open.back());
      open.pop_back();
      if (FlowOf(at.opcode) == OpFlow::kParameter) slots.insert(at.extra);
      for (const InstId operand : a_.operands_of(at)) {
        if (operand.valid() && seen.insert(operand).second) open.push_back(operand);
      }
    }
    return {slots.begin(), slots.end()};
  }

  // Of these parameters, those that nothing else of the computation reads.
  std::vector<uint32_t> OnlyInside(InstId inst, const std::vector<uint32_t>& slots) const {
    const CompId comp = a_.inst(inst).parent;
    const InstId root = a_.comp(comp).root;
    std::set<InstId> seen = {root, inst};
    std::vector<InstId> open = {root};
    std::set<uint32_t> outside;
    while (!open.empty()) {
      const Inst& at = a_.inst(open.back());
      open.pop_back();
      if (FlowOf(at.opcode) == OpFlow::kParameter) outside.insert(at.extra);
      for (const InstId operand : a_.operands_of(at)) {
        if (operand.valid() && seen.insert(operand).second) open.push_back(operand);
      }
    }
    std::vector<uint32_t> only;
    for (const uint32_t slot : slots) {
      if (!outside.contains(slot)) only.push_back(slot);
    }
    return only;
  }

  // A copy of a value that the first program stores too.
  std::optional<Insertion> CopyOf(ValueId value_b) {
    const StoredKey key = after_.key(value_b);
    const InstId inst_b = after_.bound().value(value_b).inst;
    const auto found = insts_of_.find(key);
    if (!inst_b.valid() || found == insts_of_.end()) return std::nullopt;
    const InstId source = found->second.front();
    const Inst& record = a_.inst(source);
    if (!a_.shapes.is_array(record.shape)) return std::nullopt;
    std::span<const InstId> users = users_.of(source);
    if (users.empty()) return std::nullopt;
    Insertion made;
    made.opcode = Opcode::kCopy;
    made.shape = record.shape;
    made.operands = {source};
    const InstId last(a_.comp(record.parent).first + a_.comp(record.parent).count - 1);
    made.before = PositionOf(inst_b, record.parent, source, last);
    // Those whose counterparts read the copy, or else all from there on.
    std::set<StoredKey> readers;
    const Computation& comp_b = b_.comp(b_.inst(inst_b).parent);
    for (uint32_t i = inst_b.value + 1; i < comp_b.first + comp_b.count; ++i) {
      const auto operands = b_.operands_of(b_.insts[i]);
      if (std::find(operands.begin(), operands.end(), inst_b) == operands.end()) continue;
      readers.insert(after_.KeyOf(after_.resolver().Resolve(InstId(i), 0)));
    }
    for (const bool by_counterpart : {true, false}) {
      for (const InstId user : users) {
        if (user < made.before || a_.inst(user).parent != record.parent) continue;
        if (by_counterpart && !readers.contains(key_of_[user.index()])) continue;
        InsertedUse use{user, {}};
        const auto operands = a_.operands_of(a_.inst(user));
        for (uint32_t k = 0; k < operands.size(); ++k) {
          if (operands[k] == source) use.slots.push_back(k);
        }
        if (!use.slots.empty()) made.uses.push_back(std::move(use));
      }
      if (!made.uses.empty()) return made;
    }
    return std::nullopt;
  }

  // Values without memory, whose readers read what they are computed from.
  bool RemoveValues(const PeakCause& cause, EditedProgram& program) {
    Module& module = program.module;
    for (size_t i = 0; i < std::min(kMostPlaces, cause.places.size()); ++i) {
      const PeakPlace& place = cause.places[i];
      if (!place.value_before.valid()) continue;
      const BoundValue value = before_.bound().value(place.value_before);
      if (!value.inst.valid()) return false;
      program.assign.resized.push_back({value.inst, value.node, 0});
      const std::span<const InstId> sources = a_.operands_of(a_.inst(value.inst));
      for (const InstId user : users_.of(value.inst)) {
        Inst& reader = module.insts[user.index()];
        const std::span<const InstId> old = module.operands_of(reader);
        std::vector<InstId> operands(old.begin(), old.end());
        operands.insert(operands.end(), sources.begin(), sources.end());
        reader.operands_begin = static_cast<uint32_t>(module.operands.size());
        reader.operand_count = static_cast<uint32_t>(operands.size());
        for (const InstId each : operands) module.operands.push_back(each);
      }
    }
    return !program.assign.resized.empty();
  }

  const MatchedPrograms& programs_;
  const Module& a_;
  const Module& b_;
  StoredValues& before_;
  StoredValues& after_;
  const ReplayOptions& options_;
  Users users_;
  std::vector<StoredKey> key_of_;  // by instruction of the first program
  std::vector<std::string> moved_;
  std::map<StoredKey, std::vector<InstId>> insts_of_;
};

}  // namespace

void ReplayCauses(const MatchedPrograms& programs, StoredValues& before, StoredValues& after,
                  const ReplayOptions& options, PeakChange& change) {
  if (change.causes.empty()) return;
  Replayer replayer(programs, before, after, options);
  const std::optional<int64_t> unchanged = replayer.Plan(programs.a, options.assign);
  if (!unchanged) return;
  int64_t left = options.plans;
  for (PeakCause& cause : change.causes) {
    if (left == 0) break;
    const std::optional<int64_t> bytes = replayer.Replay(cause);
    if (!bytes) continue;
    --left;
    const int64_t effect = *bytes - *unchanged;
    if (cause.kind == PeakCauseKind::kSharing) {
      // Where a value is placed follows from other changes: from the order of execution only if
      // that has the same effect.
      if (effect == 0 || (effect > 0) != (change.bytes() > 0)) continue;
      cause.kind = PeakCauseKind::kLife;
      cause.what += ", since the order of execution changed";
    }
    cause.replayed = effect;
    if (cause.kind == PeakCauseKind::kLife) cause.moved = replayer.moved();
  }
  RankCauses(change);
}

}  // namespace halo
