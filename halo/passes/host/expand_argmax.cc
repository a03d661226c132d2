// Turns the usual argmax and argmin, reductions of pairs of a value and its position, into maxima
// of 64-bit keys, which loops over many elements at a time can compute: the upper half of a key
// orders the values, the lower half prefers the first position. A reduction of pairs runs element
// by element, and with it whatever computes its operand. Which computations are an argmax is found
// by running them on one example of each way in which two pairs can compare.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/constants.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

using enum ElementType;
using DimList = std::vector<int64_t>;

constexpr int64_t kLowerHalf = 0xFFFFFFFF;

// Runs a computation that only compares and selects its parameters, on numbers.
class PairRunner {
 public:
  PairRunner(const Module& module, CompId comp) : module_(module), comp_(comp) {}

  struct Pair {
    double value = 0, position = 0;
  };

  // Empty if the computation does anything else.
  std::optional<Pair> Run(Pair a, Pair b) {
    const double parameters[] = {a.value, a.position, b.value, b.position};
    known_.clear();
    const Computation& comp = module_.comp(comp_);
    for (uint32_t i = 0; i < comp.count; ++i) {
      const InstId id(comp.first + i);
      const Inst& inst = module_.inst(id);
      if (inst.opcode == Opcode::kTuple) continue;
      const std::optional<double> value = Compute(inst, parameters);
      if (!value) return std::nullopt;
      known_[id.value] = *value;
    }
    const Inst& root = module_.inst(comp.root);
    if (root.opcode != Opcode::kTuple || root.operand_count != 2) return std::nullopt;
    const auto parts = module_.operands_of(root);
    const auto value = known_.find(parts[0].value);
    const auto position = known_.find(parts[1].value);
    if (value == known_.end() || position == known_.end()) return std::nullopt;
    return Pair{value->second, position->second};
  }

 private:
  std::optional<double> Compute(const Inst& inst, std::span<const double> parameters) {
    if (inst.opcode == Opcode::kParameter) {
      return inst.extra < parameters.size() ? std::optional(parameters[inst.extra]) : std::nullopt;
    }
    std::vector<double> in;
    for (const InstId operand : module_.operands_of(inst)) {
      const auto found = known_.find(operand.value);
      if (found == known_.end()) return std::nullopt;
      in.push_back(found->second);
    }
    switch (inst.opcode) {
      case Opcode::kCompare: return Compared(inst, in[0], in[1]);
      case Opcode::kSelect: return in[0] != 0 ? in[1] : in[2];
      case Opcode::kAnd: return IsLogical(inst) ? std::optional(in[0] * in[1]) : std::nullopt;
      case Opcode::kOr:
        return IsLogical(inst) ? std::optional(std::fmax(in[0], in[1])) : std::nullopt;
      case Opcode::kNot: return IsLogical(inst) ? std::optional(1 - in[0]) : std::nullopt;
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        if (std::isnan(in[0]) || std::isnan(in[1])) return std::nan("");
        return (inst.opcode == Opcode::kMaximum) == (in[0] > in[1]) ? in[0] : in[1];
      default: return std::nullopt;
    }
  }

  [[nodiscard]] bool IsLogical(const Inst& inst) const {
    return module_.shapes.type(inst.shape) == kPred;
  }

  [[nodiscard]] std::optional<double> Compared(const Inst& inst, double a, double b) const {
    const bool is_total = module_.TextOr(inst.attrs, AttrKey::k_type) == "TOTALORDER" ||
                          module_.TextOr(inst.attrs, AttrKey::k_order) == "TOTAL";
    if (is_total) return std::nullopt;
    const std::string_view direction = module_.TextOr(inst.attrs, AttrKey::k_direction);
    if (direction == "EQ") return a == b ? 1 : 0;
    if (direction == "NE") return a != b ? 1 : 0;
    if (direction == "LT") return a < b ? 1 : 0;
    if (direction == "LE") return a <= b ? 1 : 0;
    if (direction == "GT") return a > b ? 1 : 0;
    if (direction == "GE") return a >= b ? 1 : 0;
    return std::nullopt;
  }

