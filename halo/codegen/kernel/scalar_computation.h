// The small computations that reduce, scatter, map and similar ops apply to elements, emitted
// inline, and what is known about them. Plain sums are accumulated in a wider type and rounded
// once, as in halo/eval; some computations may be applied in any order.
#ifndef HALO_CODEGEN_KERNEL_SCALAR_COMPUTATION_H_
#define HALO_CODEGEN_KERNEL_SCALAR_COMPUTATION_H_

#include <optional>
#include <span>
#include <vector>

#include "halo/codegen/ir/loop_ir.h"
#include "halo/codegen/kernel/kernel_body.h"
#include "halo/ir/module.h"

namespace llvm {
class Type;
}

namespace halo {

// The results of a computation on scalars, in computed form. Returns nullopt if it does anything
// else.
std::optional<Values> EmitComputation(llvm::IRBuilderBase& b, const Module& module, CompId comp,
                                      std::span<llvm::Value* const> arguments);

// Converts a computed value to the computed form of another type of the same class, optionally
// rounded to that type. Returns null if the classes differ.
llvm::Value* ConvertComputed(llvm::IRBuilderBase& b, ElementType from, ElementType to,
                             llvm::Value* value, bool round);

// How values are combined by a reduction.
class Folder {
 public:
  // Returns nullopt if the computation is not on scalars. `inputs` are the types of the reduced
  // values, `results` those of the results.
  static std::optional<Folder> Make(const Module& module, CompId comp,
                                    std::vector<ElementType> inputs,
                                    std::vector<ElementType> results);

  [[nodiscard]] size_t count() const { return inputs_.size(); }
  // The order of reduction does not matter.
  [[nodiscard]] bool any_order() const { return any_order_; }
  // A sum of floats: any order, rounded at the end.
  [[nodiscard]] bool is_sum() const { return is_sum_; }
  // Accumulates sums of real floats in f64.
  void WidenSum();
  // Accumulates a maximum or minimum of floats as integers in the same order. Comparing these takes
  // one instruction; floats need several for NaNs and the signs of zeros.
  void OrderAsIntegers();
  // The type of the k-th accumulator; for sums, wider than its element type.
  [[nodiscard]] ElementType type(size_t k) const { return types_[k]; }

  // Start converts computed initial values to accumulators, Step adds one element, Join combines
  // two accumulators, and Finish returns the computed results.
  Values Start(llvm::IRBuilderBase& b, const Values& initial,
               std::span<const ElementType> initial_types) const;
  [[nodiscard]] Values Step(llvm::IRBuilderBase& b, const Values& accumulators,
                            const Values& elements) const;
  [[nodiscard]] Values Join(llvm::IRBuilderBase& b, const Values& left, const Values& right) const;
  [[nodiscard]] Values Finish(llvm::IRBuilderBase& b, const Values& accumulators) const;
  // The neutral element of the reduction; nullopt if none is known.
  [[nodiscard]] std::optional<Values> Neutral(llvm::IRBuilderBase& b) const;

 private:
  llvm::Value* Sum(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const;
  llvm::Value* Extreme(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const;
  // The maximum or minimum of two floats.
  [[nodiscard]] bool is_extreme() const;
  // The integer of a float, and the float of an integer. NaN is beyond all numbers in the direction
  // that the reduction looks for.
  llvm::Value* ToOrdered(llvm::IRBuilderBase& b, llvm::Value* value) const;
  static llvm::Value* FromOrdered(llvm::IRBuilderBase& b, llvm::Value* ordered);

  const Module* module_ = nullptr;
  CompId comp_;
  std::vector<ElementType> inputs_, results_, types_, parameters_;
  Opcode simple_ = Opcode::kUnknown;
  bool any_order_ = false, is_sum_ = false;
  bool as_integers_ = false;  // accumulators are integers in the order of parameters_[1]
};

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_SCALAR_COMPUTATION_H_
