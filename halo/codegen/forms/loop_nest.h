// Loops over the index space of a kernel: which dimensions can be collapsed, their storage order,
// and how the work is split into iterations. The caller decides what is computed inside.
#ifndef HALO_CODEGEN_FORMS_LOOP_NEST_H_
#define HALO_CODEGEN_FORMS_LOOP_NEST_H_

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "halo/codegen/ir/index_expr.h"
#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {

// A box of indices. Dimensions are iterated in groups, outermost first; the dimensions of a group
// are collapsed into one loop.
struct LoopSpace {
  std::vector<int64_t> dims;
  std::vector<std::vector<size_t>> groups;
  // Groups before this one are never collapsed with later ones; 0: no restriction.
  size_t boundary = 0;
  // Set by JoinLoops. For each dimension, the positions inside it where a concatenate reads another
  // operand or a pad begins or ends, in order; and the number of values computed per position.
  std::vector<std::vector<int64_t>> changes;
  int64_t values = 0;

  [[nodiscard]] int64_t size(size_t group) const;
  [[nodiscard]] int64_t count() const;
  // One variable per dimension.
  [[nodiscard]] Index Variables(IndexSpace& space) const;
  // The linear index of a group, computed from its variables.
  [[nodiscard]] IndexExpr Number(IndexSpace& space, const Index& variables, size_t group) const;
  // Sets the variables of a group by delinearizing `value`.
  void Set(KernelFrame& frame, const Index& variables, size_t group, llvm::Value* value) const;
};

// One group per dimension, in the given order; dimensions of size 1 are omitted.
LoopSpace SeparateLoops(std::span<const int64_t> dims, std::span<const int64_t> order);

// A load from an operand: its offset as a constant and one factor per dimension.
struct LoadSite {
  uint32_t leaf;
  int64_t constant;
  std::vector<int64_t> factors;
};

// Collapses groups that every index expression of `code` treats as one. `code` must use the given
// variables for everything that depends on the position. `loads` receives the loads whose offsets
// are linear in the variables.
using ElementCode = std::function<void(KernelFrame& frame, const Index& variables)>;
bool JoinLoops(LoopSpace& loops, const KernelBody& body, const ElementCode& code, std::string& why,
               std::vector<LoadSite>* loads = nullptr);

// Vectorization factor of the inner loop.
int VectorWidth(const KernelBody& body);
// Whether an element may take a loop: a reduction, a window or a product.
bool HasFolds(const KernelBody& body);
// Rough cost of one element, in units of a vectorized addition.
int64_t BodyCost(const KernelBody& body);

// Groups `begin` to `end` - 1.
std::vector<size_t> GroupRange(size_t begin, size_t end);

// A function over all positions of the loops, split into iterations. The last group is the inner
// loop. `streamed`: results written with non-temporal stores. `elements` are computed per position.
KernelPart PartOver(const BodyPtr& body, LoopSpace loops, ElementCode code,
                    const std::vector<size_t>& streamed = {}, int64_t elements = 1);

// Emits nested loops over some groups, outermost first. `hints` apply to the innermost loop.
void EmitNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
              std::span<const size_t> groups, const LoopHints& hints,
              const std::function<void()>& inside);
// The same, with values carried from one position to the next. `range` restricts the first group;
// null: all of it.
Values EmitCarriedNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
                       std::span<const size_t> groups, const LoopHints& hints,
                       const Values& carried, const std::function<Values(const Values&)>& inside,
                       const std::pair<llvm::Value*, llvm::Value*>* range = nullptr);

// Sets the variables of some groups by delinearizing `number`, with the last group innermost.
void SetDigits(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
               std::span<const size_t> groups, llvm::Value* number);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOOP_NEST_H_
