// A whole text at one version: what `halo check` reports about it, and what its memory and its time
// are. Takes as long as it takes, on a copy of the text, so that it can be made beside the editing.
#ifndef HALO_LSP_DOCUMENT_WHOLE_PROGRAM_H_
#define HALO_LSP_DOCUMENT_WHOLE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/api/check/check_document.h"
#include "halo/api/document/document.h"
#include "halo/lsp/text/piece.h"
#include "halo/memory/model/assignment.h"
#include "halo/text/read/read_text.h"

namespace halo::lsp {

struct WholeRequest {
  std::string uri;
  std::string path;   // of the file; its name may tell more about the program
  int64_t edits = 0;  // made to the text so far
  std::vector<Piece> pieces;
  bool analyze = true;          // also memory and time
  std::vector<Piece> outdated;  // large computations that are to be read alone, too
  int64_t stack_frames = 0;
};

// What is known about one instruction beyond its text.
struct InstructionFacts {
  LiveRange live;      // of its result, or of the first part of a tuple that it defines
  float seconds = -1;  // of one run; -1: it takes none, or unknown
  double flops = 0;    // of one run
  double runs = 1;
};

struct WholeProgram {
  std::string uri;
  int64_t edits = 0;
  FileKind kind = FileKind::kEmpty;
  std::vector<CheckNote> notes;
  bool has_file_notes = false;  // some are about the file, not about its text
  size_t reading_errors = 0;
  size_t computations = 0;  // that are defined, if there is one module
  // Of the request's outdated pieces.
  std::vector<std::pair<Piece, std::shared_ptr<const ComputationReadResult>>> readings;

  // The rest is known only if it was asked for and there is exactly one module without errors.
  std::unique_ptr<Module> module;
  std::vector<InstructionFacts> facts;  // by instruction
  bool has_memory = false, has_time = false;
  int64_t peak_time = -1, peak_bytes = 0, device_bytes = 0;
  std::string peak_instruction, peak_computation;
  double step_seconds = 0;
  std::string memory_verdict, time_verdict, device;

  // By names, as FindInstruction; null if the instruction is unknown.
  [[nodiscard]] const InstructionFacts* Find(std::string_view computation,
                                             std::string_view instruction, InstId after = {}) const;
};

WholeProgram ReadWhole(const WholeRequest& request);

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_WHOLE_PROGRAM_H_
