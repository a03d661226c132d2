// Writes kernel keys.
#include "halo/codegen/kernel/kernel_key.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "halo/base/strings/hex.h"

namespace halo {
namespace {

constexpr int kMaxKeyDepth = 100;  // deeper than anything for which code is generated
// Increment this when different code is generated for the same key, because compiled code is cached
// between runs.
constexpr int kGeneration = 3;

// Must be the same in every version, because cached code contains these symbols.
uint64_t Fnv(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ull;
  return hash;
}

class KeyWriter {
 public:
  explicit KeyWriter(const Module& module) : module_(module) {}

  void Instruction(InstId id, int depth) {
    const Inst& inst = module_.inst(id);
    out_ += module_.opcode_text(inst);
    out_ += ' ';
    Shape(inst.shape);
    if (inst.opcode == Opcode::kParameter) out_ += '#' + std::to_string(inst.extra);
    if (inst.opcode == Opcode::kConstant) Constant(LiteralId(inst.extra));
    for (const Attr& attr : module_.attrs_of(inst)) Attribute(attr, depth);
    // A fusion stores its form there.
    if (inst.opcode == Opcode::kFusion) {
      out_ += ' ';
      out_ += module_.TextOr(inst.attrs, AttrKey::k_backend_config);
    }
  }

  void Whole(InstId id) {
    const Inst& inst = module_.inst(id);
    const std::span<const InstId> operands = module_.operands_of(inst);
    for (size_t i = 0; i < operands.size(); ++i) {
      Shape(module_.inst(operands[i]).shape);
      // For a single instruction, the code reads an operand that is passed twice from its first
      // buffer. The parameters of a fusion each have a separate buffer.
      if (inst.opcode != Opcode::kFusion) {
        const auto first = std::find(operands.begin(), operands.end(), operands[i]);
        out_ += '@' + std::to_string(first - operands.begin());
      }
      out_ += ',';
    }
    Instruction(id, 0);
  }

  std::string Take() { return std::move(out_); }

 private:
  void Shape(ShapeId shape) { out_ += module_.shapes.Text(shape, true); }

  void Constant(LiteralId literal) {
    if (module_.literals.is_elided(literal)) {
      out_ += "{...}";
      return;
    }
    const std::span<const uint8_t> bits = module_.literals.bits(literal);
    out_ += '=';
    for (const uint8_t byte : bits) {
      out_ += kHexDigits[byte >> 4];
      out_ += kHexDigits[byte & 15];
    }
  }

  void Attribute(const Attr& attr, int depth) {
    const AttrKeyInfo& info = InfoOf(attr.key);
    if (info.scope != AttrScope::kOp) return;
    out_ += ' ';
    out_ += info.text;
    out_ += '=';
    switch (info.kind) {
      case AttrKind::kInt: out_ += std::to_string(module_.IntValue(attr)); return;
      case AttrKind::kBool: out_ += std::to_string(attr.value); return;
      case AttrKind::kComp: Computation(CompId(attr.value), depth + 1); return;
      case AttrKind::kCompList:
        for (const int64_t comp : module_.list(attr.value)) {
          Computation(CompId(static_cast<uint32_t>(comp)), depth + 1);
        }
        return;
      case AttrKind::kInts:
      case AttrKind::kBools:
      case AttrKind::kWindow:
      case AttrKind::kSlices:
      case AttrKind::kPadding:
        for (const int64_t value : module_.list(attr.value)) out_ += std::to_string(value) + ',';
        return;
      case AttrKind::kWords:
        for (const int64_t word : module_.list(attr.value)) {
          out_ += std::string(module_.text(StrId(static_cast<uint32_t>(word)))) + ',';
        }
        return;
      case AttrKind::kNumber:
      case AttrKind::kWord:
      case AttrKind::kString:
      case AttrKind::kDimLabels:
      case AttrKind::kVerbatim: out_ += module_.text(StrId(attr.value)); return;
      default: return;
    }
  }

  void Computation(CompId id, int depth) {
    if (depth > kMaxKeyDepth || !id.valid()) return;
    const halo::Computation& comp = module_.comp(id);
    // A computation that is called often is written once.
    const auto [known, is_new] = written_.try_emplace(id.value, written_.size());
    if (!is_new) {
      out_ += "{=" + std::to_string(known->second) + '}';
      return;
    }
    out_ += '{';
    for (uint32_t i = 0; i < comp.count; ++i) {
      const InstId each(comp.first + i);
      Instruction(each, depth);
      for (const InstId operand : module_.operands_of(module_.inst(each))) {
        out_ += " %" + std::to_string(operand.value - comp.first);
      }
      if (each == comp.root) out_ += " root";
      out_ += ';';
    }
    out_ += '}';
  }

  const Module& module_;
  std::string out_;
  std::unordered_map<uint32_t, size_t> written_;  // computations, by the order of their first use
};

}  // namespace

std::string KernelKey(const Module& module, InstId inst) {
  KeyWriter writer(module);
  writer.Whole(inst);
  return "kernels " + std::to_string(kGeneration) + "\n" + writer.Take();
}

std::string KeySymbol(std::string_view key) {
  // Use two hashes, so that equal symbols mean equal keys.
  return "kernel_" + HexText(Fnv(key, 0xCBF29CE484222325ull)) +
         HexText(Fnv(key, 0x9AE16A3B2F90404Full));
}

}  // namespace halo
