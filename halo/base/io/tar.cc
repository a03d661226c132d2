// Reads 512-byte headers, each followed by its member's bytes in whole blocks.
#include "halo/base/io/tar.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace halo {
namespace {

constexpr size_t kBlock = 512;
// Far more than in any dump. Without a limit, a hostile archive of empty members would fill memory.
constexpr size_t kMaxMembers = 1'000'000;
constexpr size_t kMaxName = 64 << 10;

// The header field at `at`, up to the first zero byte.
std::string_view Field(std::string_view header, size_t at, size_t size) {
  const std::string_view field = header.substr(at, size);
  return field.substr(0, std::min(field.find('\0'), field.size()));
}

// Octal digits among spaces, or big-endian bytes after a byte with its highest bit set.
std::optional<uint64_t> NumberOf(std::string_view field) {
  uint64_t value = 0;
  if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    if (field[0] != '\x80') return std::nullopt;  // negative, or more than 64 bits
    for (size_t i = 1; i < field.size(); ++i) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\0')) field.remove_suffix(1);
  if (field.empty()) return 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

bool ChecksumHolds(std::string_view header) {
  const std::optional<uint64_t> stated = NumberOf(header.substr(148, 8));
  uint64_t sum = uint64_t{8} * ' ';
  for (size_t i = 0; i < kBlock; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  return stated == sum;
}

// A member's name as a path relative to the archive; empty if it points outside.
std::string SafeName(std::string_view name) {
  std::string safe;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.find('\0') != std::string_view::npos) return {};
    if (!safe.empty()) safe += '/';
    safe += part;
  }
  return safe;
}

// The contents of pax records ("LENGTH key=value\n") for the next member.
struct Extended {
  std::string name;
  std::optional<uint64_t> size;
};

void ReadPax(std::string_view records, Extended& next) {
  while (!records.empty()) {
    size_t length = 0;
    const auto [end, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<size_t>(end - records.data());
    if (error != std::errc() || length <= digits + 1 || length > records.size()) return;
    std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    if (record.starts_with("path=")) next.name = record.substr(5);
    if (record.starts_with("size=")) {
      record.remove_prefix(5);
      uint64_t size = 0;
      const auto [stop, wrong] =
          std::from_chars(record.data(), record.data() + record.size(), size);
      if (wrong == std::errc() && stop == record.data() + record.size()) next.size = size;
    }
  }
}

std::string NameOf(std::string_view header) {
  std::string name(Field(header, 0, 100));
  const std::string_view prefix = Field(header, 345, 155);
  if (Field(header, 257, 5) == "ustar" && header[262] == '\0' && !prefix.empty()) {
    name = std::string(prefix) + "/" + name;
  }
  return name;
}

bool IsRegular(char type) { return type == '0' || type == '\0' || type == '7'; }

}  // namespace

bool LooksLikeTar(std::string_view bytes) {
  return bytes.size() >= kBlock && bytes.substr(257, 5) == "ustar" &&
         ChecksumHolds(bytes.substr(0, kBlock));
}

TarListing ListTar(std::string_view bytes) {
  TarListing listing;
  Extended next;
  size_t at = 0;
  for (;;) {
    if (bytes.size() - at < kBlock) {
      if (at != bytes.size()) listing.problem = "the archive is truncated";
      break;
    }
    const std::string_view header = bytes.substr(at, kBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) break;
    if (!ChecksumHolds(header)) {
      listing.problem = "a header is damaged";
      break;
    }
    const std::optional<uint64_t> stated = NumberOf(header.substr(124, 12));
    const uint64_t size = next.size ? *next.size : stated.value_or(UINT64_MAX);
    at += kBlock;
    if (size > bytes.size() - at) {
      listing.problem = "the archive is truncated";
      break;
    }
    const char type = header[156];
    const std::string_view body = bytes.substr(at, size);
    at += std::min<uint64_t>((size + kBlock - 1) / kBlock * kBlock, bytes.size() - at);
    if (type == 'L' && size <= kMaxName) {
      next.name = body.substr(0, std::min(body.find('\0'), body.size()));
      continue;
    }
    if (type == 'x' && size <= kMaxName) {
      ReadPax(body, next);
      continue;
    }
    if (IsRegular(type)) {
      std::string name = SafeName(next.name.empty() ? NameOf(header) : next.name);
      if (name.empty()) {
        ++listing.skipped;
      } else if (listing.members.size() == kMaxMembers) {
        listing.problem = "it holds more than a million files";
        break;
      } else {
        listing.members.push_back(
            {std::move(name), static_cast<uint64_t>(body.data() - bytes.data()), size});
      }
    } else if (type != 'g') {
      ++listing.skipped;
    }
    next = {};
  }
  return listing;
}

}  // namespace halo
