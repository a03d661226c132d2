// Compiles a scalar computation: inlines calls and flattens tuples, which leaves a list of kernels
// over registers. Each result is rounded to its type before the next step reads it.
#include "halo/eval/lanes/lane_program.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "halo/eval/lanes/lane_kernels.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxDepth = 16;
constexpr size_t kMaxSteps = 2048;
constexpr size_t kMaxVisited = 16 * kMaxSteps;  // instructions, those of calls at each call

void BitcastLanes(const LaneOp& op, const void* const* in, void* out, size_t n) {
  alignas(16) std::array<uint8_t, kBlock * kLaneBytes> stored;
  StoreLanes(op.type, in[0], n, stored.data());
  LoadLanes(op.result, stored.data(), 1, n, out);
}

}  // namespace

struct LaneProgram::Step {
  LaneOp op;
  LaneKernel kernel = nullptr;
  std::array<uint32_t, 3> in{};
  uint8_t count = 0;
  uint32_t out = 0;
  bool round = false;
};

struct LaneProgram::State {
  size_t visited = 0;  // instructions
  std::vector<Step> steps;
  std::vector<ElementType> types;                   // of each register
  std::vector<const void*> read;                    // where each register's lanes are read from
  std::vector<std::unique_ptr<LaneBlock>> storage;  // null for parameters
  std::vector<uint32_t> result_registers;

  uint32_t AddRegister(ElementType type, bool stored) {
    types.push_back(type);
    storage.push_back(stored ? std::make_unique<LaneBlock>() : nullptr);
    read.push_back(stored ? storage.back()->bytes : nullptr);
    return static_cast<uint32_t>(types.size() - 1);
  }
};

namespace {

// The leaves of a value: one register for a scalar, one for each element of a flat tuple.
using Registers = std::vector<uint32_t>;

bool IsScalar(const Module& module, ShapeId shape) {
  return module.shapes.is_array(shape) && module.shapes.dims(shape).empty();
}

}  // namespace

// Walks one computation after another and fills a State.
class LaneCompiler {
 public:
  using State = LaneProgram::State;
  using Step = LaneProgram::Step;

  static bool CompileComputation(const Module& module, CompId comp, State& state,
                                 const std::vector<uint32_t>& arguments, Registers& result,
                                 int depth) {
    if (depth > kMaxDepth || !comp.valid() || !module.comp(comp).defined) return false;
    const Computation& computation = module.comp(comp);
    state.visited += computation.count;
    if (state.visited > kMaxVisited) return false;
    std::vector<Registers> values(computation.count);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const Inst& inst = module.inst(InstId(computation.first + i));
      std::vector<const Registers*> operands;
      for (const InstId operand : module.operands_of(inst)) {
        if (operand.value < computation.first || operand.value >= computation.first + i) {
          return false;
        }
        operands.push_back(&values[operand.value - computation.first]);
      }
      if (!CompileInst(module, inst, state, arguments, operands, values[i], depth)) {
        return false;
      }
    }
    if (!computation.root.valid()) return false;
    result = values[computation.root.value - computation.first];
    return true;
  }

 private:
  static bool CompileInst(const Module& module, const Inst& inst, State& state,
                          const std::vector<uint32_t>& arguments,
                          const std::vector<const Registers*>& operands, Registers& value,
                          int depth) {
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kParameter:
        if (inst.extra >= arguments.size() || !IsScalar(module, inst.shape)) return false;
        value = {arguments[inst.extra]};
        return true;
      case OpFlow::kConstant: return CompileConstant(module, inst, state, value);
      case OpFlow::kTuple:
        for (const Registers* operand : operands) {
          if (operand->size() != 1) return false;
          value.push_back(operand->front());
        }
        return !module.shapes.elements(inst.shape).empty();
      case OpFlow::kElement: {
        const int64_t index = module.IntOr(inst.attrs, AttrKey::k_index, -1);
        if (operands.size() != 1 || index < 0 ||
            index >= static_cast<int64_t>(operands[0]->size())) {
          return false;
        }
        value = {(*operands[0])[static_cast<size_t>(index)]};
        return true;
      }
      case OpFlow::kCall:
      case OpFlow::kFusion: {
        std::vector<uint32_t> inner;
        for (const Registers* operand : operands) {
          if (operand->size() != 1) return false;
          inner.push_back(operand->front());
        }
        std::vector<CompId> called;
        module.CalledBy(inst, called);
        return called.size() == 1 &&
               CompileComputation(module, called[0], state, inner, value, depth + 1);
      }
      default: return CompileOp(module, inst, state, operands, value);
    }
  }

  static bool CompileConstant(const Module& module, const Inst& inst, State& state,
                              Registers& value) {
    const LiteralId literal(inst.extra);
    if (!IsScalar(module, inst.shape) || module.literals.is_elided(literal)) return false;
    const ElementType type = module.shapes.type(inst.shape);
    const std::span<const uint8_t> bits = module.literals.bits(literal);
    if (bits.size() < StoredBytes(type)) return false;
    const uint32_t reg = state.AddRegister(type, true);
    LoadLanes(type, bits.data(), 0, kBlock, state.storage[reg]->bytes);
    value = {reg};
    return true;
  }

  static bool CompileOp(const Module& module, const Inst& inst, State& state,
                        const std::vector<const Registers*>& operands, Registers& value) {
    if (!IsScalar(module, inst.shape) || operands.empty() || operands.size() > 3) return false;
    if (state.steps.size() >= kMaxSteps) return false;
    for (const Registers* operand : operands) {
      if (operand->size() != 1) return false;
    }
    const ElementType result = module.shapes.type(inst.shape);
    const ElementType first = state.types[operands[0]->front()];
    if (!HasTrait(inst.opcode, kElementwise)) {
      // Relayouts and reshapes of a scalar are the scalar itself.
      const bool is_same = HasFlag(inst.opcode, kRelayouts) || inst.opcode == Opcode::kBroadcast ||
                           FlowOf(inst.opcode) == OpFlow::kForwards;
      if (!is_same || first != result) return false;
      value = *operands[0];
      return true;
    }
    Step step;
    step.op = LaneOpOf(module, inst, inst.opcode, result, first,
                       operands.size() > 1 ? state.types[operands[1]->front()] : first);
    if (inst.opcode == Opcode::kBitcastConvert) {
      step.kernel = StoredBytes(first) == StoredBytes(result) ? BitcastLanes : nullptr;
    } else {
      step.kernel = FindLaneKernel(step.op);
    }
    if (step.kernel == nullptr) return false;
    step.count = static_cast<uint8_t>(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      step.in[i] = operands[i]->front();
      if (LaneKindOf(state.types[step.in[i]]) != OperandKind(step.op, i)) return false;
    }
    step.out = state.AddRegister(result, true);
    step.round = !HasFlag(inst.opcode, kExact) || first != result;
    if (inst.opcode == Opcode::kCompare) step.round = false;
    value = {step.out};
    state.steps.push_back(step);
    return true;
  }
};

