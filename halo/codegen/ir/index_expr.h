// Indices inside kernels: linear expressions of loop variables and run-time values with constant
// factors and known ranges. Reshapes and layouts become arithmetic on these, so that divisions
// remain only where an index really must be decomposed. What is read at an index is decided
// elsewhere.
#ifndef HALO_CODEGEN_IR_INDEX_EXPR_H_
#define HALO_CODEGEN_IR_INDEX_EXPR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace halo {

struct IndexExpr {
  int64_t constant = 0;
  std::vector<std::pair<uint32_t, int64_t>> terms;  // atom, factor; sorted by atom; no zero factors

  [[nodiscard]] bool is_constant() const { return terms.empty(); }
  friend bool operator==(const IndexExpr&, const IndexExpr&) = default;
  friend auto operator<=>(const IndexExpr&, const IndexExpr&) = default;
};

using Index = std::vector<IndexExpr>;

IndexExpr ConstantIndex(int64_t value);

class IndexSpace {
 public:
  struct Range {
    int64_t min = 0, max = 0;  // inclusive
  };

  // A variable with values 0 ... size - 1; a constant if there is only one such value.
  IndexExpr Variable(int64_t size);
  // Sets the current value of a variable. For several collapsed variables, SetMerged sets the
  // linear index whose digits they are, with the first variable the most significant.
  void SetValue(const IndexExpr& variable, llvm::Value* value);
  void SetMerged(std::span<const IndexExpr> variables, llvm::Value* value);
  // A run-time value known to be in 0 ... size - 1.
  IndexExpr FromValue(llvm::Value* value, int64_t size);

  IndexExpr Add(const IndexExpr& a, const IndexExpr& b);
  static IndexExpr Scale(const IndexExpr& a, int64_t factor);
  IndexExpr AddConstant(IndexExpr a, int64_t constant) const;
  // Only for expressions that are never negative.
  IndexExpr Div(const IndexExpr& a, int64_t divisor);
  IndexExpr Mod(const IndexExpr& a, int64_t divisor);
  IndexExpr Linear(std::span<const IndexExpr> index, std::span<const int64_t> strides);
  // The multi-dimensional index of a row-major linear index.
  Index Delinearize(const IndexExpr& linear, std::span<const int64_t> dims);

  [[nodiscard]] Range RangeOf(const IndexExpr& a) const;
  // False only if the expression is known to be invariant in these variables.
  [[nodiscard]] bool DependsOn(const IndexExpr& a, std::span<const IndexExpr> variables) const;

  llvm::Value* Emit(llvm::IRBuilderBase& b, const IndexExpr& a);
  // Records every emitted expression, if not null.
  std::vector<IndexExpr>* log = nullptr;

 private:
  enum class Kind : uint8_t { kVariable, kValue, kDiv, kMod };
  struct Atom {
    Kind kind;
    int64_t size;
    llvm::Value* value = nullptr;
    IndexExpr of;         // kDiv, kMod
    int64_t divisor = 1;  // also of a merged variable
    bool merged = false;
    size_t group = 0;
  };
  struct Group {
    std::vector<std::pair<uint32_t, int64_t>> digits;  // atom, weight
    llvm::Value* value;
  };

  IndexExpr FromAtom(uint32_t atom) const { return {0, {{atom, 1}}}; }
  uint32_t Derived(Kind kind, const IndexExpr& of, int64_t divisor, int64_t size);
  // a = divisor * quotient + rest.
  void Split(const IndexExpr& a, int64_t divisor, IndexExpr& quotient, IndexExpr& rest) const;
  // Recombines digits that were split: n * (x / n) + x % n.
  void Rejoin(IndexExpr& a);
  llvm::Value* EmitAtom(llvm::IRBuilderBase& b, uint32_t atom);

  std::vector<Atom> atoms_;
  std::vector<Group> groups_;
  std::map<llvm::Value*, uint32_t> by_value_;
  std::map<std::pair<std::pair<Kind, int64_t>, IndexExpr>, uint32_t> derived_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_IR_INDEX_EXPR_H_
