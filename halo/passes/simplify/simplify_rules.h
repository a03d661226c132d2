// Local rewrites, each of one instruction whose operands are already simplified. They preserve
// results bit for bit, including the sign of zeros.
#ifndef HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_
#define HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// Returns a replacement for `id`, with its dimensions and type but possibly another layout; none if
// nothing simpler is known.
InstId SimplifyStructure(ModuleEditor& edit, InstId id);
InstId SimplifyArithmetic(ModuleEditor& edit, InstId id);
InstId SimplifyMovement(ModuleEditor& edit, InstId id);
InstId SimplifyReduce(ModuleEditor& edit, InstId id);

// Returns true if `to` can represent every value of `from`.
bool ConvertIsExact(ElementType from, ElementType to);

}  // namespace halo

#endif  // HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_
