// Elements of constants, read without making arrays of them.
#include "halo/passes/rewrite/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/eval/lanes/lanes.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// All elements alike? Long constants are not looked through.
constexpr size_t kMaxBytes = 4096;

std::optional<Splat> SplatOfConstant(const Module& module, const Inst& inst) {
  const LiteralId literal(inst.extra);
  if (!module.shapes.is_array(inst.shape) || module.literals.is_elided(literal)) {
    return std::nullopt;
  }
  const ElementType type = module.shapes.type(inst.shape);
  const std::span<const uint8_t> bits = module.literals.bits(literal);
  const size_t width = StoredBytes(type);
  if (bits.size() < width || bits.size() > kMaxBytes) return std::nullopt;
  for (size_t at = width; at + width <= bits.size(); at += width) {
    if (!std::ranges::equal(bits.first(width), bits.subspan(at, width))) return std::nullopt;
  }
  return Splat{type, bits.first(width)};
}

bool IsReal(ElementType type) { return LaneKindOf(type) != LaneKind::kComplex; }

}  // namespace

std::optional<Splat> SplatOf(const ModuleEditor& edit, InstId id) {
  // Each step goes to an operand, so this ends.
  for (id = edit.Current(id);; id = edit.operand(id, 0)) {
    const Inst& inst = edit.inst(id);
    if (inst.opcode == Opcode::kConstant) return SplatOfConstant(edit.module(), inst);
    // A bitcast may read the bits as another type.
    const bool moves = HasFlag(inst.opcode, kRelayouts) &&
                       PropertiesOf(inst.opcode).category == OpCategory::kMovement;
    if (!moves && inst.opcode != Opcode::kBroadcast) return std::nullopt;
  }
}

bool IsNumber(const Splat& splat, double number) {
  if (!IsReal(splat.type)) return false;
  const double value = LoadFloat(splat.type, splat.bits.data());
  return value == number && std::signbit(value) == std::signbit(number);
}

bool IsAllOnes(const Splat& splat) {
  if (splat.type == ElementType::kPred) return splat.bits[0] != 0;
  if (!IsIntegerType(splat.type) || InfoOf(splat.type).bits < 8) return false;
  return std::ranges::all_of(splat.bits, [](uint8_t byte) { return byte == 0xFF; });
}

std::optional<int64_t> IntegerOf(const Splat& splat) {
  if (splat.type != ElementType::kPred && !IsIntegerType(splat.type)) return std::nullopt;
  return LoadInt(splat.type, splat.bits.data());
}

bool IsLowest(const Splat& splat) {
  switch (InfoOf(splat.type).klass) {
    case ElementClass::kFloat: return IsNumber(splat, -std::numeric_limits<double>::infinity());
    case ElementClass::kSigned: {
      const int bits = InfoOf(splat.type).bits;
      return IntegerOf(splat) == -(int64_t{1} << (bits - 2)) * 2;
    }
    case ElementClass::kPred:
    case ElementClass::kUnsigned: return IntegerOf(splat) == 0;
    default: return false;
  }
}

bool IsHighest(const Splat& splat) {
  switch (InfoOf(splat.type).klass) {
    case ElementClass::kFloat: return IsNumber(splat, std::numeric_limits<double>::infinity());
    case ElementClass::kSigned: {
      const int bits = InfoOf(splat.type).bits;
      return IntegerOf(splat) == ((int64_t{1} << (bits - 2)) - 1) * 2 + 1;
    }
    case ElementClass::kPred:
    case ElementClass::kUnsigned: return IsAllOnes(splat);
    default: return false;
  }
}

}  // namespace halo
