// Replaces the indices of a dump by what they refer to.
#include "halo/api/info/ls_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/dump/select.h"

namespace halo {
namespace {

documents::ListedFile FileOf(const DumpFile& from) {
  documents::ListedFile file;
  file.path = from.path;
  file.file_class = TextOf(from.file_role);
  file.bytes = from.bytes;
  file.compression = CompressionText(from.compression);
  if (from.file_role == FileRole::kUnknown) file.looks_like = from.looks_like;
  return file;
}

std::vector<documents::ListedFile> FilesOf(const Dump& dump, const std::vector<int32_t>& indices) {
  std::vector<documents::ListedFile> files;
  for (const int32_t each : indices) files.push_back(FileOf(dump.files[static_cast<size_t>(each)]));
  return files;
}

// Every file, or those that belong to no module.
std::vector<documents::ListedFile> FilesOf(const Dump& dump, bool all) {
  std::vector<documents::ListedFile> files;
  for (const DumpFile& from : dump.files) {
    if (!all && from.module >= 0) continue;
    documents::ListedFile& file = files.emplace_back(FileOf(from));
    if (from.module < 0) continue;
    file.module = from.module;
    if (from.stage < 0) continue;
    const DumpModule& module = dump.modules[static_cast<size_t>(from.module)];
    file.stage = module.stages[static_cast<size_t>(from.stage)].label();
  }
  return files;
}

documents::ListedStage StageOf(const Dump& dump, const DumpStage& from) {
  documents::ListedStage stage;
  stage.stage = from.label();
  stage.role = TextOf(from.name.role);
  if (from.name.role == StageRole::kPass) {
    stage.step = from.name.step;
    stage.pipeline = from.name.pipeline;
    stage.pass = from.name.pass;
  }
  stage.files = FilesOf(dump, from.files);
  return stage;
}

documents::ListedModule ModuleOf(const Dump& dump, const DumpModule& from) {
  documents::ListedModule module;
  module.module = from.name;
  if (from.number >= 0) module.number = from.number;
  module.rank = dump.ranks[static_cast<size_t>(from.rank)];
  module.timestamp = from.timestamp;
  module.backend = from.backend;
  module.architecture = from.architecture;
  module.bytes = from.bytes;
  const int32_t main = MainStage(dump, from);
  if (main >= 0) module.main_stage = from.stages[static_cast<size_t>(main)].label();
  for (const DumpStage& each : from.stages) module.stages.push_back(StageOf(dump, each));
  module.others = FilesOf(dump, from.others);
  for (const MissingPiece& each : from.missing) {
    module.missing.push_back({each.what, each.why, each.flag, each.needed});
  }
  return module;
}

}  // namespace

documents::LsResult LsDocument(const Dump& dump, bool all_files) {
  documents::LsResult result;
  result.inputs.push_back(InputOf(dump.root));
  result.root = dump.root;
  result.files = dump.files.size();
  result.bytes = dump.bytes;
  result.ranks = dump.ranks;
  for (const DumpModule& each : dump.modules) result.modules.push_back(ModuleOf(dump, each));
  (all_files ? result.all_files : result.other_files) = FilesOf(dump, all_files);
  for (const SkippedPath& each : dump.skipped) result.skipped.push_back({each.path, each.why});
  result.skipped_count = dump.skipped_count;
  return result;
}

std::string LsJson(const Dump& dump, bool all_files) {
  return describe::DocumentJson(LsDocument(dump, all_files));
}

}  // namespace halo
