// The viewer's page: where it is, and what its own policy says.
#ifndef TOOLS_HALO_VIEWER_PAGE_H_
#define TOOLS_HALO_VIEWER_PAGE_H_

#include <string>
#include <string_view>

#include "halo/base/result.h"
#include "halo/base/source_buffer.h"

namespace halo::tool {

// From share/haloscope beside the command, or where it is installed; `given` wins if not empty.
Result<SourceBuffer> OpenViewerPage(const std::string& given);

// The page's Content-Security-Policy, or the strictest under which a page of its kind works.
std::string PolicyOf(std::string_view page);

}  // namespace halo::tool

#endif  // TOOLS_HALO_VIEWER_PAGE_H_
