// From a request as users state it, by text and number, to one that RunProgram takes.
#ifndef HALO_API_RUN_RUN_REQUEST_H_
#define HALO_API_RUN_RUN_REQUEST_H_

#include <string_view>

#include "halo/api/run/run.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/run.h"

namespace halo {

// The request without module and engine, which the caller has; an error if one of its values cannot
// be used. All front ends come through here, so that they refuse the same requests in the same
// words. The arrays of a request are not copied.
Result<RunRequest> RequestOf(const v0::RunRequest& asked);
// Inputs and limits only.
Result<RunRequest> RequestOf(const v0::ExecutionRequest& asked);

// kRefuse if no value was chosen.
FillElided FillElidedFrom(std::string_view text);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_REQUEST_H_
