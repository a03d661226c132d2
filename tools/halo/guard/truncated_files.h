// Files are mapped. If another program truncates one while it is read, the system ends the process
// with a signal; the command says why instead.
#ifndef TOOLS_HALO_GUARD_TRUNCATED_FILES_H_
#define TOOLS_HALO_GUARD_TRUNCATED_FILES_H_

namespace halo::tool {

// From now on, reading past the end of a mapped file prints a message and exits with kExitUnusable.
void ReportTruncatedFiles();

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_TRUNCATED_FILES_H_
