// The value of any instruction of a kernel's body at any index, as LLVM instructions: ops that move
// elements change the index, elementwise ops compute, and what lies in memory is loaded. Loops
// around it, and where results go, are the lowerings'.
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

  // In computed form. Poison, and `failed`, if it cannot be had.
  llvm::Value* At(InstId inst, const Index& index, uint32_t part = 0);

  // The values of an instruction from now on: null where the given index is not known.
  using Given = std::function<llvm::Value*(const Index& index, uint32_t part)>;
  void Give(InstId inst, Given given) { given_[inst.value] = std::move(given); }

  // What is emitted inside is not reused outside.
  void Enter() { scopes_.emplace_back(); }
  void Leave() { scopes_.pop_back(); }

  // Memory as the body's arrays lie, and any other address with an offset in elements.
  llvm::Value* LoadFrom(uint32_t leaf, const Index& index);
  void StoreTo(uint32_t leaf, const Index& index, llvm::Value* computed);
  llvm::Value* Load(ElementType type, llvm::Value* base, llvm::Value* offset, bool invariant);
  void Store(ElementType type, llvm::Value* base, llvm::Value* offset, llvm::Value* computed);

  // Asked before an operand's array is loaded at an offset: the element as it is stored, or null.
  using Loader = std::function<llvm::Value*(uint32_t leaf, const IndexExpr& offset)>;
  void SetLoader(Loader loader) { loader_ = std::move(loader); }

  // Offered each element of a result before it is stored; true if that took it.
  using Storer = std::function<bool(uint32_t leaf, const IndexExpr& offset, llvm::Value* computed)>;
  void SetStorer(Storer storer) { storer_ = std::move(storer); }

  // Divides by multiplying with this from now on; null: divides again.
  void SetReciprocal(InstId divide, llvm::Value* reciprocal) {
    reciprocals_[divide.value] = reciprocal;
  }

  // The variables of the loop that is vectorised.
  void SetInner(Index variables) { inner_ = std::move(variables); }

  // A scalar integer value as a position: clamped into 0 ... max.
  IndexExpr ClampedStart(InstId inst, const Index& index, int64_t max);
  // The same as a number without bounds; a u64 beyond int64 is its largest.
  llvm::Value* StartAt(InstId inst, const Index& index);
  // Starts of a dynamic-slice or dynamic-update-slice, clamped.
  Index Starts(InstId inst, size_t first_operand, std::span<const int64_t> whole,
               std::span<const int64_t> part);
  std::optional<Folder> FolderOf(InstId inst);
  // The initial values of a reduce or reduce-window.
  Values Initial(InstId inst, const Folder& folder);

  void Fail(std::string why);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  // Work so far, against the limit of what one kernel may grow to.
  [[nodiscard]] int64_t emitted() const { return emitted_; }

  [[nodiscard]] const KernelBody& body() const { return body_; }
  llvm::IRBuilderBase& builder() { return b_; }
  IndexSpace& space() { return space_; }
  LoopMemory& memory() { return memory_; }
  [[nodiscard]] llvm::Value* base(uint32_t leaf) const { return bases_[leaf]; }

 private:
  struct Condition {
    llvm::Value* value = nullptr;  // null: always
    bool varies = false;           // inside the vectorised loop
  };

  llvm::Value* Compute(InstId inst, const Index& index, uint32_t part);
  llvm::Value* Poison(InstId inst, uint32_t part);
  llvm::Value* LoadInput(InstId inst, uint32_t leaf, const Index& index);
  llvm::Value* Scalar(InstId inst, const Index& index);
  llvm::Value* Constant(InstId inst, const Index& index);
  llvm::Value* Iota(InstId inst, const Index& index);
  llvm::Value* Map(InstId inst, const Index& index);
  llvm::Value* Bitcast(InstId inst, const Index& index);
  llvm::Value* Pad(InstId inst, const Index& index);
  llvm::Value* Concatenate(InstId inst, const Index& index);
  llvm::Value* DynamicSlice(InstId inst, const Index& index);
  llvm::Value* DynamicUpdateSlice(InstId inst, const Index& index);
  llvm::Value* Gather(InstId inst, const Index& index);
  Values Reduce(InstId inst, const Index& index);
  Values ReduceWindow(InstId inst, const Index& index);
  // `cone`: how many instructions one step takes.
  Values FoldBox(int64_t cone, std::span<const int64_t> dims, Values accumulators,
                 const std::function<Values(const Index&, const Values&)>& step);

  // Narrows `condition` to those values of `at` that lie in [0, size).
  void Inside(Condition& condition, const IndexExpr& at, int64_t size);
  // A position that may lie outside, brought inside where the condition does not guard the access.
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
