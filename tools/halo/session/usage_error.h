// What is wrong with a command line, in words that say what was probably meant. Parsing it is
// CLI11's; this looks at a line that it has refused.
#ifndef TOOLS_HALO_SESSION_USAGE_ERROR_H_
#define TOOLS_HALO_SESSION_USAGE_ERROR_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// The name that a misspelt or shortened one stands for; empty if none is near, or several begin so.
std::string Nearest(std::string_view word, std::span<const std::string> names);

// `refused` is what CLI11 says of the line.
std::string UsageError(const CLI::App& app, std::span<const std::string> arguments,
                       std::string_view refused);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_USAGE_ERROR_H_
