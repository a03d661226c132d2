// A sentence for the verdict, then where, what and from which operands.
#include "tools/halo/render/numbers_text.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "tools/halo/render/run_text.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

std::string ElementText(const ElementDifference& at, bool got) {
  const double real = got ? at.got : at.expected;
  const double imaginary = got ? at.got_imag : at.expected_imag;
  return imaginary == 0 ? Phrase("{:.9g}", real) : Phrase("({:.9g}, {:.9g})", real, imaginary);
}

std::string BeyondText(const ArrayComparison& result) {
  if (result.worst.empty()) return "";
  const ElementDifference& worst = result.worst.front();
  return Phrase("at {}: {} before, {} after; {} of {} elements beyond rounding",
                IndexText(worst.index), ElementText(worst, false), ElementText(worst, true),
                GroupedDigits(result.beyond), GroupedDigits(result.count));
}

std::string FirstText(const ValueDifference& first, int64_t wrong) {
  std::string text =
      Phrase("the first different value is {} %{}", first.after.opcode, first.after.name);
  if (first.before.name != first.after.name || first.before.opcode != first.after.opcode) {
    text += Phrase(" (before: {} %{})", first.before.opcode, first.before.name);
  }
  if (first.is_tuple) text += Phrase(", part {}", first.leaf);
  if (first.execution > 0) text += Phrase(", in iteration {}", first.execution + 1);
  if (first.device > 0) text += Phrase(", on device {}", first.device);
  text += Phrase("\n  {} {}\n", ShapeText(first.type, first.dims), BeyondText(first.result));
  text += first.repaired != 0
              ? Phrase(
                    "  with the value before in its place, {} of {} wrong results are "
                    "right\n",
                    first.repaired, wrong)
              : std::string(
                    "  not confirmed: with the value before in its place, no result is "
                    "right\n");
  if (!first.operands.empty()) text += "  from\n";
  for (const ComparedOperand& operand : first.operands) {
    text += Phrase("    %{}: {}\n", operand.name,
                   operand.agreement == OperandAgreement::kSame      ? "the same in both"
                   : operand.agreement == OperandAgreement::kDiffers ? "differs"
                                                                     : "not compared");
  }
  text += "  in\n";
  for (const std::string& step : first.after.path) {
    text += Phrase("    {}\n", step);
  }
  if (!first.after.op_name.empty()) {
    text += Phrase("  op_name {}\n", first.after.op_name);
  }
  if (!first.after.source.empty()) {
    text += Phrase("  source {}\n", first.after.source);
  }
  return text;
}

bool CannotRun(const CheckedState& state) { return state.outcome == StateOutcome::kFailed; }

// A state that cannot be run may hide a change.
std::string UnchangedText(const BrokenPass& result) {
  return std::ranges::any_of(result.checked, CannotRun)
             ? "no pass between states that can be run changed the results, but for rounding\n"
             : "no pass changed the results, but for rounding\n";
}

}  // namespace

std::string NumbersText(const NumbersResult& result) {
  const auto count = static_cast<int64_t>(result.results.size());
  if (result.agrees()) {
    return Phrase("all {} agree, but for rounding\n", Counted(count, "result"));
  }
  const int64_t wrong = result.wrong();
  std::string text =
      Phrase("{} of {} results differ\n", GroupedDigits(wrong), GroupedDigits(count));
  constexpr int kMost = 5;
  int shown = 0;
  for (const ResultComparison& each : result.results) {
    if (each.ok()) continue;
    if (++shown > kMost) {
      text += Phrase("  and {} more\n", GroupedDigits(wrong - kMost));
      break;
    }
    text += Phrase("  {} {}: {}\n", each.name, ShapeText(each.type, each.dims),
                   each.problem.empty() ? BeyondText(each.result) : each.problem);
  }
  if (result.first) return text + FirstText(*result.first, wrong);
  return text + "no value that both programs have explains it\n";
}

std::string BrokenPassText(const BrokenPass& result) {
  const auto ran = static_cast<int64_t>(result.checked.size()) -
                   std::ranges::count_if(result.checked, CannotRun);
  std::string text = Phrase("{}: {}, {} run\n", result.module,
                            Counted(static_cast<int64_t>(result.states), "state"), ran);
  for (const CheckedState& each : result.checked) {
    if (!CannotRun(each)) continue;
    text += Phrase("  cannot be run: {}: {}\n", each.state.label, each.why);
  }
  if (result.agrees()) return text + UnchangedText(result);
  text += Phrase("results are wrong after {}\n", result.bad->Name());
  text += Phrase("  right  {}\n", result.good->label);
  text += Phrase("  wrong  {}\n", result.bad->label);
  if (result.skipped != 0) {
    text += Phrase("  {} between cannot be run\n", Counted(result.skipped, "state"));
  }
  if (!result.is_confirmed) {
    return text +
           "  not confirmed: these two agree with each other; differences grew over "
           "several passes\n";
  }
  return text + NumbersText(result.between);
}

}  // namespace halo::tool
