// `halo diff` as text: the verdict with its causes, the change of memory, the change of time.
#ifndef TOOLS_HALO_RENDER_DIFF_TEXT_H_
#define TOOLS_HALO_RENDER_DIFF_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/api/diff/step_change.h"
#include "halo/diff/explain/program_diff.h"
#include "halo/diff/peak/peak_change.h"

namespace halo::tool {

// The verdict, and at most `top` causes.
std::string CausesText(const ProgramDiff& diff, size_t top, size_t width);

// How the memory changed, with at most `top` causes.
std::string PeakText(const PeakChange& change, size_t top, size_t width);

// How the time of a step changed.
std::string StepText(const StepChange& change, size_t top, size_t width);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_DIFF_TEXT_H_
