// Sets up the engine and its watcher, starts or joins ranks, and defines the shared options.
#include "tools/halo/commands/run_driver.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
#include "halo/memory/backend/device.h"
#include "halo/plugins/load_engine.h"
#include "halo/runtime/collective.h"
#include "tools/halo/ranks/launch_ranks.h"
#include "tools/halo/ranks/rank_process.h"
#include "tools/halo/session/output_file.h"

namespace halo::tool {
namespace {

// Set by Ctrl-C; a second Ctrl-C ends the process as usual.
std::atomic<bool> interrupted = false;
void OnInterrupt(int) { interrupted = true; }

// Shows progress on a terminal, and passes on Ctrl-C.
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
      // Only the reference engine counts while it runs.
      const int64_t steps = progress_.steps;
      const std::string done = steps == 0 ? "" : fmt::format(": {}", Counted(steps, "instruction"));
      console_.Status(fmt::format("running for {:.0f} s{}", elapsed.count(), done));
    }
  }

  EvalProgress& progress_;
  double timeout_;  // seconds; 0: none
  Console& console_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

void Prepare(RunOptions& options, const Session& session) {
  RunRequest& request = options.request;
  request.module = session.files.front();
  request.open = session.open_options();
  request.compiling.threads = session.threads.value_or(0);
  if (!options.max_memory.empty()) {
    request.max_bytes = BytesFromText(options.max_memory).value_or(request.max_bytes);
  }
  request.compiling.wants_plan = request.compiling.plan_only = options.plan;
  request.compiling.wants_decisions = options.decisions;
  // A trace of the run is requested by file name, a trace of values by instruction names.
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

RunResult RunHere(RunOptions& options, Session& session, std::string declined = {}) {
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
  RunResult result;
  {
    const Watcher watcher(progress, options.timeout, session.console);
    result = RunProgram(options.request);
  }
  sigaction(SIGINT, &before, nullptr);
  if (result.report.declined.empty()) result.report.declined = loaded.problem;
  if (!declined.empty()) result.report.declined = std::move(declined);
  return result;
}

// Runs as one process of several. The first rank reports for all.
void RunAsRank(RunOptions& options, const RankEnvironment& environment, ReportRun report,
               Session& session) {
  std::string problem;
  const std::unique_ptr<RankProcess> rank = RankProcess::Join(environment, problem);
  if (rank == nullptr) {
    session.console.Err(fmt::format("halo: rank {}: {}\n", environment.rank, problem));
    return session.Worsen(kExitUnusable);
  }
  CompiledRunOptions& how = options.request.compiling;
  how.rank = &rank->context();
  if (!session.threads) how.threads = rank->threads();
  // Without a folder for compiled code, each rank compiles its own.
  if (how.cache_dir.empty()) how.cache_dir = rank->folder();
  if (how.cache_dir.empty()) rank->context().compiles = true;
  options.request.needs_all_inputs =
      rank->is_first() && (options.show_inputs || !options.save_inputs.empty());
  if (rank->is_launched()) {
    options.timeout = 0;
  } else if (options.timeout > 0) {
    rank->context().service->SetTimeout(options.timeout);
  }
  const RunResult result = RunHere(options, session);
  if (!result.succeeded) {
    const bool is_read = result.document.errors() == 0;
    if (!is_read || !result.diagnostics.ok()) {
      rank->Fail(is_read ? result.diagnostics.all()[0] : *result.document.AllDiagnostics()[0]);
    }
  }
  if (rank->is_first()) report(options, result, session);
  if (!result.succeeded) session.Worsen(kExitUnusable);
  if (!session.console.Finish()) session.Worsen(kExitUnusable);
  rank->End(session.exit_code, result.succeeded);
}

// Ranks are started if devices are requested, unless one process has to see everything.
bool WantsRanks(const RunOptions& options) {
  const RunRequest& request = options.request;
  return options.engine == "compiled" && !options.plan && !request.inputs_only &&
         request.trace.empty() &&
         (request.devices > 1 || request.replicas > 1 || request.partitions > 1);
}

// Removes what a rank that died during a write left behind.
void RemoveHalfWritten(const RunOptions& options, int pid) {
  for (const std::string& path :
       {options.output, options.trace_output, options.save_inputs, options.timeline}) {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(HalfWritten(path, pid), ignored);
  }
}

constexpr int64_t kMostRanks = 256;

// False, with the reason, if ranks cannot be used here.
bool RunInRanks(const RunOptions& options, ReportRun report, Session& session,
                std::string& why_not) {
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
  RunResult result;
  result.document.path = options.request.module;
  result.diagnostics.Add(MakeBinaryDiagnostic(outcome.code, 0, outcome.problem));
  report(options, result, session);
  return true;
}

}  // namespace