std::optional<LaneProgram> LaneProgram::Compile(const Module& module, CompId comp) {
  if (!comp.valid() || !module.comp(comp).defined) return std::nullopt;
  LaneProgram program;
  program.state_ = std::make_shared<State>();
  State& state = *program.state_;
  const Computation& computation = module.comp(comp);
  std::vector<std::optional<ElementType>> types;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const Inst& inst = module.inst(InstId(computation.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (!IsScalar(module, inst.shape) || inst.extra >= computation.count) return std::nullopt;
    if (types.size() <= inst.extra) types.resize(inst.extra + 1);
    types[inst.extra] = module.shapes.type(inst.shape);
  }
  std::vector<uint32_t> arguments;
  for (const std::optional<ElementType> type : types) {
    if (!type) return std::nullopt;
    program.parameters_.push_back(*type);
    arguments.push_back(state.AddRegister(*type, false));
  }
  Registers results;
  if (!LaneCompiler::CompileComputation(module, comp, state, arguments, results, 0)) {
    return std::nullopt;
  }
  if (state.steps.size() == 1 && results.size() == 1 && results[0] == state.steps[0].out &&
      state.steps[0].count == 2 && arguments.size() == 2 &&
      state.steps[0].in[0] + state.steps[0].in[1] == 1) {
    program.simple_ = state.steps[0].op.opcode;
  }
  for (const uint32_t reg : results) program.results_.push_back(state.types[reg]);
  state.result_registers = std::move(results);
  return program;
}

void LaneProgram::Run(std::span<const void* const> arguments, std::span<void* const> results,
                      size_t n) {
  State& state = *state_;
  for (size_t i = 0; i < arguments.size(); ++i) state.read[i] = arguments[i];
  for (const Step& step : state.steps) {
    const std::array<const void*, 3> in = {state.read[step.in[0]], state.read[step.in[1]],
                                           state.read[step.in[2]]};
    void* out = state.storage[step.out]->bytes;
    step.kernel(step.op, in.data(), out, n);
    if (step.round) RoundLanes(step.op.result, n, out);
  }
  // A forwarded parameter may share its storage with an earlier result.
  std::vector<LaneBlock> held;
  for (size_t i = 1; i < results.size(); ++i) {
    const uint32_t reg = state.result_registers[i];
    if (state.storage[reg] != nullptr) continue;
    if (std::find(results.begin(), results.begin() + static_cast<ptrdiff_t>(i), state.read[reg]) ==
        results.begin() + static_cast<ptrdiff_t>(i)) {
      continue;
    }
    if (held.empty()) held.reserve(results.size());
    held.emplace_back();
    std::memcpy(held.back().bytes, state.read[reg], n * LaneSize(LaneKindOf(results_[i])));
    state.read[reg] = held.back().bytes;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::memmove(results[i], state.read[state.result_registers[i]],
                 n * LaneSize(LaneKindOf(results_[i])));
  }
}

}  // namespace halo
