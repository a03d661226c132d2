// What each word of a text is: definitions, uses, opcodes, attributes, and which lines belong to
// which instruction and computation. Works line by line on any text, also where the reader would
// only report mistakes, and never fails. What names refer to is decided elsewhere.
#ifndef HALO_LSP_SYNTAX_SYNTAX_H_
#define HALO_LSP_SYNTAX_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "halo/ir/attributes/attr.h"

namespace halo::lsp {

enum class WordKind : uint8_t {
  kKeyword,  // HloModule, ENTRY, ROOT
  kModuleName,
  kComputation,  // where it is defined
  kComputationUse,
  kInstruction,  // where it is defined
  kInstructionUse,
  kSignatureName,  // a parameter in the header of its computation
  kType,           // f32
  kOpcode,
  kAttribute,  // the name before =
  kValue,      // a bare word after it
  kNumber,
  kString,
  kComment,
};

struct Word {
  uint32_t begin = 0;
  uint32_t length = 0;  // without the percent sign of a name
  WordKind kind = WordKind::kValue;
  uint32_t instruction = UINT32_MAX;  // row of Syntax::instructions that it is part of
};

struct InstructionSyntax {
  uint32_t begin = 0, end = 0;  // from its first word to the end of its last line
  uint32_t name = UINT32_MAX;   // rows of Syntax::words
  uint32_t opcode = UINT32_MAX;
  uint32_t operands = 0;      // the byte after the opcode's parenthesis; 0 if there is none
  uint32_t operands_end = 0;  // the byte of the closing one; 0 if there is none
  uint32_t computation = UINT32_MAX;
  bool is_root = false;
};

struct ComputationSyntax {
  uint32_t begin = 0, end = 0;    // from its first word to its closing brace
  uint32_t name = UINT32_MAX;     // row of Syntax::words; none if it has no name
  uint32_t first = 0, count = 0;  // rows of Syntax::instructions
  bool is_entry = false;
};

struct Syntax {
  std::vector<Word> words;  // in order
  std::vector<InstructionSyntax> instructions;
  std::vector<ComputationSyntax> computations;

  // The word at a byte, or just before it; null if there is none.
  [[nodiscard]] const Word* At(size_t byte) const;
  // The instruction whose lines hold a byte; null if there is none.
  [[nodiscard]] const InstructionSyntax* InstructionAt(size_t byte) const;
  [[nodiscard]] const ComputationSyntax* ComputationAt(size_t byte) const;
};

// `text` is a whole text, or any of its lines from one that begins an instruction or a computation.
Syntax ReadSyntax(std::string_view text);

inline std::string_view TextOf(std::string_view text, const Word& word) {
  return text.substr(word.begin, word.length);
}

// True if the attribute's value names computations.
bool NamesComputations(AttrKey key);

// The last line at or before `byte` that begins an instruction or a computation; 0 if there is
// none.
size_t StatementBefore(std::string_view text, size_t byte);

}  // namespace halo::lsp

#endif  // HALO_LSP_SYNTAX_SYNTAX_H_
