// Works on demand: finds the lost values, fixes all of them at once, and checks again. Values that
// would have to be live at once are separated where their sharing begins. A value that is read
// after it was overwritten is read from an earlier copy, unless the reader or the writer can move.
#include "halo/passes/memory/insert_copies.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/ir/reorder.h"
#include "halo/passes/memory/alias_points.h"
#include "halo/passes/memory/lost_values.h"
#include "halo/passes/memory/move_readers.h"
#include "halo/passes/memory/repeat.h"
#include "halo/passes/memory/split_in_place.h"
#include "halo/passes/memory/spread_tuples.h"
#include "halo/passes/memory/unshare_calls.h"
#include "halo/passes/rewrite/rewriter.h"
#include "halo/passes/rewrite/unique_names.h"

namespace halo {
namespace {

// Only the first rounds try to move instructions, since two readers may each want to be first.
// Later rounds keep copies out of shared memory, which ends any chain of copies.
constexpr int kMovingRounds = 4;
constexpr int kPlainRounds = 12;
constexpr int kMaxRounds = 64;

// The operand of an instruction that holds an array; without a holder, the result of `comp`.
struct Leaf {
  CompId comp;
  InstId holder;
  size_t number = 0;
  friend auto operator<=>(const Leaf&, const Leaf&) = default;
};

// A copy to insert, and its readers.
struct NewCopy {
  CompId comp;
  InstId source;
  std::vector<int64_t> steps;  // to the array, if the source is a tuple
  InstId before;               // insert before this; none: before its first reader
  std::vector<Leaf> readers;
};

// What one round does: one of the two, or nothing.
struct Step {
  std::vector<NewCopy> copies;
  std::vector<InstId> order;
  bool is_stuck = false;  // a value is lost and cannot be preserved
};

class Round {
 public:
  explicit Round(const Module& module)
      : module_(module),
        aliases_(ModuleAliases(module)),
        flow_(module),
        same_(flow_),
        in_place_(flow_, SharingRules()),
        buffers_(flow_, in_place_, aliases_) {}

  [[nodiscard]] std::string_view problem() const { return flow_.problem(); }

  Step Plan(bool may_move, CopyCounts& counts, PassLog& log) const {
    const LostValues lost(flow_, same_, in_place_, buffers_);
    Step step;
    for (const Leaf& leaf : LeavesToCopy(lost.found())) {
      const InstId array = Get(leaf);
      if (!module_.shapes.is_array(module_.inst(array).shape)) continue;
      if (log.wanted()) {
        log.Note("copy ", Name(array), " for ", Reader(leaf),
                 ": another value that is still needed shares its memory");
      }
      step.copies.push_back({leaf.comp, array, {}, {}, {leaf}});
    }
    if (!step.copies.empty() || lost.found().empty()) return step;
    const std::vector<LostValue> causes = Causes(lost.found());
    if (may_move) step.order = MoveReaders(module_, causes, counts.moves);
    if (step.order.empty()) CopyBeforeWriters(causes, log, step.copies);
    step.is_stuck = step.order.empty() && step.copies.empty();
    return step;
  }

 private:
  [[nodiscard]] std::string Name(InstId inst) const {
    return "%" + std::string(module_.name_of(module_.inst(inst)));
  }
  [[nodiscard]] std::string Reader(const Leaf& leaf) const {
    if (leaf.holder.valid()) return Name(leaf.holder);
    return "the result of %" + std::string(module_.text(module_.comp(leaf.comp).name));
  }
  [[nodiscard]] InstId Get(const Leaf& leaf) const {
    if (!leaf.holder.valid()) return module_.comp(leaf.comp).root;
    return module_.operands_of(module_.inst(leaf.holder))[leaf.number];
  }

  // Looks through the tuples that were made for the slot.
  [[nodiscard]] Leaf LeafOf(const ReadSlot& slot) const {
    Leaf leaf = {slot.comp, slot.user, slot.operand};
    uint32_t node = slot.node;
    for (InstId at = Get(leaf); node != 0 && module_.inst(at).opcode == Opcode::kTuple;
         at = Get(leaf)) {
      const int64_t step = flow_.trees().FirstStep(module_.inst(at).shape, node);
      node -= *flow_.trees().Child(module_.inst(at).shape, step);
      leaf = {slot.comp, at, static_cast<size_t>(step)};
    }
    return leaf;
  }

  [[nodiscard]] bool IsReadOnly(FlowId value) const {
    const Position position = flow_.value(value).defined;
    const Inst& inst = module_.inst(position.inst);
    if (inst.opcode == Opcode::kConstant) return true;
    return inst.opcode == Opcode::kParameter && inst.parent == module_.entry &&
           !buffers_.is_donated(inst.extra, position.node);
  }

  // Where to end sharing: for read-only values, values that must be live at once, and results.
  [[nodiscard]] std::vector<Leaf> LeavesToCopy(const std::vector<LostValue>& lost) const {
    std::vector<Leaf> leaves;
    AddSharedResults(leaves);
    AliasPoints points(flow_, same_, in_place_, aliases_);
    for (size_t i = 0; i < points.all().size(); ++i) {
      if (IsReadOnly(points.all()[i].from)) points.Cut(i);
    }
    for (const LostValue& each : lost) {
      if (each.at_once) points.Separate(each.value, each.held);
    }
    for (size_t i = 0; i < points.all().size(); ++i) {
      if (points.is_cut(i)) leaves.push_back(LeafOf(points.all()[i].slot));
    }
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    return leaves;
  }

