// Implements lookups on a Module and its memory accounting.
#include "halo/ir/module.h"

namespace halo {

Module::Module() { Clear(); }

void Module::Clear() {
  strings.Clear();
  ints.Clear();
  attr_lists.Clear();
  shapes.Clear();
  literals.Clear();
  insts.clear();
  operands.clear();
  comps.clear();
  order.clear();
  stack = {};
  style = {};
  entry = {};
  // The empty string, list and attribute list always have number 0.
  Str("");
  Ints({});
  attrs = Attrs({});
  name = StrId(0u);
}

std::string_view Module::opcode_text(const Inst& inst) const {
  return inst.opcode == Opcode::kUnknown ? text(StrId(inst.extra)) : TextOf(inst.opcode);
}

const Attr* Module::Find(AttrListId list, AttrKey key) const {
  for (const Attr& attr : attr_lists[list.value]) {
    if (attr.key == key) return &attr;
  }
  return nullptr;
}

int64_t Module::IntValue(const Attr& attr) const {
  if (attr.form == AttrForm::kListed) return ints[attr.value][0];
  return static_cast<int32_t>(attr.value);
}

int64_t Module::IntOr(AttrListId list, AttrKey key, int64_t fallback) const {
  const Attr* attr = Find(list, key);
  return attr == nullptr ? fallback : IntValue(*attr);
}

bool Module::BoolOr(AttrListId list, AttrKey key, bool fallback) const {
  const Attr* attr = Find(list, key);
  return attr == nullptr ? fallback : attr->value != 0;
}

std::string_view Module::TextOr(AttrListId list, AttrKey key, std::string_view fallback) const {
  const Attr* attr = Find(list, key);
  return attr == nullptr ? fallback : text(StrId(attr->value));
}

std::span<const int64_t> Module::IntsOf(AttrListId list, AttrKey key) const {
  const Attr* attr = Find(list, key);
  if (attr == nullptr) return {};
  return ints[attr->value];
}

AttrListId Module::MetadataOf(const Inst& inst) const {
  const Attr* attr = Find(inst, AttrKey::k_metadata);
  return attr == nullptr ? AttrListId(0u) : AttrListId(attr->value);
}

std::string_view Module::MetadataText(const Inst& inst, AttrKey key) const {
  const Attr* attr = Find(MetadataOf(inst), key);
  if (attr == nullptr) return {};
  return attr->form == AttrForm::kOwnName ? name_of(inst) : text(StrId(attr->value));
}

void Module::CalledBy(const Inst& inst, std::vector<CompId>& out) const {
  for (const Attr& attr : attrs_of(inst)) {
    const AttrKind kind = InfoOf(attr.key).kind;
    if (kind == AttrKind::kComp) out.emplace_back(attr.value);
    if (kind == AttrKind::kCompList) {
      for (const int64_t comp : ints[attr.value]) out.emplace_back(static_cast<uint32_t>(comp));
    }
  }
}

Attr Module::MakeInt(AttrKey key, int64_t value) {
  if (value == static_cast<int32_t>(value)) {
    return Attr{key, AttrForm::kPlain, 0, static_cast<uint32_t>(value)};
  }
  return Attr{key, AttrForm::kListed, 0, Ints({&value, 1}).value};
}

void Module::Shrink() {
  strings.Shrink();
  ints.Shrink();
  attr_lists.Shrink();
  shapes.Shrink();
  literals.Shrink();
  insts.shrink_to_fit();
  operands.shrink_to_fit();
  comps.shrink_to_fit();
  order.shrink_to_fit();
}

size_t Module::bytes() const {
  return strings.bytes() + ints.bytes() + attr_lists.bytes() + shapes.bytes() + literals.bytes() +
         insts.capacity() * sizeof(Inst) + operands.capacity() * sizeof(InstId) +
         comps.capacity() * sizeof(Computation) + order.capacity() * sizeof(CompId) +
         (stack.file_names.capacity() + stack.function_names.capacity()) * sizeof(StrId) +
         stack.file_locations.capacity() * sizeof(FileLocation) +
         stack.stack_frames.capacity() * sizeof(StackFrame) +
         stack.verbatim.capacity() * sizeof(StackText);
}

}  // namespace halo
