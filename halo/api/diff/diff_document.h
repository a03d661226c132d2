// A diff request for two documents, whose first modules are compared, and its result as users see
// it.
#ifndef HALO_API_DIFF_DIFF_DOCUMENT_H_
#define HALO_API_DIFF_DIFF_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/api/document/document.h"
#include "halo/base/diagnostics/result.h"
#include "halo/diff/diff.h"
#include "halo/diff/peak/peak_change.h"
#include "haloscope/diff.h"

namespace halo {

// Documents without a readable module are refused. Times are predicted for a device that
// FindTimeDevice knows; by default, for the one that the programs were compiled for.
ProgramDiff DiffDocuments(const Document& before, const Document& after,
                          const std::string& device = "");

// The device that is asked for; an error if a value of the request cannot be used.
Result<std::string> DeviceOf(const v0::DiffRequest& asked);

// With at most `top` causes.
v0::DiffResult DiffDocument(const Document& before, const Document& after, const ProgramDiff& diff,
                            size_t top = SIZE_MAX);
std::string DiffJson(const Document& before, const Document& after, const ProgramDiff& diff,
                     size_t top);

// Parts of the document, for front ends that show only these.
v0::DiffCause DiffCauseOf(const DiffCause& cause);
v0::DiffPeakCause DiffPeakCauseOf(const PeakCause& cause);

}  // namespace halo

#endif  // HALO_API_DIFF_DIFF_DOCUMENT_H_
