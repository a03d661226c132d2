// The small computations that reduce, scatter, sort, map and similar ops apply to scalars, compiled
// to a list of steps over registers of lanes, so that one pass handles a whole block of elements.
// Only computations whose instructions all work on scalars qualify; the ops call others one element
// at a time (OpContext::Call).
#ifndef HALO_EVAL_LANES_LANE_PROGRAM_H_
#define HALO_EVAL_LANES_LANE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halo/eval/lanes/lanes.h"
#include "halo/ir/module.h"

namespace halo {

class LaneProgram {
 public:
  // Returns nothing if the computation is more than scalar arithmetic.
  static std::optional<LaneProgram> Compile(const Module& module, CompId comp);

  [[nodiscard]] std::span<const ElementType> parameter_types() const { return parameters_; }
  [[nodiscard]] std::span<const ElementType> result_types() const { return results_; }

  // Returns the op if the computation is exactly op(p0, p1) or op(p1, p0) on its first two
  // parameters with one result: reductions by add, maximum, and so on.
  [[nodiscard]] std::optional<Opcode> simple_binary() const { return simple_; }

  // Maps n <= kBlock lanes of each parameter to lanes of each result. `arguments` may alias
  // `results`. Not thread-safe: the program owns the registers.
  void Run(std::span<const void* const> arguments, std::span<void* const> results, size_t n);

 private:
  friend class LaneCompiler;
  struct Step;
  struct State;
  std::vector<ElementType> parameters_, results_;
  std::optional<Opcode> simple_;
  std::shared_ptr<State> state_;
};

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANE_PROGRAM_H_
