// Finds what `halo info` reports about one module: sizes, histograms, collectives, custom calls,
// loops, parameters and outputs.
#ifndef HALO_API_INFO_MODULE_INFO_H_
#define HALO_API_INFO_MODULE_INFO_H_

#include <cstddef>

#include "halo/api/document/document.h"
#include "haloscope/info.h"

namespace halo {

struct InfoOptions {
  size_t largest = 10;
};

v0::InfoModule DescribeModule(const Document& document, const DocumentModule& module,
                              const InfoOptions& options = {});

}  // namespace halo

#endif  // HALO_API_INFO_MODULE_INFO_H_
