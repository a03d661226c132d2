// Compressing results; SourceBuffer opens what this makes.
#ifndef HALO_BASE_IO_GZIP_H_
#define HALO_BASE_IO_GZIP_H_

#include <string>
#include <string_view>

#include "halo/base/diagnostics/result.h"

namespace halo {

// An error only if the library was built without zlib. Equal bytes give equal output: no name and
// no time are stored.
Result<std::string> Gzip(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_GZIP_H_
