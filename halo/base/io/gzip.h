// Compresses results. SourceBuffer opens the output.
#ifndef HALO_BASE_IO_GZIP_H_
#define HALO_BASE_IO_GZIP_H_

#include <string>
#include <string_view>

#include "halo/base/diagnostics/result.h"

namespace halo {

// Fails only if the library was built without zlib. Equal bytes give equal output: neither a name
// nor a timestamp is stored.
Result<std::string> Gzip(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_GZIP_H_