  const Module& module_;
  CompId comp_;
  std::unordered_map<uint32_t, double> known_;
};

// True if the computation keeps the larger value (the smaller one if not `is_max`) and the first
// position of equal ones, and if NaN counts as larger (smaller) than every number.
bool KeepsFirst(const Module& module, CompId comp, bool is_max, bool has_nan) {
  PairRunner runner(module, comp);
  const double nan = std::nan("");
  const double low = is_max ? 1 : 2;
  const double high = is_max ? 2 : 1;
  struct Example {
    double a, b;
    bool keeps_a;
  };
  std::vector<Example> examples = {{low, high, false}, {high, low, true}, {low, low, true}};
  if (has_nan) {
    examples.insert(examples.end(), {{nan, low, true}, {low, nan, false}, {nan, nan, true}});
  }
  for (const auto& [a, b, keeps_a] : examples) {
    for (const double distance : {2.0, 0.0}) {  // equal positions: the initial value's
      const auto kept = runner.Run({a, 4}, {b, 4 + distance});
      const double value = keeps_a ? a : b;
      if (!kept || !(kept->value == value || (std::isnan(kept->value) && std::isnan(value))) ||
          kept->position != (keeps_a ? 4 : 4 + distance)) {
        return false;
      }
    }
  }
  return true;
}

class ArgmaxExpander {
 public:
  explicit ArgmaxExpander(Module& module) : edit_(std::move(module)) {}

