// The timeline of `halo time` as a trace, for Perfetto or as a profile that xprof opens: kernels
// with loops around them, one track for each other queue, waits, and memory over time on the same
// axis.
#ifndef HALO_API_TIME_TIME_TRACE_H_
#define HALO_API_TIME_TIME_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/api/time/time.h"

namespace halo {

enum class TraceFormat : uint8_t { kPerfetto, kXPlane };

// Beyond `max_slices`, the remaining iterations of a loop become one slice.
std::string TimeTrace(const TimeResult& result, TraceFormat format, size_t max_slices);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_TRACE_H_
