// Starts and terminates with fork and signals; error output comes through a pipe.
#include "tools/halo/ranks/mpirun_process.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/process_state.h"
#include "halo/base/strings/printable.h"
#include "halo/plugins/own_executable.h"
#include "tools/halo/ranks/host_cleanup.h"
#include "tools/halo/system/child_processes.h"

#if defined(__APPLE__)
extern char** environ;  // which macOS's headers do not declare
#endif

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMpirunPoll{20};
constexpr milliseconds kEndPolitely{300};
constexpr milliseconds kOrphans{1500};
constexpr milliseconds kToRemove{2000};
constexpr milliseconds kToRemoveInPeace{20000};  // after a run that went well, on busy hosts
constexpr const char* kFolderBases[] = {"/dev/shm", "/tmp"};

constexpr size_t kRemembered = 65536;

// What stays of a text when it is wrapped or becomes a JSON string.
std::string Essence(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_blank && c != '"' && c != '\\') out += c;
  }
  return out;
}

// By what its name leads to: mpirun.mpich, mpiexec.hydra.
bool IsOfMpich(const std::string& mpirun) {
  std::error_code failed;
  const std::string name = std::filesystem::canonical(mpirun, failed).filename().string();
  return name.find("mpich") != std::string::npos || name.find("hydra") != std::string::npos;
}

std::string FolderPrefix(int launcher) { return fmt::format("halo-ranks-{}-", launcher); }

// The arguments of this process, which the ranks are started with as well.
std::vector<std::string> OwnArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

