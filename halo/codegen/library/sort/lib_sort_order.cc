// Comparators are matched backwards from their root: a comparison of two values computed in the
// same way from the two elements of one operand; or, between elements that are equal in such a
// comparison, the next one.
#include "halo/codegen/library/sort/lib_sort_order.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

bool IsFloatType(ElementType type) { return InfoOf(type).klass == ElementClass::kFloat; }

// Floats whose bits, as integers, order as described in lib_sort_keys.h.
bool IsKnownFloat(ElementType type) {
  using enum ElementType;
  return type == kF16 || type == kBF16 || type == kF32 || type == kF64;
}

// A value computed from one parameter.
struct Side {
  uint32_t parameter = 0;
  enum class Form : uint8_t { kValue, kBits, kOrdered } form = Form::kValue;
  bool joins_zeros = false, joins_nans = false;
  friend bool operator==(const Side&, const Side&) = default;
};

class OrderReader {
 public:
  explicit OrderReader(const Module& module) : module_(module) {}

  std::optional<std::vector<SortKey>> Read(InstId root, int depth = 0) const {
    const Inst& inst = module_.inst(root);
    const std::span<const InstId> in = module_.operands_of(inst);
    if (depth > kMaxKeys) return std::nullopt;
    if (inst.opcode == Opcode::kCompare) {
      auto key = ReadKey(inst, Direction(inst));
      if (!key && depth == 0) key = ReadRelation(inst);
      if (!key) return std::nullopt;
      return std::vector{*key};
    }
    // a == b ? next : a < b
    if (inst.opcode == Opcode::kSelect) return Chain(in[2], in[0], in[1], depth);
    // a < b or (a == b and next)
    if (inst.opcode == Opcode::kOr) {
      for (const size_t first : {0, 1}) {
        const Inst& both = module_.inst(in[1 - first]);
        if (both.opcode != Opcode::kAnd) continue;
        const std::span<const InstId> parts = module_.operands_of(both);
        if (auto keys = Chain(in[first], parts[0], parts[1], depth)) return keys;
        if (auto keys = Chain(in[first], parts[1], parts[0], depth)) return keys;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMaxKeys = 8;
  static constexpr int kMaxDepth = 12;

  std::optional<std::vector<SortKey>> Chain(InstId less, InstId equal, InstId next,
                                            int depth) const {
    const Inst& first = module_.inst(less);
    const Inst& same = module_.inst(equal);
    if (first.opcode != Opcode::kCompare || same.opcode != Opcode::kCompare) return std::nullopt;
    std::optional<SortKey> key = ReadKey(first, Direction(first));
    const auto sides = ReadSides(same);
    if (!key || !sides || Direction(same) != "EQ") return std::nullopt;
    // Both comparisons must use the same values.
    const auto less_sides = ReadSides(first);
    const bool alike = (sides->first == less_sides->first && sides->second == less_sides->second) ||
                       (sides->first == less_sides->second && sides->second == less_sides->first);
    if (!alike) return std::nullopt;
    key->total_equal = key->total || IsTotal(same);
    if (key->total && !IsTotal(same) && sides->first.form == Side::Form::kValue &&
        IsKnownFloat(key->type)) {
      return std::nullopt;
    }
    auto rest = Read(next, depth + 1);
    if (!rest) return std::nullopt;
    rest->insert(rest->begin(), *key);
    return rest;
  }

  std::string_view Direction(const Inst& compare) const {
    return module_.TextOr(compare.attrs, AttrKey::k_direction);
  }
  bool IsTotal(const Inst& compare) const {
    return module_.TextOr(compare.attrs, AttrKey::k_type) == "TOTALORDER" ||
           module_.TextOr(compare.attrs, AttrKey::k_order) == "TOTAL";
  }

  std::optional<std::pair<Side, Side>> ReadSides(const Inst& compare) const {
    const std::span<const InstId> in = module_.operands_of(compare);
    const auto left = ReadSide(in[0], 0);
    const auto right = ReadSide(in[1], 0);
    if (!left || !right) return std::nullopt;
    Side other = *right;
    other.parameter ^= 1;
    if (*left != other) return std::nullopt;
    return std::pair(*left, *right);
  }

  // A comparison that also holds, or only holds, between equal elements.
  std::optional<SortKey> ReadRelation(const Inst& compare) const {
    using enum SortKey::Relation;
    const std::string_view direction = Direction(compare);
    auto key = ReadKey(compare, direction == "GE" ? "GT" : "LT");
    if (!key || key->joins_zeros || key->joins_nans) return std::nullopt;
    key->relation = direction == "EQ"                        ? kEqual
                    : direction == "NE"                      ? kNotEqual
                    : direction == "LE" || direction == "GE" ? kBeforeOrEqual
                                                             : kBefore;
    if (key->relation == kBefore) return std::nullopt;
    return key;
  }

  // The key of a comparison, as if it were in this direction.
  std::optional<SortKey> ReadKey(const Inst& compare, std::string_view direction) const {
    if (direction != "LT" && direction != "GT") return std::nullopt;
    const auto sides = ReadSides(compare);
    if (!sides) return std::nullopt;
    const Side& side = sides->first;
    SortKey key;
    key.operand = side.parameter / 2;
    key.type = type_;
    key.descending = (direction == "GT") != (side.parameter % 2 == 1);
    key.joins_zeros = side.joins_zeros;
    key.joins_nans = side.joins_nans;
    const ElementClass klass = InfoOf(type_).klass;
    if (klass != ElementClass::kFloat) {
      key.total = true;
      return klass == ElementClass::kComplex ? std::nullopt : std::optional(key);
    }
    if (side.form == Side::Form::kBits) return std::nullopt;
    key.total = side.form == Side::Form::kOrdered || IsTotal(compare);
    key.total_equal = key.total;
    return key;
  }

  std::optional<Side> ReadSide(InstId id, int depth) const {
    if (depth > kMaxDepth) return std::nullopt;
    const Inst& inst = module_.inst(id);
    const std::span<const InstId> in = module_.operands_of(inst);
    const ElementType type = module_.shapes.type(inst.shape);
    switch (inst.opcode) {
      case Opcode::kParameter: type_ = type; return Side{.parameter = inst.extra};
      case Opcode::kCopy: return ReadSide(in[0], depth + 1);
      case Opcode::kConvert: {
        // Widening floats preserves their order.
        const auto side = ReadSide(in[0], depth + 1);
        const ElementType from = module_.shapes.type(module_.inst(in[0]).shape);
        if (!side || side->form != Side::Form::kValue || !IsFloatType(from) ||
            (type != ElementType::kF32 && type != ElementType::kF64) ||
            InfoOf(type).bits <= InfoOf(from).bits) {
          return std::nullopt;
        }
        return side;
      }
      case Opcode::kBitcast:
      case Opcode::kBitcastConvert: {
        auto side = ReadSide(in[0], depth + 1);
        const ElementType from = module_.shapes.type(module_.inst(in[0]).shape);
        if (!side || side->form != Side::Form::kValue || !IsKnownFloat(from) ||
            InfoOf(type).klass != ElementClass::kSigned || InfoOf(type).bits != InfoOf(from).bits) {
          return std::nullopt;
        }
        side->form = Side::Form::kBits;
        return side;
      }
      case Opcode::kSelect: return ReadSelect(in, type, depth);
      default: return std::nullopt;
    }
  }

  std::optional<Side> ReadSelect(std::span<const InstId> in, ElementType type, int depth) const {
    const Inst& test = module_.inst(in[0]);
    if (test.opcode != Opcode::kCompare) return std::nullopt;
    const std::span<const InstId> compared = module_.operands_of(test);
    auto side = ReadSide(in[2], depth + 1);
    const auto tested = ReadSide(compared[0], depth + 1);
    if (!side || !tested || side->parameter != tested->parameter) return std::nullopt;
    const std::string_view direction = Direction(test);
    if (side->form == Side::Form::kValue && tested->form == Side::Form::kValue &&
        IsKnownFloat(type) && !IsTotal(test)) {
      // x == 0 ? 0 : x
      if (direction == "EQ" && IsZero(compared[1]) && IsZero(in[1])) {
        side->joins_zeros = true;
        return side;
      }
      // x != x ? nan : x
      if (direction == "NE" && ReadSide(compared[1], depth + 1) == tested && IsNan(in[1])) {
        side->joins_nans = true;
        return side;
      }
      return std::nullopt;
    }
    // bits < 0 ? greatest ^ bits : bits, and the same with a difference
    if (side->form != Side::Form::kBits || *tested != *side || direction != "LT" ||
        ConstantOf(compared[1]) != 0) {
      return std::nullopt;
    }
    const Inst& flipped = module_.inst(WithoutBitcasts(in[1]));
    const std::span<const InstId> parts = module_.operands_of(flipped);
    const int64_t greatest = static_cast<int64_t>((uint64_t{1} << (InfoOf(type).bits - 1)) - 1);
    const auto flips = [&](InstId constant, InstId bits) {
      if (ConstantOf(constant) != greatest) return false;
      auto seen = ReadSide(WithoutBitcasts(bits), depth + 1);
      if (seen) seen->form = Side::Form::kBits;
      return seen == side;
    };
    const bool by_xor =
        flipped.opcode == Opcode::kXor && (flips(parts[0], parts[1]) || flips(parts[1], parts[0]));
    const bool by_difference = flipped.opcode == Opcode::kSubtract && flips(parts[0], parts[1]);
    if (!by_xor && !by_difference) return std::nullopt;
    side->form = Side::Form::kOrdered;
    return side;
  }

  // Looks through bitcasts between types of the same width.
  InstId WithoutBitcasts(InstId id) const {
    const Inst* inst = &module_.inst(id);
    while (inst->opcode == Opcode::kBitcastConvert || inst->opcode == Opcode::kBitcast) {
      id = module_.operands_of(*inst)[0];
      inst = &module_.inst(id);
    }
    return id;
  }

  const uint8_t* ConstantBytes(const Inst& inst) const {
    if (inst.opcode != Opcode::kConstant) return nullptr;
    const LiteralId id(inst.extra);
    return module_.literals.is_elided(id) ? nullptr : module_.literals.bits(id).data();
  }
  std::optional<int64_t> ConstantOf(InstId id) const {
    const Inst& inst = module_.inst(id);
    const ElementType type = module_.shapes.type(inst.shape);
    const uint8_t* bytes = ConstantBytes(inst);
    if (bytes == nullptr || !IsIntegerType(type)) return std::nullopt;
    return LoadInt(type, bytes);
  }
  std::optional<double> FloatOf(InstId id) const {
    const Inst& inst = module_.inst(id);
    const ElementType type = module_.shapes.type(inst.shape);
    const uint8_t* bytes = ConstantBytes(inst);
    if (bytes == nullptr || !IsKnownFloat(type)) return std::nullopt;
    return LoadFloat(type, bytes);
  }
  bool IsZero(InstId id) const {
    const auto value = FloatOf(id);
    return value && *value == 0 && !std::signbit(*value);
  }
  bool IsNan(InstId id) const {
    const auto value = FloatOf(id);
    return value && std::isnan(*value) && !std::signbit(*value);
  }

  const Module& module_;
  mutable ElementType type_{};  // of the parameter read last
};

}  // namespace

std::optional<std::vector<SortKey>> FindSortOrder(const Module& module, CompId comparator) {
  if (!module.shapes.is_array(module.inst(module.comp(comparator).root).shape)) return std::nullopt;
  return OrderReader(module).Read(module.comp(comparator).root);
}

}  // namespace halo
