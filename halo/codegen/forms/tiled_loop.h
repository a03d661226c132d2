// Loops whose operands are transposed relative to their results. They run in square tiles; each
// tile is first transposed into a local buffer of the function, using vector instructions.
#ifndef HALO_CODEGEN_FORMS_TILED_LOOP_H_
#define HALO_CODEGEN_FORMS_TILED_LOOP_H_

#include <optional>
#include <span>
#include <vector>

#include "halo/codegen/forms/loop_nest.h"

namespace halo {

// `roots`: the results it writes. Returns nullopt if no operand is read across the direction of
// writing.
std::optional<KernelPart> TiledPart(const BodyPtr& body, const LoopSpace& loops,
                                    const ElementCode& code, std::span<const LoadSite> loads,
                                    const std::vector<size_t>& roots);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_TILED_LOOP_H_
