// Folders are visited in the order of their names, depth first. Links to folders are not followed:
// they may form loops.
#include "halo/api/scan/list_programs.h"

#include <algorithm>
#include <utility>

#if !defined(__wasm__)
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#endif

#include "halo/dump/dump.h"
#include "halo/dump/dump_name.h"
#include "halo/dump/select.h"

namespace halo {
namespace {

// Of the file, or of the archive that contains it.
std::optional<int64_t> ModifiedAt([[maybe_unused]] std::string path) {
#if !defined(__wasm__)
  while (!path.empty()) {
    struct stat found{};
    if (stat(path.c_str(), &found) == 0) {
#if defined(__APPLE__)
      const timespec& when = found.st_mtimespec;
#else
      const timespec& when = found.st_mtim;
#endif
      return int64_t{when.tv_sec} * 1'000'000 + when.tv_nsec / 1000;
    }
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
#endif
  return std::nullopt;
}

}  // namespace

ProgramList::ProgramList(std::function<bool(std::string&)> next_root, bool follow)
    : next_root_(std::move(next_root)), follow_(follow) {}

std::optional<ScanInput> ProgramList::Next() {
  while (ready_.empty()) {
    std::string root;
    if (!folders_.empty()) {
      root = std::move(folders_.back());
      folders_.pop_back();
      ListFolder(root);
    } else if (next_root_(root)) {
      ListRoot(root);
    } else {
      return std::nullopt;
    }
  }
  ScanInput next = std::move(ready_.front());
  ready_.pop_front();
  return next;
}

void ProgramList::ListRoot(const std::string& root) {
#if !defined(__wasm__)
  std::error_code ignored;
  if (std::filesystem::is_directory(root, ignored)) return ListFolder(root);
#endif
  AddDump(root, false);
}

void ProgramList::ListFolder(const std::string& folder) {
#if !defined(__wasm__)
  std::vector<std::string> inner;
  std::error_code error;
  std::filesystem::directory_iterator each(folder, error);
  for (const std::filesystem::directory_iterator end; !error && each != end;
       each.increment(error)) {
    std::error_code ignored;
    if (each->is_directory(ignored) && !each->is_symlink(ignored)) {
      inner.push_back(each->path().string());
    }
  }
  if (error) return Refused(folder, error.message());
  std::sort(inner.rbegin(), inner.rend());
  folders_.insert(folders_.end(), inner.begin(), inner.end());
#endif
  AddDump(folder, true);
}

void ProgramList::AddDump(const std::string& path, bool is_folder) {
  DumpOptions how;
  how.walk.follow = follow_;
  if (is_folder) how.walk.max_depth = 1;
  how.only_this_file = !is_folder;
  const Result<Dump> dump = IndexDump(path, how);
  if (!dump) return Refused(path, dump.error().message);
  const auto add = [&](const DumpModule& module, int32_t stage, int32_t file) {
    ScanInput& input = ready_.emplace_back();
    input.path = dump->PathOf(file);
    input.module = module.name;
    if (stage >= 0) input.stage = module.stages[static_cast<size_t>(stage)].name.text;
    input.bytes = static_cast<int64_t>(dump->files[static_cast<size_t>(file)].bytes);
    input.modified = ModifiedAt(input.path);
  };
  if (!is_folder && dump->given_file >= 0) {
    const DumpFile& file = dump->files[static_cast<size_t>(dump->given_file)];
    if (file.module < 0) return Refused(path, "neither a module nor its buffer assignment");
    return add(dump->modules[static_cast<size_t>(file.module)], file.stage, dump->given_file);
  }
  for (const DumpModule& module : dump->modules) {
    const int32_t stage = MainStage(*dump, module);
    if (stage < 0) continue;
    const int32_t file = dump->ModuleFileOf(module.stages[static_cast<size_t>(stage)]);
    if (file >= 0) add(module, stage, file);
  }
}

void ProgramList::Refused(const std::string& path, std::string why) {
  ScanInput& input = ready_.emplace_back();
  input.path = path;
  input.modified = ModifiedAt(path);
  input.refused = std::move(why);
}

ScanInput FileOfProgram(const std::string& path) {
  const DumpName name = ParseDumpName(path.substr(path.rfind('/') + 1));
  ScanInput input;
  input.path = path;
  input.module = name.module;
  input.stage = name.stage.text;
#if !defined(__wasm__)
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (!error) input.bytes = static_cast<int64_t>(bytes);
#endif
  input.modified = ModifiedAt(path);
  return input;
}

}  // namespace halo
