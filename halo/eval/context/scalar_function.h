// A computation applied to scalars, a block of them at a time, whether or not it compiles to a lane
// program: where it does not, it is called once per lane. Work is counted here.
#ifndef HALO_EVAL_CONTEXT_SCALAR_FUNCTION_H_
#define HALO_EVAL_CONTEXT_SCALAR_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/eval/context/op_context.h"

namespace halo {

class ScalarFunction {
 public:
  ScalarFunction(const OpContext& cx, CompId comp);

  [[nodiscard]] std::span<const ElementType> parameter_types() const { return parameters_; }
  [[nodiscard]] std::span<const ElementType> result_types() const { return results_; }

  // True if it adds its two parameters and they are real floats: sums of these are accumulated in
  // double and rounded once.
  [[nodiscard]] bool is_float_add() const;
  // The parameter that it gives back unchanged, if it does nothing else.
  [[nodiscard]] std::optional<size_t> forwards() const { return forwards_; }

  // n <= kBlock lanes of each parameter to lanes of each result, which may alias.
  std::optional<Diagnostic> Run(std::span<const void* const> arguments,
                                std::span<void* const> results, size_t n);

 private:
  std::optional<Diagnostic> RunOne(std::span<const void* const> arguments,
                                   std::span<void* const> results, size_t lane);

  const OpContext& cx_;
  CompId comp_;
  LaneProgram* program_;
  std::vector<ElementType> parameters_, results_;
  std::optional<size_t> forwards_;
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_SCALAR_FUNCTION_H_
