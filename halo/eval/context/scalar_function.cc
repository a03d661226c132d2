// Chooses between a lane program and calls, and packs lanes into scalar arrays for the latter.
#include "halo/eval/context/scalar_function.h"

#include <utility>

#include "halo/eval/lanes/lanes.h"

namespace halo {

ScalarFunction::ScalarFunction(const OpContext& cx, CompId comp)
    : cx_(cx), comp_(comp), program_(cx.Lanes(comp)) {
  const Module& module = cx.module;
  const Computation& computation = module.comp(comp);
  const Inst& root = module.inst(computation.root);
  if (root.opcode == Opcode::kParameter) forwards_ = root.extra;
  if (program_ != nullptr) {
    parameters_.assign(program_->parameter_types().begin(), program_->parameter_types().end());
    results_.assign(program_->result_types().begin(), program_->result_types().end());
    return;
  }
  for (uint32_t i = 0; i < computation.count; ++i) {
    const Inst& inst = module.inst(InstId(computation.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (inst.extra >= parameters_.size()) parameters_.resize(inst.extra + 1, ElementType::kPred);
    parameters_[inst.extra] = module.shapes.type(inst.shape);
  }
  if (module.shapes.is_tuple(root.shape)) {
    for (const ShapeId part : module.shapes.elements(root.shape)) {
      results_.push_back(module.shapes.type(part));
    }
  } else {
    results_.push_back(module.shapes.type(root.shape));
  }
}

bool ScalarFunction::is_float_add() const {
  return program_ != nullptr && program_->simple_binary() == Opcode::kAdd &&
         InfoOf(parameters_[0]).klass == ElementClass::kFloat;
}

std::optional<Diagnostic> ScalarFunction::Run(std::span<const void* const> arguments,
                                              std::span<void* const> results, size_t n) {
  if (auto over = cx_.Spend(static_cast<int64_t>(n))) return over;
  if (program_ != nullptr) {
    program_->Run(arguments, results, n);
    return std::nullopt;
  }
  for (size_t lane = 0; lane < n; ++lane) {
    if (auto error = RunOne(arguments, results, lane)) return error;
  }
  return std::nullopt;
}

std::optional<Diagnostic> ScalarFunction::RunOne(std::span<const void* const> arguments,
                                                 std::span<void* const> results, size_t lane) {
  const auto at = [&](const void* lanes, ElementType type) {
    return static_cast<const uint8_t*>(lanes) + lane * LaneSize(LaneKindOf(type));
  };
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    Array scalar = cx_.Make(parameters_[i], {});
    StoreLanes(parameters_[i], at(arguments[i], parameters_[i]), 1, scalar.MutableBytes());
    values.emplace_back(std::move(scalar));
  }
  Result<Value> called = cx_.Call(comp_, std::move(values));
  if (!called) return called.error();
  for (size_t i = 0; i < results.size(); ++i) {
    const Array& part = called->is_tuple() ? called->elements()[i].array() : called->array();
    uint8_t* to = static_cast<uint8_t*>(results[i]) + lane * LaneSize(LaneKindOf(results_[i]));
    LoadLanes(part.type(), part.bytes(), 1, 1, to);
  }
  return std::nullopt;
}

}  // namespace halo
