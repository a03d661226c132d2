// The result of `halo ls` as users see it: a dump directory with its modules and files.
#ifndef HALO_API_INFO_LS_DOCUMENT_H_
#define HALO_API_INFO_LS_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/dump/dump.h"
#include "haloscope/parts.h"

namespace halo {

namespace documents {

struct ListedFile {
  std::string path, file_class;
  uint64_t bytes = 0;
  std::string compression;
  std::optional<std::string> looks_like;
  std::optional<int32_t> module;
  std::optional<std::string> stage;
};

template <class V>
void Fields(V& v, ListedFile& r) {
  v("path", r.path, "relative to the root; below its archive's or capture's path if packed");
  v("class", r.file_class, "by its name", v0::Choices{"file_class"});
  v("bytes", r.bytes, "as stored", v0::Unit::kBytes);
  v("compression", r.compression, "by its name", v0::Choices{"compression"});
  v("looks_like", r.looks_like, "what its bytes look like", v0::When{"for an unknown file"});
  v("module", r.module, "position in `modules`", v0::When{"in a list of files of any module"});
  v("stage", r.stage, "of that module", v0::When{"in a list of files of any module"});
}

struct ListedStage {
  std::string stage, role;
  std::optional<int32_t> step;
  std::optional<std::string> pipeline, pass;
  std::vector<ListedFile> files;
};

template <class V>
void Fields(V& v, ListedStage& r) {
  v("stage", r.stage, "as in file names");
  v("role", r.role, "`before`, `named`, `pass`, `after` or `only` (not part of a dump)",
    v0::Choices{"stage_role"});
  v("step", r.step, "number of the pass", v0::When{"of a pass"});
  v("pipeline", r.pipeline, "of the pass", v0::When{"of a pass"});
  v("pass", r.pass, "the pass that has just run; empty at the start of a pipeline",
    v0::When{"of a pass"});
  v("files", r.files, "");
}

struct MissingFile {
  std::string what, why, flag;
  bool needed = false;
};

template <class V>
void Fields(V& v, MissingFile& r) {
  v("what", r.what, "what the dump lacks for this module");
  v("why", r.why, "a possible reason");
  v("flag", r.flag, "the XLA flag that writes it; empty if none");
  v("needed", r.needed, "the program cannot be analysed without it");
}

struct ListedModule {
  std::string module;
  std::optional<int64_t> number;
  std::string rank, timestamp, backend, architecture;
  uint64_t bytes = 0;
  std::optional<std::string> main_stage;
  std::vector<ListedStage> stages;
  std::vector<ListedFile> others;
  std::vector<MissingFile> missing;
};

template <class V>
void Fields(V& v, ListedModule& r) {
  v("module", r.module, "its name, as in file names");
  v("number", r.number, "NNNN of `module_NNNN`; null for a module that is not part of a dump",
    v0::FieldFlag::kNullIfUnknown);
  v("rank", r.rank, "its folder");
  v("timestamp", r.timestamp, "with `--xla_dump_include_timestamp`");
  v("backend", r.backend, "`cpu`, `gpu`, `tpu`; empty if file names do not show it");
  v("architecture", r.architecture, "`sm_9.0a`");
  v("bytes", r.bytes, "of all its files", v0::Unit::kBytes);
  v("main_stage", r.main_stage,
    "the default stage of commands: the last with an assignment, else the last",
    v0::FieldFlag::kNullIfUnknown);
  v("stages", r.stages, "in the order of compilation");
  v("others", r.others, "files that belong to no stage");
  v("missing", r.missing, "what the dump lacks for this module");
}

struct LeftOutPath {
  std::string path, why;
};

template <class V>
void Fields(V& v, LeftOutPath& r) {
  v("path", r.path, "what was left out");
  v("why", r.why, "");
}

struct LsResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.ls.v1";

  std::string root;
  uint64_t files = 0, bytes = 0;
  std::vector<std::string> ranks;
  std::vector<ListedModule> modules;
  std::optional<std::vector<ListedFile>> other_files, all_files;
  std::vector<LeftOutPath> skipped;
  uint64_t skipped_count = 0;
};

template <class V>
void Fields(V& v, LsResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("root", r.root, "as it was given");
  v("files", r.files, "how many, including those in archives and captures");
  v("bytes", r.bytes, "of all, as stored", v0::Unit::kBytes);
  v("ranks", r.ranks, "folders that hold modules, relative to the root; empty for the root itself");
  v("modules", r.modules, "by rank, number and name");
  v("other_files", r.other_files, "files that belong to no module", v0::When{"without `--files`"});
  v("all_files", r.all_files, "every file", v0::When{"with `--files`"});
  v("skipped", r.skipped, "what was left out");
  v("skipped_count", r.skipped_count, "including those beyond the list's limit");
}

}  // namespace documents

// `all_files` includes the files of modules; otherwise only files that belong to no module are
// listed.
documents::LsResult LsDocument(const Dump& dump, bool all_files);
std::string LsJson(const Dump& dump, bool all_files);

}  // namespace halo

#endif  // HALO_API_INFO_LS_DOCUMENT_H_
