// `halo run`: a module with inputs from files or made up, its results shown, saved or compared.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/run.h"
#include "halo/base/human_size.h"
#include "halo/memory/device.h"
#include "halo/runtime/collective.h"
#include "tools/halo/launch_ranks.h"
#include "tools/halo/load_engine.h"
#include "tools/halo/output_file.h"
#include "tools/halo/rank_process.h"
#include "tools/halo/run_text.h"
#include "tools/halo/session.h"

namespace halo::tool {
namespace {

struct Options {
  RunRequest request;
  std::string engine = "compiled";
  std::string cache;
  double timeout = 0;
  bool plan = false;
  bool decisions = false;
  std::string fill;
  std::string max_memory;
  std::string output;
  std::string trace_output;
  std::string timeline;
  std::string save_inputs;
  bool show_inputs = false;
};

// Set by Ctrl-C; a second one ends the process as usual.
std::atomic<bool> interrupted = false;
void OnInterrupt(int) { interrupted = true; }

// Tells a person at a terminal how far it is, and hands on Ctrl-C.
class Watcher {
 public:
  Watcher(EvalProgress& progress, double timeout, Console& console)
      : progress_(progress), timeout_(timeout), console_(console), thread_([this] { Watch(); }) {}
  ~Watcher() {
    done_ = true;
    thread_.join();
    console_.Status("");
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void Watch() {
    const auto begin = std::chrono::steady_clock::now();
    int ticks = 0;
    while (!done_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      if (interrupted || (timeout_ > 0 && elapsed.count() > timeout_)) progress_.stop = true;
      if (++ticks % 25 != 0) continue;
      console_.Status(fmt::format("running: {} instructions, {:.0f} s",
                                  GroupedDigits(progress_.steps), elapsed.count()));
    }
  }

  EvalProgress& progress_;
  double timeout_;  // seconds; 0: none
  Console& console_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

void Prepare(Options& options, const Session& session) {
  RunRequest& request = options.request;
  request.module = session.files.front();
  request.open = session.open_options();
  request.compiling.threads = session.threads.value_or(0);
  if (!options.max_memory.empty()) {
    request.max_bytes = BytesFromText(options.max_memory).value_or(request.max_bytes);
  }
  request.compiling.wants_plan = request.compiling.plan_only = options.plan;
  request.compiling.wants_decisions = options.decisions;
  // A trace of the run by the name of its file, one of values by the names of instructions.
  std::erase_if(request.trace, [&](const std::string& name) {
    const bool is_file = name.ends_with(".pftrace") || name.ends_with(".perfetto-trace");
    if (is_file) options.timeline = name;
    return is_file;
  });
  request.compiling.wants_timeline = !options.timeline.empty();
  request.compiling.cache_dir = options.cache.empty() ? DefaultCacheDir() : options.cache;
  if (options.cache == "none") request.compiling.cache_dir.clear();
  if (options.fill == "zeros") request.fill_elided = FillElided::kZeros;
  if (options.fill == "ones") request.fill_elided = FillElided::kOnes;
  if (options.fill == "iota") request.fill_elided = FillElided::kIota;
}

RunAnswer Answer(Options& options, Session& session, std::string declined = {}) {
  EvalProgress progress;
  LoadedEngine loaded;
  if (options.engine == "compiled") loaded = LoadEngine();
  options.request.compiled = loaded.engine.get();
  options.request.progress = &progress;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = OnInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before);
  RunAnswer answer;
  {
    const Watcher watcher(progress, options.timeout, session.console);
    answer = AnswerRun(options.request);
  }
  sigaction(SIGINT, &before, nullptr);
  if (answer.report.declined.empty()) answer.report.declined = loaded.problem;
  if (!declined.empty()) answer.report.declined = std::move(declined);
  return answer;
}

void Save(const Options& options, const RunAnswer& answer, Session& session) {
  using Write = bool (*)(const RunAnswer&, const ByteSink&);
  const auto save = [&](const std::string& path, Write write) {
    if (path.empty()) return;
    WriteFileInPieces(path, [&](const ByteSink& take) { return write(answer, take); }, session);
  };
  save(options.save_inputs, WriteInputs);
  save(options.trace_output, WriteTraced);
  if (!options.timeline.empty()) {
    WriteFile(options.timeline, PerfettoTrace(answer.program, answer.report.timeline), session);
  }
  if (answer.has_results) save(options.output, WriteOutputs);
}

void Show(const Options& options, const RunAnswer& answer, Session& session) {
  Console& console = session.console;
  if (session.json) return console.Out(RunJson(answer));
  if (options.show_inputs) console.Out(InputsText(answer));
  console.Out(CompilationText(answer));
  if (options.plan) return;
  if (options.request.inputs_only) return;
  if (options.trace_output.empty()) console.Out(TracedText(answer));
  if (answer.looked_for_nan) console.Out(OriginText(answer));
  if (answer.has_results && options.output.empty() && answer.expected.empty()) {
    console.Out(OutputsText(answer));
  }
  if (!answer.expected.empty()) console.Out(ComparisonText(answer, console.out_color()));
  console.Err(StatisticsText(answer));
}

void Report(const Options& options, const RunAnswer& answer, Session& session) {
  if (!answer.has_answer) {
    session.Worsen(interrupted ? kExitInterrupted : kExitUnusable);
    if (session.json) return session.console.Out(RunJson(answer));
    Complain(answer.document, session);
    for (const Diagnostic& each : answer.diagnostics.all()) {
      session.console.Err(
          RenderDiagnostic(each, answer.document.path, session.console.err_color()));
    }
    return;
  }
  if (answer.origin || !answer.agrees()) session.Worsen(kExitFindings);
  Save(options, answer, session);
  Show(options, answer, session);
}

// One process of several. The first answers for all.
void RunAsRank(Options& options, const RankEnvironment& environment, Session& session) {
  std::string problem;
  const std::unique_ptr<RankProcess> rank = RankProcess::Join(environment, problem);
  if (rank == nullptr) {
    session.console.Err(fmt::format("halo: rank {}: {}\n", environment.rank, problem));
    return session.Worsen(kExitUnusable);
  }
  CompiledRunOptions& how = options.request.compiling;
  how.rank = &rank->place();
  if (!session.threads) how.threads = rank->threads();
  // Without a place for compiled code each compiles its own.
  if (how.cache_dir.empty()) how.cache_dir = rank->folder();
  if (how.cache_dir.empty()) rank->place().compiles = true;
  options.request.needs_all_inputs =
      rank->is_first() && (options.show_inputs || !options.save_inputs.empty());
  if (rank->is_launched()) {
    options.timeout = 0;
  } else if (options.timeout > 0) {
    rank->place().service->SetTimeout(options.timeout);
  }
  const RunAnswer answer = Answer(options, session);
  if (!answer.has_answer) {
    const bool is_read = answer.document.errors() == 0;
    if (!is_read || !answer.diagnostics.ok()) {
      rank->Fail(is_read ? answer.diagnostics.all()[0] : *answer.document.AllDiagnostics()[0]);
    }
  }
  if (rank->is_first()) Report(options, answer, session);
  if (!answer.has_answer) session.Worsen(kExitUnusable);
  if (!session.console.Finish()) session.Worsen(kExitUnusable);
  rank->End(session.exit_code, answer.has_answer);
}

// Ranks are started where devices are asked for, unless one process has to see everything.
bool WantsRanks(const Options& options) {
  const RunRequest& request = options.request;
  return options.engine == "compiled" && !options.plan && !request.inputs_only &&
         request.trace.empty() && !request.find_nan &&
         (request.devices > 1 || request.replicas > 1 || request.partitions > 1);
}

// What a rank that died in the midst of writing leaves.
void RemoveHalfWritten(const Options& options, int pid) {
  for (const std::string& path :
       {options.output, options.trace_output, options.save_inputs, options.timeline}) {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(HalfWritten(path, pid), ignored);
  }
}

constexpr int64_t kMostRanks = 256;

// False, with the reason, if there can be no ranks here.
bool RunInRanks(const Options& options, Session& session, std::string& why_not) {
  if (options.request.module == "-") {
    why_not = "ranks cannot read it from standard input";
    return false;
  }
  const int64_t ranks = CountRunDevices(options.request);
  if (ranks < 2) return false;
  if (ranks > kMostRanks) {
    why_not = fmt::format("it would take {} processes, more than {}", ranks, kMostRanks);
    return false;
  }
  const LaunchOutcome outcome = LaunchRanks({.ranks = ranks, .timeout = options.timeout}, session);
  if (!outcome.started) {
    why_not = outcome.problem;
    return false;
  }
  session.Worsen(outcome.exit_code);
  if (outcome.problem.empty()) return true;
  RemoveHalfWritten(options, outcome.first_pid);
  RunAnswer answer;
  answer.document.path = options.request.module;
  answer.diagnostics.Add(MakeBinaryDiagnostic(outcome.code, 0, outcome.problem));
  Report(options, answer, session);
  return true;
}

void Run(Options& options, Session& session) {
  Prepare(options, session);
  if (options.engine == "compiled") {
    if (const std::optional<RankEnvironment> ranks = FindRankEnvironment()) {
      return RunAsRank(options, *ranks, session);
    }
  }
  std::string why_not;
  if (WantsRanks(options) && RunInRanks(options, session, why_not)) return;
  Report(options, Answer(options, session, why_not), session);
}

// Those that only the compiled engine heeds.
void AddCompilingOptions(CLI::App& command, Options& options) {
  CompiledRunOptions& how = options.request.compiling;
  command.add_option("--repeat", how.repeat, "Run so often; the last results count")
      ->check(CLI::PositiveNumber);
  command.add_flag("--profile", how.wants_profile, "Show where the time goes, step by step");
  command.add_flag("--plan", options.plan,
                   "Show memory and steps of the compiled program and stop");
  command.add_flag("--decisions", options.decisions, "Show what the passes decided, with reasons");
  command.add_option("--without", how.without, "Passes to leave out")->delimiter(',');
  command.add_option("--cache", options.cache, "Folder of compiled code, or none")
      ->type_name("DIR|none");
  command.add_option("--timeout", options.timeout, "Stop after so many seconds")
      ->check(CLI::PositiveNumber);
}

}  // namespace

void AddRunCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  RunRequest& request = options->request;
  CLI::App* command = app.add_subcommand("run", "Run a module: also one compiled for a GPU or TPU");
  AddCommonOptions(*command, session, false, true);
  command
      ->add_option("--inputs,-i", request.inputs,
                   "Arrays for the parameters: .npz, .npy or safetensors")
      ->delimiter(',');
  command->add_option("--random", request.random, "Make up what --inputs lacks, from this seed");
  command->add_flag("--show-inputs", options->show_inputs, "Say where each input is from");
  command->add_option("--save-inputs", options->save_inputs, "Write the inputs to this .npz");
  command->add_flag("--inputs-only", request.inputs_only, "Find or make up the inputs and stop");
  command->add_option("--output,-o", options->output, "Write the results to this .npz");
  CLI::Option* compare = command->add_option("--compare", request.compare,
                                             "Compare the results with out_0, ... of this .npz");
  command->add_option("--rtol", request.tolerance.rtol, "Allowed, relative to what is expected")
      ->check(CLI::NonNegativeNumber)
      ->needs(compare);
  command->add_option("--atol", request.tolerance.atol, "Allowed, absolute")
      ->check(CLI::NonNegativeNumber)
      ->needs(compare);
  command->add_option("--ulp", request.tolerance.ulp, "Allowed, in steps of the element type")
      ->check(CLI::NonNegativeNumber)
      ->needs(compare);
  command
      ->add_option("--ulp-of-largest", request.tolerance.largest_ulp,
                   "Allowed, in steps at the output's largest magnitude")
      ->check(CLI::NonNegativeNumber)
      ->needs(compare);
  command->add_option("--worst", request.worst, "Elements to list of an output that differs")
      ->capture_default_str();
  CLI::Option* trace =
      command
          ->add_option("--trace", request.trace,
                       "Show the values of these instructions, * and ? being wild; or write when "
                       "each step ran to FILE.pftrace, for Perfetto")
          ->delimiter(',');
  command->add_option("--trace-output", options->trace_output, "Write them to this .npz instead")
      ->needs(trace);
  command->add_flag("--find-nan", request.find_nan,
                    "Stop at the first instruction that makes a NaN or an infinity");
  command->add_option("--fill-elided", options->fill, "What stands for constants left out as {...}")
      ->check(CLI::IsMember({"zeros", "ones", "iota"}));
  command
      ->add_option("--custom-call", request.custom_calls,
                   "TARGET=identity or TARGET=zeros: what stands for a call nobody knows")
      ->allow_extra_args(false);
  command->add_option("--engine", options->engine, "What evaluates")
      ->check(CLI::IsMember({"compiled", "reference"}))
      ->capture_default_str();
  AddCompilingOptions(*command, *options);
  CLI::Option* devices =
      command->add_option("--devices", request.devices, "Run this many, not as many as it is for")
          ->check(CLI::PositiveNumber);
  command->add_option("--replicas", request.replicas, "Run this many replicas")
      ->check(CLI::PositiveNumber)
      ->excludes(devices);
  command->add_option("--partitions", request.partitions, "Run this many partitions")
      ->check(CLI::PositiveNumber)
      ->excludes(devices);
  command->add_option("--max-memory", options->max_memory, "Stop beyond this: 16GiB, or bytes")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return BytesFromText(text) ? std::string() : "a size is written as 16GiB, 16GB or 4096";
          },
          "SIZE"));
  command->add_option("--max-steps", request.max_steps, "Stop after so many instructions")
      ->check(CLI::PositiveNumber);
  command->footer(
      "Arrays are named in_0, in_1, ... in the order of the parameters, or as the parameters are; "
      "on "
      "several\ndevices in_0_d3. Results are out_0, out_1, ... in the same way. bf16 and other "
      "types "
      "that numpy lacks\nare stored as unsigned integers of their width.\n"
      "Exit code 1 if results differ from --compare or --find-nan finds one, 2 if it cannot "
      "run.\n\n"
      "Examples:\n"
      "  halo run module.txt --inputs in.npz --output out.npz\n"
      "  halo run module.txt --random 1 --find-nan\n"
      "  halo run module.txt --random 1 --profile --repeat 5\n"
      "  halo run module.txt --inputs in.npz --compare expected.npz --rtol 1e-4\n"
      "  halo run module.txt --random 1 --trace 'dot.*,fusion.3'\n"
      "  halo run module.txt --random 1 --devices 8 --trace run.pftrace");
  command->callback([options, &session] { Run(*options, session); });
}

}  // namespace halo::tool
