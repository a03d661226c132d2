// Sets up the engine and its watcher, starts or joins ranks, and defines the shared options.
#include "tools/halo/commands/run_driver.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/api/run/run_request.h"
#include "halo/api/steps/checkpoint_folder.h"
#include "halo/base/build_id.h"
#include "halo/base/io/private_folder.h"
#include "halo/base/machine_memory.h"
#include "halo/base/strings/human_size.h"
#include "halo/memory/backend/device.h"
#include "halo/plugins/load_engine.h"
#include "halo/runtime/collective.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/guard/memory_guard.h"
#include "tools/halo/guard/sandbox.h"
#include "tools/halo/guard/supervise.h"
#include "tools/halo/ranks/host_list.h"
#include "tools/halo/ranks/launch_ranks.h"
#include "tools/halo/ranks/mpirun_process.h"
#include "tools/halo/ranks/rank_process.h"
#include "tools/halo/ranks/rank_supervisor.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/pending_files.h"
#include "tools/halo/system/child_processes.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

// Shows progress on a terminal. In a rank that no launcher watches, it also enforces the deadline:
// no one else would end a kernel that does not return.
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
  static constexpr double kToEndInOrder = 0.5;  // seconds

  void Watch() {
    const auto begin = std::chrono::steady_clock::now();
    int ticks = 0;
    while (!done_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      if (timeout_ > 0 && elapsed.count() > timeout_) progress_.stop = true;
      if (timeout_ > 0 && elapsed.count() > timeout_ + kToEndInOrder && !done_) {
        console_.Err(Phrase("halo: the run did not finish within {} s\n", timeout_));
        _exit(kExitUnusable);
      }
      if (++ticks % 25 != 0) continue;
      // Only the reference engine counts while it runs.
      const int64_t steps = progress_.steps;
      const std::string done = steps == 0 ? "" : fmt::format(": {}", Counted(steps, "instruction"));
      console_.Status(fmt::format("running for {:.0f} s{}", elapsed.count(), done));
    }
  }

  EvalProgress& progress_;
  double timeout_;  // seconds; 0: none, or another process enforces it
  Console& console_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// Adds what was asked to the request. Returns why that cannot be used.
std::optional<Diagnostic> Prepare(RunOptions& options, const Session& session) {
  Result<RunRequest> asked = halo::RequestOf(options.asked);
  if (!asked.ok()) return asked.error();
  RunRequest& request = options.request;
  const RunRequest own = request;
  request = *std::move(asked);
  request.compare_ranks = own.compare_ranks;
  request.same = own.same;
  request.inputs_only = own.inputs_only;
  request.module = session.files.front();
  request.open = session.open_options();
  request.compiling.threads = session.threads.value_or(0);
  request.compiling.wants_plan = request.compiling.plan_only = options.plan;
  // A trace of the run is requested by file name, a trace of values by instruction names.
  std::erase_if(request.trace, [&](const std::string& name) {
    const bool is_file = name.ends_with(".pftrace") || name.ends_with(".perfetto-trace");
    if (is_file) options.timeline = name;
    return is_file;
  });
  request.compiling.wants_timeline = !options.timeline.empty();
  request.compiling.cache_dir = options.cache.empty() ? DefaultCacheDir() : options.cache;
  if (options.cache == "none") request.compiling.cache_dir.clear();
  StepsRequest& steps = request.compiling.steps;
  steps.folder = own.compiling.steps.folder;
  steps.every = own.compiling.steps.every;
  steps.resumes = own.compiling.steps.resumes;
  steps.feeds_back = steps.feeds_back || !steps.folder.empty();
  steps.made_with = {{"build of halo", BuildId()}};  // which may round differently
  return std::nullopt;
}

std::vector<std::string> OutputPaths(const RunOptions& options) {
  return {options.output, options.trace_output, options.save_inputs, options.timeline};
}

int64_t MemoryLimit(const RunOptions& options) {
  return options.request.max_bytes > 0 ? options.request.max_bytes : MachineMemory();
}

SandboxReport Restrict(const RunOptions& options) {
  if (!options.has_sandbox) return {.why_not = "--no-sandbox was given"};
  const RunRequest& request = options.request;
  SandboxRequest allowed;
  allowed.reads = request.inputs;
  for (const std::string& path : {request.module, request.compare, request.gather_by}) {
    if (!path.empty() && path != "-") allowed.reads.push_back(path);
  }
  for (const std::string& path : OutputPaths(options)) {
    if (!path.empty() && path != "-" && !IsReplaced(path)) allowed.writes.push_back(path);
  }
  for (const std::string& folder : {request.compiling.cache_dir, request.compiling.steps.folder}) {
    if (!folder.empty()) allowed.folders.push_back(folder);
  }
  return EnterSandbox(allowed);
}

