// What all commands share: common options, the console, and how the process ends.
#ifndef TOOLS_HALO_SESSION_SESSION_H_
#define TOOLS_HALO_SESSION_SESSION_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/run/sandbox_report.h"
#include "halo/dump/select.h"
#include "tools/halo/terminal/console.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

class PendingFiles;

enum ExitCode : int {
  kExitOk = 0,
  kExitFindings = 1,       // errors were found, or a check failed
  kExitUnusable = 2,       // wrong usage, or input that cannot be read
  kExitInterrupted = 130,  // by Ctrl-C, as in shells
};

struct Session {
  Console console;
  std::vector<std::string> files;
  DumpChoice choice;  // if a file is a dump directory
  std::optional<int> threads;
  bool follow = false;  // links that point outside a dump directory
  bool json = false;
  bool json_is_printed = false;  // by this process or by one that it started
  std::vector<std::pair<std::string, Diagnostic>> refused;  // why there is no result, by path
  PendingFiles* pending = nullptr;       // output files that another process created
  std::optional<SandboxReport> sandbox;  // of a worker that runs programs
  int exit_code = kExitOk;

  // The worst outcome of several files wins.
  void Worsen(int code) {
    if (code > exit_code) exit_code = code;
  }
  [[nodiscard]] OpenOptions open_options() const { return {.threads = threads.value_or(1)}; }
};

// The groups of options in the help of every command.
inline constexpr const char* kInputOptions = "Input";
inline constexpr const char* kOutputOptions = "Output";
inline constexpr const char* kGeneralOptions = "General";
// What a command needs from a dump.
enum class DumpWants {
  kModule,      // a module; text if both exist
  kProto,       // a module; the proto if both exist, which omits no constants
  kAssignment,  // the pieces of an assignment
  kProgram,     // a module and the pieces of its assignment
  kEverything,  // all of it: the command itself goes through the dump
};

// FILE..., --json, --threads, and the options that select a file if FILE is a dump directory.
void AddCommonOptions(CLI::App& command, Session& session, bool many_files = true,
                      DumpWants wants = DumpWants::kModule);

// Opens a file; shows a status on a terminal if it will take a while.
Document Open(const std::string& path, const OpenOptions& options, Session& session);

// Prints why an input cannot be used; the process will exit as with wrong usage.
void Refuse(const Diagnostic& why, const std::string& path, Session& session);

// Prints the document's diagnostics to standard error.
void Complain(const Document& document, Session& session);

// --color, which every command takes.
void AddColorOption(CLI::App& command, Session& session);

void AddHelpCommand(CLI::App& app, Session& session);
void AddManCommand(CLI::App& app, Session& session);
void AddCompletionCommand(CLI::App& app, Session& session);
void AddLsCommand(CLI::App& app, Session& session);
void AddReportCommand(CLI::App& app, Session& session);
void AddViewCommand(CLI::App& app, Session& session);
void AddInfoCommand(CLI::App& app, Session& session);
void AddFmtCommand(CLI::App& app, Session& session);
void AddConvertCommand(CLI::App& app, Session& session);
void AddCheckCommand(CLI::App& app, Session& session);
void AddMemoryCommand(CLI::App& app, Session& session);
void AddPackCommand(CLI::App& app, Session& session);
void AddTimeCommand(CLI::App& app, Session& session);
void AddRunCommand(CLI::App& app, Session& session);
void AddCompareCommand(CLI::App& app, Session& session);
void AddCompileCommand(CLI::App& app, Session& session);
void AddDescribeCommand(CLI::App& app, Session& session);
void AddAskCommand(CLI::App& app, Session& session);
void AddMcpCommand(CLI::App& app, Session& session);
void AddLspCommand(CLI::App& app, Session& session);
void AddShrinkCommand(CLI::App& app, Session& session);
void AddDiffCommand(CLI::App& app, Session& session);
void AddSnapshotCommand(CLI::App& app, Session& session);
void AddPassesCommand(CLI::App& app, Session& session);
void AddScanCommand(CLI::App& app, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_SESSION_H_
