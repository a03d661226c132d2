// Encodes bytes as text that any web page can embed.
#ifndef HALO_BASE_STRINGS_BASE64_H_
#define HALO_BASE_STRINGS_BASE64_H_

#include <string>
#include <string_view>

namespace halo {

// With padding, without line breaks.
std::string Base64(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_BASE64_H_
