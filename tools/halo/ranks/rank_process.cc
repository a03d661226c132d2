// Loads MPI from the plugin that suits the launcher, and installs signal handlers that record the
// signal.
#include "tools/halo/ranks/rank_process.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/machine_cores.h"
#include "halo/base/process_state.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/plugins/load_plugin.h"
#include "halo/runtime/collective.h"
#include "tools/halo/ranks/host_list.h"
#include "tools/halo/ranks/mpirun_process.h"
#include "tools/halo/system/child_processes.h"

namespace halo::tool {
namespace {

// Why ranks that find no others were refused, or the plugin that finds them.
struct MpiPlugin {
  const char* library = nullptr;
  const char* help = "";
};
MpiPlugin PluginFor(MpiKind mpi) {
  switch (mpi) {
    case MpiKind::kOpenMpi:
      return {"libhalo_devices_plugin.so", "; it is built where CMake finds Open MPI"};
    case MpiKind::kMpich:
      return {"libhalo_devices_mpich_plugin.so",
              ", and MPICH or another launcher with PMI started it; it is built where CMake finds "
              "MPICH, and Open MPI's mpirun starts ranks without it"};
    case MpiKind::kNone: break;
  }
  return {nullptr,
          "srun started it without a way to find the other ranks; start it with `srun --mpi=pmix` "
          "(Open MPI) or `srun --mpi=pmi2` (MPICH)"};
}

constexpr std::chrono::milliseconds kRankPoll{10};
constexpr std::chrono::milliseconds kMostWait{2000};
constexpr std::chrono::milliseconds kDaemonEnds{700};
constexpr useconds_t kToSay = 800'000;    // mpirun kills what is left after a second
constexpr const char* kDaemon = "orted";  // of Open MPI, one per host and job

std::string NameOfProcess(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

RankSlot* own_slot = nullptr;

void OnTold(int) {
  if (own_slot != nullptr) own_slot->EnterTold();
  _exit(128 + SIGTERM);
}

void OnFall(int number) {
  if (own_slot != nullptr) own_slot->signal = number;
  raise(number);  // the handler was reset: default action
}

// mpirun ends all ranks as soon as it misses one. The watch between hosts knows more, but takes a
// moment to say it.
void OnToldAmongHosts(int) { ualarm(kToSay, 0); }

void EndLater() {
  struct sigaction told{};
  told.sa_flags = SA_RESTART;
  told.sa_handler = OnTold;
  sigaction(SIGALRM, &told, nullptr);
  told.sa_handler = OnToldAmongHosts;
  sigaction(SIGTERM, &told, nullptr);
}

void LeaveNotes() {
  struct sigaction told{};
  told.sa_handler = OnTold;
  sigaction(SIGTERM, &told, nullptr);
  struct sigaction fall{};
  fall.sa_handler = OnFall;
  fall.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(number, &fall, nullptr);
  }
}

}  // namespace

std::unique_ptr<RankProcess> RankProcess::Join(const RankEnvironment& environment,
                                               std::string& problem) {
  std::unique_ptr<RankProcess> process(new RankProcess(environment));
  if (environment.is_launched) {
    // Without mpirun, nothing else would terminate this process.
    EndWithParent(SIGKILL);
    // The page is in the launcher's memory, which other hosts do not see.
    const char* host = std::getenv(kRankHostVariable);
    if (host == nullptr || host == HostName()) {
      process->page_ = RankPage::Open(std::getenv(kRankPageVariable), environment.count);
    }
    if (const char* folder = std::getenv(kRankFolderVariable)) process->folder_ = folder;
  }
  RankContext& context = process->context_;
  if (process->page_ != nullptr) {
    context.slot = &process->page_->slots()[static_cast<size_t>(environment.rank)];
    context.slot->Enter(RankState::kJoining);
    context.slot->pid = getpid();
    own_slot = context.slot;
    LeaveNotes();
  }
  if (environment.is_launched && std::getenv(kRankHostVariable) != nullptr) EndLater();
  const auto refuse = [&]() -> std::unique_ptr<RankProcess> {
    if (context.slot != nullptr) {
      context.slot->FailWith(MakeBinaryDiagnostic(diag::kCannotEvaluate, 0, problem));
    }
    return nullptr;
  };
  const MpiPlugin plugin = PluginFor(environment.mpi);
  if (plugin.library == nullptr) {
    problem = plugin.help;
    return refuse();
  }
  void* library = LoadPlugin(plugin.library, problem);
  if (library == nullptr) {
    if (!HasPlugin(plugin.library)) problem += plugin.help;
    return refuse();
  }
  using Join = CollectiveService* (*)(std::string*);
  const auto join = reinterpret_cast<Join>(dlsym(library, "HaloJoinDevices"));
  if (join == nullptr) {
    problem = std::string(plugin.library) + " lacks HaloJoinDevices";
    return refuse();
  }
  context.service = join(&problem);
  if (context.service == nullptr) return refuse();
  if (context.slot != nullptr) context.slot->Enter(RankState::kReading);
  context.rank = context.service->device();
  context.count = context.service->device_count();
  if (context.count != environment.count) {
    problem = fmt::format(
        "{} ranks were started, but MPI finds {}: the MPI of the launcher is another one than that "
        "of {}",
        environment.count, context.count, plugin.library);
    return refuse();
  }
  context.compiles = environment.local_rank == 0;
  return process;
}

RankProcess::~RankProcess() { own_slot = nullptr; }

int RankProcess::threads() const {
  return static_cast<int>(std::max<int64_t>(1, MachineCores() / environment_.local_count));
}

void RankProcess::Fail(const Diagnostic& why) {
  if (context_.slot != nullptr) context_.slot->FailWith(why);
  context_.service->Fail(why);
}

// If this rank ended early, mpirun would terminate the others before they can report what they
// know.
void RankProcess::WaitForOthers() const {
  if (page_ == nullptr) return;
  for (int64_t waited = 0; waited < kMostWait.count(); waited += kRankPoll.count()) {
    const bool all = std::ranges::all_of(page_->slots(),
                                         [](const RankSlot& slot) { return slot.has_said.load(); });
    if (all) return;
    std::this_thread::sleep_for(kRankPoll);
  }
}

// On a host that the launcher cannot reach any more, MPI's daemon would wait for it for minutes and
// leave its files. A child that survives this process ends the daemon and removes them.
void RankProcess::CleanUpHost() const {
  if (!environment_.is_launched || page_ != nullptr || environment_.local_rank != 0) return;
  const pid_t daemon = getppid();
  const std::string folder = folder_;
  if (folder.empty() || fork() != 0) return;
  setsid();
  EndWithParent(0);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  std::this_thread::sleep_for(kDaemonEnds);
  if (ProcessState(daemon) != 'X' && NameOfProcess(daemon) == kDaemon) kill(daemon, SIGTERM);
  std::this_thread::sleep_for(kDaemonEnds);
  if (ProcessState(daemon) != 'X' && NameOfProcess(daemon) == kDaemon) kill(daemon, SIGKILL);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  _exit(0);
}

void RankProcess::End(int exit_code, bool is_well) {
  if (is_well) {
    // No rank leaves before all have what they need.
    is_well = !context_.service->Barrier().has_value();
    context_.service->Finish();
  }
  if (context_.slot != nullptr) {
    context_.slot->exit_code = exit_code;
    if (context_.slot->state.load() != RankState::kFailed) context_.slot->Enter(RankState::kDone);
    context_.slot->has_said = true;
  }
  if (!is_well) {
    CleanUpHost();
    return WaitForOthers();
  }
  std::string ignored;
  void* library = LoadPlugin(PluginFor(environment_.mpi).library, ignored);
  using Leave = void (*)(CollectiveService*);
  const auto leave = reinterpret_cast<Leave>(dlsym(library, "HaloLeaveDevices"));
  if (leave != nullptr) leave(context_.service);
  context_.service = nullptr;
}

}  // namespace halo::tool
