// The files behind a question about memory: a module, the pieces of its assignment, or both; what
// stands beside a given file in a dump is taken in as well.
#ifndef HALO_API_MEMORY_MEMORY_INPUTS_H_
#define HALO_API_MEMORY_MEMORY_INPUTS_H_

#include <string>
#include <vector>

#include "halo/api/document/document.h"

namespace halo {

struct MemoryInputs {
  std::vector<Document> documents;
  std::vector<bool> found;         // for each document: it was not given, but stands beside one
  const Module* module = nullptr;  // of one of the documents, or of one that outlives this
  std::string module_path;         // of its document
  std::optional<Assignment> assignment;
  AssignmentPieces pieces;
  Diagnostics diagnostics;  // of the files together

  [[nodiscard]] bool ok() const;
};

struct MemoryInputOptions {
  OpenOptions open;
  bool look_beside = true;
  bool with_assignment = true;  // false: plan anew, but for what only an assignment can tell
};

MemoryInputs OpenMemoryInputs(const std::vector<std::string>& paths,
                              const MemoryInputOptions& options);

// Names of files that XLA writes beside this one and that tell of the same assignment, whether they
// exist or not; the module's own first.
std::vector<std::string> NamesBeside(const std::string& path);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_INPUTS_H_