  // Results that are themselves a parameter or a constant, or that occur in the result more than
  // once.
  void AddSharedResults(std::vector<Leaf>& leaves) const {
    const InstId root = module_.comp(module_.entry).root;
    std::unordered_set<uint32_t> seen;
    for (uint32_t node = 0; node < flow_.trees().count(module_.inst(root).shape); ++node) {
      const FlowId value = same_.at(root, node);
      if (!value.valid() || !module_.shapes.is_array(flow_.shape_of(value))) continue;
      if (IsReadOnly(value) || !seen.insert(value.value).second) {
        leaves.push_back(LeafOf({InstId(), 0, node, module_.entry}));
      }
    }
  }

  // Drops values that are lost only because of an earlier one, whose copy will end the sharing.
  [[nodiscard]] std::vector<LostValue> Causes(const std::vector<LostValue>& lost) const {
    AliasPoints points(flow_, same_, in_place_, aliases_);
    std::vector<LostValue> causes;
    for (const LostValue& each : lost) {
      if (each.at_once) continue;
      if (!causes.empty() && !points.Connected(each.value, each.held)) continue;
      points.CutAt(each.slot);
      causes.push_back(each);
    }
    return causes;
  }

  // Makes all readers of a lost value in a computation read a copy made before it is first
  // overwritten.
  void CopyBeforeWriters(const std::vector<LostValue>& lost, PassLog& log,
                         std::vector<NewCopy>& copies) const {
    std::map<std::pair<FlowId, CompId>, size_t> known;
    for (const LostValue& each : lost) {
      const Position from = EarliestPosition(each.value, each.slot.comp);
      if (!from.inst.valid()) continue;
      const auto [at, is_new] = known.try_emplace({each.value, each.slot.comp}, copies.size());
      if (is_new) {
        NewCopy& copy = copies.emplace_back();
        copy.comp = each.slot.comp;
        copy.source = from.inst;
        flow_.trees().Path(module_.inst(from.inst).shape, from.node, copy.steps);
        copy.before = each.writer;
      }
      NewCopy& copy = copies[at->second];
      copy.before = std::min(copy.before, each.writer);
      copy.readers.push_back(LeafOf(each.slot));
    }
    if (!log.wanted()) return;
    for (const NewCopy& copy : copies) {
      log.Note("copy ", Name(copy.source), " before ", Name(copy.before), ", which overwrites it");
    }
  }

  // The first position of a value in a computation: its definition, or the parameter that passes it
  // in.
  [[nodiscard]] Position EarliestPosition(FlowId value, CompId comp) const {
    Position best;
    for (const Position& position : flow_.positions(value)) {
      const Inst& inst = module_.inst(position.inst);
      if (inst.parent != comp) continue;
      if (inst.opcode == Opcode::kParameter) return position;
      if (!best.inst.valid() || position.inst < best.inst) best = position;
    }
    return best;
  }

  const Module& module_;
  std::vector<AliasEntry> aliases_;
  Dataflow flow_;
  SameValues same_;
  InPlacePairs in_place_;
  Buffers buffers_;
};

// With `apart`, each reader reads a second copy, so that the first one stays out of shared memory.
Module Apply(Module module, const std::vector<NewCopy>& copies, bool apart) {
  ModuleEditor edit(std::move(module));
  const auto copy_of = [&](InstId array, CompId comp) {
    if (IsFilling(edit.module(), array)) return Repeat(edit, array);
    return edit.Add(comp, Opcode::kCopy, edit.inst(array).shape, {array}, {}, array);
  };
  for (const NewCopy& each : copies) {
    InstId source = each.source;
    for (const int64_t step : each.steps) source = edit.AddElement(each.comp, source, step, source);
    const InstId copy = copy_of(source, each.comp);
    if (each.before.valid()) edit.PlaceBefore(copy, each.before);
    for (const Leaf& reader : each.readers) {
      const InstId old = reader.holder.valid() ? edit.operand(reader.holder, reader.number)
                                               : edit.root(reader.comp);
      InstId now = copy;
      if (edit.inst(old).shape != edit.inst(copy).shape) {
        now = edit.Add(each.comp, Opcode::kBitcast, edit.inst(old).shape, {copy}, {}, copy);
      }
      if (apart) now = copy_of(now, each.comp);
      if (reader.holder.valid()) {
        edit.SetOperand(reader.holder, reader.number, now);
      } else {
        edit.SetRoot(reader.comp, now);
      }
    }
  }
  return edit.Finish();
}

Diagnostic Problem(std::string_view why) {
  return MakeBinaryDiagnostic(diag::kCannotPlan, 0,
                              "this module cannot run in planned memory: " + std::string(why));
}

}  // namespace

Result<Module> InsertCopies(Module module, PassLog& log, CopyCounts* counts) {
  CopyCounts own;
  CopyCounts& done = counts == nullptr ? own : *counts;
  if (CallGraph(module).cyclic().valid()) return Problem("a computation calls itself");
  Result<Module> unshared = UnshareCalls(SpreadTuples(UniqueNames(std::move(module))));
  if (!unshared) return unshared;
  log.Begin("insert-copies");
  Module current = SplitInPlace(std::move(*unshared));
  for (done.rounds = 1; done.rounds <= kMaxRounds; ++done.rounds) {
    Step step;
    {
      const Round round(current);
      if (!round.problem().empty()) return Problem(round.problem());
      step = round.Plan(done.rounds <= kMovingRounds, done, log);
    }
    if (step.is_stuck) break;
    if (!step.order.empty()) {
      ReorderInstructions(current, step.order);
    } else if (!step.copies.empty()) {
      done.copies += static_cast<int64_t>(step.copies.size());
      current = Apply(std::move(current), step.copies, done.rounds > kPlainRounds);
    } else {
      return current;
    }
  }
  return Problem("values that share memory cannot be separated");
}

}  // namespace halo
