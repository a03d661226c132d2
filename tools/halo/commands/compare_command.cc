// `halo compare`: compares devices with each other where the program says they hold the same
// values.
#include <memory>

#include "halo/api/observe/run_text_parts.h"
#include "halo/api/run/compare_document.h"
#include "halo/base/strings/human_size.h"
#include "tools/halo/commands/run_driver.h"
#include "tools/halo/render/run_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

std::string_view StateText(const OperandState& operand) {
  if (operand.is_same) return "the same on both";
  return operand.must_be ? "differs, but must be the same" : "differs, as allowed";
}

std::string DifferenceText(const RankDifference& found) {
  std::string out = Phrase("{} %{}", found.location.opcode, found.location.name);
  if (found.is_tuple) out += Phrase(", part {}", found.leaf);
  if (found.execution > 0) out += Phrase(", in execution {}", found.execution + 1);
  out += Phrase("\n  {}", ShapeText(found.type, found.dims));
  if (found.has_values) {
    out += Phrase(" at {}: {} on device {}, {} on device {}; {} of {} elements differ",
                  IndexText(found.index), found.value, found.device, found.other_value, found.other,
                  GroupedDigits(found.different), GroupedDigits(found.count));
  } else {
    out += Phrase(": devices {} and {}", found.device, found.other);
  }
  out += found.operands.empty() ? "\n" : "\n  from\n";
  for (const OperandState& operand : found.operands) {
    out += Phrase("    %{}: {}\n", operand.name, StateText(operand));
  }
  out += "  in\n";
  for (const std::string& step : found.location.path) out += Phrase("    {}\n", step);
  if (!found.location.op_name.empty()) out += Phrase("  op_name {}\n", found.location.op_name);
  if (!found.location.source.empty()) out += Phrase("  source {}\n", found.location.source);
  return out;
}

void ReportCompare(const RunOptions& /*options*/, const RunResult& result, Session& session) {
  Console& console = session.console;
  if (!result.succeeded) {
    ComplainOfRun(result, session);
  } else if (result.agreement && result.agreement->difference) {
    session.Worsen(kExitFindings);
  }
  if (session.json) return PrintJson(CompareRanksJson(result), session);
  if (!result.agreement) return;
  const RankAgreement& found = *result.agreement;
  if (found.difference) {
    console.Print("the first difference between devices that must agree is at " +
                  DifferenceText(*found.difference));
  } else {
    console.Print(Phrase("devices agree wherever they must agree: {} of {}\n",
                         Counted(found.compared, "value"),
                         Counted(found.instructions, "instruction")));
  }
  if (found.divergence) {
    console.Print("the first difference between devices that need not agree is at " +
                  DifferenceText(*found.divergence));
  }
  console.Err(Phrase("{}: {} devices{} in {:.2f} s\n", result.program, result.devices(),
                     result.ranks > 1 ? " as processes" : "", result.seconds));
  if (!result.report.declined.empty()) {
    console.Err(Phrase("evaluated, not compiled: {}\n", result.report.declined));
  }
  if (result.sandbox) console.Err(SandboxText(*result.sandbox) + "\n");
}

}  // namespace

void AddCompareCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunOptions>();
  RunRequest& request = options->request;
  CLI::App* command = app.add_subcommand(
      "compare",
      "Run a module on several devices and find the first instruction at which they diverge");
  AddCommonOptions(*command, session, false, DumpWants::kProto);
  command->option_defaults()->group("Comparison");
  command
      ->add_flag("--ranks", request.compare_ranks, "Compare the devices of one run with each other")
      ->required();
  AddInputOptions(*command, options->asked);
  command
      ->add_option("--same", request.same,
                   "Parameters that are the same on all devices; * and ? are wildcards")
      ->delimiter(',')
      ->group("Inputs");
  AddRequestOptions(*command, options->asked,
                    {"inputs", "random", "fill_elided", "custom_call", "join", "join_by", "compare",
                     "rtol", "atol", "ulp", "worst", "trace", "find_nan", "repeat", "profile",
                     "decisions", "without", "feed_back", "ulp_of_largest"});
  AddEngineOptions(*command, *options);
  command
      ->add_option("--timeout", options->timeout,
                   "Stop after this many seconds (default: no limit)")
      ->check(CLI::PositiveNumber)
      ->group("Engine");
  command->footer(
      "Devices must agree on inputs that are the same for all of them (by the parameter's "
      "sharding, by\n"
      "--same, or by the data), on results of collectives that they took part in, and on every "
      "value\n"
      "computed from these alone. Values are compared bit by bit.\n"
      "The exit code is 1 if devices that must agree differ, 2 if the module cannot run.\n\n"
      "Examples:\n"
      "  halo compare module.txt --ranks --devices 8 --inputs in.npz\n"
      "  halo compare module.txt --ranks --devices 8 --random 1 --same 'in_?' --json");
  command->callback([options, &session] { DriveRun(*options, ReportCompare, session); });
}

}  // namespace halo::tool
