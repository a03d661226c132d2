// The viewer's page: where it is, and what its own policy says.
#ifndef TOOLS_HALO_SERVE_VIEWER_PAGE_H_
#define TOOLS_HALO_SERVE_VIEWER_PAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "halo/base/io/source_buffer.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

// From share/haloscope beside the command, or where it is installed; `given` wins if not empty.
// Without a page that takes data it refuses, and there is none.
std::optional<SourceBuffer> OpenViewerPage(const std::string& given, Session& session);

// The page's Content-Security-Policy, or the strictest under which a page of its kind works.
std::string PolicyOf(std::string_view page);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_VIEWER_PAGE_H_
