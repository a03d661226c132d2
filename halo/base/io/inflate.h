// Undoing deflate, as zip files use it: bare, without a header of its own.
#ifndef HALO_BASE_IO_INFLATE_H_
#define HALO_BASE_IO_INFLATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

// The first bytes of what `stored` holds, at most `limit`. An error if it is damaged, or ends
// before its own end mark and before the limit. Without zlib always an error.
Result<std::vector<uint8_t>> Inflate(std::string_view stored, size_t limit);

}  // namespace halo

#endif  // HALO_BASE_IO_INFLATE_H_
