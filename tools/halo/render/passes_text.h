// What passes did, as text.
#ifndef TOOLS_HALO_RENDER_PASSES_TEXT_H_
#define TOOLS_HALO_RENDER_PASSES_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/api/passes/compare_passes.h"
#include "halo/api/passes/list_passes.h"

namespace halo::tool {

std::string PassesText(const PassesResult& result, size_t width);
std::string FollowText(const PassesResult& result, size_t width);
// With at most `top` changes in each list.
std::string PassDiffText(const PassDiff& diff, size_t top, size_t width);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_PASSES_TEXT_H_
