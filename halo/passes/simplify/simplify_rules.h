// Local rewrites, each of one instruction whose operands are simple already. They keep results to
// the bit; where that depends on the sign of a zero they look at it.
#ifndef HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_
#define HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// What may stand in the place of `id`, with its dimensions and type but perhaps another layout;
// none if nothing simpler is known.
InstId SimplifyStructure(ModuleEditor& edit, InstId id);
InstId SimplifyArithmetic(ModuleEditor& edit, InstId id);
InstId SimplifyMovement(ModuleEditor& edit, InstId id);
InstId SimplifyReduce(ModuleEditor& edit, InstId id);

// True if every value of `from` is one of `to`.
bool ConvertIsExact(ElementType from, ElementType to);

}  // namespace halo

#endif  // HALO_PASSES_SIMPLIFY_SIMPLIFY_RULES_H_
