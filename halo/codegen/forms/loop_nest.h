// Loops over the index space of a kernel: which dimensions can run as one, in what order they lie,
// how the work is cut into iterations. What is computed inside is the caller's.
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

// A box of indices. Dimensions run in groups, outermost first; those of one group run as one.
struct LoopSpace {
  std::vector<int64_t> dims;
  std::vector<std::vector<size_t>> groups;
  // Groups before this one are never joined with those behind it; 0: all may be.
  size_t boundary = 0;

  [[nodiscard]] int64_t size(size_t group) const;
  [[nodiscard]] int64_t count() const;
  // One variable for each dimension.
  [[nodiscard]] Index Variables(IndexSpace& space) const;
  // The number that the variables of a group are the digits of.
  [[nodiscard]] IndexExpr Number(IndexSpace& space, const Index& variables, size_t group) const;
  // Of a group: makes its variables the digits of a number.
  void Set(KernelFrame& frame, const Index& variables, size_t group, llvm::Value* value) const;
};

// Each dimension by itself, in the given order, those of one element left out.
LoopSpace SeparateLoops(std::span<const int64_t> dims, std::span<const int64_t> order);

// A load from an operand: its offset, as a constant and a factor for each dimension.
struct LoadSite {
  uint32_t leaf;
  int64_t constant;
  std::vector<int64_t> factors;
};

// Joins groups that every index expression of `code` treats as one. `code` is written with the
// variables it is given, which it must use in all that depends on the place. `loads`: those whose
// offsets are sums of the variables.
using PlaceCode = std::function<void(KernelFrame& frame, const Index& variables)>;
bool JoinLoops(LoopSpace& loops, const KernelBody& body, const PlaceCode& code, std::string& why,
               std::vector<LoadSite>* loads = nullptr);

// How many iterations of the vectorised loop are done side by side.
int VectorWidth(const KernelBody& body);
// Rough cost of one element, in instructions of HLO.
int64_t BodyCost(const KernelBody& body);

// Groups `begin` to `end` - 1.
std::vector<size_t> GroupRange(size_t begin, size_t end);

// A function over all places of the loops, cut into iterations. The last group is the inner loop.
// `streamed`: results that are written past the caches.
KernelPart PartOver(const BodyPtr& body, LoopSpace loops, PlaceCode code,
                    std::vector<size_t> streamed = {});

// Nested loops over some groups, first outermost; the last one with these hints.
void EmitNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
              std::span<const size_t> groups, const LoopHints& hints,
              const std::function<void()>& inside);
// The same with values carried from one place to the next. `range`: of the first group, if not all
// of it.
Values EmitCarriedNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
                       std::span<const size_t> groups, const LoopHints& hints,
                       const Values& carried, const std::function<Values(const Values&)>& inside,
                       const std::pair<llvm::Value*, llvm::Value*>* range = nullptr);

// Makes the variables of some groups the digits of a number, last group the lowest.
void SetDigits(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
               std::span<const size_t> groups, llvm::Value* number);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOOP_NEST_H_
