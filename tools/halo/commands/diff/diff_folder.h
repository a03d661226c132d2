// `halo diff` of one folder: --ranks and --recompiles.
#ifndef TOOLS_HALO_COMMANDS_DIFF_DIFF_FOLDER_H_
#define TOOLS_HALO_COMMANDS_DIFF_DIFF_FOLDER_H_

#include <cstddef>
#include <string>

#include "tools/halo/session/session.h"

namespace halo::tool {

struct FolderFlags {
  std::string ranks, recompiles;  // the folders
};

void AddFolderOptions(CLI::App& command, FolderFlags& flags);
// True if one of the two was given; throws what CLI11 reports if files were given too.
bool WantsFolderDiff(const FolderFlags& flags, const Session& session);
const std::string& FolderOf(const FolderFlags& flags);
void RunFolderDiff(const FolderFlags& flags, size_t top, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_DIFF_DIFF_FOLDER_H_
