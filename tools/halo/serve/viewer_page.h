// The viewer's page: its location, its content security policy, and profiles shown in it.
#ifndef TOOLS_HALO_SERVE_VIEWER_PAGE_H_
#define TOOLS_HALO_SERVE_VIEWER_PAGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/io/source_buffer.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

// Looks in share/haloscope next to the command, or where it is installed; `given` takes precedence
// if not empty. If there is no page that takes data, prints the reason and returns nothing.
std::optional<SourceBuffer> OpenViewerPage(const std::string& given, Session& session);

// False, with the reason printed, if a file that the page would show is no profile.
bool ProfilesAreReadable(const std::vector<std::string>& paths, Session& session);

// The page's Content-Security-Policy, or the strictest one that works for this kind of page.
std::string PolicyOf(std::string_view page);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_VIEWER_PAGE_H_