RunResult RunHere(RunOptions& options, double timeout, Session& session) {
  EvalProgress progress;
  options.request.progress = &progress;
  const Watcher watcher(progress, timeout, session.console);
  return RunProgram(options.request);
}

constexpr const char* kRanksAreOpen = "ranks have no sandbox, which --require-sandbox asks for";

RunResult RefusedWithoutSandbox(const RunOptions& options, const std::string& why) {
  RunResult result;
  result.document.path = options.request.module;
  Diagnostic refused = MakeBinaryDiagnostic(
      kNoSandbox, 0, "it cannot run in a sandbox, which --require-sandbox asks for");
  refused.help = why;
  result.diagnostics.Add(std::move(refused));
  return result;
}

// What takes memory, files and programs is done first; then the module is read and run without the
// rights for these.
RunResult RunInWorker(RunOptions& options, std::string declined, Session& session) {
  LoadedEngine loaded;
  if (options.asked.engine == "compiled") loaded = LoadEngine();
  options.request.compiled = loaded.engine.get();
  // The folder cannot be created later. If it cannot be used, the engine will say so.
  if (!options.request.compiling.cache_dir.empty()) {
    const PrivateFolder created(options.request.compiling.cache_dir);
  }
  if (const std::string& folder = options.request.compiling.steps.folder; !folder.empty()) {
    static_cast<void>(CheckpointFolder(folder).Create());  // the same
  }
  const SandboxReport sandbox = Restrict(options);
  if (options.requires_sandbox && !sandbox.is_complete()) {
    return RefusedWithoutSandbox(options, sandbox.why_not);
  }
  RunResult result = RunHere(options, 0, session);
  result.sandbox = sandbox;
  if (result.report.declined.empty()) result.report.declined = loaded.problem;
  if (!declined.empty()) result.report.declined = std::move(declined);
  return result;
}

WorkerBoard* own_board = nullptr;
void NoteNoMemory() { own_board->out_of_memory = true; }

// The reason is made in advance: without memory, it could not be.
struct RankMemory {
  RankSlot* slot = nullptr;
  Diagnostic why;
};
RankMemory rank_memory;
void NoteNoMemoryOfRank() {
  if (rank_memory.slot != nullptr) rank_memory.slot->FailWith(rank_memory.why);
}

// Runs as one process of several. The first rank reports for all.
void RunAsRank(RunOptions& options, const RankEnvironment& environment, ReportRun report,
               Session& session) {
  std::string problem;
  const std::unique_ptr<RankProcess> rank = RankProcess::Join(environment, problem);
  // The first rank prints the document. If it cannot join, the launcher prints one.
  session.json_is_printed = environment.rank != 0 || (rank == nullptr && environment.is_launched);
  if (rank == nullptr) {
    return Refuse(kCannotJoin, fmt::format("halo: rank {}: {}", environment.rank, problem),
                  session);
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
  LoadedEngine loaded;
  if (options.asked.engine == "compiled") loaded = LoadEngine();
  options.request.compiled = loaded.engine.get();
  rank_memory = {rank->context().slot,
                 MakeBinaryDiagnostic(diag::kMemoryLimit, 0, "the system has no more memory")};
  GuardMemory(MemoryLimit(options), NoteNoMemoryOfRank);
  RunResult result = RunHere(options, options.timeout, session);
  result.sandbox = SandboxReport{.why_not = "MPI needs sockets and shared files"};
  if (result.report.declined.empty()) result.report.declined = loaded.problem;
  if (!result.succeeded) {
    const bool is_read = result.document.errors() == 0;
    if (!is_read || !result.diagnostics.ok()) {
      rank->Fail(is_read ? result.diagnostics.all()[0] : *result.document.AllDiagnostics()[0]);
    }
  }
  CollectiveService& service = *rank->context().service;
  const std::optional<Diagnostic> first = service.LossOfFirst();
  const bool has_lost = !rank->is_launched() && !result.succeeded && service.HasLost();
  if (rank->is_first()) {
    report(options, result, session);
  } else if (has_lost && first) {
    // Nothing else says which rank was lost, and on which host.
    session.console.Err(Phrase("halo: {}\n", first->message));
  }
  if (!result.succeeded) session.Worsen(kExitUnusable);
  if (!session.console.Finish()) session.Worsen(kExitUnusable);
  if (has_lost && (rank->is_first() || first)) service.EndJob(session.exit_code);
  rank->End(session.exit_code, result.succeeded);
  // mpirun would terminate the ranks that are still ending. The launcher has the code.
  if (rank->has_slot() && result.succeeded) session.exit_code = kExitOk;
}

// Ranks are started if devices are requested, unless one process has to see everything.
bool WantsRanks(const RunOptions& options) {
  const RunRequest& request = options.request;
  return options.asked.engine == "compiled" && !options.plan && !request.inputs_only &&
         request.trace.empty() &&
         (request.devices > 1 || request.replicas > 1 || request.partitions > 1 ||
          !options.hosts.empty());
}

// Removes the entries of the cache that a process was writing when it was killed.
void RemoveUnfinishedEntries(const std::string& folder, int pid) {
  if (folder.empty()) return;
  const std::string writer = fmt::format(".{}.", pid);
  std::error_code failed;
  for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name.ends_with(".tmp") && name.find(writer) != std::string::npos) {
      std::filesystem::remove(it->path(), ignored);
    }
  }
}

