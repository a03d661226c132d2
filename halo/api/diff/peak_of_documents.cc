// The assignment is looked for next to the module's file, as `halo memory` does.
#include "halo/api/diff/peak_of_documents.h"

#include "halo/api/document/embedded_assignment.h"
#include "halo/api/memory/memory.h"
#include "halo/base/strings/human_size.h"
#include "halo/diff/peak/replay.h"
#include "halo/dump/open_file.h"

namespace halo {
namespace {

constexpr size_t kMostPlanned = 200'000;  // instructions of a program that is planned here

MemoryInputs InputsOf(const Document& document) {
  std::vector<std::string> pieces;
  for (const std::string& name : NamesBeside(document.path)) {
    const bool is_piece = name.find("-buffer-assignment") != std::string::npos ||
                          name.find("-live-range") != std::string::npos;
    if (is_piece && DumpFileExists(name)) pieces.push_back(name);
  }
  MemoryInputs inputs;
  if (!pieces.empty()) {
    inputs = OpenMemoryInputs(pieces, {.open = {}, .look_beside = false});
    if (!inputs.ok()) inputs = {};
  }
  const DocumentModule& first = document.modules.front();
  if (!inputs.assignment && HasEmbeddedAssignment(first)) {
    Diagnostics ignored;
    inputs.assignment = EmbeddedAssignment(first, ignored);
    inputs.pieces = kEmbeddedPieces;
  }
  inputs.module = &first.module;
  inputs.module_path = document.path;
  return inputs;
}

// One program's memory, or nothing.
std::optional<MemoryResult> MemoryOf(const Document& document, std::string& why) {
  MemoryInputs inputs = InputsOf(document);
  const Module& module = *inputs.module;
  if (!inputs.assignment) {
    if (!module.is_scheduled()) return std::nullopt;
    if (module.insts.size() > kMostPlanned) {
      why = document.path + " has no buffer assignment next to it, and " +
            GroupedDigits(static_cast<int64_t>(module.insts.size())) +
            " instructions are too many to plan here";
      return std::nullopt;
    }
  }
  MemoryRequest request;
  request.advice = AdviceDepth::kNone;
  MemoryResult result = AnalyzeMemory(request, std::move(inputs));
  if (!result.succeeded || !result.ids || !result.explanation.has_times) return std::nullopt;
  return result;
}

ReplayOptions ReplayOptionsOf(const MemoryResult& memory, const BoundAssignment& bound) {
  ReplayOptions options;
  options.backend = memory.backend;
  options.assign.rules = memory.rules;
  if (!memory.is_planned) {
    options.assign.presets = PresetsOf(bound, memory.rules.backend);
    options.assign.numbered = NumberedComputations(bound);
  }
  return options;
}

}  // namespace

std::shared_ptr<const PeakChange> PeakOfPlans(const PlanOfProgram& before,
                                              const PlanOfProgram& after,
                                              const MatchedPrograms& programs) {
  StoredValues stored_a(programs, ProgramSide::kBefore, before.bound);
  StoredValues stored_b(programs, ProgramSide::kAfter, after.bound);
  auto change = std::make_shared<PeakChange>(
      ComparePeaks(stored_a, {before.bound, before.result.explanation, before.result.is_planned},
                   stored_b, {after.bound, after.result.explanation, after.result.is_planned}));
  if (programs.a.insts.size() <= kMostPlanned) {
    ReplayCauses(programs, stored_a, stored_b, ReplayOptionsOf(before.result, before.bound),
                 *change);
  }
  return change;
}

std::shared_ptr<const PeakChange> PeakOfDocuments(const Document& before, const Document& after,
                                                  const MatchedPrograms& programs,
                                                  std::string& why) {
  const std::optional<MemoryResult> a = MemoryOf(before, why);
  if (!a) return nullptr;
  const std::optional<MemoryResult> b = MemoryOf(after, why);
  if (!b) return nullptr;
  const BoundAssignment bound_a(a->assignment, &programs.a, *a->ids);
  const BoundAssignment bound_b(b->assignment, &programs.b, *b->ids);
  return PeakOfPlans({*a, bound_a}, {*b, bound_b}, programs);
}

}  // namespace halo
