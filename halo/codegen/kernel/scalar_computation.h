// The small computations that reduce, scatter, map and their like apply to elements, emitted in
// place, and what is known of them: plain sums are accumulated wide and rounded once, as halo/eval
// does; some may be done in any order.
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

// The results of a computation of scalars, in computed form; nothing if it does other things.
std::optional<Values> EmitComputation(llvm::IRBuilderBase& b, const Module& module, CompId comp,
                                      std::span<llvm::Value* const> arguments);

// Brings a computed value of one type to the computed form of another of its kind, rounded to the
// latter if asked; null if they are of different kinds.
llvm::Value* ConvertComputed(llvm::IRBuilderBase& b, ElementType from, ElementType to,
                             llvm::Value* value, bool round);

// How values are folded together.
class Folder {
 public:
  // Nothing if the computation is not one of scalars. `inputs` are the types of what is folded,
  // `results` of what comes out.
  static std::optional<Folder> Make(const Module& module, CompId comp,
                                    std::vector<ElementType> inputs,
                                    std::vector<ElementType> results);

  [[nodiscard]] size_t count() const { return inputs_.size(); }
  // The order of folding is of no account.
  [[nodiscard]] bool any_order() const { return any_order_; }
  // Adds floats: in any order, rounded at the end.
  [[nodiscard]] bool is_sum() const { return is_sum_; }
  // Keeps sums of real floats in f64.
  void WidenSum();
  // The computation gives back the second of its two arguments.
  [[nodiscard]] bool is_overwrite() const { return is_overwrite_; }
  // What the k-th accumulator is kept as, wider than its type for sums.
  [[nodiscard]] ElementType type(size_t k) const { return types_[k]; }

  // From computed initial values to accumulators; then one step; then computed results.
  Values Start(llvm::IRBuilderBase& b, const Values& initial,
               std::span<const ElementType> initial_types) const;
  [[nodiscard]] Values Step(llvm::IRBuilderBase& b, const Values& accumulators,
                            const Values& elements) const;
  [[nodiscard]] Values Join(llvm::IRBuilderBase& b, const Values& left, const Values& right) const;
  [[nodiscard]] Values Finish(llvm::IRBuilderBase& b, const Values& accumulators) const;
  // What leaves every value as it is when folded with it; nothing if none is known.
  [[nodiscard]] std::optional<Values> Neutral(llvm::IRBuilderBase& b) const;

 private:
  llvm::Value* Sum(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const;
  llvm::Value* Extreme(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const;
  // The larger or smaller of two floats.
  [[nodiscard]] bool is_extreme() const;

  const Module* module_ = nullptr;
  CompId comp_;
  std::vector<ElementType> inputs_, results_, types_, parameters_;
  Opcode simple_ = Opcode::kUnknown;
  bool any_order_ = false, is_sum_ = false, is_overwrite_ = false;
};

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_SCALAR_COMPUTATION_H_
