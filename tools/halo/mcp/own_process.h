// Starts this command again in a child process, with pipes to its input and output. The child and
// everything it starts end with it or when it is killed.
#ifndef TOOLS_HALO_MCP_OWN_PROCESS_H_
#define TOOLS_HALO_MCP_OWN_PROCESS_H_

#include <string>
#include <string_view>
#include <vector>

namespace halo::tool {

class OwnProcess {
 public:
  OwnProcess() = default;
  // Kills the child if it runs.
  ~OwnProcess();
  OwnProcess(const OwnProcess&) = delete;
  OwnProcess& operator=(const OwnProcess&) = delete;

  // Its error output goes to /dev/null. False if no process could be started.
  bool Start(const std::vector<std::string>& arguments);
  [[nodiscard]] bool is_running() const { return pid_ > 0; }
  // False if the child no longer reads.
  [[nodiscard]] bool Write(std::string_view bytes) const;
  void CloseInput();
  enum class Got : char { kBytes, kNothing, kEnd };
  // Waits at most so long for output and appends it.
  Got Read(int milliseconds, std::string& bytes) const;
  // May be called from another thread while one reads; the reader then gets the end.
  void Kill() const;
  // Waits for the end. Returns the exit code, or minus the number of the signal.
  int Wait();

 private:
  int pid_ = 0;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_MCP_OWN_PROCESS_H_