  void Run(PassLog& log) {
    const size_t count = edit_.module().insts.size();
    for (size_t i = 0; i < count; ++i) {
      const InstId id(i);
      if (edit_.inst(id).opcode != Opcode::kReduce || edit_.operands(id).size() != 4) continue;
      const InstId by = Expanded(id);
      if (!by.valid()) continue;
      log.Note("%", edit_.module().name_of(edit_.inst(id)), " becomes a maximum of keys");
      edit_.Replace(id, by);
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  // Elementwise ops over one shape, apart from the element types.
  class Elements {
   public:
    Elements(ModuleEditor& edit, InstId like, ShapeId shape)
        : edit_(edit), like_(like), comp_(edit.inst(like).parent) {
      const auto dims = edit.module().shapes.dims(shape);
      dims_.assign(dims.begin(), dims.end());
      layout_ = MinorToMajor(edit.module().shapes, shape);
    }

    [[nodiscard]] ShapeId ShapeOf(ElementType type) {
      return DenseShape(edit_.tables().shapes, type, dims_, layout_);
    }
    InstId Op(Opcode opcode, ElementType type, std::initializer_list<InstId> operands) {
      return edit_.Add(comp_, opcode, ShapeOf(type), operands, {}, like_);
    }
    InstId Compare(std::string_view direction, InstId a, InstId b) {
      const Attr attr = edit_.tables().MakeText(AttrKey::k_direction, direction);
      return edit_.Add(comp_, Opcode::kCompare, ShapeOf(kPred), {a, b}, {&attr, 1}, like_);
    }
    InstId Number(ElementType type, int64_t number) {
      const ShapeId scalar = DenseShape(edit_.tables().shapes, type, {});
      const auto bits = std::bit_cast<std::array<uint8_t, 8>>(number);
      const InstId constant =
          edit_.AddConstant(comp_, scalar, std::span(bits).first(type == kS64 ? 8 : 4), like_);
      const Attr attr = edit_.tables().MakeInts(AttrKey::k_dimensions, {});
      return edit_.Add(comp_, Opcode::kBroadcast, ShapeOf(type), {constant}, {&attr, 1}, like_);
    }
    // Negative floats as integers are in the wrong order. Its own inverse.
    InstId Ordered(InstId bits) {
      const InstId sign = Op(Opcode::kShiftRightArithmetic, kS32, {bits, Number(kS32, 31)});
      const InstId flipped =
          Op(Opcode::kAnd, kS32, {sign, Number(kS32, std::numeric_limits<int32_t>::max())});
      return Op(Opcode::kXor, kS32, {bits, flipped});
    }

   private:
    ModuleEditor& edit_;
    InstId like_;
    CompId comp_;
    DimList dims_, layout_;
  };

  [[nodiscard]] ElementType TypeOf(InstId id) const {
    return edit_.module().shapes.type(edit_.inst(id).shape);
  }
  [[nodiscard]] DimList Ints(InstId id, AttrKey key) const {
    const auto ints = edit_.module().IntsOf(edit_.inst(id).attrs, key);
    return {ints.begin(), ints.end()};
  }

  // True for values that are the position along a dimension.
  [[nodiscard]] bool IsPosition(InstId id, int64_t dim) const {
    const Inst& inst = edit_.inst(id);
    if (inst.opcode == Opcode::kIota) {
      return edit_.module().IntOr(inst.attrs, AttrKey::k_iota_dimension, 0) == dim;
    }
    if (inst.opcode != Opcode::kBroadcast) return false;
    const DimList to = Ints(id, AttrKey::k_dimensions);
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] == dim) return IsPosition(edit_.operand(id, 0), static_cast<int64_t>(i));
    }
    return false;
  }

  InstId Expanded(InstId reduce) {
    const Module& module = edit_.module();
    const InstId values = edit_.operand(reduce, 0);
    const InstId positions = edit_.operand(reduce, 1);
    const DimList dims = Ints(reduce, AttrKey::k_dimensions);
    if (dims.size() != 1 || !IsPosition(positions, dims[0])) return {};
    const int64_t length =
        module.shapes.dims(edit_.inst(values).shape)[static_cast<size_t>(dims[0])];
    if (length < 1 || length > std::numeric_limits<int32_t>::max()) return {};
    const ElementType type = TypeOf(values);
    const ElementType index = TypeOf(positions);
    if (type != kF32 && type != kBF16 && type != kF16 && type != kS32 && type != kS16 &&
        type != kS8) {
      return {};
    }
    if (index != kS32 && index != kU32 && index != kS64) return {};
    const auto elements = module.shapes.elements(edit_.inst(reduce).shape);
    if (module.shapes.type(elements[0]) != type || module.shapes.type(elements[1]) != index)
      return {};
    const std::optional<Splat> start = SplatOf(edit_, edit_.operand(reduce, 2));
    const std::optional<Splat> first = SplatOf(edit_, edit_.operand(reduce, 3));
    if (!start || !first || IntegerOf(*first) != 0) return {};
    const bool is_max = IsLowest(*start);
    if (!is_max && !IsHighest(*start)) return {};
    const Attr* reducer = module.Find(edit_.inst(reduce), AttrKey::k_to_apply);
    if (reducer == nullptr || !KeepsFirst(module, CompId(reducer->value), is_max, IsFloat(type)))
      return {};
    return Rewritten(reduce, is_max, type, index);
  }

  static bool IsFloat(ElementType type) { return type == kF32 || type == kBF16 || type == kF16; }

  InstId Rewritten(InstId reduce, bool is_max, ElementType type, ElementType index) {
    const CompId comp = edit_.inst(reduce).parent;
    const ShapeId result = edit_.inst(reduce).shape;
    Elements all(edit_, reduce, edit_.inst(edit_.operand(reduce, 0)).shape);
    InstId upper = Upper(all, edit_.operand(reduce, 0), type, is_max);
    upper = all.Op(Opcode::kConvert, kS64, {upper});
    upper = all.Op(Opcode::kShiftLeft, kS64, {upper, all.Number(kS64, 32)});
    InstId lower = edit_.operand(reduce, 1);
    if (index != kS64) lower = all.Op(Opcode::kConvert, kS64, {lower});
    lower = all.Op(Opcode::kSubtract, kS64, {all.Number(kS64, kLowerHalf), lower});
    const InstId keys = all.Op(Opcode::kOr, kS64, {upper, lower});

    const ShapeId value_shape = edit_.module().shapes.elements(result)[0];
    Elements each(edit_, reduce, value_shape);
    const ShapeId scalar = DenseShape(edit_.tables().shapes, kS64, {});
    const auto lowest = std::bit_cast<std::array<uint8_t, 8>>(std::numeric_limits<int64_t>::min());
    const Attr attrs[] = {
        edit_.tables().MakeInts(AttrKey::k_dimensions, Ints(reduce, AttrKey::k_dimensions)),
        {AttrKey::k_to_apply, AttrForm::kPlain, 0, Larger().value}};
    const InstId largest =
        edit_.Add(comp, Opcode::kReduce, each.ShapeOf(kS64),
                  {keys, edit_.AddConstant(comp, scalar, lowest, reduce)}, attrs, reduce);

    InstId position = each.Op(Opcode::kAnd, kS64, {largest, each.Number(kS64, kLowerHalf)});
    position = each.Op(Opcode::kSubtract, kS64, {each.Number(kS64, kLowerHalf), position});
    if (index != kS64) position = each.Op(Opcode::kConvert, index, {position});
    InstId value = each.Op(Opcode::kShiftRightArithmetic, kS64, {largest, each.Number(kS64, 32)});
    value = each.Op(Opcode::kConvert, kS32, {value});
    if (!is_max) value = each.Op(Opcode::kNot, kS32, {value});
    ElementType now = kS32;
    if (IsFloat(type)) {
      now = kF32;
      value = each.Op(Opcode::kBitcastConvert, kF32, {each.Ordered(value)});
    }
    if (now != type) value = each.Op(Opcode::kConvert, type, {value});
    return edit_.Add(comp, Opcode::kTuple, result, {value, position}, {}, reduce);
  }

  // The order of the values as integers: zeros are equal, and NaN is above all.
  static InstId Upper(Elements& all, InstId values, ElementType type, bool is_max) {
    if (!IsFloat(type)) {
      if (type != kS32) values = all.Op(Opcode::kConvert, kS32, {values});
      return is_max ? values : all.Op(Opcode::kNot, kS32, {values});
    }
    if (type != kF32) values = all.Op(Opcode::kConvert, kF32, {values});
    const InstId zero = all.Number(kF32, 0);
    const InstId bits = all.Op(Opcode::kSelect, kS32,
                               {all.Compare("EQ", values, zero), all.Number(kS32, 0),
                                all.Op(Opcode::kBitcastConvert, kS32, {values})});
    InstId order = all.Ordered(bits);
    if (!is_max) order = all.Op(Opcode::kNot, kS32, {order});
    return all.Op(Opcode::kSelect, kS32,
                  {all.Compare("NE", values, values),
                   all.Number(kS32, std::numeric_limits<int32_t>::max()), order});
  }

  CompId Larger() {
    if (!larger_) {
      larger_ = edit_.AddComputation("larger");
      const ShapeId shape = DenseShape(edit_.tables().shapes, kS64, {});
      const InstId a = edit_.AddParameter(*larger_, 0, shape, "most");
      const InstId b = edit_.AddParameter(*larger_, 1, shape, "key");
      edit_.SetRoot(*larger_, edit_.Add(*larger_, Opcode::kMaximum, shape, {a, b}));
    }
    return *larger_;
  }

  ModuleEditor edit_;
  std::optional<CompId> larger_;
};

}  // namespace

bool ExpandArgmax(Module& module, PassLog& log) {
  ArgmaxExpander expander(module);
  expander.Run(log);
  const bool changed = expander.changed();
  module = expander.Finish();
  return changed;
}

}  // namespace halo
