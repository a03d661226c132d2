// Reads arbitrary bytes as a shape: a parameter's shape, a layout after its dimensions, an operand
// written with its shape. A shape that is accepted must have no negative size, accept default
// layouts, and print to a text that reads back to the same shape.
#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/base/check.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

void Read(const std::string& text) {
  TextReadResult read = ReadHloText(text);
  if (!read.diagnostics.ok()) return;
  Module& module = read.module;
  for (uint32_t id = 0, count = static_cast<uint32_t>(module.shapes.size()); id < count; ++id) {
    const auto bytes = module.shapes.ByteSize(ShapeId(id));
    HALO_CHECK(!bytes || *bytes >= 0);
    const auto elements = module.shapes.ElementCount(ShapeId(id));
    HALO_CHECK(!elements || *elements >= 0);
    module.shapes.WithDefaultLayouts(ShapeId(id));
    HALO_CHECK(module.shapes.WithoutLayouts(ShapeId(id)).valid());
  }
  const std::string printed = HloText(module);
  const TextReadResult again = ReadHloText(printed);
  HALO_CHECK(again.diagnostics.ok());
  HALO_CHECK(HloText(again.module) == printed);
}

}  // namespace
}  // namespace halo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string head = "HloModule m\n\nENTRY e {\n  ";
  halo::Read(head + "ROOT p = " + input + " parameter(0)\n}\n");
  halo::Read(head + "ROOT p = f32[4,8,2]{" + input + "} parameter(0)\n}\n");
  halo::Read(head + "p = f32[] parameter(0)\n  ROOT n = f32[] negate(" + input + " p)\n}\n");
  return 0;
}
