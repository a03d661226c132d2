// Writes a Module as HLO text in any style. For text that XLA printed, print(read(x)) is x, byte
// for byte.
#ifndef HALO_TEXT_WRITE_WRITE_TEXT_H_
#define HALO_TEXT_WRITE_WRITE_TEXT_H_

#include <string>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/module.h"

namespace halo {

void WriteHloText(const Module& module, const Style& style, TextBuffer& out);
std::string HloText(const Module& module, const Style& style);
inline std::string HloText(const Module& module) { return HloText(module, module.style); }

// The line of one instruction without indentation, as WriteHloText prints it.
std::string InstructionText(const Module& module, InstId inst, const Style& style);

}  // namespace halo

#endif  // HALO_TEXT_WRITE_WRITE_TEXT_H_
