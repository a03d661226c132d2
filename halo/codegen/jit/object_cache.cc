// An entry consists of a magic word, the sizes of key and object, both of these, and a checksum
// over everything. It is written under a unique temporary name and then renamed, so that readers
// never see a partial entry.
#include "halo/codegen/jit/object_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "halo/base/io/crc32.h"
#include "halo/base/strings/hex.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "HALOOBJ1";
constexpr std::string_view kSuffix = ".haloobj";
constexpr size_t kHeader = 8 + 8 + 8;
constexpr auto kAbandoned = std::chrono::hours(1);

// 128-bit FNV-1a: the same on every machine and in every version. Entries contain their keys, so a
// collision only costs a compilation.
std::string HexHash(std::string_view text) {
  using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13B;
  Wide hash = (Wide{0x6C62272E07BB0142} << 64) + 0x62B821756295C58D;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  return HexText(static_cast<uint64_t>(hash >> 64)) + HexText(static_cast<uint64_t>(hash));
}

uint32_t Checksum(std::string_view bytes) {
  return Crc32({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

template <class T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <class T>
T ReadAt(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// The object inside an entry; empty if the entry is corrupt or has a different key.
std::string_view ObjectIn(std::string_view entry, std::string_view key) {
  if (entry.size() < kHeader + sizeof(uint32_t) || entry.substr(0, 8) != kMagic) return {};
  const auto key_size = ReadAt<uint64_t>(entry, 8);
  const auto object_size = ReadAt<uint64_t>(entry, 16);
  const uint64_t content = entry.size() - kHeader - sizeof(uint32_t);
  if (key_size > content || object_size != content - key_size) return {};
  if (ReadAt<uint32_t>(entry, kHeader + content) != Checksum(entry.substr(0, kHeader + content))) {
    return {};
  }
  if (entry.substr(kHeader, key_size) != key) return {};
  return entry.substr(kHeader + key_size, object_size);
}

}  // namespace

ObjectCache::ObjectCache(std::string dir, uint64_t max_bytes)
    : dir_(std::move(dir)), max_bytes_(max_bytes) {
  // Code is loaded from here, so no other user may have written it.
  if (!dir_.empty()) folder_ = PrivateFolder(dir_);
}

std::string ObjectCache::NameOf(std::string_view key) {
  return HexHash(key) + std::string(kSuffix);
}

std::optional<std::string> ObjectCache::Load(std::string_view key, bool& rejected) const {
  const std::optional<std::string> entry = folder_.Read(NameOf(key), rejected);
  if (!entry) return std::nullopt;
  const std::string_view object = ObjectIn(*entry, key);
  rejected = object.empty();
  if (rejected) return std::nullopt;
  return std::string(object);
}

void ObjectCache::Store(std::string_view key, std::string_view object) const {
  if (!folder_.is_open()) return;
  static std::atomic<uint64_t> serial = 0;
  std::string entry(kMagic);
  entry.reserve(kHeader + key.size() + object.size() + sizeof(uint32_t));
  Append<uint64_t>(entry, key.size());
  Append<uint64_t>(entry, object.size());
  entry += key;
  entry += object;
  Append<uint32_t>(entry, Checksum(entry));
  const std::string name = NameOf(key);
  folder_.Write(
      name, name + "." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".tmp", entry);
}

void ObjectCache::Trim() const {
  if (!folder_.is_open()) return;
  struct Entry {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(dir_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    Entry entry{it->last_write_time(gone), it->file_size(gone), it->path()};
    if (gone) continue;
    const bool is_entry = entry.path.extension() == kSuffix;
    if (is_entry) {
      total += entry.bytes;
      entries.push_back(std::move(entry));
    } else if (entry.path.extension() == ".tmp" && now - entry.time > kAbandoned) {
      fs::remove(entry.path, gone);
    }
  }
  if (total <= max_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::time);
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

}  // namespace halo
