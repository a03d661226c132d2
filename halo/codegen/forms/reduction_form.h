// What the reductions of a kernel have in common: one space of indices, some dimensions of which
// are kept (rows) and the others folded (columns); which reduction needs the results of which
// others; which results have an element for each row and which for each place. Whether rows or
// columns lie next to each other is looked up here; the loops are the lowerings'.
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
  std::vector<int64_t> dims;                // of the space
  std::vector<int64_t> order;               // its dimensions as they lie, outermost first
  std::vector<size_t> kept, folded;         // dimensions, in the order of their numbers
  int64_t rows = 1, columns = 1;            // how many
  std::vector<std::vector<InstId>> levels;  // reductions; each level needs only earlier ones
  std::vector<size_t> place_roots, row_roots;
  std::vector<Folder> folders;  // of all reductions, level by level
  bool any_order = true;        // of folding, for all of them

  // The dimension that lies innermost is folded.
  [[nodiscard]] bool minor_is_folded() const;
  [[nodiscard]] std::vector<InstId> reductions() const;
};

// Nothing, and `why`, if the body has no reductions or they do not fit together.
std::optional<ReductionForm> FindReductionForm(const KernelBody& body, std::string& why);

// Indices of the body's values at a place of the form's space, given by a variable for each of its
// dimensions.
class PlaceIndex {
 public:
  PlaceIndex(const ReductionForm& form, const KernelBody& body, IndexSpace& space, Index variables);

  // Of a value with an element for each place, for each row.
  [[nodiscard]] Index Place(std::span<const int64_t> dims) const;
  [[nodiscard]] Index Row(std::span<const int64_t> dims) const;
  // Of what a reduction folds.
  [[nodiscard]] Index Folded(InstId reduce) const;
  // The number of the row.
  [[nodiscard]] IndexExpr row() const { return row_; }

 private:
  const ReductionForm& form_;
  const KernelBody& body_;
  IndexSpace& space_;
  Index variables_;
  IndexExpr row_, column_, place_;
};

// The elements that the reductions of a level fold at a place, one after the other.
Values FoldedElements(KernelFrame& frame, const ReductionForm& form, size_t level,
                      const PlaceIndex& at);
// One step of all of them; accumulators are flat.
Values StepAll(KernelFrame& frame, const ReductionForm& form, size_t level,
               const Values& accumulators, const Values& elements);
Values JoinAll(KernelFrame& frame, const ReductionForm& form, size_t level, const Values& left,
               const Values& right);
Values InitialAll(KernelFrame& frame, const ReductionForm& form, size_t level);
// Nothing if it is not known for one of them.
std::optional<Values> NeutralAll(KernelFrame& frame, const ReductionForm& form, size_t level);
// How the accumulators of a level are stored.
std::vector<ElementType> AccumulatorTypes(const ReductionForm& form, size_t level);
// Makes finished accumulators the values of the reductions, at the row at hand.
void GiveResults(KernelFrame& frame, const ReductionForm& form, size_t level, const PlaceIndex& at,
                 const Values& accumulators);
// Values without meaning, for looking at the code around them.
void GiveNothing(KernelFrame& frame, const ReductionForm& form);

// Rows outermost, then columns, in the order they lie (columns in the order of folding where that
// matters), joined where everything allows it.
std::optional<LoopSpace> ReductionLoops(const ReductionForm& form, const KernelBody& body,
                                        std::string& why, std::vector<LoadSite>* loads = nullptr);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_REDUCTION_FORM_H_
