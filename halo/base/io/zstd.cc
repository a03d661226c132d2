// Level 3, zstd's default: a tenth of the time that the higher levels take for a few percent.
#include "halo/base/io/zstd.h"

#ifdef HALO_WITH_ZSTD
#include <zstd.h>
#endif

namespace halo {

std::optional<std::string> CompressZstd(std::string_view bytes) {
#ifdef HALO_WITH_ZSTD
  constexpr int kLevel = 3;
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  out.resize(size);
  return out;
#else
  (void)bytes;
  return std::nullopt;
#endif
}

}  // namespace halo
