// A zip file lists its members at the end. The reader finds that list and checks it against the
// file's bytes before it trusts any of it.
#include "halo/base/arrays/npz.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/io/crc32.h"
#include "halo/base/io/inflate.h"

namespace halo {
namespace {

constexpr uint64_t kIsIn64 = 0xFFFFFFFF;  // "see the 64-bit field"
// Deflate's maximum compression ratio; a member that claims more is invalid.
constexpr uint64_t kMaxRatio = 1032;

Diagnostic BadNpz(std::string message, uint64_t offset = 0) {
  return MakeBinaryDiagnostic(diag::kBadNpz, offset, std::move(message));
}

// Reads a little-endian number. The caller has checked the bounds.
uint64_t Number(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

bool Fits(std::string_view bytes, uint64_t at, uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

}  // namespace

// Walks the list of members.
class NpzReader::Directory {
 public:
  explicit Directory(std::string_view bytes) : bytes_(bytes) {}

  std::optional<Diagnostic> Read(std::vector<Member>& members) {
    if (std::optional<Diagnostic> bad = FindList()) return bad;
    std::unordered_set<std::string_view> names;
    uint64_t at = begin_;
    for (uint64_t i = 0; i < count_; ++i) {
      Member member;
      Result<uint64_t> next = ReadMember(at, member);
      if (!next) return next.error();
      at = *next;
      if (member.name.ends_with('/')) continue;
      members.push_back(std::move(member));
    }
    for (const Member& member : members) {
      if (!names.insert(member.name).second) return BadNpz("two members are named " + member.name);
    }
    return std::nullopt;
  }

 private:
  // Finds the end-of-list record, which a comment may follow.
  std::optional<Diagnostic> FindList() {
    constexpr size_t kEndBytes = 22;
    const size_t earliest = bytes_.size() - std::min<size_t>(bytes_.size(), kEndBytes + 0xFFFF);
    const size_t end = bytes_.rfind("PK\5\6");
    if (end == std::string_view::npos || end < earliest || !Fits(bytes_, end, kEndBytes)) {
      return BadNpz("it is truncated: the list of members at its end is missing");
    }
    count_ = Number(bytes_, end + 10, 2);
    size_ = Number(bytes_, end + 12, 4);
    begin_ = Number(bytes_, end + 16, 4);
    constexpr size_t kLocatorBytes = 20;
    if (end >= kLocatorBytes && bytes_.substr(end - kLocatorBytes, 4) == "PK\6\7") {
      const uint64_t large = Number(bytes_, end - kLocatorBytes + 8, 8);
      if (!Fits(bytes_, large, 56) || bytes_.substr(large, 4) != "PK\6\6") {
        return BadNpz("its list of members is damaged", end - kLocatorBytes);
      }
      count_ = Number(bytes_, large + 32, 8);
      size_ = Number(bytes_, large + 40, 8);
      begin_ = Number(bytes_, large + 48, 8);
    }
    if (!Fits(bytes_, begin_, size_) || count_ > size_ / kEntryBytes) {
      return BadNpz("its list of members is damaged", end);
    }
    return std::nullopt;
  }

  // Reads one entry of the list and returns the offset of the next.
  Result<uint64_t> ReadMember(uint64_t at, Member& member) {
    if (!Fits(bytes_, at, kEntryBytes) || bytes_.substr(at, 4) != "PK\1\2") {
      return BadNpz("its list of members is damaged", at);
    }
    const uint64_t flags = Number(bytes_, at + 8, 2);
    const uint64_t method = Number(bytes_, at + 10, 2);
    const uint64_t name_bytes = Number(bytes_, at + 28, 2);
    const uint64_t extra_bytes = Number(bytes_, at + 30, 2);
    const uint64_t comment_bytes = Number(bytes_, at + 32, 2);
    member.crc = static_cast<uint32_t>(Number(bytes_, at + 16, 4));
    member.has_crc = true;
    const uint64_t names = at + kEntryBytes;
    if (!Fits(bytes_, names, name_bytes + extra_bytes + comment_bytes)) {
      return BadNpz("its list of members is damaged", at);
    }
    member.name = bytes_.substr(names, name_bytes);
    if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
    member.is_deflated = method == 8;
    if (method != 0 && method != 8) {
      return BadNpz("member " + member.name + " is compressed in a way that numpy does not use",
                    at);
    }
    if ((flags & 1) != 0) return BadNpz("member " + member.name + " is encrypted", at);
    Sizes sizes{Number(bytes_, at + 24, 4), Number(bytes_, at + 20, 4), Number(bytes_, at + 42, 4)};
    if (!ReadSizes64(bytes_.substr(names + name_bytes, extra_bytes), sizes) ||
        !FindData(sizes, member)) {
      return BadNpz("member " + member.name + " is damaged or truncated", at);
    }
    return names + name_bytes + extra_bytes + comment_bytes;
  }

  struct Sizes {
    uint64_t bytes, stored, offset;
  };

  // Fields that did not fit are stored, in order, in a separate extra field.
  static bool ReadSizes64(std::string_view extra, Sizes& sizes) {
    while (extra.size() >= 4) {
      const uint64_t size = Number(extra, 2, 2);
      if (size > extra.size() - 4) return false;
      std::string_view field = extra.substr(4, size);
      if (Number(extra, 0, 2) == 1) {
        for (uint64_t* value : {&sizes.bytes, &sizes.stored, &sizes.offset}) {
          if (*value != kIsIn64) continue;
          if (field.size() < 8) return false;
          *value = Number(field, 0, 8);
          field.remove_prefix(8);
        }
      }
      extra.remove_prefix(4 + size);
    }
    return true;
  }

  bool FindData(const Sizes& sizes, Member& member) {
    constexpr uint64_t kLocalBytes = 30;
    if (!Fits(bytes_, sizes.offset, kLocalBytes) || bytes_.substr(sizes.offset, 4) != "PK\3\4") {
      return false;
    }
    const uint64_t data = sizes.offset + kLocalBytes + Number(bytes_, sizes.offset + 26, 2) +
                          Number(bytes_, sizes.offset + 28, 2);
    if (!Fits(bytes_, data, sizes.stored)) return false;
    member.stored = bytes_.substr(data, sizes.stored);
    member.bytes = sizes.bytes;
    if (!member.is_deflated) return sizes.bytes == sizes.stored;
    return sizes.bytes / kMaxRatio <= sizes.stored;
  }

  static constexpr uint64_t kEntryBytes = 46;
  std::string_view bytes_;
  uint64_t begin_ = 0, size_ = 0, count_ = 0;
};

Result<NpzReader> NpzReader::Open(std::string_view bytes) {
  NpzReader reader;
  if (bytes.starts_with("\x93NUMPY")) {
    Member& only = reader.members_.emplace_back();
    only.stored = bytes;
    only.bytes = bytes.size();
    return reader;
  }
  if (!bytes.starts_with("PK")) return BadNpz("it is neither an .npz archive nor an .npy array");
  if (std::optional<Diagnostic> bad = Directory(bytes).Read(reader.members_)) return *bad;
  return reader;
}

std::optional<size_t> NpzReader::Find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) return std::nullopt;
  return static_cast<size_t>(found - members_.begin());
}

Diagnostic NpzReader::About(size_t i, const Diagnostic& why) const {
  Diagnostic about = why;
  if (!members_[i].name.empty()) about.message = "member " + members_[i].name + ": " + why.message;
  return about;
}

Result<NpyHeader> NpzReader::Describe(size_t i) const {
  const Member& member = members_[i];
  Result<NpyHeader> header = BadNpz("");
  if (member.is_deflated) {
    Result<std::vector<uint8_t>> begin = Inflate(member.stored, kMaxNpyHeader);
    if (!begin) return About(i, begin.error());
    header = ReadNpyHeader({reinterpret_cast<const char*>(begin->data()), begin->size()});
  } else {
    header = ReadNpyHeader(member.stored);
  }
  if (!header) return About(i, header.error());
  if (header->data_begin > member.bytes || member.bytes - header->data_begin < header->data_bytes) {
    return About(i, BadNpz("it is shorter than its shape says"));
  }
  return header;
}

Result<NpyArray> NpzReader::Read(size_t i) const {
  const Result<NpyHeader> header = Describe(i);
  if (!header) return header.error();
  const Member& member = members_[i];
  std::vector<uint8_t> inflated;
  std::string_view file = member.stored;
  if (member.is_deflated) {
    Result<std::vector<uint8_t>> all = Inflate(member.stored, member.bytes);
    if (!all) return About(i, all.error());
    inflated = std::move(*all);
    file = {reinterpret_cast<const char*>(inflated.data()), inflated.size()};
  }
  const std::span bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  if (file.size() != member.bytes || (member.has_crc && Crc32(bytes) != member.crc)) {
    return About(i, BadNpz("its checksum is wrong: it is damaged"));
  }
  NpyArray array;
  array.type = header->type;
  array.dims = header->dims;
  std::vector<uint8_t> rows;
  const Result<std::span<const uint8_t>> elements = NpyElements(*header, file, rows);
  if (!elements) return About(i, elements.error());
  array.bytes = *elements;
  array.owned = rows.empty() ? std::move(inflated) : std::move(rows);
  return array;
}

}  // namespace halo
