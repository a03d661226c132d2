// A diff request for two documents: their first modules are compared.
#ifndef HALO_API_DIFF_DIFF_DOCUMENT_H_
#define HALO_API_DIFF_DIFF_DOCUMENT_H_

#include <cstddef>
#include <string>

#include "halo/api/document/document.h"
#include "halo/diff/diff.h"

namespace halo {

// Documents without a readable module are refused. Times are predicted for a device that
// FindTimeDevice knows; by default, for the one that the programs were compiled for.
ProgramDiff DiffDocuments(const Document& before, const Document& after,
                          const std::string& device = "");

// Schema halo.diff.v1, with at most `top` causes.
std::string DiffJson(const Document& before, const Document& after, const ProgramDiff& diff,
                     size_t top);

}  // namespace halo

#endif  // HALO_API_DIFF_DIFF_DOCUMENT_H_
