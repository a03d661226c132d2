// From a request as users state it, by text and number, to one that AnalyzeTime takes.
#ifndef HALO_API_TIME_TIME_REQUEST_H_
#define HALO_API_TIME_TIME_REQUEST_H_

#include "halo/api/time/time.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/time.h"

namespace halo {

// The request without files; an error if one of its values cannot be used. All front ends come
// through here, so that they refuse the same requests in the same words. The texts of a dump are
// not part of the result: they go to the inputs (TakeRequestedTexts).
Result<TimeRequest> RequestOf(const v0::TimeRequest& asked);
void TakeRequestedTexts(const v0::TimeRequest& asked, TimeInputs& inputs);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_REQUEST_H_