// Removes what a process that died during a write left behind.
void RemoveHalfWritten(const RunOptions& options, int pid) {
  for (const std::string& path : OutputPaths(options)) {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(HalfWritten(path, pid), ignored);
  }
  RemoveUnfinishedEntries(options.request.compiling.cache_dir, pid);
  if (const std::string& folder = options.request.compiling.steps.folder; !folder.empty()) {
    CheckpointFolder(folder).RemoveUnfinished();
  }
}

constexpr int64_t kMostRanks = 256;

// False, with the reason, if ranks cannot be used here.
bool RunInRanks(const RunOptions& options, WorkerBoard& board, ReportRun report, Session& session,
                std::string& why_not) {
  if (options.request.module == "-") {
    why_not = "ranks cannot read it from standard input";
    return false;
  }
  const int64_t ranks = CountRunDevices(options.request);
  if (ranks < 2) return false;
  if (options.requires_sandbox) {
    why_not = kRanksAreOpen;
    return false;
  }
  if (ranks > kMostRanks) {
    why_not = fmt::format("it would take {} processes, more than {}", ranks, kMostRanks);
    return false;
  }
  HostList hosts;
  if (!options.hosts.empty()) hosts = ParseHosts(options.hosts);
  if (!hosts.hosts.empty() && ranks > hosts.ranks()) {
    why_not = fmt::format("it takes {} processes, and the hosts take {}", ranks, hosts.ranks());
    return false;
  }
  board.state = WorkerState::kLaunching;
  EndWithParent(SIGTERM);  // to clean up if the supervisor dies
  const LaunchOutcome outcome = LaunchRanks({.ranks = ranks,
                                             .hosts = std::move(hosts),
                                             .agent = options.agent,
                                             .timeout = options.timeout,
                                             .begin = board.begin},
                                            session);
  if (!outcome.started) {
    board.state = WorkerState::kWorking;
    EndWithParent(SIGKILL);
    why_not = outcome.problem;
    return false;
  }
  board.state = WorkerState::kReporting;
  session.Worsen(outcome.exit_code);
  session.json_is_printed = true;  // by the first rank, or below
  if (outcome.problem.empty()) return true;
  RemoveHalfWritten(options, outcome.first_pid);
  RunResult result;
  result.document.path = options.request.module;
  result.diagnostics.Add(MakeBinaryDiagnostic(outcome.code, 0, outcome.problem));
  report(options, result, session);
  return true;
}

// The worker: runs the module in ranks or in this process, and reports.
void WorkInProcess(RunOptions& options, WorkerBoard& board, ReportRun report, Session& session) {
  std::string why_not;
  const bool wants_ranks = WantsRanks(options);
  if (wants_ranks && RunInRanks(options, board, report, session, why_not)) return;
  if (!wants_ranks) why_not = "plans, traces of values and the reference engine need one process";
  // A user who names hosts does not want the run on this machine.
  if (!options.hosts.empty()) {
    RunResult result;
    result.document.path = options.request.module;
    result.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotEvaluate, 0,
        "it cannot run on other hosts: " + (why_not.empty() ? "it is for one device" : why_not)));
    board.state = WorkerState::kReporting;
    return report(options, result, session);
  }
  const RunResult result = RunInWorker(options, wants_ranks ? why_not : "", session);
  board.state = WorkerState::kReporting;
  report(options, result, session);
}

