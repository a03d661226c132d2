// One row for each document and request.
#include "halo/api/registry/all_documents.h"

#include <string>
#include <vector>

#include "halo/api/check/rules_document.h"
#include "halo/api/document/command_documents.h"
#include "halo/api/info/ls_document.h"
#include "halo/api/memory/pack_document.h"
#include "halo/api/numbers/broken_pass_document.h"
#include "halo/api/passes/passes_document.h"
#include "halo/api/registry/describe_document.h"
#include "halo/api/run/compare_document.h"
#include "halo/api/run/compile_document.h"
#include "halo/api/scan/scan_document.h"
#include "halo/api/shrink/shrink_document.h"
#include "halo/api/snapshot/gate_document.h"
#include "halo/api/time/machine/machine_document.h"
#include "haloscope/check.h"
#include "haloscope/diff.h"
#include "haloscope/info.h"
#include "haloscope/memory.h"
#include "haloscope/numbers.h"
#include "haloscope/ranks.h"
#include "haloscope/recompiles.h"
#include "haloscope/run.h"
#include "haloscope/snapshot.h"
#include "haloscope/time.h"

namespace halo {
namespace {

using describe::DocumentModel;

template <describe::IsDocument T>
DocumentModel DocumentRow(std::string_view made_by) {
  return {std::string(T::kSchema), std::string(made_by), describe::ModelOf<T>()};
}

template <describe::Described T>
DocumentModel RequestRow(std::string_view command) {
  return {std::string(command), "halo " + std::string(command), describe::ModelOf<T>()};
}

}  // namespace

std::span<const DocumentModel> AllDocuments() {
  static const std::vector<DocumentModel> kAll = {
      DocumentRow<documents::DescribeResult>("halo describe --json [NAME]"),
      DocumentRow<documents::AskResult>("halo ask REQUEST FILE..."),
      DocumentRow<documents::CompileResult>("halo compile --json FILE"),
      DocumentRow<documents::ConvertResult>("halo convert --json FILE"),
      DocumentRow<documents::ErrorResult>("any command without a result"),
      DocumentRow<documents::FmtResult>("halo fmt --json FILE..."),
      DocumentRow<documents::LsResult>("halo ls --json DIR"),
      DocumentRow<documents::LspResult>("halo lsp --json"),
      DocumentRow<documents::McpResult>("halo mcp --http --json"),
      DocumentRow<documents::PackResult>("halo pack --json FILE..."),
      DocumentRow<documents::ReportResult>("halo report --json DIR"),
      DocumentRow<documents::ShrinkResult>("halo shrink --json FILE"),
      DocumentRow<documents::ViewResult>("halo view --json DIR"),
      DocumentRow<v0::CheckResult>("halo check --json FILE..."),
      DocumentRow<documents::RulesResult>("halo check --rules --json"),
      DocumentRow<v0::InfoResult>("halo info --json FILE..."),
      DocumentRow<v0::MemoryResult>("halo memory --json FILE..."),
      DocumentRow<v0::DiffResult>("halo diff --json A B"),
      DocumentRow<documents::GateResult>("halo diff --json --fail-on RULES A B"),
      DocumentRow<v0::NumbersResult>("halo diff --run --json A B"),
      DocumentRow<v0::RanksResult>("halo diff --ranks --json DIR"),
      DocumentRow<v0::RecompilesResult>("halo diff --recompiles --json DIR"),
      DocumentRow<documents::PassesResult>("halo passes --json DIR"),
      DocumentRow<documents::BrokenPassResult>("halo passes --run --json DIR"),
      DocumentRow<documents::PassDiffResult>("halo diff --passes --json DIR_A DIR_B"),
      DocumentRow<v0::RunResult>("halo run --json FILE"),
      DocumentRow<documents::CompareResult>("halo compare --ranks --json FILE"),
      DocumentRow<v0::SnapshotResult>("halo snapshot --json FILE"),
      DocumentRow<v0::TimeResult>("halo time --json FILE..."),
      DocumentRow<documents::ScanResult>("halo scan --to DIR --json"),
      DocumentRow<documents::MachineResult>("halo time --json --calibrate OUTPUT"),
  };
  return kAll;
}

std::span<const DocumentModel> AllRequests() {
  static const std::vector<DocumentModel> kAll = {
      RequestRow<v0::CheckRequest>("check"),      RequestRow<v0::DiffRequest>("diff"),
      RequestRow<v0::InfoRequest>("info"),        RequestRow<v0::MemoryRequest>("memory"),
      RequestRow<documents::PackRequest>("pack"), RequestRow<documents::ShrinkRequest>("shrink"),
      RequestRow<v0::RunRequest>("run"),          RequestRow<v0::SnapshotRequest>("snapshot"),
      RequestRow<v0::TimeRequest>("time"),
  };
  return kAll;
}

bool IsCalled(const DocumentModel& document, std::string_view name) {
  return document.schema == name || document.schema.starts_with("halo." + std::string(name) + ".");
}

const DocumentModel* FindDocument(std::string_view name) {
  for (const DocumentModel& each : AllDocuments()) {
    if (IsCalled(each, name)) return &each;
  }
  return nullptr;
}

}  // namespace halo
