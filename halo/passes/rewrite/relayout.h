// A value in another layout: copies of its arrays, where layouts differ at all.
#ifndef HALO_PASSES_REWRITE_RELAYOUT_H_
#define HALO_PASSES_REWRITE_RELAYOUT_H_

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// True if the shapes have the same arrays, perhaps in other layouts.
bool SameButLayout(const ShapeTable& shapes, ShapeId a, ShapeId b);

// `value` with exactly `shape`, which differs from its own at most in layouts; none if it
// differs in more.
InstId Relayout(ModuleEditor& edit, InstId value, ShapeId shape);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_RELAYOUT_H_