void DriveRun(RunOptions& options, ReportRun report, Session& session) {
  Prepare(options, session);
  if (options.engine == "compiled") {
    if (const std::optional<RankEnvironment> ranks = FindRankEnvironment()) {
      return RunAsRank(options, *ranks, report, session);
    }
  }
  std::string why_not;
  if (WantsRanks(options) && RunInRanks(options, report, session, why_not)) return;
  report(options, RunHere(options, session, why_not), session);
}

void ComplainOfRun(const RunResult& result, Session& session) {
  session.Worsen(interrupted ? kExitInterrupted : kExitUnusable);
  if (session.json) return;
  Complain(result.document, session);
  for (const Diagnostic& each : result.diagnostics.all()) {
    session.console.Err(RenderDiagnostic(each, result.document.path, session.console.err_color()));
  }
}

void AddInputOptions(CLI::App& command, RunOptions& options) {
  RunRequest& request = options.request;
  command.option_defaults()->group("Inputs");
  command
      .add_option("--inputs,-i", request.inputs,
                  "Arrays for the parameters, as .npz, .npy or safetensors files")
      ->type_name("FILE")
      ->delimiter(',');
  command.add_option("--random", request.random,
                     "Generate the inputs that --inputs does not provide, from this seed");
}

void AddEngineOptions(CLI::App& command, RunOptions& options) {
  RunRequest& request = options.request;
  command.option_defaults()->group("Inputs");
  command
      .add_option("--fill-elided", options.fill,
                  "Value used for constants that the dump elides as {...}")
      ->check(CLI::IsMember({"zeros", "ones", "iota"}));
  command
      .add_option("--custom-call", request.custom_calls,
                  "Replacement for an unknown custom call: TARGET=identity or TARGET=zeros")
      ->allow_extra_args(false);
  command.option_defaults()->group("Engine");
  command.add_option("--engine", options.engine, "Engine that runs the module")
      ->check(CLI::IsMember({"compiled", "reference"}))
      ->capture_default_str();
  command.option_defaults()->group("Devices");
  CLI::Option* devices =
      command
          .add_option("--devices", request.devices,
                      "Number of devices (default: as many as the module is compiled for)")
          ->check(CLI::PositiveNumber);
  command.add_option("--replicas", request.replicas, "Number of replicas")
      ->check(CLI::PositiveNumber)
      ->excludes(devices);
  command.add_option("--partitions", request.partitions, "Number of partitions")
      ->check(CLI::PositiveNumber)
      ->excludes(devices);
  command.option_defaults()->group("Engine");
  command
      .add_option("--max-memory", options.max_memory,
                  "Memory limit, such as 16GiB, or a number of bytes")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return BytesFromText(text) ? std::string() : "a size is written as 16GiB, 16GB or 4096";
          },
          "SIZE"));
  command
      .add_option("--max-steps", request.max_steps,
                  "Limit of executed instructions (default: no limit)")
      ->check(CLI::PositiveNumber);
}

}  // namespace halo::tool
