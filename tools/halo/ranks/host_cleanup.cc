// Starts one agent per host and waits for all of them together.
#include "tools/halo/ranks/host_cleanup.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <netdb.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;

// A machine can bind a socket to its own addresses only.
bool IsThisMachine(const std::string& host) {
  if (host == HostName()) return true;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  bool is_own = false;
  for (const addrinfo* at = found; at != nullptr && !is_own; at = at->ai_next) {
    const int socket_file = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (socket_file < 0) continue;
    is_own = bind(socket_file, at->ai_addr, at->ai_addrlen) == 0;
    close(socket_file);
  }
  freeaddrinfo(found);
  return is_own;
}

// mpirun splits its agent at spaces as well.
std::vector<std::string> AgentWords(const std::string& agent) {
  const char* variable = std::getenv("OMPI_MCA_plm_rsh_agent");
  std::istringstream text(!agent.empty() ? agent : variable != nullptr ? variable : "ssh");
  std::vector<std::string> words;
  for (std::string word; text >> word && word != ":";) words.push_back(word);
  return words;
}

pid_t StartAgent(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

void RemoveOnHosts(const HostList& hosts, const std::string& agent, const std::string& folder,
                   std::chrono::milliseconds most) {
  const std::vector<std::string> start = AgentWords(agent);
  if (start.empty()) return;
  std::vector<pid_t> agents;
  for (const RankHost& host : hosts.hosts) {
    if (IsThisMachine(host.name)) continue;
    std::vector<std::string> words = start;
    // The remote shell reads these words again; the folder's name has no character it could change.
    words.insert(words.end(), {host.name, "rm", "-rf", "--", folder});
    if (const pid_t child = StartAgent(std::move(words)); child > 0) agents.push_back(child);
  }
  const auto end = Clock::now() + most;
  while (!agents.empty()) {
    std::erase_if(agents, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) == child; });
    if (agents.empty()) return;
    if (Clock::now() > end) {
      for (const pid_t child : agents) {
        kill(-child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace halo::tool
