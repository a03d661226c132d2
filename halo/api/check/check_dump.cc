// A stage's assignment is checked together with the stage's preferred module file, so that no
// module is read twice.
#include "halo/api/check/check_dump.h"

#include <map>
#include <set>
#include <utility>

#include "halo/api/check/assignment_findings.h"
#include "halo/memory/text/read_assignment.h"

namespace halo {
namespace {

bool IsModuleFile(const DumpFile& file) {
  return file.file_role == FileRole::kModuleText || file.file_role == FileRole::kModuleProto ||
         file.file_role == FileRole::kModuleRiegeli || file.file_role == FileRole::kCapture;
}

Document OpenPart(int32_t file, const CheckOptions& options, const Dump& dump) {
  OpenOptions open = options.open;
  open.keep_source = true;
  Document document = OpenDocument(dump.PathOf(file), open);
  RequireContents(document);
  return document;
}

// Reads the pieces together: names in one may refer to another.
void JoinParts(std::vector<Document>& parts, Assignment& assignment, AssignmentPieces& pieces) {
  std::vector<std::string_view> texts;
  std::vector<Document*> from;
  for (Document& part : parts) {
    if (!part.memory || part.memory->report || !part.source) continue;
    texts.push_back(part.source->bytes());
    from.push_back(&part);
  }
  if (texts.empty()) return;
  AssignmentReadResult read = ReadAssignment(texts);
  pieces = read.all_pieces();
  assignment = std::move(read.assignment);
  for (size_t i = 0; i < from.size(); ++i) {
    from[i]->memory->diagnostics = std::move(read.diagnostics[i]);
  }
}

}  // namespace

std::vector<DumpCheckItem> ListDumpChecks(const Dump& dump, const DumpCheckOptions& options) {
  std::set<std::pair<int32_t, int32_t>> only;
  for (const Chosen& each : options.only) only.emplace(each.module, each.stage);
  const auto wanted = [&](int32_t module, int32_t stage) {
    return only.empty() || only.contains({module, stage});
  };
  std::map<int32_t, DumpCheckItem> items;  // by the first file of each
  for (size_t i = 0; i < dump.files.size(); ++i) {
    const DumpFile& file = dump.files[i];
    if (!IsModuleFile(file) || !wanted(file.module, file.stage)) continue;
    if (file.is_framed && !options.framed_modules) continue;
    DumpCheckItem& item = items[static_cast<int32_t>(i)];
    item.module = static_cast<int32_t>(i);
    item.reports_module = true;
  }
  for (size_t module = 0; module < dump.modules.size(); ++module) {
    const std::vector<DumpStage>& stages = dump.modules[module].stages;
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      if (!wanted(static_cast<int32_t>(module), static_cast<int32_t>(stage))) continue;
      std::vector<int32_t> pieces = dump.AssignmentOf(stages[stage]);
      if (pieces.empty()) continue;
      const int32_t owner = dump.ModuleFileOf(stages[stage]);
      DumpCheckItem& item = items[owner >= 0 ? owner : pieces.front()];
      if (owner >= 0) item.module = owner;
      item.pieces = std::move(pieces);
    }
  }
  std::vector<DumpCheckItem> list;
  list.reserve(items.size());
  for (auto& [file, item] : items) list.push_back(std::move(item));
  return list;
}

std::vector<CheckedFile> CheckDumpItem(const DumpCheckItem& item, const CheckOptions& options,
                                       const Dump& dump) {
  std::vector<CheckedFile> checked;
  std::optional<Document> owner;
  if (item.module) {
    owner = OpenPart(*item.module, options, dump);
    if (item.reports_module) checked.push_back(CheckDocument(*owner, options));
  }
  if (item.pieces.empty()) return checked;
  std::vector<Document> parts;
  for (const int32_t piece : item.pieces) parts.push_back(OpenPart(piece, options, dump));
  Assignment assignment;
  AssignmentPieces pieces;
  JoinParts(parts, assignment, pieces);
  CheckOptions syntax = options;
  syntax.rules = false;  // the pieces are proved together
  bool is_read = true;
  const size_t first = checked.size();
  for (const Document& part : parts) {
    is_read &= part.errors() == 0;
    checked.push_back(CheckDocument(part, syntax));
  }
  if (!options.rules || !is_read || !pieces.has(AssignmentPiece::kAllocations)) return checked;
  const bool has_module = owner && owner->modules.size() == 1 && owner->errors() == 0;
  AddFindings(assignment, has_module ? &owner->modules.front().module : nullptr,
              owner ? std::string_view(owner->path) : std::string_view(), checked[first]);
  return checked;
}

}  // namespace halo
