// Messages come complete, one on a line, from the process that started this one.
#include "tools/halo/mcp/mcp_worker.h"

#include <array>
#include <cerrno>
#include <string>
#include <unistd.h>

#include "halo/base/io/write_all.h"
#include "halo/base/machine_memory.h"
#include "halo/mcp/server/server.h"
#include "tools/halo/guard/memory_guard.h"
#include "tools/halo/guard/sandbox.h"

namespace halo::tool {
namespace {

void EndForMemory() { _exit(kWorkerOutOfMemory); }

bool WriteLine(std::string line) { return WriteAll(STDOUT_FILENO, line += '\n'); }

}  // namespace

void ServeAsWorker(const mcp::Roots& roots) {
  GuardMemory(MachineMemory(), EndForMemory);
  EnterSandbox({.reads = {}, .writes = {}, .folders = {}, .read_folders = roots.folders()});
  mcp::Server server(roots);
  mcp::LineBuffer lines;
  std::array<char, 65536> part;  // NOLINT: filled below
  bool is_heard = true;
  while (is_heard) {
    const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    lines.Add({part.data(), static_cast<size_t>(got)});
    std::string line;
    bool is_too_long = false;
    while (is_heard && lines.Next(line, is_too_long)) {
      server.Handle(line, [&](std::string out) { is_heard = WriteLine(std::move(out)); });
    }
  }
}

}  // namespace halo::tool