// Variables that ranks on other hosts need as well. Locally, they inherit all.
std::vector<std::string> ForwardedVariables() {
  std::vector<std::string> names = {"COLUMNS", kRankPageVariable, kRankHostVariable,
                                    kRankFolderVariable, kRankColorVariable};
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string name(variable.substr(0, variable.find('=')));
    const bool is_ours = name.starts_with("HALO_") || name == "NO_COLOR";
    if (is_ours && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// A rank dies when its mpirun is gone; kills those that do not.
void EndOrphans(std::span<const RankSlot> slots) {
  const auto begin = Clock::now();
  for (bool any = true; any && Clock::now() - begin < kOrphans;) {
    any = false;
    for (const RankSlot& slot : slots) {
      const int pid = slot.pid.load();
      if (pid == 0 || ProcessState(pid) == 'X') continue;
      any = true;
      kill(pid, SIGKILL);
    }
    if (any) std::this_thread::sleep_for(kMpirunPoll);
  }
}

}  // namespace

FoundMpirun FindMpirun() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  bool has_mpich = false;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string folder(rest.substr(0, end));
    for (const char* name : {"/mpirun", "/mpirun.openmpi"}) {
      std::string candidate = folder + name;
      if (access(candidate.c_str(), X_OK) != 0) continue;
      if (!IsOfMpich(candidate)) return {.path = std::move(candidate)};
      has_mpich = true;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {.problem =
              has_mpich ? "mpirun is MPICH's here, and only Open MPI's can be monitored; start the "
                          "ranks with `mpiexec -n` instead"
                        : "mpirun was not found, which starts the ranks"};
}

RankFolder::RankFolder() {
  for (const char* base : kFolderBases) {
    std::string name = fmt::format("{}/{}XXXXXX", base, FolderPrefix(getpid()));
    if (mkdtemp(name.data()) == nullptr) continue;
    path_ = name;
    return;
  }
}

RankFolder::~RankFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

void RemoveRankFolders(int launcher) {
  for (const char* base : kFolderBases) {
    std::error_code failed;
    std::vector<std::filesystem::path> found;
    for (std::filesystem::directory_iterator it(base, failed), end; !failed && it != end;
         it.increment(failed)) {
      if (it->path().filename().string().starts_with(FolderPrefix(launcher))) {
        found.push_back(it->path());
      }
    }
    std::error_code ignored;
    for (const std::filesystem::path& path : found) std::filesystem::remove_all(path, ignored);
  }
}

std::vector<std::string> MpirunProcess::CommandLine(const MpirunRequest& request) const {
  const std::string own = OwnExecutable().string();
  std::vector<std::string> words = {request.program, "--oversubscribe", "--bind-to", "none"};
  // What it says about ranks of other hosts is kept; no one else may know.
  if (request.hosts.hosts.empty()) words.emplace_back("--quiet");
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  const auto set = [&](std::string_view name, std::string_view value) {
    words.insert(words.end(), {"--mca", std::string(name), std::string(value)});
  };
  // Waiting ranks yield the core to those that compute; files go where they can be found.
  set("mpi_yield_when_idle", "1");
  set("orte_tmpdir_base", folder_.path());
  set("btl_vader_backing_directory", folder_.path());
  set("osc_sm_backing_directory", folder_.path());
  set("osc_rdma_backing_directory", folder_.path());
  if (!request.hosts.hosts.empty()) {
    words.insert(words.end(), {"--host", request.hosts.Text()});
    if (!request.agent.empty()) set("plm_rsh_agent", request.agent);
    // A daemon that hears nothing from the others ends within seconds, not within minutes. Ranks
    // notice sooner, and can say more.
    set("oob_tcp_keepalive_time", "3");
    set("oob_tcp_keepalive_intvl", "2");
    set("oob_tcp_keepalive_probes", "2");
    for (const std::string& name : ForwardedVariables()) {
      words.insert(words.end(), {"-x", name});
    }
  }
  words.insert(words.end(), {"-n", std::to_string(request.ranks), own});
  const std::vector<std::string> arguments = OwnArguments();
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

bool MpirunProcess::Start(const MpirunRequest& request) {
  int ends[2];
  int results[2];
  if (!MakePipe(ends) || !MakePipe(results)) return false;
  const std::vector<std::string> words = CommandLine(request);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  argv.push_back(nullptr);
  const std::string page_variable = std::string(kRankPageVariable) + "=" + request.page;
  const std::string host_variable = std::string(kRankHostVariable) + "=" + HostName();
  const std::string folder_variable = std::string(kRankFolderVariable) + "=" + folder_.path();
  // mpirun gives its ranks a terminal even if there is none.
  const std::string color_variable =
      fmt::format("{}={}{}", kRankColorVariable, console_.out_color() ? "o" : "",
                  console_.err_color() ? "e" : "");
  const std::string width_variable = fmt::format("COLUMNS={}", console_.Width());
  const int parent = getpid();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  hosts_ = request.hosts;
  agent_ = request.agent;
  child_ = fork();
  if (child_ == 0) {
    setpgid(0, 0);
    EndWithParent(SIGTERM);
    if (getppid() != parent) _exit(127);
    dup2(nothing, STDIN_FILENO);
    dup2(results[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    putenv(const_cast<char*>(page_variable.c_str()));  // NOLINT: it is a copy of this process
    if (!request.hosts.hosts.empty()) {
      putenv(const_cast<char*>(host_variable.c_str()));  // NOLINT
    }
    putenv(const_cast<char*>(folder_variable.c_str()));  // NOLINT
    putenv(const_cast<char*>(color_variable.c_str()));   // NOLINT
    putenv(const_cast<char*>(width_variable.c_str()));   // NOLINT
    execv(argv[0], argv.data());
    _exit(127);
  }
  own_prefix_ = fmt::format("[{}:{}", HostName(), child_);
  close(nothing);
  close(ends[1]);
  close(results[1]);
  complaints_ = ends[0];
  results_ = results[0];
  fcntl(complaints_, F_SETFL, O_NONBLOCK);
  fcntl(results_, F_SETFL, O_NONBLOCK);
  return child_ > 0;
}

bool MpirunProcess::Finished() {
  if (child_ <= 0) return true;
  int status = 0;
  if (waitpid(child_, &status, WNOHANG) != child_) return false;
  child_ = 0;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

void MpirunProcess::Relay(std::chrono::milliseconds wait) {
  pollfd streams[] = {{results_, POLLIN, 0}, {complaints_, POLLIN, 0}};
  const auto begin = Clock::now();
  poll(streams, std::size(streams), static_cast<int>(wait.count()));
  char bytes[16384];
  ssize_t count = 0;
  while (results_ >= 0 && (count = read(results_, bytes, sizeof bytes)) > 0) {
    console_.Relay({bytes, static_cast<size_t>(count)});
    Remember({bytes, static_cast<size_t>(count)});
  }
  RelayComplaints();
  // A stream whose other end is closed always counts as ready.
  const bool closed = ((streams[0].revents | streams[1].revents) & POLLHUP) != 0;
  if (closed) std::this_thread::sleep_until(begin + wait);
}

void MpirunProcess::Remember(std::string_view printed) {
  relayed_ += Essence(printed);
  if (relayed_.size() > 2 * kRemembered) relayed_.erase(0, relayed_.size() - kRemembered);
}

bool MpirunProcess::HasRelayed(std::string_view text) const {
  return relayed_.find(Essence(Printable(text))) != std::string::npos;
}

void MpirunProcess::RelayComplaints() {
  char bytes[4096];
  ssize_t count = 0;
  while (complaints_ >= 0 && (count = read(complaints_, bytes, sizeof bytes)) > 0) {
    unread_.append(bytes, static_cast<size_t>(count));
  }
  size_t end = 0;
  while ((end = unread_.find('\n')) != std::string::npos) {
    const std::string line = unread_.substr(0, end + 1);
    unread_.erase(0, end + 1);
    // mpirun prints its own messages between lines of dashes, and what its libraries say behind its
    // own name.
    if (line.starts_with("--------------------")) {
      in_banner_ = !in_banner_;
    } else if (in_banner_ || line.starts_with(own_prefix_) || line.starts_with("mpirun: ")) {
      said_by_mpirun_ += line;
    } else if (has_relayed() || line != "\n") {  // mpirun puts an empty line before its messages
      console_.Err(line);
      Remember(line);
    }
  }
}

void MpirunProcess::End(std::span<const RankSlot> slots, bool at_once) {
  const bool is_well = Finished() && exit_code() == 0;
  if (child_ > 0 && !at_once) kill(child_, SIGTERM);
  const auto begin = Clock::now();
  while (!at_once && !Finished() && Clock::now() - begin < kEndPolitely) {
    Relay(kMpirunPoll);
  }
  if (child_ > 0) {
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
  }
  EndOrphans(slots);
  if (!hosts_.hosts.empty()) {
    RemoveOnHosts(hosts_, agent_, folder_.path(), is_well ? kToRemoveInPeace : kToRemove);
  }
  hosts_ = {};
  Relay({});
  for (int* stream : {&complaints_, &results_}) {
    if (*stream >= 0) close(*stream);
    *stream = -1;
  }
}

}  // namespace halo::tool
