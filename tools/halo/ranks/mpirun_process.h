// mpirun as a child in a process group of its own, called with this command's own arguments: how it
// is started and ended, and what it and its ranks say. Whether they do well is rank_watch.h's.
#ifndef TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_
#define TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "halo/api/observe/rank_slot.h"
#include "tools/halo/terminal/console.h"

namespace halo::tool {

// Variables by which a rank knows its launcher.
inline constexpr const char* kRankPageVariable = "HALO_RANK_PAGE";
inline constexpr const char* kRankFolderVariable = "HALO_RANK_FOLDER";

// Where mpirun is; empty if there is none.
std::string FindMpirun();

// A folder for all files that MPI makes, so that they can be removed whoever died.
class RankFolder {
 public:
  RankFolder();
  ~RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;
  // Empty if none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class MpirunProcess {
 public:
  explicit MpirunProcess(Console& console) : console_(console) {}
  ~MpirunProcess() { End({}); }
  MpirunProcess(const MpirunProcess&) = delete;
  MpirunProcess& operator=(const MpirunProcess&) = delete;

  [[nodiscard]] bool has_folder() const { return !folder_.path().empty(); }
  // False if the system refuses. Ranks find their slots by `page`.
  bool Start(const std::string& mpirun, int64_t ranks, const std::string& page);
  bool Finished();
  // Passes on what ranks say and keeps what mpirun itself says.
  void ReadComplaints();
  // First as mpirun would have it, then by force; no rank stays behind.
  void End(std::span<const RankSlot> slots);
  [[nodiscard]] const std::string& said() const { return said_by_mpirun_; }

 private:
  [[nodiscard]] std::vector<std::string> CommandLine(const std::string& mpirun,
                                                     int64_t ranks) const;

  Console& console_;
  RankFolder folder_;
  pid_t child_ = 0;
  int complaints_ = -1;  // mpirun's standard error, and its ranks'
  std::string unread_, said_by_mpirun_;
  bool in_banner_ = false;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_MPIRUN_PROCESS_H_
