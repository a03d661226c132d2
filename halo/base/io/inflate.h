// Decompresses deflate data as zip files store it: raw, without a header.
#ifndef HALO_BASE_IO_INFLATE_H_
#define HALO_BASE_IO_INFLATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

// The first bytes of the decompressed `stored`, at most `limit`. Fails if the data is damaged, or
// ends before both its end marker and the limit. Always fails without zlib.
Result<std::vector<uint8_t>> Inflate(std::string_view stored, size_t limit);

}  // namespace halo

#endif  // HALO_BASE_IO_INFLATE_H_
