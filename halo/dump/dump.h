// A whole dump directory as one object: its files, the modules they describe, each module's stages
// in order, and what is missing. The index uses names and sizes only. It looks at the bytes of a
// file only where the name is not conclusive; files are parsed on request.
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
  std::string path;    // relative to the root, with '/'; of a packed file, below its container
  uint64_t bytes = 0;  // as stored, before decompression
  Compression compression = Compression::kNone;
  FileRole file_role = FileRole::kUnknown;
  std::string looks_like;    // what its bytes are, if its name was not conclusive
  bool is_packed = false;    // in an archive, a capture or a profile
  bool is_framed = false;    // in a capture
  bool is_embedded = false;  // in a profile
  int32_t module = -1;       // index in Dump::modules
  int32_t stage = -1;        // index in that module's stages
};

struct DumpStage {
  StageName name;
  std::vector<int32_t> files;  // indices in Dump::files

  // The stage's name for display: its text, or "module" for one outside a dump.
  [[nodiscard]] std::string_view label() const {
    return name.text.empty() ? std::string_view("module") : std::string_view(name.text);
  }
};

// What a module lacks, and how to get it next time.
struct MissingPiece {
  std::string what;
  std::string why;
  std::string flag;     // the XLA flag; empty if no flag helps
  bool needed = false;  // without it, queries about the program cannot be answered
};

struct DumpModule {
  std::string name;
  int64_t number = -1;  // NNNN; -1 for a module outside a dump
  int32_t rank = 0;     // index in Dump::ranks
  std::string timestamp;
  std::string backend;            // "cpu", "gpu", "tpu"; empty if the names do not tell
  std::string architecture;       // "sm_9.0a"
  std::vector<DumpStage> stages;  // in order of compilation
  std::vector<int32_t> others;    // files that belong to no stage
  std::vector<MissingPiece> missing;
  uint64_t bytes = 0;  // of all its files
};

struct Dump {
  std::string root;
  bool root_is_file = false;        // an archive or a capture
  bool follows_links = false;       // also those that lead out of the root
  std::string given;                // what IndexDump was asked for: the root, or a file of it
  int32_t given_file = -1;          // index in `files` if that was a file of the root
  std::vector<DumpFile> files;      // sorted by path
  std::vector<DumpModule> modules;  // sorted by rank, number and name
  std::vector<std::string> ranks;   // folders that contain modules; "" is the root
  std::vector<SkippedPath> skipped;
  size_t skipped_count = 0;
  size_t links_outside = 0;  // of these, links that WalkOptions::follow would have followed
  size_t unreadable = 0;     // of these, what exists but could not be read
  uint64_t bytes = 0;

  // What to pass to OpenDumpFile: the path, and the folder that it must not leave; empty if it may.
  [[nodiscard]] std::string PathOf(int32_t file) const;
  [[nodiscard]] std::string Fence() const { return root_is_file || follows_links ? "" : root; }
  // The stage's file with that role: the smallest index, text before compressed text. -1 if none.
  [[nodiscard]] int32_t FileOf(const DumpStage& stage, FileRole file_role) const;
  // The stage's module: text if present, else proto; -1 if there is none.
  [[nodiscard]] int32_t ModuleFileOf(const DumpStage& stage, bool prefer_proto = false) const;
  // The files of its buffer assignment.
  [[nodiscard]] std::vector<int32_t> AssignmentOf(const DumpStage& stage) const;
};

struct DumpOptions {
  WalkOptions walk;
  bool parallel = true;
  bool look_inside = true;  // inspect files with inconclusive names, and open archives
  // If the root is a file in a folder: list that folder without the folders in it, and inspect only
  // files whose names begin like the file's. Everything about the file itself is the same.
  bool only_this_file = false;
};

// `path` is a folder, an archive or a capture. Any other file selects its folder, and the file
// becomes Dump::given_file.
Result<Dump> IndexDump(const std::string& path, const DumpOptions& options = {});

}  // namespace halo

#endif  // HALO_DUMP_DUMP_H_
