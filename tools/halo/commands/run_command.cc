// `halo run`: runs a module with inputs from files or generated ones, and shows, saves or compares
// its results.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/run/run_document.h"
#include "tools/halo/commands/run_driver.h"
#include "tools/halo/render/run_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

void Save(const RunOptions& options, const RunResult& result, Session& session) {
  using Write = bool (*)(const RunResult&, const ByteSink&);
  const auto save = [&](const std::string& path, Write write) {
    if (path.empty()) return;
    WriteFileInPieces(path, [&](const ByteSink& take) { return write(result, take); }, session);
  };
  save(options.save_inputs, WriteInputs);
  save(options.trace_output, WriteTraced);
  if (!options.timeline.empty()) {
    WriteFile(options.timeline, PerfettoTrace(result.program, result.report.timeline), session);
  }
  if (result.has_results) save(options.output, WriteOutputs);
}

void ShowRun(const RunOptions& options, const RunResult& result, Session& session) {
  Console& console = session.console;
  if (session.json) return PrintJson(RunJson(result), session);
  if (options.show_inputs) console.Print(InputsText(result, console.Width()));
  console.Print(CompilationText(result, console.Width()));
  if (options.plan) return;
  if (options.request.inputs_only) return;
  if (options.trace_output.empty()) console.Print(TracedText(result));
  if (result.looked_for_nan) console.Print(OriginText(result));
  if (result.has_results && options.output.empty() && result.expected.empty()) {
    console.Print(OutputsText(result));
  }
  if (!result.expected.empty()) {
    console.Print(ComparisonText(result, console.out_color(), console.Width()));
  }
  console.Err(GathersText(result));
  console.Err(StatisticsText(result));
}

void ReportRunResult(const RunOptions& options, const RunResult& result, Session& session) {
  if (!result.succeeded) {
    ComplainOfRun(result, session);
    if (session.json) PrintJson(RunJson(result), session);
    return;
  }
  if (result.origin || !result.agrees()) session.Worsen(kExitFindings);
  Save(options, result, session);
  if (session.json && !session.refused.empty()) return FinishJson("run", session);
  ShowRun(options, result, session);
}

// Options that only the compiled engine uses.
void AddCompilingOptions(CLI::App& command, RunOptions& options) {
  CompiledRunOptions& how = options.request.compiling;
  command.option_defaults()->group("Steps");
  CLI::Option* folder =
      command
          .add_option("--checkpoint", how.steps.folder,
                      "Folder for checkpoints of what is fed back; implies --feed-back")
          ->type_name("DIR");
  command
      .add_option("--checkpoint-every", how.steps.every,
                  "Write a checkpoint after every N runs of --repeat, which replaces the one "
                  "before")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->needs(folder);
  command
      .add_flag("--resume", how.steps.resumes,
                "Continue from the checkpoint in --checkpoint DIR, with the same bits; from the "
                "beginning if there is none")
      ->needs(folder);
  command.option_defaults()->group("Diagnosis");
  command.add_flag("--plan", options.plan,
                   "Print the memory and the steps of the compiled program and exit");
  command.option_defaults()->group("Engine");
  command.add_option("--without", options.asked.without, MeaningOf<v0::RunRequest>("without"))
      ->delimiter(',');
  command
      .add_option("--cache", options.cache,
                  "Cache folder for compiled code, or `none` (default: $HALO_CACHE_DIR, or "
                  "haloscope in the user's cache folder)")
      ->type_name("DIR|none");
  command
      .add_option("--timeout", options.timeout, "Stop after this many seconds (default: no limit)")
      ->check(CLI::PositiveNumber);
}

}  // namespace

void AddRunCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunOptions>();
  RunRequest& request = options->request;
  CLI::App* command = app.add_subcommand(
      "run", "Run a module on this CPU, including modules compiled for a GPU or TPU");
  AddCommonOptions(*command, session, false, DumpWants::kProto);
  AddInputOptions(*command, options->asked);
  command->add_flag("--show-inputs", options->show_inputs, "Print where each input comes from");
  command->add_option("--save-inputs", options->save_inputs, "Write the inputs to this .npz file")
      ->type_name("FILE");
  command->add_flag("--inputs-only", request.inputs_only, "Read or generate the inputs and exit");
  command->option_defaults()->group(kOutputOptions);
  command->add_option("--output,-o", options->output, "Write the results to this .npz file")
      ->type_name("FILE");
  AddRequestOptions(*command, options->asked,
                    {"inputs", "random", "fill_elided", "custom_call", "trace", "without"});
  CLI::Option* compare = command->get_option("--compare")->type_name("FILE");
  command->get_option("--join-by")->type_name("FILE");
  for (const char* name : {"--rtol", "--atol", "--ulp", "--ulp-of-largest"}) {
    command->get_option(name)->needs(compare);
  }
  command->option_defaults()->group("Diagnosis");
  CLI::Option* trace =
      command
          ->add_option("--trace", options->asked.trace,
                       "Print the values of these instructions (* and ? are wildcards), or write a "
                       "timeline of all steps to FILE.pftrace, for Perfetto")
          ->delimiter(',');
  command
      ->add_option("--trace-output", options->trace_output,
                   "Write the traced values to this .npz file instead of printing them")
      ->type_name("FILE")
      ->needs(trace);
  AddEngineOptions(*command, *options);
  AddCompilingOptions(*command, *options);
  command->footer(
      "Arrays are named in_0, in_1, ... in the order of the parameters, or after the parameters; "
      "on several\n"
      "devices in_0_d3. Results are out_0, out_1, ... in the same way. bf16 and other types that "
      "numpy lacks\n"
      "are stored as unsigned integers of their width.\n"
      "The exit code is 1 if results differ from --compare or --find-nan finds one, 2 if the "
      "module cannot run.\n\n"
      "Examples:\n"
      "  halo run module.txt --inputs in.npz --output out.npz\n"
      "  halo run module.txt --random 1 --find-nan\n"
      "  halo run module.txt --random 1 --profile --repeat 5\n"
      "  halo run module.txt --inputs in.npz --compare expected.npz --rtol 1e-4\n"
      "  halo run module.txt --random 1 --trace 'dot.*,fusion.3'\n"
      "  halo run module.txt --random 1 --devices 8 --trace run.pftrace\n"
      "  halo run step.txt -i in.npz --repeat 1000 --checkpoint ck --checkpoint-every 50 --resume");
  command->callback([options, &session] { DriveRun(*options, ReportRunResult, session); });
}

}  // namespace halo::tool
