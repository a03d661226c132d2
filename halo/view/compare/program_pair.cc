// The dump's own plans are compared where both programs have one, else plans made here.
#include "halo/view/compare/program_pair.h"

#include "halo/api/diff/peak_of_documents.h"
#include "halo/diff/diff.h"

namespace halo::view {
namespace {

constexpr size_t kMostPlanned = 100'000;  // instructions; a user is waiting

const ShownAssignment* PlanOf(PairedProgram program, std::string& why) {
  const Module& module = program.module.module();
  const bool is_dumped = program.view.has_assignment();
  if (!is_dumped && (!module.is_scheduled() || module.insts.size() > kMostPlanned)) return nullptr;
  const ShownAssignment* plan =
      program.view.Shown(is_dumped ? AssignmentSource::kDumped : AssignmentSource::kPlanned, why);
  const bool fits = plan != nullptr && plan->module == &module &&
                    plan->result.explanation.has_times && plan->result.ids;
  return fits ? plan : nullptr;
}

}  // namespace

const MatchedPrograms& ProgramPair::programs() {
  if (!programs_) {
    programs_ = std::make_unique<MatchedPrograms>(before_.module.module(), after_.module.module());
  }
  return *programs_;
}

void ProgramPair::ComparePlans(ProgramDiff& diff) {
  const ShownAssignment* before = PlanOf(before_, diff.no_peak);
  if (before == nullptr) return;
  const ShownAssignment* after = PlanOf(after_, diff.no_peak);
  if (after == nullptr) return;
  diff.peak =
      PeakOfPlans({before->result, before->bound}, {after->result, after->bound}, programs());
}

const ProgramDiff& ProgramPair::diff() {
  if (!diff_) {
    diff_ = DiffPrograms(programs());
    if (diff_->refused.empty()) ComparePlans(*diff_);
  }
  return *diff_;
}

const InstMatch& ProgramPair::insts() {
  if (!insts_) insts_ = MatchInsts(programs(), diff());
  return *insts_;
}

const LineMatch& ProgramPair::lines() {
  if (!lines_) lines_ = MatchLines(before_.module.text(), after_.module.text(), insts());
  return *lines_;
}

const std::vector<CauseInsts>& ProgramPair::cause_insts() {
  if (!cause_insts_) cause_insts_ = InstsOfCauses(programs(), diff());
  return *cause_insts_;
}

const MergedModule& ProgramPair::merged() {
  if (!merged_) merged_ = MergeModules(before_.module.module(), after_.module.module(), insts());
  return *merged_;
}

ModuleView& ProgramPair::merged_view() {
  if (!merged_view_) {
    merged_document_ = std::make_unique<Document>();
    merged_document_->modules.emplace_back();
    merged_document_->modules.back().module = merged().module;
    merged_view_ =
        std::make_unique<ModuleView>(*merged_document_, merged_document_->modules.back());
  }
  return *merged_view_;
}

}  // namespace halo::view
