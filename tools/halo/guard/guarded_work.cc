// Output files are created before the worker starts, which may create none outside `folder`.
#include "tools/halo/guard/guarded_work.h"

#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "halo/base/machine_memory.h"
#include "halo/base/strings/byte_size.h"
#include "halo/memory/backend/device.h"
#include "tools/halo/guard/memory_guard.h"
#include "tools/halo/guard/sandbox.h"
#include "tools/halo/guard/supervise.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/pending_files.h"

namespace halo::tool {
namespace {

WorkerBoard* board_of_work = nullptr;
void NoteNoMemoryForWork() { board_of_work->out_of_memory = true; }

SandboxRequest NeedsOf(const GuardedWork& guarded) {
  SandboxRequest needs;
  if (!guarded.input.empty() && guarded.input != "-") needs.reads.push_back(guarded.input);
  for (const std::string& path : guarded.reads) {
    if (path != "-") needs.reads.push_back(path);
  }
  for (const std::string& path : guarded.outputs) {
    if (!path.empty() && path != "-" && !IsReplaced(path)) needs.writes.push_back(path);
  }
  if (!guarded.folder.empty()) needs.folders.push_back(guarded.folder);
  return needs;
}

// Removes what a process that was killed had begun to write.
void RemoveHalfWrittenIn(const std::string& folder, int pid) {
  if (folder.empty()) return;
  const std::string ending = HalfWritten("", pid);
  std::error_code failed;
  for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    std::error_code ignored;
    if (it->path().filename().string().ends_with(ending)) {
      std::filesystem::remove(it->path(), ignored);
    }
  }
}

void ReportEndOfWork(const WorkerEnd& end, const WorkerBoard& board, const GuardedWork& guarded,
                     Session& session) {
  session.Worsen(end.exit_code);
  if (end.was_killed) {
    RemoveHalfWrittenIn(guarded.folder, end.pid);
    session.console.EraseStatus();
  }
  // A worker that was reporting has begun a document, and a second one would be no help.
  session.json_is_printed = board.state == WorkerState::kReporting;
  if (end.problem.empty()) return;
  Diagnostic why = MakeBinaryDiagnostic(end.code, 0, end.problem);
  if (!end.help.empty()) why.help = end.help;
  Refuse(why, guarded.input, session);
}

}  // namespace

void AddMaxMemoryOption(CLI::App& command, std::string& text) {
  command
      .add_option(
          "--max-memory", text,
          "Memory limit, such as 16GiB, or a number of bytes (default: what this machine has)")
      ->check(CLI::Validator(
          [](const std::string& written) {
            return BytesFromText(written) ? std::string()
                                          : "a size is written as 16GiB, 16GB or 4096";
          },
          "SIZE"));
}

void AddReadLimitOptions(CLI::App& command, WorkLimits& limits) {
  command.option_defaults()->group("Limits");
  command
      .add_option("--timeout", limits.timeout, "Stop after this many seconds (default: no limit)")
      ->check(CLI::PositiveNumber);
  AddMaxMemoryOption(command, limits.max_memory);
}

void AddLimitOptions(CLI::App& command, WorkLimits& limits) {
  AddReadLimitOptions(command, limits);
  command.add_flag_callback(
      "--no-sandbox", [&limits] { limits.has_sandbox = false; },
      "Let the process that reads the module use the network and all files");
}

void RunGuarded(const WorkLimits& limits, const GuardedWork& guarded, Session& session) {
  const std::shared_ptr<WorkerBoard> board = WorkerBoard::Create();
  if (board == nullptr) return Refuse(kNoProcess, "halo: no memory to start a process", session);
  PendingFiles outputs(board->written);
  if (!outputs.Create(guarded.outputs, session)) return;
  const int64_t bytes = BytesFromText(limits.max_memory).value_or(MachineMemory());
  if (const std::optional<WorkerEnd> end = Supervise(limits.timeout, guarded.name, *board)) {
    outputs.Keep(session);
    return ReportEndOfWork(*end, *board, guarded, session);
  }
  session.pending = &outputs;
  board_of_work = board.get();
  GuardMemory(bytes, NoteNoMemoryForWork);
  session.sandbox = limits.has_sandbox ? EnterSandbox(NeedsOf(guarded))
                                       : SandboxReport{.why_not = "--no-sandbox was given"};
  guarded.work([&] { board->state = WorkerState::kReporting; });
  board->state = WorkerState::kReporting;
  session.pending = nullptr;
}

void RunLimited(WorkLimits limits, const GuardedWork& guarded, Session& session) {
  limits.has_sandbox = false;
  RunGuarded(limits, guarded, session);
}

}  // namespace halo::tool
