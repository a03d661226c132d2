// Decompresses with zlib, in steps that fit its 32-bit sizes. Memory grows with the actual output,
// never with the size that a header claims.
#include "halo/base/io/inflate.h"

#include <algorithm>

#ifdef HALO_WITH_ZLIB
#include <zlib.h>
#endif

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {

Result<std::vector<uint8_t>> Inflate(std::string_view stored, size_t limit) {
#ifdef HALO_WITH_ZLIB
  constexpr size_t kStep = size_t{1} << 30;
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) {
    return MakeBinaryDiagnostic(diag::kCorruptCompression, 0, "zlib cannot start");
  }
  std::vector<uint8_t> out;
  size_t used = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END && out.size() < limit) {
    if (stream.avail_in == 0 && used < stored.size()) {
      const size_t step = std::min(stored.size() - used, kStep);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + used));
      stream.avail_in = static_cast<uInt>(step);
      used += step;
    }
    const size_t old = out.size();
    const size_t step = std::min({std::max(old, size_t{64} << 10), limit - old, kStep});
    out.resize(old + step);
    stream.next_out = out.data() + old;
    stream.avail_out = static_cast<uInt>(step);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END) break;
  }
  inflateEnd(&stream);
  if (status != Z_OK && status != Z_STREAM_END) {
    return MakeBinaryDiagnostic(diag::kCorruptCompression, 0, "damaged or truncated data");
  }
  return out;
#else
  (void)stored;
  (void)limit;
  return MakeBinaryDiagnostic(diag::kCorruptCompression, 0,
                              "it is compressed and this build has no zlib");
#endif
}

}  // namespace halo
