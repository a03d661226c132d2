// Indices inside kernels: sums of loop variables and run-time values times constants, whose ranges
// are known. Reshapes and layouts become arithmetic on these, so that divisions are left only where
// an index really must be taken apart. What is read at an index is not known here.
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
  std::vector<std::pair<uint32_t, int64_t>> terms;  // atom, factor; by atom, no factor is zero

  [[nodiscard]] bool is_constant() const { return terms.empty(); }
  friend bool operator==(const IndexExpr&, const IndexExpr&) = default;
  friend auto operator<=>(const IndexExpr&, const IndexExpr&) = default;
};

using Index = std::vector<IndexExpr>;

IndexExpr ConstantIndex(int64_t value);

class IndexSpace {
 public:
  struct Range {
    int64_t min = 0, max = 0;  // both included
  };

  // A variable that takes the values 0 ... size - 1; a constant if that is only one.
  IndexExpr Variable(int64_t size);
  // What the variable is from now on. For several variables that run together: the one number that
  // they are the digits of, the first the most significant.
  void SetValue(const IndexExpr& variable, llvm::Value* value);
  void SetMerged(std::span<const IndexExpr> variables, llvm::Value* value);
  // A value that is known to lie in 0 ... size - 1.
  IndexExpr FromValue(llvm::Value* value, int64_t size);

  IndexExpr Add(const IndexExpr& a, const IndexExpr& b);
  static IndexExpr Scale(const IndexExpr& a, int64_t factor);
  IndexExpr AddConstant(IndexExpr a, int64_t constant) const;
  // For expressions that are never negative.
  IndexExpr Div(const IndexExpr& a, int64_t divisor);
  IndexExpr Mod(const IndexExpr& a, int64_t divisor);
  IndexExpr Linear(std::span<const IndexExpr> index, std::span<const int64_t> strides);
  // The digits of a number that counts positions in row-major order.
  Index Delinearize(const IndexExpr& linear, std::span<const int64_t> dims);

  [[nodiscard]] Range RangeOf(const IndexExpr& a) const;
  // True unless the expression surely stays the same while these variables change.
  [[nodiscard]] bool DependsOn(const IndexExpr& a, std::span<const IndexExpr> variables) const;

  llvm::Value* Emit(llvm::IRBuilderBase& b, const IndexExpr& a);
  // Every expression that was emitted, where wanted.
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
  // Joins digits that were taken apart: n * (x / n) + x % n.
  void Rejoin(IndexExpr& a);
  llvm::Value* EmitAtom(llvm::IRBuilderBase& b, uint32_t atom);

  std::vector<Atom> atoms_;
  std::vector<Group> groups_;
  std::map<llvm::Value*, uint32_t> by_value_;
  std::map<std::pair<std::pair<Kind, int64_t>, IndexExpr>, uint32_t> derived_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_IR_INDEX_EXPR_H_
