// Modules around one library call whose parts are, mostly, not what its target expects: operands
// and results that are missing, surplus, empty, of another type or rank, or tuples; attributes that
// are missing, damaged or out of range. Choices decide, so a seed gives the same module again.
#ifndef HALO_EVAL_TEST_RANDOM_CALL_H_
#define HALO_EVAL_TEST_RANDOM_CALL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/test/call_drafts.h"

namespace halo::random_call {

class CallMutator {
 public:
  CallMutator(Choices& choices, CallDrafter& drafter, CallDraft& draft)
      : choices_(choices), drafter_(drafter), draft_(draft) {}

  void Mutate() {
    switch (choices_.Below(8)) {
      case 0:
      case 1: return MutateShapes(draft_.operands);
      case 2:
      case 3: return MutateResults();
      case 4:
      case 5: return MutateConfig();
      default: return MutateAttributes();
    }
  }

 private:
  void MutateShapes(std::vector<std::string>& shapes) {
    const uint32_t how = choices_.Below(9);
    if (how == 0) return shapes.clear();
    if (how == 1) return shapes.push_back(drafter_.AnyShape());
    if (shapes.empty()) return;
    std::string& shape = choices_.Pick(shapes);
    const auto at = shapes.begin() + (&shape - shapes.data());
    switch (how) {
      case 2: shapes.erase(at); return;
      case 3: shapes.insert(at, std::string(shape)); return;
      case 4: shape = drafter_.AnyShape(); return;
      case 5: shape = AsTuple(shape); return;
      case 6: ChangeType(shape); return;
      case 7: ChangeRank(shape); return;
      default: ChangeLayout(shape); return;
    }
  }

  std::string AsTuple(const std::string& shape) {
    switch (choices_.Below(4)) {
      case 0: return "()";
      case 1: return "(" + shape + ", " + shape + ")";
      case 2: return "((" + shape + "))";
      default: return "(" + shape + ")";
    }
  }

  // Texts such as `f32[2,3]`; tuples are left alone.
  void ChangeType(std::string& shape) {
    const size_t bracket = shape.find('[');
    if (bracket == std::string::npos || shape[0] == '(' || shape[1] == '(') return;
    shape = choices_.Pick(random_module::kTypes) + shape.substr(bracket);
  }
  void ChangeRank(std::string& shape) {
    const size_t bracket = shape.find('[');
    const size_t end = shape.find(']');
    if (bracket == std::string::npos || end == std::string::npos || shape[0] == '(') return;
    const bool is_scalar = end == bracket + 1;
    const size_t comma = shape.find(',', bracket);
    if (choices_.Chance(2)) {
      const std::string size = std::to_string(drafter_.Extent());
      shape.insert(bracket + 1, is_scalar ? size : size + ",");
    } else if (!is_scalar) {
      shape.erase(bracket + 1, (comma < end ? comma + 1 : end) - bracket - 1);
    }
  }
  void ChangeLayout(std::string& shape) {
    static constexpr const char* kLayouts[] = {"{0,1}", "{1,0}", "{0}", "{0,1,2}", "{0,2,1}"};
    if (shape.ends_with(']')) shape += choices_.Pick(kLayouts);
  }

  void MutateResults() {
    if (choices_.Chance(4)) {
      draft_.yields_array = !draft_.yields_array;
      return;
    }
    MutateShapes(draft_.results);
    if (draft_.results.size() != 1) draft_.yields_array = false;
  }

  void MutateConfig() {
    static constexpr const char* kWhole[] = {"",   "{}", "[]",    "null", "{\"a\":",     "1,2,3",
                                             "{x", "7",  "{a=1}", "\"\"", "{a = [1, 2]}"};
    std::string& config = draft_.config;
    if (config.empty() || choices_.Chance(4)) {
      config = choices_.Pick(kWhole);
      return;
    }
    const size_t at = choices_.Below(static_cast<uint32_t>(config.size()));
    switch (choices_.Below(4)) {
      case 0: config.erase(at, 1 + choices_.Below(12)); return;
      case 1: config.resize(at); return;
      case 2: return ReplaceNumber(at);
      default: return RenameKey(at);
    }
  }
  void ReplaceNumber(size_t at) {
    static constexpr const char* kNumbers[] = {"0",
                                               "-1",
                                               "3",
                                               "7",
                                               "1e300",
                                               "-9223372036854775808",
                                               "9223372036854775807",
                                               "2147483648",
                                               "99999999999999999999",
                                               "0.5",
                                               "true",
                                               "null",
                                               "\"x\"",
                                               "[]",
                                               "{}"};
    constexpr std::string_view kDigits = "-0123456789.";
    const size_t begin = draft_.config.find_first_of(kDigits, at);
    if (begin == std::string::npos) return;
    const size_t end = draft_.config.find_first_not_of(kDigits, begin);
    draft_.config.replace(begin, std::min(end, draft_.config.size()) - begin,
                          choices_.Pick(kNumbers));
  }
  void RenameKey(size_t at) {
    const size_t begin = draft_.config.find_first_of("abcdefghijklmnopqrstuvwxyz", at);
    if (begin != std::string::npos) draft_.config[begin] = 'X';
  }

