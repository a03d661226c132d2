// Changes worth trying at a peak, each with an upper bound on what it could save. advise.h finds
// out whether a change really saves memory.
#ifndef HALO_MEMORY_ADVISE_ADVICE_CANDIDATES_H_
#define HALO_MEMORY_ADVISE_ADVICE_CANDIDATES_H_

#include <span>
#include <string>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/ir/reorder.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/advise/frontend.h"

namespace halo {

struct AdviceCandidate {
  Advice advice;
  int64_t hoped = 0;  // bytes, at most
  std::vector<AliasEntry> donations;
  std::vector<ResizedValue> resized;
  std::vector<InstPosition> moves;
  std::vector<InstPosition> repeats;
};

class AdviceCandidates {
 public:
  AdviceCandidates(const BoundAssignment& planned, const MemoryExplanation& peak,
                   const AssignOptions& options);

  // The candidates for each kind of change, the most promising first. `thorough` also adds similar
  // changes one by one, besides the groups.
  [[nodiscard]] std::vector<std::vector<AdviceCandidate>> Find(bool thorough) const;

  // The candidate that makes exactly this change, donations apart; an error if a name does not
  // suit it. The advice in it has no words.
  [[nodiscard]] Result<AdviceCandidate> Named(const ProgramChange& change) const;

 private:
  using List = std::vector<AdviceCandidate>;

  [[nodiscard]] List Donations(bool thorough) const;
  [[nodiscard]] List Narrower() const;
  [[nodiscard]] List Unpadded(bool thorough) const;
  [[nodiscard]] List Moves() const;
  [[nodiscard]] List Repeats() const;

  static AdviceCandidate Joined(List parts);
  // The largest items at the peak; smaller ones are not worth a plan.
  [[nodiscard]] std::span<const LiveEntry> Looked() const;
  [[nodiscard]] static bool CanNarrow(const LiveEntry& item);
  [[nodiscard]] static bool CanUnpad(const LiveEntry& item);
  void AddResized(const LiveEntry& item, int64_t bytes, AdviceCandidate& candidate) const;
  void MoveLater(const LiveEntry& item, InstId inst, List& out) const;
  void MoveEarlier(const LiveEntry& item, List& out) const;
  // The only instruction that reads a value after the peak; invalid if there are several.
  [[nodiscard]] InstId OnlyLateUser(const LiveEntry& item) const;
  // `inst` and everything it needs that runs after `cut`, operands first; empty if that cannot
  // move.
  [[nodiscard]] std::vector<InstId> MovableWith(InstId inst, InstId cut) const;
  void Repeat(const LiveEntry& item, InstId inst, List& out) const;
  // The first instruction of its computation that runs at the peak or later.
  [[nodiscard]] InstId Cut(InstId inst) const;
  [[nodiscard]] InstId DefinerOf(const LiveEntry& item) const;
  [[nodiscard]] bool LivesOn(InstId operand, InstId cut) const;
  [[nodiscard]] int64_t Bytes(const Inst& inst) const;

  const BoundAssignment& bound_;
  const Module& module_;
  const Assignment& planned_;
  const MemoryExplanation& peak_;
  const AssignOptions& options_;
  Frontend frontend_;
  Users users_;
};

// Where an item comes from, to follow its name: " (layers/moe.py:12)" or " in MoeBlock_0".
std::string AdvicePlace(const LiveEntry& item);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVICE_CANDIDATES_H_
