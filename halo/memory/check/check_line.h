// As much of one printed instruction as aliasing needs: its opcode, its number of operands and its
// output_to_operand_aliasing. The full grammar is in halo/text, which cannot read a line outside
// its computation.
#ifndef HALO_MEMORY_CHECK_CHECK_LINE_H_
#define HALO_MEMORY_CHECK_CHECK_LINE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "halo/ir/opcode.h"

namespace halo::check {

struct LinePair {
  int64_t operand = 0;
  std::vector<int64_t> operand_index;
  std::vector<int64_t> output_index;
};

struct InstLine {
  std::optional<Opcode> opcode;
  int64_t operands = 0;
  bool is_async = false;      // starts a computation, or continues one
  bool joins_pieces = false;  // its operands are concatenated in its result
  std::vector<LinePair> aliasing;
};

InstLine ReadInstLine(std::string_view line);

// The operands that the instruction's output at `output_index` must share memory with.
void PairsOfLine(const InstLine& line, std::span<const int64_t> output_index,
                 std::vector<LinePair>& out);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_LINE_H_
