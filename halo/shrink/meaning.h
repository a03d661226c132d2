// Guesses the meaning of a size from the names around it: parameters, op_name scopes, einsum
// letters. Guesses are shown, never used.
#ifndef HALO_SHRINK_MEANING_H_
#define HALO_SHRINK_MEANING_H_

#include <vector>

#include "halo/shrink/choose.h"
#include "halo/shrink/shrink.h"

namespace halo {

std::vector<FoundDim> DescribeDims(const Module& module, const DimSpace& space,
                                   const DimTable& dims, const Relations& relations,
                                   const Chooser& chooser, const NewSizes& sizes);

}  // namespace halo

#endif  // HALO_SHRINK_MEANING_H_
