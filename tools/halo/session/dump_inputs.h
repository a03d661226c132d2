// Accepts a dump directory where a command takes a file: the options that select one of its files,
// and the only code that finds it.
#ifndef TOOLS_HALO_SESSION_DUMP_INPUTS_H_
#define TOOLS_HALO_SESSION_DUMP_INPUTS_H_

#include <string>

#include "halo/base/diagnostics/result.h"
#include "halo/dump/dump.h"
#include "tools/halo/session/session.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// True for a folder, an archive, and, if one of its files is requested, a capture.
bool IsDump(const std::string& path, const Session& session);

// Indexes a dump. Prints what was left out of it, and which option includes it.
Result<Dump> OpenDump(const std::string& path, Session& session);

// --module, --stage, --rank and --follow. Before the command runs, folders and archives in
// session.files are replaced by the files they refer to, unless the command wants everything.
void AddDumpOptions(CLI::App& command, Session& session, DumpWants wants, bool many_files);
// The replacement itself, for a command that decides later whether it wants everything.
void ResolveDumps(Session& session, DumpWants wants, bool many_files);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_DUMP_INPUTS_H_
