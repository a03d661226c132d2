// The version of Haloscope, as results and protocols state it.
#ifndef HALO_API_DOCUMENT_VERSION_H_
#define HALO_API_DOCUMENT_VERSION_H_

#include <string_view>

namespace halo {

std::string_view Version();

}  // namespace halo

#endif  // HALO_API_DOCUMENT_VERSION_H_
