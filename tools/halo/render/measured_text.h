// Measured times beside predicted ones on one screen: the verdict, what was joined and what was
// not, then kinds of kernels and the instructions that are furthest from their prediction.
#ifndef TOOLS_HALO_RENDER_MEASURED_TEXT_H_
#define TOOLS_HALO_RENDER_MEASURED_TEXT_H_

#include <string>

#include "halo/api/time/time.h"
#include "tools/halo/render/time_text.h"

namespace halo::tool {

// `result.measured` must exist.
std::string MeasuredText(const TimeResult& result, const TimeTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_MEASURED_TEXT_H_
