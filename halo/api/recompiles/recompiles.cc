// Compilations are compared as the framework wrote them, before XLA changes anything, if the dump
// has that stage.
#include "halo/api/recompiles/recompiles.h"

#include <algorithm>
#include <map>
#include <set>

#include "halo/diff/diff.h"
#include "halo/dump/open_file.h"

namespace halo {
namespace {

// Earlier compilations of a function that a new one is compared with.
constexpr size_t kMostCandidates = 64;

// The first stage that has a module's file; -1 if there is none. Protos elide no constants.
int32_t FileOfCompile(const Dump& dump, const DumpModule& module) {
  for (const DumpStage& stage : module.stages) {
    if (const int32_t file = dump.ModuleFileOf(stage, true); file >= 0) return file;
  }
  return -1;
}

void AddFlags(const Dump& dump, const DumpModule& module, CompileSummary& summary) {
  const auto add = [&](int32_t file) {
    if (dump.files[static_cast<size_t>(file)].file_role != FileRole::kFlags) return;
    const Result<SourceBuffer> source = OpenDumpFile(dump.PathOf(file), dump.Fence());
    if (!source) return;
    summary.flags = ReadFlags(source->bytes());
    summary.has_flags = true;
  };
  for (const int32_t file : module.others) add(file);
  for (const DumpStage& stage : module.stages) {
    for (const int32_t file : stage.files) add(file);
  }
}

// How far apart two compilations are; the least is taken for the predecessor.
int Distance(const std::vector<RecompileChange>& changes) {
  int distance = 0;
  for (const RecompileChange& change : changes) {
    switch (change.cause) {
      case RecompileCause::kIdentical: break;
      case RecompileCause::kMetadata:
      case RecompileCause::kUnknown: distance += 1; break;
      case RecompileCause::kArguments: distance += 40; break;
      case RecompileCause::kCode: distance += 20; break;
      case RecompileCause::kShape:
      case RecompileCause::kDtype: distance += 12; break;
      default: distance += 10; break;
    }
  }
  return distance;
}

// Puts the largest change of the program itself into words.
void NameChange(const Compile& before, Compile& after, const OpenOptions& options) {
  const auto at = std::find_if(after.changes.begin(), after.changes.end(), [](const auto& each) {
    return each.cause == RecompileCause::kCode || each.cause == RecompileCause::kConstant;
  });
  if (at == after.changes.end()) return;
  const Document old_document = OpenDocument(before.path, options);
  const Document new_document = OpenDocument(after.path, options);
  if (old_document.modules.empty() || new_document.modules.empty()) return;
  const ProgramDiff diff =
      DiffPrograms(old_document.modules.front().module, new_document.modules.front().module);
  for (const DiffCause& cause : diff.causes) {
    if (cause.kind != CauseKind::kValues) continue;
    at->what = cause.what + (cause.op_name.empty() ? "" : " at " + cause.op_name);
    return;
  }
}

}  // namespace

RecompileResult FindRecompiles(const Dump& dump, const OpenOptions& options) {
  RecompileResult result;
  std::vector<CompileSummary> summaries;
  std::map<std::pair<int32_t, std::string>, std::vector<int32_t>> earlier;
  for (const DumpModule& module : dump.modules) {
    const int32_t file = FileOfCompile(dump, module);
    if (file < 0) continue;
    Compile& compile = result.compiles.emplace_back();
    CompileSummary& summary = summaries.emplace_back();
    compile.function = module.name;
    compile.number = module.number;
    compile.rank = dump.ranks[static_cast<size_t>(module.rank)];
    compile.path = dump.PathOf(file);
    OpenOptions how = options;
    how.keep_source = true;
    const Document document = OpenDocument(compile.path, how);
    if (document.modules.empty() || document.errors() != 0 || !document.source) {
      compile.refused = "it cannot be read as a program";
      ++result.unreadable;
      continue;
    }
    summary = SummarizeCompile(document.modules.front().module, document.source->bytes());
    AddFlags(dump, module, summary);
    std::vector<int32_t>& candidates = earlier[{module.rank, module.name}];
    int least = INT32_MAX;
    for (size_t i = candidates.size(); i-- > 0;) {
      if (candidates.size() - i > kMostCandidates) break;
      std::vector<RecompileChange> changes =
          CompareCompiles(summaries[static_cast<size_t>(candidates[i])], summary);
      const int distance = Distance(changes);
      if (distance >= least) continue;
      least = distance;
      compile.predecessor = candidates[i];
      compile.changes = std::move(changes);
    }
    candidates.push_back(static_cast<int32_t>(result.compiles.size()) - 1);
  }
  for (Compile& compile : result.compiles) {
    if (compile.predecessor < 0) continue;
    ++result.recompiles;
    NameChange(result.compiles[static_cast<size_t>(compile.predecessor)], compile, options);
  }
  result.functions = static_cast<int64_t>(earlier.size());
  return result;
}

}  // namespace halo
