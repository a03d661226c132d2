// A dump directory where a command takes a file: the options that say which of its files is meant,
// and the one place that finds it.
#ifndef TOOLS_HALO_SESSION_DUMP_INPUTS_H_
#define TOOLS_HALO_SESSION_DUMP_INPUTS_H_

#include "tools/halo/session/session.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// What a command wants of a dump.
enum class DumpWants {
  kModule,      // a module; text where both are there
  kProto,       // a module; the proto where both are there, which leaves out no constants
  kAssignment,  // the pieces of an assignment
};

// --module, --stage and --rank. Before the command runs, folders and archives among session.files
// become the files they stand for.
void AddDumpOptions(CLI::App& command, Session& session, DumpWants wants, bool many_files);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_DUMP_INPUTS_H_
