// The files behind a request about memory: a module, the pieces of its assignment, or both. Related
// files next to a given file in a dump are included as well.
#ifndef HALO_API_MEMORY_MEMORY_INPUTS_H_
#define HALO_API_MEMORY_MEMORY_INPUTS_H_

#include <string>
#include <vector>

#include "halo/api/document/document.h"

namespace halo {

struct MemoryInputs {
  std::vector<Document> documents;
  std::vector<bool> found;         // for each document: not given, but found next to one
  const Module* module = nullptr;  // owned by one of the documents, or by one that outlives this
  std::string module_path;         // path of its document
  std::optional<Assignment> assignment;
  AssignmentPieces pieces;
  Diagnostics diagnostics;  // about the files together

  [[nodiscard]] bool ok() const;
};

struct MemoryInputOptions {
  OpenOptions open;
  bool look_beside = true;
  bool with_assignment = true;  // false: plan, except for what only an assignment contains
};

MemoryInputs OpenMemoryInputs(const std::vector<std::string>& paths,
                              const MemoryInputOptions& options);

// Names of files that XLA writes next to this one and that describe the same assignment, whether
// they exist or not; the module's file comes first.
std::vector<std::string> NamesBeside(const std::string& path);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_INPUTS_H_
