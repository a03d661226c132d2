// Tokens that only the user has seen.
#ifndef TOOLS_HALO_SERVE_SECRET_H_
#define TOOLS_HALO_SERVE_SECRET_H_

#include <string>
#include <string_view>

namespace halo::tool {

// 128 random bits in hexadecimal.
std::string RandomToken();

// Takes the same time wherever the strings differ.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_SECRET_H_
