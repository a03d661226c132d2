// What rules ask of an instruction.
#include "halo/semantics/op_context.h"

#include <algorithm>
#include <vector>

namespace halo {

std::string ListText(std::span<const int64_t> values) {
  TextBuffer out;
  out << '{';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out << ',';
    out << values[i];
  }
  out << '}';
  return out.str();
}

std::optional<std::string_view> FrontendAttribute(const Module& module, const Inst& inst,
                                                  std::string_view key) {
  const Attr* attr = module.Find(inst, AttrKey::k_frontend_attributes);
  if (attr == nullptr) return std::nullopt;
  const auto list = module.list(attr->value);
  for (size_t i = 0; i + 2 < list.size(); i += 3) {
    if (module.text(StrId(static_cast<uint32_t>(list[i]))) == key) {
      return module.text(StrId(static_cast<uint32_t>(list[i + 1])));
    }
  }
  return std::nullopt;
}

std::span<const int64_t> OpContext::DimsOf(ShapeId shape) const {
  if (shapes().is_buffer(shape)) return DimsOf(shapes().buffer_inner(shape));
  if (!shapes().is_array(shape)) return {};
  return shapes().dims(shape);
}

size_t OpContext::called_count(AttrKey key) const {
  const Attr* attr = module_.Find(inst_, key);
  if (attr == nullptr) return 0;
  return InfoOf(key).kind == AttrKind::kCompList ? module_.list(attr->value).size() : 1;
}

std::optional<CompId> OpContext::called(AttrKey key, size_t i) const {
  const Attr* attr = module_.Find(inst_, key);
  if (attr == nullptr) return std::nullopt;
  CompId comp(attr->value);
  if (InfoOf(key).kind == AttrKind::kCompList) {
    const auto list = module_.list(attr->value);
    if (i >= list.size()) return std::nullopt;
    comp = CompId(static_cast<uint32_t>(list[i]));
  }
  if (!facts_.usable(comp)) return std::nullopt;
  return comp;
}

bool OpContext::NeedArray(size_t i) {
  if (is_array(i)) return true;
  Report(Rule::kOperandArray, "operand ", i, " of ", opcode_text(), " is ", OperandText(i),
         ", not an array");
  return false;
}

bool OpContext::NeedArrays() {
  for (size_t i = 0; i < operand_count(); ++i) {
    if (!NeedArray(i)) return false;
  }
  return true;
}

bool OpContext::NeedDims(AttrKey key, std::span<const int64_t> values, size_t rank) {
  for (const int64_t value : values) {
    if (value < 0 || value >= static_cast<int64_t>(rank)) {
      Report(Rule::kDimensionRange, TextOf(key), "=", ListText(values), " names dimension ", value,
             " of a value that has ", rank);
      return false;
    }
  }
  std::vector<int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return true;
  Report(Rule::kDimensionTwice, TextOf(key), "=", ListText(values), " names dimension ", *twice,
         " twice");
  return false;
}

}  // namespace halo
