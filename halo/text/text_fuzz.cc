// Reads arbitrary bytes as HLO text. Reading must terminate, stay within its memory bound and never
// crash. A module that was read without an error must print to a text that reads without an error
// and prints the same again, must read alike on one thread and on two, and must survive generation
// detection, restyling and canonicalization. Captures are split first, as the command does.
#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/base/check.h"
#include "halo/text/canonical/canonical.h"
#include "halo/text/framing/framing.h"
#include "halo/text/generation.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

constexpr size_t kBytesPerByte = 50;
constexpr size_t kAlwaysAllowed = size_t{64} << 10;

void MustPrintStably(const Module& module) {
  const std::string printed = HloText(module);
  const TextReadResult again = ReadHloText(printed);
  HALO_CHECK(again.diagnostics.ok());
  HALO_CHECK(HloText(again.module) == printed);
}

void ReadOne(const SourceBuffer& source) {
  TextReadResult one = ReadHloText(source, {.threads = 1});
  HALO_CHECK(one.module.bytes() <= source.bytes().size() * kBytesPerByte + kAlwaysAllowed);
  // Starting threads takes longer than everything else, so only some inputs get them.
  TextReadResult two = ReadHloText(source, {.threads = source.bytes().size() % 8 == 0 ? 2 : 1});
  HALO_CHECK(two.diagnostics.errors() == one.diagnostics.errors());
  HALO_CHECK(two.diagnostics.warnings() == one.diagnostics.warnings());
  if (!one.diagnostics.ok()) return;
  HALO_CHECK(HloText(one.module) == HloText(two.module));
  MustPrintStably(one.module);
  DetectGeneration(one.module);
  RestyleAs(Generation::kG1, two.module);
  MustPrintStably(two.module);
  Canonicalize(one.module);
  HALO_CHECK(ReadHloText(HloText(one.module)).diagnostics.ok());
}

}  // namespace
}  // namespace halo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = halo::SourceBuffer::Copy({reinterpret_cast<const char*>(data), size}, "fuzz");
  halo::ReadOne(source);
  for (const halo::TextSection& section : halo::SplitText(source).sections)
    halo::ReadOne(section.text);
  return 0;
}
