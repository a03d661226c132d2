// Finds the change that a user names. The items at the peak are visited in the same order as for
// advice, so that repeating a piece of advice gives the same plan.
#include <algorithm>
#include <set>

#include "halo/ir/op_properties.h"
#include "halo/memory/advise/advice_candidates.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

// The names of one option, and which of them were found.
class Wanted {
 public:
  explicit Wanted(const std::vector<std::string>& names) : left_(names.begin(), names.end()) {
    all_ = left_.erase(std::string(kAllValues)) != 0;
    names_ = left_;
  }
  [[nodiscard]] bool has(const std::string& name) const { return all_ || names_.contains(name); }
  void Found(const std::string& name) { left_.erase(name); }
  // Empty if every name was found.
  [[nodiscard]] std::string Missing() const { return left_.empty() ? "" : *left_.begin(); }

 private:
  bool all_ = false;
  std::set<std::string> names_, left_;
};

Diagnostic NotPossible(const std::string& name, std::string_view change) {
  return MakeBinaryDiagnostic(
      diag::kCannotExplain, 0,
      "\"" + name + "\" cannot be " + std::string(change) +
          "; `halo memory` without this option lists the changes that help");
}

}  // namespace

Result<AdviceCandidate> AdviceCandidates::Named(const ProgramChange& change) const {
  Wanted recompute(change.recompute), earlier(change.earlier), later(change.later),
      bf16(change.bf16), unpad(change.unpad);
  List parts(1);
  const auto take = [&](List found, const std::string& name, Wanted& wanted) {
    if (found.empty()) return;
    wanted.Found(name);
    for (AdviceCandidate& each : found) parts.push_back(std::move(each));
  };
  for (const LiveEntry& item : Looked()) {
    const InstId inst = DefinerOf(item);
    List found;
    if (inst.valid() && recompute.has(item.name)) Repeat(item, inst, found);
    take(std::move(found), item.name, recompute);
    found.clear();
    if (inst.valid() && later.has(item.name) && HasFlag(module_.inst(inst).opcode, kMovable)) {
      MoveLater(item, inst, found);
    }
    take(std::move(found), item.name, later);
    found.clear();
    if (earlier.has(item.needed_by)) MoveEarlier(item, found);
    take(std::move(found), item.needed_by, earlier);
  }
  AdviceCandidate joined = Joined(std::move(parts));
  for (const LiveEntry& item : peak_.entries) {
    if (CanNarrow(item) && bf16.has(item.name)) {
      AddResized(item, item.bytes / 2, joined);
      bf16.Found(item.name);
    } else if (CanUnpad(item) && unpad.has(item.name)) {
      AddResized(item, item.unpadded_bytes, joined);
      unpad.Found(item.name);
    }
  }
  if (!recompute.Missing().empty()) return NotPossible(recompute.Missing(), "recomputed");
  if (!earlier.Missing().empty()) return NotPossible(earlier.Missing(), "run earlier");
  if (!later.Missing().empty()) return NotPossible(later.Missing(), "run later");
  if (!bf16.Missing().empty()) return NotPossible(bf16.Missing(), "kept in bf16");
  if (!unpad.Missing().empty()) return NotPossible(unpad.Missing(), "stored without padding");
  return joined;
}

}  // namespace halo
