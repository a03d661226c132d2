// The queries that rules make about an instruction.
#include "halo/semantics/rules/rule_context.h"

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

std::span<const int64_t> RuleContext::DimsOf(ShapeId shape) const {
  if (shapes().is_buffer(shape)) return DimsOf(shapes().buffer_inner(shape));
  if (!shapes().is_array(shape)) return {};
  return shapes().dims(shape);
}

size_t RuleContext::called_count(AttrKey key) const {
  const Attr* attr = module_.Find(inst_, key);
  if (attr == nullptr) return 0;
  return InfoOf(key).kind == AttrKind::kCompList ? module_.list(attr->value).size() : 1;
}

std::optional<CompId> RuleContext::called(AttrKey key, size_t i) const {
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

bool RuleContext::NeedArray(size_t i) {
  if (is_array(i)) return true;
  Report(Rule::kOperandArray, "operand ", i, " of ", opcode_text(), " is ", OperandText(i),
         ", not an array");
  return false;
}

bool RuleContext::NeedArrays() {
  for (size_t i = 0; i < operand_count(); ++i) {
    if (!NeedArray(i)) return false;
  }
  return true;
}

bool RuleContext::NeedDims(AttrKey key, std::span<const int64_t> values, size_t rank) {
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
