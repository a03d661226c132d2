// The common structure of a kernel's reductions: one index space, some of whose dimensions are kept
// (rows) and the others reduced (columns); which reductions depend on which others; which results
// have one element per row and which one per position. Determines whether rows or columns are
// minor-most; the lowerings emit the loops.
#ifndef HALO_CODEGEN_FORMS_REDUCTION_FORM_H_
#define HALO_CODEGEN_FORMS_REDUCTION_FORM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/kernel/element_emitter.h"
#include "halo/codegen/kernel/kernel_body.h"

namespace halo {

struct ReductionForm {
  std::vector<int64_t> dims;                // of the index space
  std::vector<int64_t> order;               // its dimensions in storage order, outermost first
  std::vector<size_t> kept, folded;         // dimensions, in ascending order
  int64_t rows = 1, columns = 1;            // counts
  std::vector<std::vector<InstId>> levels;  // reductions; each level depends only on earlier ones
  std::vector<size_t> element_roots, row_roots;
  std::vector<Folder> folders;  // of all reductions, level by level
  bool any_order = true;        // whether all of them may be reduced in any order

  // True if the innermost dimension in storage order is reduced.
  [[nodiscard]] bool minor_is_folded() const;
  [[nodiscard]] std::vector<InstId> reductions() const;
};

// Returns nullopt and sets `why` if the body has no reductions or they are incompatible.
std::optional<ReductionForm> FindReductionForm(const KernelBody& body, std::string& why);

// Indices of the body's values at a position of the form's index space, given by one variable per
// dimension.
class ElementIndex {
 public:
  ElementIndex(const ReductionForm& form, const KernelBody& body, IndexSpace& space,
               Index variables);

  // The index of a value with one element per position (Position) or per row (Row).
  [[nodiscard]] Index Position(std::span<const int64_t> dims) const;
  [[nodiscard]] Index Row(std::span<const int64_t> dims) const;
  // The index of the value that a reduction reduces.
  [[nodiscard]] Index Folded(InstId reduce) const;
  // The linear index of the row.
  [[nodiscard]] IndexExpr row() const { return row_; }

 private:
  const ReductionForm& form_;
  const KernelBody& body_;
  IndexSpace& space_;
  Index variables_;
  IndexExpr row_, column_, position_;
};

// The elements that the reductions of a level consume at a position, concatenated.
Values FoldedElements(KernelFrame& frame, const ReductionForm& form, size_t level,
                      const ElementIndex& at);
// One step of all reductions of a level; accumulators are concatenated.
Values StepAll(KernelFrame& frame, const ReductionForm& form, size_t level,
               const Values& accumulators, const Values& elements);
Values JoinAll(KernelFrame& frame, const ReductionForm& form, size_t level, const Values& left,
               const Values& right);
Values InitialAll(KernelFrame& frame, const ReductionForm& form, size_t level);
// Returns nullopt if one of the reductions has no known neutral element.
std::optional<Values> NeutralAll(KernelFrame& frame, const ReductionForm& form, size_t level);
// The storage types of a level's accumulators.
std::vector<ElementType> AccumulatorTypes(const ReductionForm& form, size_t level);
// Provides finished accumulators as the values of the reductions at the current row.
void GiveResults(KernelFrame& frame, const ReductionForm& form, size_t level,
                 const ElementIndex& at, const Values& accumulators);
// Provides placeholder values, for inspecting the surrounding code.
void GiveNothing(KernelFrame& frame, const ReductionForm& form);

// Rows outermost, then columns, in storage order (columns in reduction order where that matters),
// collapsed where possible.
std::optional<LoopSpace> ReductionLoops(const ReductionForm& form, const KernelBody& body,
                                        std::string& why, std::vector<LoadSite>* loads = nullptr);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_REDUCTION_FORM_H_
