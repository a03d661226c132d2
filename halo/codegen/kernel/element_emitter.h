// Emits the value of any instruction of a kernel body at any index as LLVM instructions. Ops that
// move elements transform the index, elementwise ops compute, and values in memory are loaded. The
// lowerings emit the surrounding loops and decide where results are stored.
#ifndef HALO_CODEGEN_KERNEL_ELEMENT_EMITTER_H_
#define HALO_CODEGEN_KERNEL_ELEMENT_EMITTER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/codegen/ir/index_expr.h"
#include "halo/codegen/ir/loop_ir.h"
#include "halo/codegen/kernel/kernel_body.h"
#include "halo/codegen/kernel/scalar_computation.h"
#include "halo/ir/attributes/window.h"

namespace halo {

class ElementEmitter {
 public:
  // `bases`: the address of every buffer.
  ElementEmitter(const KernelBody& body, llvm::IRBuilderBase& b, IndexSpace& space,
                 LoopMemory& memory, Values bases);

  // The value in computed form. On failure, returns poison and sets failed().
  llvm::Value* At(InstId inst, const Index& index, uint32_t part = 0);

  // Overrides the values of an instruction from now on. `given` returns null for an index it does
  // not know.
  using Given = std::function<llvm::Value*(const Index& index, uint32_t part)>;
  void Give(InstId inst, Given given) { given_[inst.value] = std::move(given); }

  // Values emitted inside a scope are not reused outside it.
  void Enter() { scopes_.emplace_back(); }
  void Leave() { scopes_.pop_back(); }

  // Access the body's arrays in their layout (LoadFrom, StoreTo), or any address at an offset in
  // elements (Load, Store).
  llvm::Value* LoadFrom(uint32_t leaf, const Index& index);
  void StoreTo(uint32_t leaf, const Index& index, llvm::Value* computed);
  llvm::Value* Load(ElementType type, llvm::Value* base, llvm::Value* offset, bool invariant);
  void Store(ElementType type, llvm::Value* base, llvm::Value* offset, llvm::Value* computed);

  // Called before an operand is loaded at an offset. Returns the element in stored form, or null to
  // load it from memory.
  using Loader = std::function<llvm::Value*(uint32_t leaf, const IndexExpr& offset)>;
  void SetLoader(Loader loader) { loader_ = std::move(loader); }

  // Called with each result element before it is stored. Returns true if it handled the store.
  using Storer = std::function<bool(uint32_t leaf, const IndexExpr& offset, llvm::Value* computed)>;
  void SetStorer(Storer storer) { storer_ = std::move(storer); }

  // Multiplies by `reciprocal` instead of dividing from now on; null: divide again.
  void SetReciprocal(InstId divide, llvm::Value* reciprocal) {
    reciprocals_[divide.value] = reciprocal;
  }

  // The variables of the vectorized loop.
  void SetInner(Index variables) { inner_ = std::move(variables); }

  // Records expressions that are zero where a concatenate begins to read another operand, or where
  // a pad begins or ends; null: no longer.
  void LogChanges(std::vector<IndexExpr>* changes) { changes_ = changes; }
  // The number of values computed so far.
  [[nodiscard]] int64_t emitted() const { return emitted_; }

  // A scalar integer value as a position, clamped to 0 ... max.
  IndexExpr ClampedStart(InstId inst, const Index& index, int64_t max);
  // The same, unclamped; a u64 that does not fit in int64 becomes the largest int64.
  llvm::Value* StartAt(InstId inst, const Index& index);
  // The clamped start indices of a dynamic-slice or dynamic-update-slice.
  Index Starts(InstId inst, size_t first_operand, std::span<const int64_t> whole,
               std::span<const int64_t> part);
  std::optional<Folder> FolderOf(InstId inst);
  // The initial values of a reduce or reduce-window.
  Values Initial(InstId inst, const Folder& folder);

  void Fail(std::string why);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::string& why() const { return why_; }

  [[nodiscard]] const KernelBody& body() const { return body_; }
  llvm::IRBuilderBase& builder() { return b_; }
  IndexSpace& space() { return space_; }
  LoopMemory& memory() { return memory_; }
  [[nodiscard]] llvm::Value* base(uint32_t leaf) const { return bases_[leaf]; }

 private:
  struct Condition {
    llvm::Value* value = nullptr;  // null: always true
    bool varies = false;           // inside the vectorized loop
  };

  llvm::Value* Compute(InstId inst, const Index& index, uint32_t part);
  llvm::Value* Poison(InstId inst, uint32_t part);
  llvm::Value* LoadInput(InstId inst, uint32_t leaf, const Index& index);
  llvm::Value* Scalar(InstId inst, const Index& index);
  llvm::Value* Constant(InstId inst, const Index& index);
  llvm::Value* Iota(InstId inst, const Index& index);
  llvm::Value* Map(InstId inst, const Index& index);
  llvm::Value* Bitcast(InstId inst, const Index& index);
  // Between elements of different widths: one element in place of a minor dimension of several.
  llvm::Value* ConvertBits(InstId inst, const Index& index);
  llvm::Value* Pad(InstId inst, const Index& index);
  llvm::Value* Concatenate(InstId inst, const Index& index);
  llvm::Value* DynamicSlice(InstId inst, const Index& index);
  llvm::Value* DynamicUpdateSlice(InstId inst, const Index& index);
  llvm::Value* Gather(InstId inst, const Index& index);
  Values Reduce(InstId inst, const Index& index);
  Values ReduceWindow(InstId inst, const Index& index);
  // `cone`: the number of instructions of one step. `inner`: hints for the loop over the last of
  // `dims`, which is written out only if it is not to be vectorized.
  Values FoldBox(int64_t cone, std::span<const int64_t> dims, const LoopHints& inner,
                 Values accumulators,
                 const std::function<Values(const Index&, const Values&)>& step);

  void ChangesAt(const IndexExpr& at, int64_t position);
  // Restricts `condition` to values of `at` in [0, size).
  void Inside(Condition& condition, const IndexExpr& at, int64_t size);
  // Clamps a position that may be out of bounds, for accesses that the condition does not guard.
  IndexExpr Clamp(const IndexExpr& at, int64_t size);
  llvm::Value* Guarded(const Condition& condition, const std::function<llvm::Value*()>& inside,
                       const std::function<llvm::Value*()>& outside);
  [[nodiscard]] bool Varies(const IndexExpr& a) const { return space_.DependsOn(a, inner_); }

  const KernelBody& body_;
  llvm::IRBuilderBase& b_;
  IndexSpace& space_;
  LoopMemory& memory_;
  Values bases_;
  Index inner_;
  Loader loader_;
  Storer storer_;
  std::vector<IndexExpr>* changes_ = nullptr;
  std::unordered_map<uint32_t, llvm::Value*> reciprocals_;
  std::unordered_map<uint32_t, Given> given_;
  std::unordered_map<uint32_t, llvm::Value*> literals_;
  using Key = std::pair<std::pair<uint32_t, uint32_t>, Index>;
  std::vector<std::map<Key, llvm::Value*>> scopes_;
  std::string why_;
  bool failed_ = false;
  int64_t emitted_ = 0;
  int depth_ = 0;
};

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_ELEMENT_EMITTER_H_
