// Explains what is wrong with a command line and what was probably meant. CLI11 does the parsing;
// this code examines a line that CLI11 has rejected.
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

// The name that a misspelled or abbreviated one means; empty if none is close, or if it is a
// prefix of several.
std::string Nearest(std::string_view word, std::span<const std::string> names);

// The problem with a device's name, with what was probably meant; empty if it is one of `known`, in
// upper or lower case.
std::string NoSuchDevice(const std::string& name, std::span<const std::string> known);

// "there is no command mem; did you mean memory?"
std::string NoSuchCommand(const CLI::App& app, const std::string& name);

// `refused` is CLI11's message about the line.
std::string UsageError(const CLI::App& app, std::span<const std::string> arguments,
                       std::string_view refused);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_USAGE_ERROR_H_
