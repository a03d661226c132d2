// The parts of an instruction's line as assignments quote it: opcode, names of operands,
// attributes. Used for planning and explaining without a module; the checker has separate code for
// such lines.
#ifndef HALO_MEMORY_TEXT_PRINTED_INSTRUCTION_H_
#define HALO_MEMORY_TEXT_PRINTED_INSTRUCTION_H_

#include <string_view>
#include <vector>

namespace halo {

// Views into the line; all are empty if it is not an instruction.
struct PrintedInstruction {
  std::string_view opcode;
  std::vector<std::string_view> operands;
  std::string_view after;  // the attributes
};

PrintedInstruction ReadPrintedInstruction(std::string_view line);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_PRINTED_INSTRUCTION_H_
