// Values of the full shape that one stage of a row kernel computes and a later stage needs again.
// Expensive values are kept for the current row; the others are recomputed.
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

  // Inside the loop of a level: stores the values that later stages need.
  void Keep(size_t level, const ElementIndex& at, const Index& variables);
  // After the loop: makes later stages load them.
  void Use(size_t level, const ElementIndex& at);

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
  IndexExpr column_;  // in storage order of the columns
};

// The values of the full shape that a stage computes at its own position. The last stage computes
// the results.
std::unordered_set<uint32_t> StageValues(const KernelBody& body, const ReductionForm& form,
                                         size_t level);

// True if keeping the value is cheaper than computing it twice.
bool IsExpensive(Opcode opcode);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_ROW_CACHE_H_
