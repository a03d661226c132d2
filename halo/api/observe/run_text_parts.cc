// Literals go through the writer for constants; locations use the code of memory explanations.
#include "halo/api/observe/run_text_parts.h"

#include "halo/api/observe/run_observers.h"
#include "halo/base/capped.h"
#include "halo/memory/explain/origins.h"
#include "halo/text/write/write_literal.h"

namespace halo {
namespace {

constexpr int64_t kSmallElements = 64;

}  // namespace

// An array without elements is printed with the braces of its first dimensions, up to the empty
// one.
bool IsSmall(const Array& array) {
  int64_t printed = 1;
  for (const int64_t dim : array.dims()) {
    if (dim == 0) break;
    printed = MultiplyCapped(printed, dim);
  }
  return printed <= kSmallElements;
}

std::string LiteralText(const Array& array) {
  Module scratch;
  const ShapeId shape = scratch.shapes.Array(array.type(), array.dims());
  const LiteralId literal = scratch.literals.Add(shape, {array.bytes(), array.byte_count()});
  TextBuffer out;
  WriteLiteral(scratch, literal, out);
  return out.str();
}

std::string ShapeText(ElementType type, std::span<const int64_t> dims) {
  std::string text(TextOf(type));
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + ']';
}

InstructionLocation LocationOf(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  InstructionLocation location;
  location.name = module.name_of(inst);
  location.opcode = module.opcode_text(inst);
  const Origin origin = OriginOf(module, id);
  location.op_name = origin.op_name;
  if (!origin.file.empty()) location.source = SourceText(origin);
  for (const InstId caller : CallPath(module, id)) {
    const Inst& call = module.inst(caller);
    const bool is_entry = call.parent == module.entry;
    location.path.push_back(
        (is_entry ? "ENTRY %" : "%") + std::string(module.text(module.comp(call.parent).name)) +
        ": " + std::string(module.opcode_text(call)) + " %" + std::string(module.name_of(call)));
  }
  const bool is_entry = inst.parent == module.entry;
  location.path.push_back((is_entry ? "ENTRY %" : "%") +
                          std::string(module.text(module.comp(inst.parent).name)) + ": " +
                          location.opcode + " %" + location.name);
  return location;
}

}  // namespace halo
