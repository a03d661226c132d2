// Accepts a dump directory where a command takes a file: the options that select one of its files,
// and the only code that finds it.
#ifndef TOOLS_HALO_SESSION_DUMP_INPUTS_H_
#define TOOLS_HALO_SESSION_DUMP_INPUTS_H_

#include "tools/halo/session/session.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// What a command needs from a dump.
enum class DumpWants {
  kModule,      // a module; text if both exist
  kProto,       // a module; the proto if both exist, which omits no constants
  kAssignment,  // the pieces of an assignment
};

// --module, --stage and --rank. Before the command runs, folders and archives in session.files are
// replaced by the files they refer to.
void AddDumpOptions(CLI::App& command, Session& session, DumpWants wants, bool many_files);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_DUMP_INPUTS_H_
