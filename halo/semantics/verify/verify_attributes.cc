// Checks which attributes an instruction has: those that its opcode needs, none that belong to
// other opcodes, and only keywords that the attribute allows. The rules of each opcode check what
// the values mean together.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "halo/semantics/verify/module_rules.h"
#include "halo/semantics/verify/verify_source.h"

namespace halo {
namespace {

struct Needed {
  Opcode opcode;
  AttrKey key;
};

constexpr std::array kNeeded = {
#define HALO_REQUIRED(op, key) Needed{Opcode::k##op, AttrKey::k_##key},
#include "halo/semantics/verify/required_attrs.def"
};

// The keywords that an attribute accepts. Keys that are not listed accept any.
struct Words {
  AttrKey key;
  std::string_view words;  // separated by spaces
};

constexpr std::array kWords = {
    Words{AttrKey::k_direction, "EQ NE LT LE GT GE"},
    Words{AttrKey::k_type, "FLOAT TOTALORDER SIGNED UNSIGNED"},
    Words{AttrKey::k_kind, "kLoop kInput kOutput kCustom"},
    Words{AttrKey::k_fft_type, "FFT IFFT RFFT IRFFT"},
    Words{AttrKey::k_distribution, "rng_uniform rng_normal"},
    Words{AttrKey::k_transpose_a, "NO_TRANSPOSE TRANSPOSE ADJOINT"},
    Words{AttrKey::k_schedule,
          "SCHEDULE_NONE SCHEDULE_EARLIEST SCHEDULE_LATEST NONE EARLIEST LATEST"},
};

constexpr std::string_view kRandomAlgorithms = "rng_default rng_three_fry rng_philox";
constexpr std::string_view kDotAlgorithms =
    "unset dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 dot_f16_f16_f32 "
    "dot_bf16_bf16_bf16 dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 dot_bf16_bf16_f32_x6 "
    "dot_bf16_bf16_f32_x9 dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 dot_f32_f32_f32 dot_f64_f64_f64";

bool Knows(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = words.find(' ');
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return false;
}

std::string_view WordsOf(Opcode opcode, AttrKey key) {
  if (key == AttrKey::k_algorithm && opcode == Opcode::kRngBitGenerator) return kRandomAlgorithms;
  if (key == AttrKey::k_algorithm && opcode == Opcode::kDot) return kDotAlgorithms;
  const auto* found = std::ranges::find(kWords, key, &Words::key);
  return found == kWords.end() ? std::string_view() : found->words;
}

class Attributes {
 public:
  Attributes(const Module& module, RuleFindings& findings) : module_(module), findings_(findings) {}

  void Verify(InstId id) {
    const Inst& inst = module_.inst(id);
    if (inst.opcode == Opcode::kUnknown) return;
    // An op written X-start has the attributes of X.
    const bool sugar = (inst.flags & kInstSugar) != 0;
    const Opcode own = sugar ? inst.wrapped : inst.opcode;
    for (const Attr& attr : module_.attrs_of(inst)) {
      VerifyScope(id, inst, own, attr);
      VerifyWord(id, own, attr);
    }
    if (sugar && !HasTrait(inst.opcode, kAsyncStart)) return;
    VerifyNeeded(id, inst, own);
  }

 private:
  void VerifyScope(InstId id, const Inst& inst, Opcode own, const Attr& attr) {
    const AttrScope scope = InfoOf(attr.key).scope;
    if (scope == AttrScope::kRemoved || MayHave(inst.opcode, attr.key) || MayHave(own, attr.key)) {
      return;
    }
    Report(Rule::kAttributeForeign, id, TextOf(attr.key), "= is not an attribute of ",
           module_.opcode_text(inst));
  }

  void VerifyWord(InstId id, Opcode own, const Attr& attr) {
    if (InfoOf(attr.key).kind != AttrKind::kWord) return;
    const std::string_view words = WordsOf(own, attr.key);
    const std::string_view word = module_.text(StrId(attr.value));
    if (words.empty() || Knows(words, word)) return;
    Report(Rule::kAttributeWord, id, TextOf(attr.key), "=", word, " is none of ", words);
  }

  // Scalars need no dimensions to be broadcast along.
  [[nodiscard]] bool NeedsDimensions(const Inst& inst) const {
    if (inst.operand_count != 1 || (inst.flags & kInstBadOperands) != 0) return false;
    const InstId operand = module_.operands_of(inst)[0];
    if (operand.index() >= module_.insts.size()) return false;
    const ShapeId shape = module_.inst(operand).shape;
    return module_.shapes.is_array(shape) && !module_.shapes.dims(shape).empty();
  }

  void VerifyNeeded(InstId id, const Inst& inst, Opcode own) {
    for (const Needed& needed : kNeeded) {
      if (needed.opcode == own) Need(id, inst, own, needed.key);
    }
    if (own == Opcode::kBroadcast && NeedsDimensions(inst)) {
      Need(id, inst, own, AttrKey::k_dimensions);
    }
    if (own == Opcode::kConditional) {
      const bool two = module_.Find(inst, AttrKey::k_true_computation) != nullptr;
      Need(id, inst, own, two ? AttrKey::k_false_computation : AttrKey::k_branch_computations);
    }
  }

  void Need(InstId id, const Inst& inst, Opcode own, AttrKey key) {
    if (module_.Find(inst, key) != nullptr) return;
    Report(Rule::kAttributeMissing, id, TextOf(own), " needs ", TextOf(key), "=");
  }

  template <class... Parts>
  void Report(Rule rule, InstId id, const Parts&... parts) {
    findings_.Add({rule, module_.inst(id).parent, id, Cat(parts...)});
  }

  const Module& module_;
  RuleFindings& findings_;
};

}  // namespace

void VerifyAttributes(const Module& module, RuleFindings& findings) {
  Attributes attributes(module, findings);
  for (size_t i = 0; i < module.insts.size(); ++i) attributes.Verify(InstId(i));
}

}  // namespace halo
