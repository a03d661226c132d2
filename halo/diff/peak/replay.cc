// Each change is made to a copy of the first program, which is then planned.
#include "halo/diff/peak/replay.h"

#include <algorithm>
#include <map>
#include <set>

#include "halo/diff/peak/edit_program.h"
#include "halo/diff/peak/insert_values.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/backend/backend_description.h"

namespace halo {
namespace {

constexpr size_t kMostPlaces = 48;  // of one cause that are replayed
constexpr size_t kMostNamed = 8;    // instructions that moved
// Operands that removing values may add, and how many times those of the module besides: a library
// call of many arrays whose results are read one by one would otherwise add the square of them.
constexpr size_t kFreeReads = 100'000, kReadsFactor = 4;

class Replayer {
 public:
  Replayer(const MatchedPrograms& programs, StoredValues& before, StoredValues& after,
           const ReplayOptions& options)
      : a_(programs.a),
        b_(programs.b),
        before_(before),
        after_(after),
        options_(options),
        values_(programs, before, after) {}

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
      if (ValueInserter::PassesOn(b_.inst(id))) continue;
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
      const auto found = positions.find(values_.KeyOfInst(InstId(i)));
      if (values_.KeyOfInst(InstId(i)) == kNoKey || found == positions.end()) continue;
      const size_t number =
          std::min(used[values_.KeyOfInst(InstId(i))]++, found->second.size() - 1);
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

  bool InsertValues(const PeakCause& cause, EditedProgram& program) {
    std::vector<Insertion> insertions;
    for (size_t i = 0; i < std::min(kMostPlaces, cause.places.size()); ++i) {
      const PeakPlace& place = cause.places[i];
      if (!place.value_after.valid()) continue;
      const std::optional<Insertion> made = cause.kind == PeakCauseKind::kCopy
                                                ? values_.CopyOf(place.value_after)
                                                : values_.StoredFrom(place.value_after);
      if (!made) return false;
      insertions.push_back(*made);
    }
    if (insertions.empty()) return false;
    InsertAll(std::move(insertions), program);
    return true;
  }

  // Values without memory, whose readers read what they are computed from.
  bool RemoveValues(const PeakCause& cause, EditedProgram& program) {
    Module& module = program.module;
    std::set<InstId> removed;
    size_t left = kFreeReads + kReadsFactor * module.operands.size();
    for (size_t i = 0; i < std::min(kMostPlaces, cause.places.size()); ++i) {
      const PeakPlace& place = cause.places[i];
      if (!place.value_before.valid()) continue;
      const BoundValue value = before_.bound().value(place.value_before);
      if (!value.inst.valid()) return false;
      program.assign.resized.push_back({value.inst, value.node, 0});
      if (removed.insert(value.inst).second && !Bypass(value.inst, module, left)) return false;
    }
    return !program.assign.resized.empty();
  }

  // Lets the readers of an instruction read its operands, too; false if these are more reads than
  // are left.
  bool Bypass(InstId inst, Module& module, size_t& left) const {
    const std::span<const InstId> sources = a_.operands_of(a_.inst(inst));
    for (const InstId user : values_.users().of(inst)) {
      Inst& reader = module.insts[user.index()];
      const std::span<const InstId> old = module.operands_of(reader);
      if (old.size() + sources.size() > left) return false;
      left -= old.size() + sources.size();
      std::vector<InstId> operands(old.begin(), old.end());
      operands.insert(operands.end(), sources.begin(), sources.end());
      reader.operands_begin = static_cast<uint32_t>(module.operands.size());
      reader.operand_count = static_cast<uint32_t>(operands.size());
      for (const InstId each : operands) module.operands.push_back(each);
    }
    return true;
  }

  const Module& a_;
  const Module& b_;
  StoredValues& before_;
  StoredValues& after_;
  const ReplayOptions& options_;
  ValueInserter values_;
  std::vector<std::string> moved_;
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
