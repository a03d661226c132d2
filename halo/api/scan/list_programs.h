// Lists the programs below any number of folders, archives and files, one folder at a time, so that
// memory does not grow with the number of dumps. Of a module in a dump, the stage that `halo
// memory` would take is listed. Nothing is read here but names and the first bytes of files whose
// names tell nothing.
#ifndef HALO_API_SCAN_LIST_PROGRAMS_H_
#define HALO_API_SCAN_LIST_PROGRAMS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/scan/program_rows.h"

namespace halo {

class ProgramList {
 public:
  // `next_root` sets its argument to the next folder, archive or file; false if there are no more.
  ProgramList(std::function<bool(std::string&)> next_root, bool follow);

  // Files that cannot be listed are programs too, with the reason.
  std::optional<ScanInput> Next();

 private:
  void ListRoot(const std::string& root);
  void ListFolder(const std::string& folder);
  void AddDump(const std::string& path, bool is_folder);
  void Refused(const std::string& path, std::string why);

  std::function<bool(std::string&)> next_root_;
  bool follow_;
  std::vector<std::string> folders_;  // still to be listed, the next one last
  std::deque<ScanInput> ready_;
};

// A file that is known to contain a program.
ScanInput FileOfProgram(const std::string& path);

}  // namespace halo

#endif  // HALO_API_SCAN_LIST_PROGRAMS_H_
