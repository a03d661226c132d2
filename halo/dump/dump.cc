// Queries that the tables of a dump can answer.
#include "halo/dump/dump.h"

namespace halo {

std::string Dump::PathOf(int32_t file) const {
  const std::string& path = files[static_cast<size_t>(file)].path;
  return root.ends_with('/') ? root + path : root + "/" + path;
}

int32_t Dump::FileOf(const DumpStage& stage, FileRole file_role) const {
  int32_t best = -1;
  for (const int32_t file : stage.files) {
    const DumpFile& each = files[static_cast<size_t>(file)];
    if (each.file_role != file_role) continue;
    const bool better =
        best < 0 || (each.compression == Compression::kNone &&
                     files[static_cast<size_t>(best)].compression != Compression::kNone);
    if (better) best = file;
  }
  return best;
}

int32_t Dump::ModuleFileOf(const DumpStage& stage, bool prefer_proto) const {
  const int32_t text = FileOf(stage, FileRole::kModuleText);
  const int32_t whole_proto = FileOf(stage, FileRole::kModuleProto);
  const int32_t proto = whole_proto < 0 ? FileOf(stage, FileRole::kModuleRiegeli) : whole_proto;
  if (text < 0 && proto < 0) return FileOf(stage, FileRole::kCapture);
  if (text < 0 || proto < 0) return std::max(text, proto);
  return prefer_proto ? proto : text;
}

std::vector<int32_t> Dump::AssignmentOf(const DumpStage& stage) const {
  std::vector<int32_t> pieces;
  for (const FileRole piece :
       {FileRole::kAssignment, FileRole::kAssignmentValues, FileRole::kLiveRange}) {
    const int32_t file = FileOf(stage, piece);
    if (file >= 0) pieces.push_back(file);
  }
  return pieces;
}

}  // namespace halo
