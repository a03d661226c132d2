// Edits are joined if one reads the other, or if a deleted and an inserted value are read by the
// same matched value.
#include "halo/diff/explain/value_causes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "halo/base/capped.h"
#include "halo/diff/explain/describe.h"

namespace halo {
namespace {

class Gatherer {
 public:
  Gatherer(const MatchedPrograms& programs, const Edits& edits)
      : programs_(programs),
        edits_(edits),
        describer_(programs),
        parent_(edits.values.size()),
        is_replaced_(edits.values.size(), false),
        of_a_(programs.classes_a.size(), kUnmatched),
        of_b_(programs.classes_b.size(), kUnmatched) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  void Gather(std::vector<DiffCause>& causes) {
    for (uint32_t i = 0; i < edits_.values.size(); ++i) {
      const Edit& edit = edits_.values[i];
      if (edit.a != kUnmatched) of_a_[edit.a] = i;
      if (edit.b != kUnmatched) of_b_[edit.b] = i;
    }
    JoinOperands(programs_.classes_a, of_a_);
    JoinOperands(programs_.classes_b, of_b_);
    JoinReplaced();
    std::map<uint32_t, std::vector<uint32_t>> groups;
    for (uint32_t i = 0; i < parent_.size(); ++i) groups[Find(i)].push_back(i);
    std::map<std::string, DiffCause> gathered;
    for (const auto& [root, members] : groups) Describe(members, gathered);
    for (auto& [what, cause] : gathered) causes.push_back(std::move(cause));
  }

