// mpirun as a child in a separate process group, started with this command's own arguments: how it
// is started and terminated, and what it and its ranks print. rank_watch.h decides whether the
// ranks are healthy.
#ifndef TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_
#define TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "halo/api/observe/rank_slot.h"
#include "tools/halo/ranks/host_list.h"
#include "tools/halo/terminal/console.h"

namespace halo::tool {

// Environment variables by which a rank recognizes its launcher.
inline constexpr const char* kRankPageVariable = "HALO_RANK_PAGE";
// The host of the launcher, if there are others: only ranks on it can open its page.
inline constexpr const char* kRankHostVariable = "HALO_RANK_HOST";
inline constexpr const char* kRankFolderVariable = "HALO_RANK_FOLDER";
// Which of the launcher's streams show colors: "o", "e", "oe" or nothing.
inline constexpr const char* kRankColorVariable = "HALO_RANK_COLOR";

// Open MPI's mpirun.
struct FoundMpirun {
  std::string path = {};     // empty if there is none
  std::string problem = {};  // why there is none
};
FoundMpirun FindMpirun();

// A folder for all files that MPI creates, so that they can be removed no matter which process
// died.
class RankFolder {
 public:
  RankFolder();
  ~RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;
  // Empty if none could be created.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Removes the folder of a launcher that was killed.
void RemoveRankFolders(int launcher);

struct MpirunRequest {
  std::string program;  // the path of mpirun
  int64_t ranks = 0;
  HostList hosts;     // empty: this machine only
  std::string agent;  // command that starts programs on hosts; empty: mpirun's default
  std::string page;   // through which ranks of this machine find their slots
};

class MpirunProcess {
 public:
  explicit MpirunProcess(Console& console) : console_(console) {}
  ~MpirunProcess() { End({}, true); }
  MpirunProcess(const MpirunProcess&) = delete;
  MpirunProcess& operator=(const MpirunProcess&) = delete;

  [[nodiscard]] bool has_folder() const { return !folder_.path().empty(); }
  // False if the system refuses.
  bool Start(const MpirunRequest& request);
  bool Finished();
  // Waits at most this long for output, passes on what ranks print and keeps what mpirun itself
  // prints. All of it goes through the console, which erases its status line first.
  void Relay(std::chrono::milliseconds wait);
  // Terminates first through mpirun unless it must be at once, then by force; no rank is left
  // behind.
  void End(std::span<const RankSlot> slots, bool at_once);
  [[nodiscard]] const std::string& said() const { return said_by_mpirun_; }
  // Whether ranks have printed anything that was passed on; and whether the end of it contains a
  // text, however it was wrapped or quoted.
  [[nodiscard]] bool has_relayed() const { return !relayed_.empty(); }
  [[nodiscard]] bool HasRelayed(std::string_view text) const;
  // Of mpirun, once it has finished by itself: the first nonzero code of a rank, or its own.
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  [[nodiscard]] std::vector<std::string> CommandLine(const MpirunRequest& request) const;
  void RelayComplaints();
  void Remember(std::string_view printed);

  Console& console_;
  RankFolder folder_;
  HostList hosts_;  // on which the folder must be removed
  std::string agent_;
  pid_t child_ = 0;
  int results_ = -1;     // standard output of mpirun and its ranks
  int complaints_ = -1;  // standard error
  std::string unread_, said_by_mpirun_;
  std::string own_prefix_;  // of lines that mpirun itself writes
  bool in_banner_ = false;
  std::string relayed_;  // the end of it, without blanks and quotes
  int exit_code_ = 0;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_
