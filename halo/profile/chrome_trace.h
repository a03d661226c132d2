// Reads a trace in the JSON format of Chrome's viewer, as jax.profiler writes it (.trace.json.gz).
// Events are taken one at a time, so that memory does not grow with the file.
#ifndef HALO_PROFILE_CHROME_TRACE_H_
#define HALO_PROFILE_CHROME_TRACE_H_

#include <string_view>

#include "halo/profile/profile_data.h"

namespace halo {

// By its beginning: a JSON object or array that mentions events.
bool LooksLikeChromeTrace(std::string_view bytes);

Profile ReadChromeTrace(std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROFILE_CHROME_TRACE_H_
