// Opens files: maps them where the system can, decompresses them where the library was built with
// support for it.
#include "halo/base/io/source_buffer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#if defined(__unix__) && !defined(__wasm__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define HALO_CAN_MAP 1
#endif
#ifdef HALO_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef HALO_WITH_ZSTD
#include <zstd.h>
#endif

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/io/open_beneath.h"

namespace halo {
namespace {

// Text compresses 10 to 60 times. An archive far beyond that is hostile.
constexpr size_t kMaxRatio = 250;
constexpr size_t kAlwaysAllowed = size_t{64} << 20;

using Bytes = std::vector<char>;

Diagnostic CannotOpen(const std::string& path, std::string_view what, int error) {
  Diagnostic diagnostic = MakeBinaryDiagnostic(
      diag::kCannotOpen, 0, std::string(what) + " " + path + ": " + std::strerror(error));
  if (error == EISDIR) diagnostic.help = "specify a file in it, as in " + path + "/NAME";
  return diagnostic;
}

Result<Bytes> ReadStream(std::FILE* file, const std::string& path) {
  Bytes bytes;
  for (;;) {
    const size_t old = bytes.size();
    const size_t step = std::max<size_t>(size_t{64} << 10, old);
    bytes.resize(old + step);
    const size_t got = std::fread(bytes.data() + old, 1, step, file);
    bytes.resize(old + got);
    if (got == 0) break;
  }
  if (std::ferror(file) != 0) return CannotOpen(path, "cannot read", errno);
  return bytes;
}

Compression DetectCompression(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  return Compression::kNone;
}

size_t OutputLimit(size_t stored) { return std::max(kAlwaysAllowed, stored * kMaxRatio); }

Diagnostic TooBig(const std::string& name) {
  return MakeBinaryDiagnostic(
      diag::kDecompressedTooLarge, 0,
      name + " decompresses to more than " + std::to_string(kMaxRatio) + " times its size");
}

[[maybe_unused]] Diagnostic Corrupt(const std::string& name, std::string_view why) {
  return MakeBinaryDiagnostic(diag::kCorruptCompression, 0,
                              "cannot decompress " + name + ": " + std::string(why));
}

Result<Bytes> Gunzip(std::string_view stored, const std::string& name) {
#ifdef HALO_WITH_ZLIB
  Bytes out;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return Corrupt(name, "zlib cannot start");
  const size_t limit = OutputLimit(stored.size());
  size_t filled = 0;  // of `out`
  size_t used = 0;
  int status = Z_OK;
  for (;;) {
    if (status == Z_STREAM_END) {
      // Several gzip members may follow one another; anything else that follows is padding.
      const std::string_view rest = stored.substr(used - stream.avail_in);
      if (DetectCompression(rest) != Compression::kGzip || inflateReset(&stream) != Z_OK) break;
    }
    if (stream.avail_in == 0) {
      const size_t step = std::min<size_t>(stored.size() - used, size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data() + used));
      stream.avail_in = static_cast<uInt>(step);
      used += step;
    }
    // Grows only when it is full: members are often small, and growing fills with zeros.
    if (filled == out.size()) out.resize(filled + std::max<size_t>(filled, size_t{64} << 10));
    const size_t step = std::min<size_t>(out.size() - filled, size_t{1} << 30);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(step);
    status = inflate(&stream, Z_NO_FLUSH);
    filled += step - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END) {
      inflateEnd(&stream);
      return Corrupt(name, stream.msg != nullptr ? stream.msg : "truncated or damaged gzip data");
    }
    if (filled > limit) {
      inflateEnd(&stream);
      return TooBig(name);
    }
    if (status == Z_OK && stream.avail_in == 0 && used == stored.size() && stream.avail_out != 0) {
      inflateEnd(&stream);
      return Corrupt(name, "truncated gzip data");
    }
  }
  inflateEnd(&stream);
  out.resize(filled);
  return out;
#else
  (void)stored;
  return MakeBinaryDiagnostic(diag::kCorruptCompression, 0,
                              name + " is gzip data and this build has no zlib");
#endif
}

Result<Bytes> Unzstd(std::string_view stored, const std::string& name) {
#ifdef HALO_WITH_ZSTD
  Bytes out;
  ZSTD_DStream* stream = ZSTD_createDStream();
  if (stream == nullptr) return Corrupt(name, "zstd cannot start");
  const size_t limit = OutputLimit(stored.size());
  size_t filled = 0;  // of `out`
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  size_t pending = 1;
  while (input.pos < input.size || pending != 0) {
    if (filled == out.size()) out.resize(filled + std::max<size_t>(filled, size_t{64} << 10));
    ZSTD_outBuffer output{out.data() + filled, out.size() - filled, 0};
    const size_t before = input.pos;
    pending = ZSTD_decompressStream(stream, &output, &input);
    filled += output.pos;
    const bool failed = ZSTD_isError(pending) != 0;
    const bool stuck = !failed && pending != 0 && input.pos == input.size && before == input.pos &&
                       output.pos == 0;
    if (failed || stuck || filled > limit) {
      ZSTD_freeDStream(stream);
      if (failed) return Corrupt(name, ZSTD_getErrorName(pending));
      if (stuck) return Corrupt(name, "truncated zstd data");
      return TooBig(name);
    }
    if (pending == 0 && input.pos == input.size) break;
  }
  ZSTD_freeDStream(stream);
  out.resize(filled);
  return out;
#else
  (void)stored;
  return MakeBinaryDiagnostic(diag::kCorruptCompression, 0,
                              name + " is zstd data and this build has no zstd");
#endif
}

