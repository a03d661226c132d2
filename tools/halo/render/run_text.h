// `halo run` as text: small results as literals and large ones on one line, comparisons with the
// worst elements, and the cost of the run.
#ifndef TOOLS_HALO_RENDER_RUN_TEXT_H_
#define TOOLS_HALO_RENDER_RUN_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "halo/api/run/run.h"

namespace halo::tool {

// `width` is the number of the terminal's columns; 0 means that there is no limit.

// [3,0]
std::string IndexText(std::span<const int64_t> index);
// What was given or generated for each parameter.
std::string InputsText(const RunResult& result, size_t width);
std::string OutputsText(const RunResult& result);
std::string TracedText(const RunResult& result);
std::string ComparisonText(const RunResult& result, bool color, size_t width);
std::string OriginText(const RunResult& result);
// The plan, the passes' decisions and the profile, as far as they were requested.
std::string CompilationText(const RunResult& result, size_t width);
// Results that could not be gathered, and why.
std::string GathersText(const RunResult& result);
// Devices, instructions, memory, time.
std::string StatisticsText(const RunResult& result);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_RUN_TEXT_H_
