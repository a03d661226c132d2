// Two open programs that are compared: what the comparison finds, computed on first use.
#ifndef HALO_VIEW_COMPARE_PROGRAM_PAIR_H_
#define HALO_VIEW_COMPARE_PROGRAM_PAIR_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/view/compare/inst_match.h"
#include "halo/view/compare/line_match.h"
#include "halo/view/compare/merged_module.h"
#include "halo/view/model/view.h"

namespace halo::view {

// A program to compare.
struct PairedProgram {
  View& view;
  ModuleView& module;
};

class ProgramPair {
 public:
  // Both must outlive it.
  ProgramPair(PairedProgram before, PairedProgram after) : before_(before), after_(after) {}
  ProgramPair(const ProgramPair&) = delete;
  ProgramPair& operator=(const ProgramPair&) = delete;

  [[nodiscard]] PairedProgram before() const { return before_; }
  [[nodiscard]] PairedProgram after() const { return after_; }
  const MatchedPrograms& programs();
  // With the change of the peak, if both programs have or get a plan.
  const ProgramDiff& diff();
  const InstMatch& insts();
  const LineMatch& lines();
  const std::vector<CauseInsts>& cause_insts();
  const MergedModule& merged();
  // The merged module, ready to be drawn.
  ModuleView& merged_view();

 private:
  void ComparePlans(ProgramDiff& diff);

  PairedProgram before_, after_;
  std::unique_ptr<MatchedPrograms> programs_;
  std::optional<ProgramDiff> diff_;
  std::optional<InstMatch> insts_;
  std::optional<LineMatch> lines_;
  std::optional<std::vector<CauseInsts>> cause_insts_;
  std::optional<MergedModule> merged_;
  std::unique_ptr<Document> merged_document_;
  std::unique_ptr<ModuleView> merged_view_;
};

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_PROGRAM_PAIR_H_
