// Goes through the files of a dump for `halo check`, on several threads, in the order of the paths.
// The command decides what to print about each file.
#ifndef TOOLS_HALO_COMMANDS_CHECK_DUMP_FILES_H_
#define TOOLS_HALO_COMMANDS_CHECK_DUMP_FILES_H_

#include <functional>
#include <vector>

#include "halo/api/check/check_dump.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

// Calls `take` on this thread for every file, and shows the progress on a terminal. Each thread
// holds one item's files at a time.
void CheckDumpFiles(const Dump& dump, const std::vector<DumpCheckItem>& items,
                    const CheckOptions& options, const std::function<void(CheckedFile)>& take,
                    Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_CHECK_DUMP_FILES_H_
