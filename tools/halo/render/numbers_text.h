// The first different value and the pass that made it, as text.
#ifndef TOOLS_HALO_RENDER_NUMBERS_TEXT_H_
#define TOOLS_HALO_RENDER_NUMBERS_TEXT_H_

#include <string>

#include "halo/api/numbers/broken_pass.h"

namespace halo::tool {

std::string NumbersText(const NumbersResult& result);
std::string BrokenPassText(const BrokenPass& result);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_NUMBERS_TEXT_H_
