// The answer of `halo compile`: what XLA's CPU backend would leave in a dump folder, for this
// engine's own compilation of a module: the module before and after the passes, scheduled, and the
// documents about its memory, all under XLA's names and in its formats.
#ifndef HALO_ENGINE_COMPILE_DOCUMENTS_H_
#define HALO_ENGINE_COMPILE_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/document/document.h"

namespace halo {

struct CompileQuestion {
  std::string file;
  OpenOptions open;
  std::vector<std::string> without;  // passes to leave out
  bool wants_decisions = false;      // of the passes, with reasons
};

struct CompiledDocument {
  std::string name;  // "module_0000.jit_step.cpu_after_optimizations.txt"
  std::string text;
};

struct CompiledProgram {
  std::string name;
  std::vector<CompiledDocument> documents;
  std::vector<std::string> decisions;
  int64_t instructions_before = 0, instructions = 0;  // outside of fusions and other embedded code
  int64_t fusions = 0, copies = 0;
  int64_t total_bytes = 0;  // of all allocations
  int64_t heap_bytes = 0;   // of the preallocated temp among them
  std::string unsound;      // what the checker says against the assignment; empty if nothing
  double seconds = 0;
};

struct CompileAnswer {
  Document document;
  Diagnostics diagnostics;                // why there are fewer programs than modules
  std::vector<CompiledProgram> programs;  // one for each module of the file

  [[nodiscard]] bool ok() const { return document.errors() == 0 && diagnostics.ok(); }
};

CompileAnswer AnswerCompile(const CompileQuestion& question);

// Schema halo.compile.v1; `folder` is where the documents were written, empty if nowhere.
std::string CompileJson(const CompileAnswer& answer, const std::string& folder);

}  // namespace halo

#endif  // HALO_ENGINE_COMPILE_DOCUMENTS_H_