  void MutateAttributes() {
    static constexpr const char* kAttributes[] = {
        "output_to_operand_aliasing={{}: (0, {})}",
        "output_to_operand_aliasing={{0}: (0, {})}",
        "output_to_operand_aliasing={{1}: (1, {0})}",
        "api_version=API_VERSION_ORIGINAL",
        "api_version=API_VERSION_STATUS_RETURNING",
        "api_version=API_VERSION_TYPED_FFI",
        "custom_call_has_side_effect=true",
        "called_computations={called}",
        "to_apply=called",
        "window={size=1x1}",
        "window={size=2 stride=9223372036854775807}",
        "window={size=3x3 pad=1_1x1_1 stride=2x2}",
        "window={size=2x2 lhs_dilate=2x2 rhs_dilate=2x2 rhs_reversal=1x1}",
        "window={size=9223372036854775807x1 pad=-9223372036854775807_0x0_0}",
        "dim_labels=b01f_01io->b01f",
        "dim_labels=bf01_oi01->bf01",
        "dim_labels=b0f_0io->b0f",
        "feature_group_count=2",
        "feature_group_count=0",
        "feature_group_count=9223372036854775807",
        "batch_group_count=2",
        "sharding={replicated}",
        "sharding={devices=[2,1]<=[2]}",
        "sharding={{replicated}, {maximal device=0}}",
        "operand_layout_constraints={}",
        "operand_layout_constraints={f32[2,2]{1,0}, f32[2,2]{1,0}}",
        "frontend_attributes={xla.sdy.sharding=\"x\"}",
        "schedule=SCHEDULE_LATEST",
        "padding_type=PADDING_SAME"};
    if (!draft_.attrs.empty() && choices_.Chance(3)) {
      draft_.attrs.erase(draft_.attrs.begin() +
                         choices_.Below(static_cast<uint32_t>(draft_.attrs.size())));
      return;
    }
    const std::string added = choices_.Pick(kAttributes);
    const std::string key = added.substr(0, added.find('=') + 1);
    std::erase_if(draft_.attrs, [&](const std::string& attr) { return attr.starts_with(key); });
    draft_.attrs.push_back(added);
  }

  Choices& choices_;
  CallDrafter& drafter_;
  CallDraft& draft_;
};

class CallModule {
 public:
  CallModule(Choices& choices, std::string_view target) : choices_(choices), target_(target) {}

  std::string Make() {
    CallDrafter drafter(choices_, target_);
    CallDraft draft = drafter.Make();
    for (uint32_t changes = choices_.Below(4); changes > 0; --changes) {
      CallMutator(choices_, drafter, draft).Mutate();
    }
    std::string operands;
    for (const std::string& shape : draft.operands) {
      operands += (operands.empty() ? "" : ", ") + Operand(shape);
    }
    const std::string result = ResultShape(draft);
    std::string call = result + " custom-call(" + operands + "), custom_call_target=\"" +
                       std::string(target_) + "\"";
    if (!draft.config.empty()) call += ", backend_config=" + Quoted(draft.config);
    for (const std::string& attr : draft.attrs) call += ", " + attr;
    AddUses(call, result, draft);
    return std::string("HloModule m") + (choices_.Chance(12) ? ", replica_count=2" : "") +
           (choices_.Chance(12) ? ", num_partitions=2" : "") +
           "\n\ncalled {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
           "  ROOT c = pred[] compare(a, b), direction=GT\n}\n\nENTRY e {\n" +
           body_ + "}\n";
  }

 private:
  static std::string ResultShape(const CallDraft& draft) {
    if (draft.yields_array && draft.results.size() == 1) return draft.results[0];
    std::string shape;
    for (const std::string& part : draft.results) shape += (shape.empty() ? "" : ", ") + part;
    return "(" + shape + ")";
  }

  static std::string Quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + "\"";
  }

  std::string Add(const std::string& op) {
    const std::string name = "v" + std::to_string(values_++);
    body_ += "  " + name + " = " + op + "\n";
    return name;
  }

  // A value of the shape; tuples and buffers are made, everything else is a parameter.
  std::string Operand(const std::string& shape) {
    if (shape.starts_with("b("))
      return Add(shape + " custom-call(), custom_call_target=\"CreateBuffer\"");
    if (shape == "token[]") return Add("token[] after-all()");
    if (shape == "()") return Add("() tuple()");
    return Add(shape + " parameter(" + std::to_string(parameters_++) + ")");
  }

  // The call is the result of the module, or other instructions use its parts.
  void AddUses(const std::string& call, const std::string& result, const CallDraft& draft) {
    if (result[0] != '(' || draft.results.empty() || choices_.Chance(2)) {
      body_ += "  ROOT r = " + call + "\n";
      return;
    }
    const std::string made = Add(call);
    const uint32_t part = choices_.Below(static_cast<uint32_t>(draft.results.size()));
    body_ += "  ROOT r = " + draft.results[part] + " get-tuple-element(" + made +
             "), index=" + std::to_string(part) + "\n";
  }

  Choices& choices_;
  std::string_view target_;
  std::string body_;
  uint32_t values_ = 0, parameters_ = 0;
};

}  // namespace halo::random_call

#endif  // HALO_EVAL_TEST_RANDOM_CALL_H_
