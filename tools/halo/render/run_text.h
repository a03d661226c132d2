// `halo run` as text: small results as literals and large ones on one line, comparisons with the
// worst elements, and the cost of the run.
#ifndef TOOLS_HALO_RENDER_RUN_TEXT_H_
#define TOOLS_HALO_RENDER_RUN_TEXT_H_

#include <cstdint>
#include <span>
#include <string>

#include "halo/api/run/run.h"

namespace halo::tool {

// [3,0]
std::string IndexText(std::span<const int64_t> index);
// What was given or generated for each parameter.
std::string InputsText(const RunResult& result);
std::string OutputsText(const RunResult& result);
std::string TracedText(const RunResult& result);
std::string ComparisonText(const RunResult& result, bool color);
std::string OriginText(const RunResult& result);
// The plan, the passes' decisions and the profile, as far as they were requested.
std::string CompilationText(const RunResult& result);
// Results that could not be gathered, and why.
std::string GathersText(const RunResult& result);
// Devices, instructions, memory, time.
std::string StatisticsText(const RunResult& result);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_RUN_TEXT_H_
