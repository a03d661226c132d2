// Reads arbitrary bytes as a constant's value. The first byte selects the element type, the second
// the rank and dimensions. A value that is accepted must print to a text that reads back to the
// same bits, unless it was elided as {...}.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/base/check.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

const Inst* Constant(const Module& module) {
  for (const Inst& inst : module.insts) {
    if (inst.opcode == Opcode::kConstant) return &inst;
  }
  return nullptr;
}

void Read(const std::string& shape, const std::string& value) {
  const TextReadResult read = ReadHloText("HloModule m\n\nENTRY e {\n  ROOT c = " + shape +
                                          " constant(" + value + ")\n}\n");
  if (!read.diagnostics.ok()) return;
  const Inst* first = Constant(read.module);
  if (first == nullptr) return;
  const std::string printed = HloText(read.module);
  const TextReadResult again = ReadHloText(printed);
  HALO_CHECK(again.diagnostics.ok());
  const Inst* second = Constant(again.module);
  HALO_CHECK(second != nullptr);
  const auto bits = read.module.literals.bits(LiteralId(first->extra));
  HALO_CHECK(std::ranges::equal(bits, again.module.literals.bits(LiteralId(second->extra))));
  HALO_CHECK(HloText(again.module) == printed);
}

}  // namespace
}  // namespace halo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  constexpr const char* kDims[] = {"[]",    "[1]",     "[3]",       "[0]",
                                   "[2,2]", "[2,1,2]", "[1,2,1,2]", "[1000000]"};
  const auto type = static_cast<halo::ElementType>(data[0] % halo::ElementTypeCount());
  const std::string value(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string shape = std::string(halo::TextOf(type)) + kDims[data[1] % std::size(kDims)];
  halo::Read(shape, value);
  halo::Read("(" + shape + ", s8[2])", value);
  return 0;
}
