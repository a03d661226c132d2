// The result of `halo time` on one screen: the verdict, then the step, where the time goes and
// where the figures come from.
#ifndef TOOLS_HALO_RENDER_TIME_TEXT_H_
#define TOOLS_HALO_RENDER_TIME_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/api/time/time.h"

namespace halo::tool {

struct TimeTextOptions {
  size_t top = 10;   // rows per list
  size_t width = 0;  // columns of the terminal; 0: no limit
  bool color = false;
};

std::string TimeText(const TimeResult& result, const TimeTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_TIME_TEXT_H_
