// Values of the full shape that one stage of a row kernel computes and a later one needs again:
// those that cost much are kept for the row at hand, the others computed anew.
#ifndef HALO_CODEGEN_FORMS_ROW_CACHE_H_
#define HALO_CODEGEN_FORMS_ROW_CACHE_H_

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "halo/codegen/forms/reduction_form.h"
#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {

class RowCache {
 public:
  RowCache(const ReductionForm& form, const KernelBody& body, KernelFrame& frame);

  // Inside the loop of a level: stores what later stages need.
  void Keep(size_t level, const PlaceIndex& at, const Index& variables);
  // Behind the loop: later stages load it.
  void Use(size_t level, const PlaceIndex& at);

 private:
  struct Kept {
    InstId inst;
    size_t level;
    llvm::Value* memory;
  };

  const ReductionForm& form_;
  const KernelBody& body_;
  KernelFrame& frame_;
  std::vector<Kept> kept_;
  IndexExpr column_;  // as the columns lie
};

// The values of the full shape that a stage computes at its place; the last stage is that of the
// results.
std::unordered_set<uint32_t> StageValues(const KernelBody& body, const ReductionForm& form,
                                         size_t level);

// Worth keeping rather than computing twice.
bool IsExpensive(Opcode opcode);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_ROW_CACHE_H_
