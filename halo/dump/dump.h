// A whole dump directory as one object: its files, the modules they tell of, each module's stages
// in order, and what is missing. Built from names and sizes alone; the bytes of a file are looked
// at only where its name tells nothing, and parsed when somebody asks for it.
#ifndef HALO_DUMP_DUMP_H_
#define HALO_DUMP_DUMP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/dump/dump_name.h"
#include "halo/dump/file_role.h"
#include "halo/dump/walk.h"

namespace halo {

struct DumpFile {
  std::string path;    // relative to the root, with '/'; of a packed file, below its container's
  uint64_t bytes = 0;  // as stored
  Compression compression = Compression::kNone;
  FileRole file_role = FileRole::kUnknown;
  std::string looks_like;  // what its bytes are, where its name did not tell
  bool is_packed = false;  // in an archive or a capture
  int32_t module = -1;     // of Dump::modules
  int32_t stage = -1;      // of that module's stages
};

struct DumpStage {
  StageName name;
  std::vector<int32_t> files;  // of Dump::files

  // How a reader would call it: its text, or "module" for one outside of a dump.
  [[nodiscard]] std::string_view label() const {
    return name.text.empty() ? std::string_view("module") : std::string_view(name.text);
  }
};

// What a module lacks, and how to have it next time.
struct MissingPiece {
  std::string what;
  std::string why;
  std::string flag;     // of XLA; empty if no flag helps
  bool needed = false;  // questions about the program cannot be answered without it
};

struct DumpModule {
  std::string name;
  int64_t number = -1;  // NNNN; -1 for a module outside of a dump
  int32_t rank = 0;     // of Dump::ranks
  std::string timestamp;
  std::string backend;            // "cpu", "gpu", "tpu"; empty if names do not tell
  std::string architecture;       // "sm_9.0a"
  std::vector<DumpStage> stages;  // in the order of compilation
  std::vector<int32_t> others;    // files of no stage
  std::vector<MissingPiece> missing;
  uint64_t bytes = 0;  // of all its files
};

struct Dump {
  std::string root;
  bool root_is_file = false;        // an archive or a capture
  std::vector<DumpFile> files;      // by path
  std::vector<DumpModule> modules;  // by rank, number and name
  std::vector<std::string> ranks;   // folders that hold modules; "" is the root
  std::vector<SkippedPath> skipped;
  size_t skipped_count = 0;
  uint64_t bytes = 0;

  // The file's path for OpenDumpFile.
  [[nodiscard]] std::string PathOf(int32_t file) const;
  // The stage's file of that class; the smallest index, text before compressed text. -1 if none.
  [[nodiscard]] int32_t FileOf(const DumpStage& stage, FileRole file_role) const;
  // The stage's module: text, else proto; -1 if there is none.
  [[nodiscard]] int32_t ModuleFileOf(const DumpStage& stage, bool prefer_proto = false) const;
  // The pieces of its assignment.
  [[nodiscard]] std::vector<int32_t> AssignmentOf(const DumpStage& stage) const;
};

struct DumpOptions {
  WalkOptions walk;
  bool parallel = true;
  bool look_inside = true;  // at bytes of files whose names tell nothing, and into archives
};

// `root` is a folder, an archive or a capture. Any other file stands for its folder.
Result<Dump> IndexDump(const std::string& root, const DumpOptions& options = {});

}  // namespace halo

#endif  // HALO_DUMP_DUMP_H_
