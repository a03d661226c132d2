// From a request as users state it, by text and number, to one that AnalyzeMemory takes.
#ifndef HALO_API_MEMORY_MEMORY_REQUEST_H_
#define HALO_API_MEMORY_MEMORY_REQUEST_H_

#include "halo/api/memory/memory.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/memory.h"

namespace halo {

// The request without files; an error if one of its values cannot be used. All front ends come
// through here, so that they refuse the same requests in the same words.
Result<MemoryRequest> RequestOf(const v0::MemoryRequest& asked);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_REQUEST_H_
