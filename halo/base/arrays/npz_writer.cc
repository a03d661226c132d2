// Members are stored, not compressed. Results are numbers, which deflate hardly shrinks and makes
// much slower.
#include "halo/base/arrays/npz_writer.h"

#include <algorithm>

#include "halo/base/io/crc32.h"

namespace halo {
namespace {

constexpr uint64_t kNeeds64 = 0xFFFFFFFF;
constexpr uint64_t kFirstDay = 0x21;  // 1980-01-01, the earliest date the format can represent

class Record {
 public:
  explicit Record(std::string_view mark) : text_(mark) {}
  Record& U16(uint64_t value) { return Number(value, 2); }
  Record& U32(uint64_t value) { return Number(value, 4); }
  Record& U64(uint64_t value) { return Number(value, 8); }
  Record& Text(std::string_view text) {
    text_ += text;
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return text_; }

 private:
  Record& Number(uint64_t value, int width) {
    for (int i = 0; i < width; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  std::string text_;
};

uint64_t In32(uint64_t value) { return std::min(value, kNeeds64); }

}  // namespace

void NpzWriter::Put(std::string_view bytes) {
  ok_ = ok_ && sink_(bytes);
  written_ += bytes.size();
}

void NpzWriter::Add(std::string_view name, const NpyType& type, std::span<const int64_t> dims,
                    std::span<const uint8_t> bytes) {
  const std::string header = WriteNpyHeader(type, dims);
  Member member;
  member.name = std::string(name) + ".npy";
  member.bytes = header.size() + bytes.size();
  member.offset = written_;
  const std::span head(reinterpret_cast<const uint8_t*>(header.data()), header.size());
  member.crc = Crc32(bytes, Crc32(head));
  const bool is_large = member.bytes >= kNeeds64;
  Record local("PK\3\4");
  local.U16(is_large ? 45 : 20).U16(0).U16(0).U16(0).U16(kFirstDay).U32(member.crc);
  local.U32(In32(member.bytes)).U32(In32(member.bytes)).U16(member.name.size());
  local.U16(is_large ? 20 : 0).Text(member.name);
  if (is_large) local.U16(1).U16(16).U64(member.bytes).U64(member.bytes);
  Put(local.view());
  Put(header);
  Put({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  members_.push_back(std::move(member));
}

bool NpzWriter::Finish() {
  const uint64_t begin = written_;
  for (const Member& member : members_) {
    const bool large_size = member.bytes >= kNeeds64;
    const bool large_offset = member.offset >= kNeeds64;
    const uint64_t extra = (large_size ? 16u : 0u) + (large_offset ? 8u : 0u);
    Record entry("PK\1\2");
    entry.U16(extra > 0 ? 45 : 20).U16(extra > 0 ? 45 : 20).U16(0).U16(0).U16(0).U16(kFirstDay);
    entry.U32(member.crc).U32(In32(member.bytes)).U32(In32(member.bytes));
    entry.U16(member.name.size()).U16(extra > 0 ? extra + 4 : 0).U16(0).U16(0).U16(0).U32(0);
    entry.U32(In32(member.offset)).Text(member.name);
    if (extra > 0) entry.U16(1).U16(extra);
    if (large_size) entry.U64(member.bytes).U64(member.bytes);
    if (large_offset) entry.U64(member.offset);
    Put(entry.view());
  }
  const uint64_t end = written_;
  const uint64_t count = members_.size();
  if (count >= 0xFFFF || end >= kNeeds64) {
    Record large("PK\6\6");
    large.U64(44).U16(45).U16(45).U32(0).U32(0).U64(count).U64(count).U64(end - begin).U64(begin);
    large.Text("PK\6\7").U32(0).U64(end).U32(1);
    Put(large.view());
  }
  Record last("PK\5\6");
  const uint64_t count16 = std::min<uint64_t>(count, 0xFFFF);
  last.U16(0).U16(0).U16(count16).U16(count16).U32(In32(end - begin)).U32(In32(begin)).U16(0);
  Put(last.view());
  return ok_;
}

}  // namespace halo
