// Compresses with zlib, in steps that fit its 32-bit sizes.
#include "halo/base/io/gzip.h"

#include <algorithm>

#ifdef HALO_WITH_ZLIB
#include <zlib.h>
#endif

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {

Result<std::string> Gzip(std::string_view bytes) {
#ifdef HALO_WITH_ZLIB
  constexpr size_t kStep = size_t{1} << 30;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return MakeBinaryDiagnostic(diag::kCorruptCompression, 0, "zlib cannot start");
  }
  std::string out;
  std::string piece(size_t{256} << 10, '\0');
  size_t used = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0 && used < bytes.size()) {
      const size_t step = std::min(bytes.size() - used, kStep);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));
      stream.avail_in = static_cast<uInt>(step);
      used += step;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = deflate(&stream, used == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      deflateEnd(&stream);
      return MakeBinaryDiagnostic(diag::kCorruptCompression, 0, "zlib failed");
    }
  }
  deflateEnd(&stream);
  return out;
#else
  (void)bytes;
  return MakeBinaryDiagnostic(diag::kCorruptCompression, 0, "this build has no zlib");
#endif
}

}  // namespace halo
