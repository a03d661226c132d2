// One instruction under verification: its operands, attributes and called computations, and where
// to report what is wrong with it. Rules are written against this interface and never access raw
// tables.
#ifndef HALO_SEMANTICS_RULES_RULE_CONTEXT_H_
#define HALO_SEMANTICS_RULES_RULE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/module.h"
#include "halo/semantics/facts/module_facts.h"
#include "halo/semantics/rules/finding.h"
#include "halo/semantics/rules/shape_value.h"

namespace halo {

// Concatenates the parts of a message.
template <class... Parts>
std::string Cat(const Parts&... parts) {
  TextBuffer out;
  (out << ... << parts);
  return out.str();
}

// "{1,0}"
std::string ListText(std::span<const int64_t> values);

class RuleContext {
 public:
  RuleContext(const Module& module, const ModuleFacts& facts, InstId id, RuleFindings& findings)
      : module_(module), facts_(facts), id_(id), inst_(module.inst(id)), findings_(findings) {}

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const ModuleFacts& facts() const { return facts_; }
  [[nodiscard]] const ShapeTable& shapes() const { return module_.shapes; }
  [[nodiscard]] InstId id() const { return id_; }
  [[nodiscard]] const Inst& inst() const { return inst_; }
  [[nodiscard]] Opcode opcode() const { return inst_.opcode; }
  [[nodiscard]] std::string_view opcode_text() const { return module_.opcode_text(inst_); }

  // The declared shape and the operands' shapes.
  [[nodiscard]] ShapeId shape() const { return inst_.shape; }
  [[nodiscard]] size_t operand_count() const { return inst_.operand_count; }
  [[nodiscard]] InstId operand_id(size_t i) const { return module_.operands_of(inst_)[i]; }
  [[nodiscard]] const Inst& operand_inst(size_t i) const { return module_.inst(operand_id(i)); }
  [[nodiscard]] ShapeId operand(size_t i) const { return operand_inst(i).shape; }
  [[nodiscard]] ElementType type(size_t i) const { return shapes().type(operand(i)); }
  [[nodiscard]] std::span<const int64_t> dims(size_t i) const { return DimsOf(operand(i)); }
  [[nodiscard]] bool is_array(size_t i) const { return shapes().is_array(operand(i)); }

  // Returns the dimensions of any shape; none if it is not an array.
  [[nodiscard]] std::span<const int64_t> DimsOf(ShapeId shape) const;
  [[nodiscard]] std::string Text(ShapeId shape) const { return shapes().Text(shape, false); }
  [[nodiscard]] std::string OperandText(size_t i) const { return Text(operand(i)); }

  [[nodiscard]] bool has(AttrKey key) const { return module_.Find(inst_, key) != nullptr; }
  [[nodiscard]] std::span<const int64_t> ints(AttrKey key) const {
    return module_.IntsOf(inst_.attrs, key);
  }
  [[nodiscard]] int64_t int_or(AttrKey key, int64_t fallback) const {
    return module_.IntOr(inst_.attrs, key, fallback);
  }
  [[nodiscard]] bool bool_or(AttrKey key, bool fallback) const {
    return module_.BoolOr(inst_.attrs, key, fallback);
  }
  [[nodiscard]] std::string_view text_or(AttrKey key, std::string_view fallback = {}) const {
    return module_.TextOr(inst_.attrs, key, fallback);
  }

  // Returns the `i`th computation that `key` names; none if it is missing or could not be read.
  [[nodiscard]] std::optional<CompId> called(AttrKey key, size_t i = 0) const;
  [[nodiscard]] size_t called_count(AttrKey key) const;
  [[nodiscard]] std::string_view CompName(CompId comp) const {
    return module_.text(module_.comp(comp).name);
  }
  [[nodiscard]] std::span<const InstId> parameters(CompId comp) const {
    return facts_.comp(comp).parameters;
  }
  [[nodiscard]] ShapeId parameter_shape(CompId comp, size_t i) const {
    return module_.inst(parameters(comp)[i]).shape;
  }
  [[nodiscard]] ShapeId result_shape(CompId comp) const {
    return module_.inst(module_.comp(comp).root).shape;
  }

  // Reports and returns nullopt, so that a rule can return the result.
  template <class... Parts>
  std::nullopt_t Fail(Rule rule, const Parts&... parts) {
    Report(rule, parts...);
    return std::nullopt;
  }
  template <class... Parts>
  void Report(Rule rule, const Parts&... parts) {
    if (findings_.full()) {
      findings_.Count(rule);
    } else {
      findings_.Add({rule, inst_.parent, id_, Cat(parts...)});
    }
  }

  [[nodiscard]] RuleFindings& findings() const { return findings_; }

  // Reports unless operand `i` is an array.
  bool NeedArray(size_t i);
  bool NeedArrays();
  // Reports unless the numbers are distinct and in [0, rank).
  bool NeedDims(AttrKey key, std::span<const int64_t> values, size_t rank);

 private:
  const Module& module_;
  const ModuleFacts& facts_;
  InstId id_;
  const Inst& inst_;
  RuleFindings& findings_;
};

// What a rule infers. Empty if operands and attributes do not determine the shape, or if an error
// has been reported.
using Inferred = std::optional<ShapeValue>;

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_RULE_CONTEXT_H_
