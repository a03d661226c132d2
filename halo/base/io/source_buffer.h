// The bytes of one input, mapped or in memory, always followed by at least kPadding zero bytes so
// that readers may look ahead without bounds checks. Opens plain, gzip and zstd files and standard
// input ("-"). What the bytes mean is decided elsewhere.
#ifndef HALO_BASE_IO_SOURCE_BUFFER_H_
#define HALO_BASE_IO_SOURCE_BUFFER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "halo/base/diagnostics/result.h"

namespace halo {

enum class Compression : unsigned char { kNone, kGzip, kZstd };

class SourceBuffer {
 public:
  static constexpr size_t kPadding = 64;

  static Result<SourceBuffer> Open(const std::string& path);
  // A regular file below `folder`, to which no link may lead from outside (open_beneath.h).
  static Result<SourceBuffer> OpenBelow(const std::string& folder, const std::string& path);
  static SourceBuffer Copy(std::string_view bytes, std::string name);
  // Wraps bytes that are already in memory. `owner` keeps them alive, with kPadding zeros after
  // them. They are decompressed like a file's.
  static Result<SourceBuffer> Adopt(std::shared_ptr<void> owner, std::string_view bytes,
                                    std::string name);

  SourceBuffer(SourceBuffer&&) noexcept = default;
  SourceBuffer& operator=(SourceBuffer&&) noexcept = default;

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Compression compression() const { return compression_; }
  [[nodiscard]] size_t stored_size() const { return stored_size_; }

 private:
  SourceBuffer() = default;

  static Result<SourceBuffer> Decompressed(SourceBuffer stored);

  std::shared_ptr<void> owner_;
  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t stored_size_ = 0;
  Compression compression_ = Compression::kNone;
  std::string name_;
};

}  // namespace halo

#endif  // HALO_BASE_IO_SOURCE_BUFFER_H_
