// A value of the loop's state is a constant if the loop starts with a constant there and its body
// hands it on unchanged: XLA moves constants into the state of loops and out of it.
#include "halo/analysis/graph/counted_loop.h"

#include <span>
#include <string_view>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxSteps = 32;               // of copies between a value and its origin
constexpr int64_t kFar = int64_t{1} << 53;  // constants beyond are no counters

// The value without copies, bitcasts and what only orders.
const Inst* OriginOfValue(const Module& module, InstId id) {
  for (int step = 0; step < kMaxSteps && id.valid(); ++step) {
    const Inst& inst = module.inst(id);
    const OpFlow flow = FlowOf(inst.opcode);
    const bool passes =
        flow == OpFlow::kCopy || flow == OpFlow::kForwards || flow == OpFlow::kBitcast;
    if (!passes || inst.operand_count == 0) return &inst;
    id = module.operands_of(inst)[0];
  }
  return nullptr;
}

std::optional<int64_t> ConstantOf(const Module& module, const Inst& inst) {
  if (FlowOf(inst.opcode) != OpFlow::kConstant) return std::nullopt;
  const LiteralId literal(inst.extra);
  const ElementType type = module.shapes.type(inst.shape);
  const size_t width = StoredBytes(type);
  if (module.literals.is_elided(literal) || width > 8) return std::nullopt;
  const std::span<const uint8_t> bits = module.literals.bits(literal);
  if (bits.size() != width || width == 0) return std::nullopt;
  uint64_t word = 0;
  for (size_t i = width; i-- > 0;) word = word << 8 | bits[i];
  const ElementClass klass = InfoOf(type).klass;
  if (klass != ElementClass::kSigned && klass != ElementClass::kUnsigned) return std::nullopt;
  auto value = static_cast<int64_t>(word);
  if (klass == ElementClass::kSigned) {
    const auto shift = static_cast<int>(64 - width * 8);
    value = static_cast<int64_t>(word << shift) >> shift;
  }
  if (value > kFar || value < -kFar) return std::nullopt;
  return value;
}

// Which element of its computation's only parameter an instruction is; -1 if it is none.
int64_t StateIndex(const Module& module, const Inst& inst) {
  if (FlowOf(inst.opcode) != OpFlow::kElement || inst.operand_count != 1) return -1;
  const Inst* of = OriginOfValue(module, module.operands_of(inst)[0]);
  if (of == nullptr || FlowOf(of->opcode) != OpFlow::kParameter) return -1;
  return module.IntOr(inst.attrs, AttrKey::k_index, -1);
}

// Element `index` of a tuple.
const Inst* ElementOf(const Module& module, InstId tuple, int64_t index) {
  const Inst* inst = OriginOfValue(module, tuple);
  if (inst == nullptr || FlowOf(inst->opcode) != OpFlow::kTuple) return nullptr;
  const std::span<const InstId> operands = module.operands_of(*inst);
  if (index < 0 || static_cast<size_t>(index) >= operands.size()) return nullptr;
  return OriginOfValue(module, operands[static_cast<size_t>(index)]);
}

class Loop {
 public:
  Loop(const Module& module, InstId init, InstId next)
      : module_(module), init_(init), next_(next) {}

  // The constant that a value inside the loop is in every iteration.
  [[nodiscard]] std::optional<int64_t> Constant(const Inst* inst) const {
    if (inst == nullptr) return std::nullopt;
    const int64_t index = StateIndex(module_, *inst);
    if (index < 0) return ConstantOf(module_, *inst);
    const Inst* next = ElementOf(module_, next_, index);
    if (next == nullptr || StateIndex(module_, *next) != index) return std::nullopt;
    return First(index);
  }

  // What element `index` of the state is before the first iteration.
  [[nodiscard]] std::optional<int64_t> First(int64_t index) const {
    const Inst* first = ElementOf(module_, init_, index);
    return first == nullptr ? std::nullopt : ConstantOf(module_, *first);
  }

  // By what the element changes in an iteration.
  [[nodiscard]] std::optional<int64_t> Step(int64_t index) const {
    const Inst* next = ElementOf(module_, next_, index);
    if (next == nullptr || next->operand_count != 2) return std::nullopt;
    const OpElements elements = PropertiesOf(next->opcode).elements;
    const Inst* a = OriginOfValue(module_, module_.operands_of(*next)[0]);
    const Inst* b = OriginOfValue(module_, module_.operands_of(*next)[1]);
    if (a == nullptr || b == nullptr) return std::nullopt;
    if (elements == OpElements::kAdded) {
      if (StateIndex(module_, *a) == index) return Constant(b);
      if (StateIndex(module_, *b) == index) return Constant(a);
    }
    if (elements == OpElements::kSubtracted && StateIndex(module_, *a) == index) {
      const std::optional<int64_t> step = Constant(b);
      if (step) return -*step;
    }
    return std::nullopt;
  }

 private:
  const Module& module_;
  InstId init_, next_;
};

// How often `first`, `first + step`, ... satisfies the comparison with `end` from the start on.
std::optional<int64_t> Trips(int64_t first, int64_t step, int64_t end, std::string_view direction) {
  if (direction == "GT" || direction == "GE") {  // the mirror image of LT and LE
    return Trips(-first, -step, -end, direction == "GT" ? "LT" : "LE");
  }
  if (direction == "NE") {
    if (step == 0 || (end - first) % step != 0 || (end - first) / step < 0) return std::nullopt;
    return (end - first) / step;
  }
  if (direction == "LE") end += 1;
  if (direction != "LT" && direction != "LE") return std::nullopt;
  if (first >= end) return 0;
  if (step <= 0) return std::nullopt;
  return (end - first + step - 1) / step;
}

}  // namespace

std::optional<int64_t> CountedTrips(const Module& module, const Inst& loop) {
  const Attr* condition = module.Find(loop, AttrKey::k_condition);
  const Attr* body = module.Find(loop, AttrKey::k_body);
  if (condition == nullptr || body == nullptr || loop.operand_count != 1) return std::nullopt;
  const CompId test_comp(condition->value), body_comp(body->value);
  if (!test_comp.valid() || !body_comp.valid()) return std::nullopt;
  const Inst* test = OriginOfValue(module, module.comp(test_comp).root);
  if (test == nullptr || PropertiesOf(test->opcode).elements != OpElements::kCompared ||
      test->operand_count != 2) {
    return std::nullopt;
  }
  std::string_view direction = module.TextOr(test->attrs, AttrKey::k_direction);
  const Loop state(module, module.operands_of(loop)[0], module.comp(body_comp).root);
  const Inst* left = OriginOfValue(module, module.operands_of(*test)[0]);
  const Inst* right = OriginOfValue(module, module.operands_of(*test)[1]);
  if (left == nullptr || right == nullptr) return std::nullopt;
  std::optional<int64_t> end = state.Constant(right);
  int64_t counter = StateIndex(module, *left);
  if (!end || counter < 0) {  // constant on the left
    end = state.Constant(left);
    counter = StateIndex(module, *right);
    if (direction == "LT") {
      direction = "GT";
    } else if (direction == "LE") {
      direction = "GE";
    } else if (direction == "GT") {
      direction = "LT";
    } else if (direction == "GE") {
      direction = "LE";
    }
  }
  if (!end || counter < 0) return std::nullopt;
  const std::optional<int64_t> first = state.First(counter), step = state.Step(counter);
  if (!first || !step) return std::nullopt;
  return Trips(*first, *step, *end, direction);
}

}  // namespace halo
