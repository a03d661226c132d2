// Tries the names in turn. A file that holds no serialized module counts as absent.
#include "halo/api/document/module_beside.h"

#include <array>
#include <string_view>

#include "halo/dump/open_file.h"
#include "halo/proto/records/riegeli.h"
#include "halo/proto/records/split_proto.h"
#include "halo/proto/write/attach_assignment.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 3> kAssignmentEndings = {
    "-buffer-assignment", ".buffer-assignment", ".buffer_assignment"};
constexpr std::array<std::string_view, 3> kModuleEndings = {".hlo.pb", ".pb", ".riegeli"};
constexpr std::array<std::string_view, 3> kCompressions = {"", ".gz", ".zst"};

bool TakeEnding(std::string& path, std::string_view ending) {
  if (ending.empty() || !path.ends_with(ending)) return false;
  path.resize(path.size() - ending.size());
  return true;
}

}  // namespace

std::vector<std::string> ModulesBeside(const std::string& path) {
  std::string stem = path;
  for (const std::string_view each : kCompressions) TakeEnding(stem, each);
  TakeEnding(stem, ".pb");
  for (const std::string_view each : kAssignmentEndings) {
    if (TakeEnding(stem, each)) break;
  }
  std::vector<std::string> names;
  if (stem.empty() || stem.ends_with('/')) return names;
  for (const std::string_view ending : kModuleEndings) {
    for (const std::string_view compression : kCompressions) {
      std::string name = stem + std::string(ending) + std::string(compression);
      if (name != path) names.push_back(std::move(name));
    }
  }
  return names;
}

SourceBuffer WithModuleBeside(SourceBuffer assignment, const std::string& path) {
  for (const std::string& name : ModulesBeside(path)) {
    if (!DumpFileExists(name)) continue;
    const Result<SourceBuffer> module = OpenDumpFile(name);
    if (!module) continue;
    std::string bytes;
    if (LooksLikeRiegeli(module->bytes())) {
      Result<std::string> joined = JoinSplitModule(module->bytes(), name);
      if (joined) bytes = AttachAssignment(*joined, assignment.bytes());
    } else {
      bytes = AttachAssignment(module->bytes(), assignment.bytes());
    }
    if (!bytes.empty()) return SourceBuffer::Copy(bytes, assignment.name());
  }
  return assignment;
}

}  // namespace halo
