// A computation applied to scalars, one block at a time. If it does not compile to a lane program,
// it is called once per lane. Work is counted here.
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

  // Returns true if it adds its two parameters and they are real floats. Such sums are accumulated
  // in double and rounded once.
  [[nodiscard]] bool is_float_add() const;
  // The parameter that it returns unchanged, if it does nothing else.
  [[nodiscard]] std::optional<size_t> forwards() const { return forwards_; }

  // Maps n <= kBlock lanes of each parameter to lanes of each result, which may alias the
  // arguments.
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