struct Mapping {
  std::shared_ptr<void> owner;
  const char* data = nullptr;
  size_t size = 0;
};

#ifdef HALO_CAN_MAP
// Maps the file over zero pages, so that bytes past its end read as zero.
bool MapFile(int fd, size_t size, Mapping& mapping) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t length = (size + page - 1) / page * page + page;
  void* base = mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return false;
  if (mmap(base, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    munmap(base, length);
    return false;
  }
  madvise(base, size, MADV_SEQUENTIAL);
  mapping.owner = std::shared_ptr<void>(base, [length](void* at) { munmap(at, length); });
  mapping.data = static_cast<const char*>(base);
  mapping.size = size;
  return true;
}
#endif

Mapping Own(Bytes bytes) {
  const size_t size = bytes.size();
  bytes.resize(size + SourceBuffer::kPadding, 0);
  auto owner = std::make_shared<Bytes>(std::move(bytes));
  Mapping mapping;
  mapping.data = owner->data();
  mapping.size = size;
  mapping.owner = std::move(owner);
  return mapping;
}

// Reads the rest of a stream and closes it; null with errno set if it was not opened.
Result<Mapping> LoadStream(std::FILE* file, const std::string& path) {
  if (file == nullptr) return CannotOpen(path, "cannot open", errno);
  Result<Bytes> bytes = ReadStream(file, path);
  std::fclose(file);
  if (!bytes) return bytes.error();
  return Own(std::move(*bytes));
}

#ifdef HALO_CAN_MAP
// Takes an open file.
Result<Mapping> LoadFile(int fd, const std::string& path) {
  struct stat info{};
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    const int error = S_ISDIR(info.st_mode) ? EISDIR : errno;
    close(fd);
    return CannotOpen(path, "cannot open", error);
  }
  Mapping mapping;
  if (S_ISREG(info.st_mode) && info.st_size > 0 &&
      MapFile(fd, static_cast<size_t>(info.st_size), mapping)) {
    close(fd);
    return mapping;
  }
  std::FILE* file = fdopen(fd, "rb");
  if (file == nullptr) close(fd);
  return LoadStream(file, path);
}
#endif

Result<Mapping> Load(const std::string& path) {
  if (path == "-") {
    Result<Bytes> bytes = ReadStream(stdin, "standard input");
    if (!bytes) return bytes.error();
    return Own(std::move(*bytes));
  }
#ifdef HALO_CAN_MAP
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotOpen(path, "cannot open", errno);
  return LoadFile(fd, path);
#else
  return LoadStream(std::fopen(path.c_str(), "rb"), path);
#endif
}

Result<Mapping> LoadBelow(const std::string& folder, const std::string& path) {
  const int fd = OpenBeneath(folder, path);
  if (fd < 0 && errno == EXDEV) {
    return MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                "cannot open " + path + ": it leads out of " + folder);
  }
  if (fd < 0) return CannotOpen(path, "cannot open", errno);
#ifdef HALO_CAN_MAP
  return LoadFile(fd, path);
#else
  return LoadStream(fdopen(fd, "rb"), path);
#endif
}

}  // namespace

Result<SourceBuffer> SourceBuffer::Open(const std::string& path) {
  Result<Mapping> loaded = Load(path);
  if (!loaded) return loaded.error();
  return Adopt(std::move(loaded->owner), {loaded->data, loaded->size},
               path == "-" ? "<stdin>" : path);
}

Result<SourceBuffer> SourceBuffer::OpenBelow(const std::string& folder, const std::string& path) {
  Result<Mapping> loaded = LoadBelow(folder, path);
  if (!loaded) return loaded.error();
  return Adopt(std::move(loaded->owner), {loaded->data, loaded->size}, path);
}

Result<SourceBuffer> SourceBuffer::Adopt(std::shared_ptr<void> owner, std::string_view bytes,
                                         std::string name) {
  SourceBuffer buffer;
  buffer.name_ = std::move(name);
  buffer.owner_ = std::move(owner);
  buffer.data_ = bytes.data();
  buffer.size_ = bytes.size();
  return Decompressed(std::move(buffer));
}

Result<SourceBuffer> SourceBuffer::Decompressed(SourceBuffer buffer) {
  const std::string_view stored = buffer.bytes();
  buffer.stored_size_ = stored.size();
  buffer.compression_ = DetectCompression(stored);
  if (buffer.compression_ == Compression::kNone) return buffer;
  Result<Bytes> plain = buffer.compression_ == Compression::kGzip ? Gunzip(stored, buffer.name_)
                                                                  : Unzstd(stored, buffer.name_);
  if (!plain) return plain.error();
  Mapping mapping = Own(std::move(*plain));
  buffer.owner_ = std::move(mapping.owner);
  buffer.data_ = mapping.data;
  buffer.size_ = mapping.size;
  return buffer;
}

SourceBuffer SourceBuffer::Copy(std::string_view bytes, std::string name) {
  Mapping mapping = Own(Bytes(bytes.begin(), bytes.end()));
  SourceBuffer buffer;
  buffer.owner_ = std::move(mapping.owner);
  buffer.data_ = mapping.data;
  buffer.size_ = mapping.size;
  buffer.stored_size_ = mapping.size;
  buffer.name_ = std::move(name);
  return buffer;
}

}  // namespace halo