 private:
  uint32_t Find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(uint32_t i, uint32_t j) {
    i = Find(i);
    j = Find(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

  void JoinOperands(const ClassGraph& graph, const std::vector<uint32_t>& edit_of) {
    for (uint32_t c = 0; c < graph.size(); ++c) {
      if (edit_of[c] == kUnmatched) continue;
      for (const ClassEdge& edge : graph.edges(c)) {
        // A shared constant or input does not make its readers one change.
        const ValueKind kind = graph.node(edge.from).kind;
        const bool is_input = kind == ValueKind::kParameter || kind == ValueKind::kConstant;
        if (is_input && graph.users(edge.from).size() > 1) continue;
        if (edit_of[edge.from] != kUnmatched) Join(edit_of[c], edit_of[edge.from]);
      }
    }
  }

  void JoinReplaced() {
    for (uint32_t x = 0; x < programs_.classes_a.size(); ++x) {
      const uint32_t y = programs_.match.to_b[x];
      if (y == kUnmatched) continue;
      const auto before = programs_.classes_a.edges(x);
      const auto after = programs_.classes_b.edges(y);
      for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        const uint32_t old_edit = of_a_[before[i].from];
        const uint32_t new_edit = of_b_[after[i].from];
        if (old_edit == kUnmatched || new_edit == kUnmatched) continue;
        Join(old_edit, new_edit);
        // One value is read in place of another.
        if (edits_.values[old_edit].b == kUnmatched && edits_.values[new_edit].a == kUnmatched) {
          is_replaced_[old_edit] = true;
        }
      }
    }
  }

  void Describe(const std::vector<uint32_t>& members, std::map<std::string, DiffCause>& gathered) {
    std::map<std::string, int64_t> deleted, inserted, changed;
    bool is_replaced = false;
    DiffCause made;
    int64_t before = 0;
    int64_t after = 0;
    for (const uint32_t i : members) {
      const Edit& edit = edits_.values[i];
      is_replaced = is_replaced || is_replaced_[i];
      DiffPlace place;
      if (edit.a != kUnmatched) {
        const InstId inst = programs_.classes_a.node(edit.a).inst;
        place.before = Describer::NameOf(programs_.a, inst);
        before = AddCapped(before, Describer::BytesOf(programs_.a, inst));
        if (made.op_name.empty()) made.op_name = OpName(programs_.a, inst);
        AppendKernels(programs_.classes_a, edit.a, made.kernels_before);
      }
      if (edit.b != kUnmatched) {
        const InstId inst = programs_.classes_b.node(edit.b).inst;
        place.after = Describer::NameOf(programs_.b, inst);
        after = AddCapped(after, Describer::BytesOf(programs_.b, inst));
        if (made.op_name.empty()) made.op_name = OpName(programs_.b, inst);
        AppendKernels(programs_.classes_b, edit.b, made.kernels_after);
      }
      switch (edit.kind) {
        case EditKind::kDeleted:
          ++deleted[Describer::OpText(programs_.a, programs_.classes_a, edit.a)];
          break;
        case EditKind::kInserted:
          ++inserted[Describer::OpText(programs_.b, programs_.classes_b, edit.b)];
          break;
        case EditKind::kChanged:
          ++changed[describer_.Change(edit.a, edit.b)];
          made.confidence =
              std::min(made.confidence, ConfidenceOf(programs_.match.reasons[edit.a]));
          break;
        case EditKind::kRewired:
          ++changed[Describer::OpText(programs_.a, programs_.classes_a, edit.a) +
                    " reads other operands"];
          made.confidence =
              std::min(made.confidence, ConfidenceOf(programs_.match.reasons[edit.a]));
          break;
      }
      made.places.push_back(std::move(place));
    }
    if (!deleted.empty() && !inserted.empty()) {
      made.what = is_replaced
                      ? CountedList(deleted) + " became " + CountedList(inserted)
                      : CountedList(deleted) + " removed; " + CountedList(inserted) + " added";
    } else if (!deleted.empty()) {
      made.what = CountedList(deleted) + " removed";
    } else if (!inserted.empty()) {
      made.what = CountedList(inserted) + " added";
    }
    if (!changed.empty()) made.what += (made.what.empty() ? "" : "; ") + CountedList(changed);
    made.count = 1;
    made.bytes = std::max(before, after);
    const auto [at, is_new] = gathered.try_emplace(made.what, made);
    if (is_new) return;
    DiffCause& known = at->second;
    ++known.count;
    known.bytes = AddCapped(known.bytes, made.bytes);
    known.confidence = std::min(known.confidence, made.confidence);
    for (DiffPlace& place : made.places) known.places.push_back(std::move(place));
    const auto append = [](const std::vector<InstId>& from, std::vector<InstId>& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(made.kernels_before, known.kernels_before);
    append(made.kernels_after, known.kernels_after);
  }

  static std::string OpName(const Module& module, InstId inst) {
    return std::string(module.MetadataText(module.inst(inst), AttrKey::k_op_name));
  }

  const MatchedPrograms& programs_;
  const Edits& edits_;
  Describer describer_;
  std::vector<uint32_t> parent_;
  std::vector<bool> is_replaced_;      // by edit: a deleted value in whose place another is read
  std::vector<uint32_t> of_a_, of_b_;  // the edit of a class
};

}  // namespace

void AddValueCauses(const MatchedPrograms& programs, const Edits& edits,
                    std::vector<DiffCause>& causes) {
  if (!edits.values.empty()) Gatherer(programs, edits).Gather(causes);
  if (edits.outputs.empty()) return;
  DiffCause cause;
  cause.kind = CauseKind::kOutputs;
  cause.what = "a result of the program comes from another value";
  cause.count = static_cast<int64_t>(edits.outputs.size());
  for (const uint32_t output : edits.outputs) {
    DiffPlace place;
    const auto& before = programs.classes_a.outputs();
    const auto& after = programs.classes_b.outputs();
    if (output < before.size()) {
      place.before =
          Describer::NameOf(programs.a, programs.classes_a.node(before[output].from).inst);
    }
    if (output < after.size()) {
      const InstId inst = programs.classes_b.node(after[output].from).inst;
      place.after = Describer::NameOf(programs.b, inst);
      cause.bytes = AddCapped(cause.bytes, Describer::BytesOf(programs.b, inst));
    }
    cause.places.push_back(std::move(place));
  }
  causes.push_back(std::move(cause));
}

}  // namespace halo
