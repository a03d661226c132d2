// What `halo compile` asks of an engine and what it shows: the files that XLA's CPU backend would
// write to a dump folder, for the engine's own compilation of a module. They are the module before
// and after the passes, scheduled, and the documents about its memory, all with XLA's names and in
// its formats.
#ifndef HALO_API_RUN_COMPILED_DOCUMENTS_H_
#define HALO_API_RUN_COMPILED_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/document/document.h"

namespace halo {

struct CompileRequest {
  std::string file;
  OpenOptions open;
  std::vector<std::string> without;  // passes to skip
  bool wants_decisions = false;      // of the passes, with their causes
};

struct CompiledDocument {
  std::string name;  // "module_0000.jit_step.cpu_after_optimizations.txt"
  std::string text;
};

struct CompiledProgram {
  std::string name;
  std::vector<CompiledDocument> documents;
  std::vector<std::string> decisions;
  int64_t instructions_before = 0, instructions = 0;  // not counting fusions and other embedded
                                                      // code
  int64_t fusions = 0, copies = 0;
  int64_t total_bytes = 0;  // of all allocations
  int64_t heap_bytes = 0;   // of the preallocated temp among them
  std::string unsound;      // the checker's finding against the assignment, or empty
  double seconds = 0;
};

struct CompileResult {
  Document document;
  Diagnostics diagnostics;                // why there are fewer programs than modules
  std::vector<CompiledProgram> programs;  // one per module of the file

  [[nodiscard]] bool ok() const { return document.errors() == 0 && diagnostics.ok(); }
};

}  // namespace halo

#endif  // HALO_API_RUN_COMPILED_DOCUMENTS_H_
