// Converts a value to another layout by copying those arrays whose layouts differ.
#ifndef HALO_PASSES_REWRITE_RELAYOUT_H_
#define HALO_PASSES_REWRITE_RELAYOUT_H_

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// Returns true if the shapes have the same arrays, possibly in different layouts.
bool SameButLayout(const ShapeTable& shapes, ShapeId a, ShapeId b);

// Returns `value` with exactly `shape`, which may differ from its own only in layouts; none if it
// differs in more.
InstId Relayout(ModuleEditor& edit, InstId value, ShapeId shape);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_RELAYOUT_H_
