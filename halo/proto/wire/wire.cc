// Encodes and decodes varints, tags and lengths.
#include "halo/proto/wire/wire.h"

#include <cstring>
#include <utility>

namespace halo {
namespace {

constexpr size_t kMaxVarint = 10;
constexpr uint64_t kMaxField = (uint64_t{1} << 29) - 1;
constexpr int kMaxGroups = 100;

template <class T>
T LoadLittle(const char* at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return value;
}

size_t EncodeVarint(uint64_t value, char* out) {
  size_t size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out[size++] = static_cast<char>(value);
  return size;
}

}  // namespace

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  uint64_t result = 0;
  for (size_t i = 0; i < kMaxVarint && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    result |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) {
      bytes.remove_prefix(i + 1);
      value = result;
      return true;
    }
  }
  return false;
}

bool WireReader::ReadVarint(uint64_t& value) {
  std::string_view rest = bytes_.substr(at_);
  const size_t left = rest.size();
  if (!TakeVarint(rest, value)) {
    return Fail(left < kMaxVarint ? WireFault::kCutShort : WireFault::kMalformed);
  }
  at_ += left - rest.size();
  return true;
}

bool WireReader::ReadValue() {
  const size_t left = bytes_.size() - at_;
  switch (type_) {
    case WireType::kVarint: return ReadVarint(number_);
    case WireType::kFixed64:
      if (left < 8) return Fail(WireFault::kCutShort);
      number_ = LoadLittle<uint64_t>(bytes_.data() + at_);
      at_ += 8;
      return true;
    case WireType::kFixed32:
      if (left < 4) return Fail(WireFault::kCutShort);
      number_ = LoadLittle<uint32_t>(bytes_.data() + at_);
      at_ += 4;
      return true;
    case WireType::kBytes: {
      uint64_t size = 0;
      if (!ReadVarint(size)) return false;
      if (size > bytes_.size() - at_) return Fail(WireFault::kCutShort);
      view_ = bytes_.substr(at_, static_cast<size_t>(size));
      at_ += static_cast<size_t>(size);
      return true;
    }
    case WireType::kGroupBegin: return SkipGroup(field_);
    default: return Fail(WireFault::kMalformed);
  }
}

bool WireReader::SkipGroup(uint32_t field) {
  uint32_t open[kMaxGroups] = {field};
  int depth = 1;
  while (depth > 0) {
    if (at_ >= bytes_.size()) return Fail(WireFault::kCutShort);
    uint64_t tag = 0;
    if (!ReadVarint(tag)) return false;
    const auto inner = static_cast<uint32_t>(tag >> 3);
    const auto type = static_cast<WireType>(tag & 7);
    if (type == WireType::kGroupBegin) {
      if (depth == kMaxGroups) return Fail(WireFault::kTooNested);
      open[depth++] = inner;
    } else if (type == WireType::kGroupEnd) {
      if (open[--depth] != inner) return Fail(WireFault::kMalformed);
    } else {
      type_ = type;
      if (!ReadValue()) return false;
    }
  }
  type_ = WireType::kGroupBegin;
  return true;
}

bool WireReader::Next() {
  if (fault_ != WireFault::kNone || at_ >= bytes_.size()) return false;
  begin_ = at_;
  uint64_t tag = 0;
  if (!ReadVarint(tag)) return false;
  const uint64_t field = tag >> 3;
  if (field == 0 || field > kMaxField) return Fail(WireFault::kMalformed);
  field_ = static_cast<uint32_t>(field);
  type_ = static_cast<WireType>(tag & 7);
  view_ = {};
  return ReadValue();
}

size_t CountFields(std::string_view message, uint32_t field) {
  size_t count = 0;
  WireReader reader(message);
  while (reader.Next()) count += reader.field() == field ? 1 : 0;
  return count;
}

bool WireReader::Get(int64_t& out) const {
  if (type_ != WireType::kVarint) return false;
  out = static_cast<int64_t>(number_);
  return true;
}

bool WireReader::Get(bool& out) const {
  if (type_ != WireType::kVarint) return false;
  out = number_ != 0;
  return true;
}

bool WireReader::Get(std::string_view& out) const {
  if (type_ != WireType::kBytes) return false;
  out = view_;
  return true;
}

bool WireReader::GetFloat(float& out) const {
  if (type_ != WireType::kFixed32) return false;
  out = std::bit_cast<float>(static_cast<uint32_t>(number_));
  return true;
}

bool WireReader::GetDouble(double& out) const {
  if (type_ != WireType::kFixed64) return false;
  out = std::bit_cast<double>(number_);
  return true;
}

bool WireReader::Append(std::vector<int64_t>& out) const {
  if (type_ == WireType::kVarint) {
    out.push_back(static_cast<int64_t>(number_));
    return true;
  }
  if (type_ != WireType::kBytes) return false;
  std::string_view packed = view_;
  uint64_t value = 0;
  while (TakeVarint(packed, value)) out.push_back(static_cast<int64_t>(value));
  return packed.empty();
}

bool WireReader::Append(std::vector<std::string_view>& out) const {
  if (type_ != WireType::kBytes) return false;
  out.push_back(view_);
  return true;
}

void WireWriter::Varint(uint64_t value) {
  char encoded[kMaxVarint];
  out_.append(encoded, EncodeVarint(value, encoded));
}

void WireWriter::Tag(uint32_t field, WireType type) {
  Varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
}

void WireWriter::Int(uint32_t field, int64_t value) {
  Tag(field, WireType::kVarint);
  Varint(static_cast<uint64_t>(value));
}

void WireWriter::Float(uint32_t field, float value) {
  Tag(field, WireType::kFixed32);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int i = 0; i < 4; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
}

void WireWriter::Double(uint32_t field, double value) {
  Tag(field, WireType::kFixed64);
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i) out_.push_back(static_cast<char>(bits >> (8 * i)));
}

void WireWriter::Bytes(uint32_t field, std::string_view value) {
  Tag(field, WireType::kBytes);
  Varint(value.size());
  out_.append(value);
}

size_t WireWriter::Begin(uint32_t field) {
  Tag(field, WireType::kBytes);
  // Reserves one byte for the length. Most messages need no more; the others are moved when they
  // close.
  out_.push_back('\0');
  return out_.size();
}

void WireWriter::End(size_t mark) {
  const uint64_t size = out_.size() - mark;
  char encoded[kMaxVarint];
  const size_t length = EncodeVarint(size, encoded);
  if (length > 1) {
    out_.resize(out_.size() + length - 1);
    std::memmove(out_.data() + mark + length - 1, out_.data() + mark, size);
  }
  std::memcpy(out_.data() + mark - 1, encoded, length);
}

}  // namespace halo
