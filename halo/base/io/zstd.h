// Compresses blocks of results with zstd. SourceBuffer opens files that are compressed so.
#ifndef HALO_BASE_IO_ZSTD_H_
#define HALO_BASE_IO_ZSTD_H_

#include <optional>
#include <string>
#include <string_view>

namespace halo {

// One frame. Equal bytes give equal output. Nothing if the library was built without zstd.
std::optional<std::string> CompressZstd(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_ZSTD_H_
