// Documents are not moved; a request gets their descriptions and a copy of the assignment.
#include "halo/view/model/shown_assignment.h"

#include <array>
#include <utility>
#include <vector>

#include "halo/api/document/embedded_assignment.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/read_assignment.h"

namespace halo::view {
namespace {

constexpr std::array<std::string_view, 3> kPlanTexts = {"dumped", "planned", "packed"};

// Takes the assignment inside the serialized module that the request is about.
void AddEmbedded(std::span<const std::shared_ptr<const Document>> documents, MemoryInputs& inputs) {
  for (size_t i = 0; i < documents.size(); ++i) {
    for (const DocumentModule& each : documents[i]->modules) {
      if (&each.module != inputs.module || !HasEmbeddedAssignment(each)) continue;
      inputs.assignment = EmbeddedAssignment(each, inputs.documents[i].diagnostics);
      inputs.pieces = kEmbeddedPieces;
    }
  }
}

void AddAssignment(std::span<const std::shared_ptr<const Document>> documents,
                   MemoryInputs& inputs) {
  std::vector<const Document*> pieces;
  std::vector<size_t> positions;
  std::vector<std::string_view> texts;
  for (size_t i = 0; i < documents.size(); ++i) {
    const Document& document = *documents[i];
    if (!document.memory || document.memory->report || !document.source) continue;
    pieces.push_back(&document);
    positions.push_back(i);
    texts.push_back(document.source->bytes());
  }
  if (pieces.empty()) {
    AddEmbedded(documents, inputs);
    return;
  }
  if (pieces.size() == 1) {
    inputs.pieces = pieces[0]->memory->pieces;
    inputs.documents[positions[0]].diagnostics.Append(pieces[0]->memory->diagnostics);
    if (inputs.pieces.has(AssignmentPiece::kAllocations)) {
      inputs.assignment = pieces[0]->memory->assignment;
    }
    return;
  }
  AssignmentReadResult read = ReadAssignment(texts);
  inputs.pieces = read.all_pieces();
  // Information missing from one piece may come from the others.
  for (size_t i = 0; i < positions.size(); ++i) {
    inputs.documents[positions[i]].diagnostics.Append(read.diagnostics[i]);
  }
  if (inputs.pieces.has(AssignmentPiece::kAllocations)) {
    inputs.assignment = std::move(read.assignment);
  }
}

}  // namespace

std::optional<AssignmentSource> AssignmentSourceFromText(std::string_view text) {
  for (size_t i = 0; i < kPlanTexts.size(); ++i) {
    if (kPlanTexts[i] == text) return static_cast<AssignmentSource>(i);
  }
  return std::nullopt;
}

ShownAssignment::ShownAssignment(MemoryResult made, const Module* of)
    : result(std::move(made)),
      module(result.belongs ? of : nullptr),
      bound(module != nullptr && result.ids
                ? BoundAssignment(result.assignment, module, *result.ids)
                : BoundAssignment(result.assignment, module)),
      origins(bound),
      slots(result.assignment),
      roles(bound, origins) {}

MemoryInputs InputsOf(std::span<const std::shared_ptr<const Document>> documents,
                      const Module* module, std::string_view module_path) {
  MemoryInputs inputs;
  for (const auto& document : documents) {
    inputs.documents.push_back(DescriptionOf(*document));
    inputs.found.push_back(document->is_found);
  }
  inputs.module = module;
  inputs.module_path = module_path;
  AddAssignment(documents, inputs);
  if (module == nullptr && !inputs.assignment && inputs.ok()) {
    inputs.diagnostics.Add(MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                                "neither a module nor a list of allocations"));
  }
  return inputs;
}

std::string WhyNoResult(const MemoryResult& result) {
  for (const Diagnostics* list : {&result.diagnostics, &result.inputs.diagnostics}) {
    for (const Diagnostic& each : list->all()) {
      if (each.severity == Severity::kError) return each.message;
    }
  }
  for (const Document& document : result.inputs.documents) {
    for (const Diagnostic& each : document.diagnostics.all()) {
      if (each.severity == Severity::kError) return each.message;
    }
  }
  return "the memory cannot be analyzed";
}

}  // namespace halo::view