// The supervisor: adds what a worker could not report itself.
void ReportEnd(const WorkerEnd& end, const WorkerBoard& board, const RunOptions& options,
               ReportRun report, Session& session) {
  session.Worsen(end.exit_code);
  if (end.was_killed) {
    RemoveHalfWritten(options, end.pid);
    RemoveRankFolders(end.pid);
    session.console.EraseStatus();
  }
  // A worker that was reporting has begun a document, and a second one would be no help.
  const bool has_reported = board.state == WorkerState::kReporting;
  session.json_is_printed = has_reported;
  if (end.problem.empty()) return;
  RunResult result;
  result.document.path = options.request.module;
  Diagnostic why = MakeBinaryDiagnostic(end.code, 0, end.problem);
  if (!end.help.empty()) why.help = end.help;
  result.diagnostics.Add(std::move(why));
  const bool wants_json = session.json;
  if (has_reported) session.json = false;
  report(options, result, session);
  session.json = wants_json;
}

}  // namespace

void DriveRun(RunOptions& options, ReportRun report, Session& session) {
  if (const std::optional<Diagnostic> why = Prepare(options, session)) {
    return Refuse(*why, session.files.front(), session);
  }
  if (options.asked.engine == "compiled") {
    if (const std::optional<RankEnvironment> ranks = FindRankEnvironment()) {
      if (options.requires_sandbox) {
        return report(options, RefusedWithoutSandbox(options, kRanksAreOpen), session);
      }
      const bool is_supervised = ranks->mpi == MpiKind::kMpich && !ranks->is_launched;
      if (const std::optional<int> code = is_supervised ? SuperviseRank() : std::nullopt) {
        // The worker has printed what there is to say, also as JSON.
        session.json_is_printed = true;
        return session.Worsen(*code);
      }
      return RunAsRank(options, *ranks, report, session);
    }
  }
  const std::shared_ptr<WorkerBoard> board = WorkerBoard::Create();
  if (board == nullptr) return Refuse(kNoProcess, "halo: no memory to start a process", session);
  PendingFiles outputs(board->written);
  if (!outputs.Create(OutputPaths(options), session)) return;
  const int64_t limit = MemoryLimit(options);
  if (const std::optional<WorkerEnd> end = Supervise(options.timeout, "the run", *board)) {
    outputs.Keep(session);
    return ReportEnd(*end, *board, options, report, session);
  }
  session.pending = &outputs;
  own_board = board.get();
  GuardMemory(limit, NoteNoMemory);
  WorkInProcess(options, *board, report, session);
  session.pending = nullptr;
}

void ComplainOfRun(const RunResult& result, Session& session) {
  session.Worsen(kExitUnusable);
  if (session.json) return;
  Complain(result.document, session);
  for (const Diagnostic& each : result.diagnostics.all()) {
    session.console.Err(RenderDiagnostic(each, result.document.path, session.console.err_color()));
  }
}

void AddInputOptions(CLI::App& command, v0::ExecutionRequest& asked) {
  command.option_defaults()->group("Inputs");
  command.add_option("--inputs,-i", asked.input_files, MeaningOf<v0::ExecutionRequest>("inputs"))
      ->type_name("FILE")
      ->delimiter(',');
  AddRequestOptions(command, asked,
                    {"inputs", "custom_call", "devices", "max_memory", "max_steps"});
  command.option_defaults()->group("Inputs");
  command
      .add_option("--custom-call", asked.custom_call,
                  MeaningOf<v0::ExecutionRequest>("custom_call"))
      ->allow_extra_args(false);
}

void AddEngineOptions(CLI::App& command, RunOptions& options) {
  CLI::Option* devices = command.get_option("--devices");
  command.get_option("--replicas")->excludes(devices);
  command.get_option("--partitions")->excludes(devices);
  command.option_defaults()->group("Devices");
  CLI::Option* hosts =
      command
          .add_option("--hosts", options.hosts,
                      "Start one process per device on these hosts, HOST[:RANKS],..., which have "
                      "the same files at the same paths")
          ->type_name("LIST")
          ->check([](const std::string& text) { return ParseHosts(text).problem; });
  command
      .add_option("--agent", options.agent,
                  "Command that mpirun uses to start programs on other hosts (default: ssh)")
      ->type_name("COMMAND")
      ->needs(hosts);
  command.option_defaults()->group("Engine");
  CLI::Option* open = command.add_flag_callback(
      "--no-sandbox", [&options] { options.has_sandbox = false; },
      "Let the process that runs the module use the network and all files");
  command
      .add_flag("--require-sandbox", options.requires_sandbox,
                "Run nothing outside the sandbox: devices run in one process, and systems without "
                "Landlock and seccomp are refused")
      ->excludes(open);
}

}  // namespace halo::tool
