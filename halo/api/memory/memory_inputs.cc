// Handles one program at a time: a second module or a second assignment is rejected.
#include "halo/api/memory/memory_inputs.h"

#include <algorithm>
#include <array>
#include <span>

#include "halo/api/document/embedded_assignment.h"
#include "halo/dump/open_file.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/read_assignment.h"

namespace halo {
namespace {

using Endings = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kPacked = {"", ".gz", ".zst"};
constexpr std::array<std::string_view, 3> kPieces = {
    "-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt"};
constexpr std::array<std::string_view, 4> kModules = {".txt", ".hlo", ".hlo.pb", ".riegeli"};

// The common part of the names of a module and its assignment; empty if this is neither.
std::string StemOf(std::string path) {
  for (const std::string_view packed : kPacked) {
    if (!packed.empty() && path.ends_with(packed)) path.resize(path.size() - packed.size());
  }
  for (const Endings endings : {Endings(kPieces), Endings(kModules)}) {
    for (const std::string_view ending : endings) {
      if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
    }
  }
  return {};
}

void Refuse(std::string message, MemoryInputs& inputs) {
  inputs.diagnostics.Add(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)));
}

bool IsPiece(const Document& document) { return document.memory && !document.memory->report; }

void JoinPieces(MemoryInputs& inputs) {
  std::vector<std::string_view> texts;
  std::vector<Document*> from;
  for (Document& document : inputs.documents) {
    if (!IsPiece(document) || !document.source) continue;
    texts.push_back(document.source->bytes());
    from.push_back(&document);
  }
  if (texts.empty()) return;
  if (texts.size() == 1) {
    inputs.assignment = std::move(from[0]->memory->assignment);
    inputs.pieces = from[0]->memory->pieces;
  } else {
    AssignmentReadResult read = ReadAssignment(texts);
    inputs.pieces = read.all_pieces();
    inputs.assignment = std::move(read.assignment);
    for (size_t i = 0; i < from.size(); ++i) {
      from[i]->memory->diagnostics = std::move(read.diagnostics[i]);
    }
  }
  if (!inputs.pieces.has(AssignmentPiece::kAllocations)) inputs.assignment.reset();
}

bool IsSerializedPlan(const Document& document) {
  return document.kind == FileKind::kBufferAssignmentProto;
}

// Gives a serialized assignment to the serialized module that was given with it.
void AttachSerialized(MemoryInputs& inputs) {
  for (Document& plan : inputs.documents) {
    if (!IsSerializedPlan(plan) || !plan.source) continue;
    DocumentModule* module = nullptr;
    for (Document& other : inputs.documents) {
      if (other.from_proto() && other.modules.size() == 1) module = &other.modules.front();
    }
    if (module == nullptr) {
      RequireContents(plan);
    } else {
      module->proto.buffer_assignment = plan.source->bytes();
    }
  }
}

// Takes the assignment inside a serialized module if no text has one.
void TakeEmbedded(MemoryInputs& inputs) {
  for (Document& document : inputs.documents) {
    for (DocumentModule& each : document.modules) {
      if (inputs.assignment || !each.diagnostics.ok() || !HasEmbeddedAssignment(each)) continue;
      inputs.assignment = EmbeddedAssignment(each, each.diagnostics);
      inputs.pieces = kEmbeddedPieces;
    }
  }
}

}  // namespace

bool MemoryInputs::ok() const {
  return diagnostics.ok() && std::all_of(documents.begin(), documents.end(),
                                         [](const auto& each) { return each.errors() == 0; });
}

std::vector<std::string> NamesBeside(const std::string& path) {
  const std::string stem = StemOf(path);
  std::vector<std::string> names;
  if (stem.empty()) return names;
  for (const Endings endings : {Endings(kModules), Endings(kPieces)}) {
    for (const std::string_view ending : endings) {
      for (const std::string_view packed : kPacked) {
        names.push_back(stem + std::string(ending) + std::string(packed));
      }
    }
  }
  return names;
}

MemoryInputs OpenMemoryInputs(const std::vector<std::string>& paths,
                              const MemoryInputOptions& options) {
  MemoryInputs inputs;
  OpenOptions open = options.open;
  open.keep_source = true;
  open.module_beside = options.look_beside && paths.size() == 1;
  const auto kind_known = [&](FileKind kind) {
    return std::any_of(inputs.documents.begin(), inputs.documents.end(),
                       [&](const Document& each) { return each.kind == kind; });
  };
  const auto module_known = [&] {
    return std::any_of(inputs.documents.begin(), inputs.documents.end(),
                       [](const Document& each) { return !each.modules.empty(); });
  };
  for (const std::string& path : paths) {
    Document& document = inputs.documents.emplace_back(OpenDocument(path, open));
    inputs.found.push_back(false);
    if (!IsSerializedPlan(document)) RequireContents(document);
    if (document.memory && document.memory->report) {
      Refuse(document.path +
                 ": sizes in a memory usage report are rounded; provide the file named "
                 "-buffer-assignment.txt next to it",
             inputs);
    }
  }
  AttachSerialized(inputs);
  if (options.look_beside && inputs.ok()) {
    // A complete assignment needs no other file than its module.
    for (const std::string& path : paths) {
      for (const std::string& name : NamesBeside(path)) {
        if (!DumpFileExists(name) || std::find(paths.begin(), paths.end(), name) != paths.end())
          continue;
        const bool is_module = std::none_of(
            kPieces.begin(), kPieces.end(),
            [&](std::string_view piece) { return name.find(piece) != std::string::npos; });
        if (is_module && module_known()) continue;
        Document document = OpenDocument(name, open);
        if (kind_known(document.kind) || (document.modules.empty() && !IsPiece(document))) continue;
        inputs.documents.push_back(std::move(document));
        inputs.found.push_back(true);
      }
    }
  }
  if (options.with_assignment) {
    JoinPieces(inputs);
    TakeEmbedded(inputs);
  }
  size_t modules = 0;
  for (const Document& document : inputs.documents) {
    modules += document.modules.size();
    if (!document.modules.empty() && inputs.module == nullptr) {
      inputs.module = &document.modules.front().module;
      inputs.module_path = document.path;
    }
  }
  if (modules > 1) {
    Refuse("one program at a time: these files hold " + std::to_string(modules) + " modules",
           inputs);
  } else if (modules == 0 && !inputs.assignment && inputs.ok()) {
    Refuse(
        "neither a module nor a list of allocations: provide a module, or the file named "
        "-buffer-assignment.txt",
        inputs);
  }
  return inputs;
}

}  // namespace halo
