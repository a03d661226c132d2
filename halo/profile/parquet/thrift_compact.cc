// Field numbers are stored as the difference to the one before; integers are zigzag varints.
#include "halo/profile/parquet/thrift_compact.h"

#include <algorithm>
#include <utility>

#include "halo/base/check.h"

namespace halo {
namespace {

constexpr auto kThriftFalse = static_cast<uint8_t>(ThriftType::kFalse);
constexpr auto kThriftByte = static_cast<uint8_t>(ThriftType::kByte);
constexpr auto kThriftI64 = static_cast<uint8_t>(ThriftType::kI64);
constexpr auto kThriftDouble = static_cast<uint8_t>(ThriftType::kDouble);
constexpr auto kThriftBinary = static_cast<uint8_t>(ThriftType::kBinary);
constexpr auto kThriftSet = static_cast<uint8_t>(ThriftType::kSet);
constexpr auto kThriftStruct = static_cast<uint8_t>(ThriftType::kStruct);

int64_t Unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace

uint8_t ThriftReader::Byte() {
  if (at_ >= bytes_.size()) ok_ = false;
  return ok_ ? static_cast<uint8_t>(bytes_[at_++]) : uint8_t{0};
}

uint64_t ThriftReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = Byte();
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  ok_ = false;
  return 0;
}

int64_t ThriftReader::Int() { return Unzigzag(Varint()); }

std::string_view ThriftReader::Binary() {
  const uint64_t size = Varint();
  if (size > bytes_.size() - at_) ok_ = false;
  if (!ok_) return {};
  const std::string_view text = bytes_.substr(at_, static_cast<size_t>(size));
  at_ += text.size();
  return text;
}

bool ThriftReader::NextField(int64_t& id) {
  const uint8_t head = Byte();
  if (!ok_ || head == 0) return false;
  type_ = head & 0x0F;
  const int64_t step = head >> 4;
  const int64_t next = step != 0 ? id + step : Int();
  id = std::clamp<int64_t>(next, INT16_MIN, INT16_MAX);
  return ok_;
}

uint64_t ThriftReader::BeginList() {
  const uint8_t head = Byte();
  type_ = head & 0x0F;
  const uint64_t count = (head >> 4) == 0x0F ? Varint() : head >> 4;
  // Every element takes a byte at least.
  if (count > bytes_.size() - at_) ok_ = false;
  return ok_ ? count : 0;
}

void ThriftReader::SkipValue(uint8_t type) {
  if (type <= kThriftFalse) return;
  if (type == kThriftByte) {
    Byte();
  } else if (type <= kThriftI64) {
    Varint();
  } else if (type == kThriftDouble) {
    at_ = std::min(at_ + 8, bytes_.size());
  } else if (type == kThriftBinary) {
    Binary();
  } else if (type <= kThriftSet) {
    if (++depth_ > kMaxThriftDepth) ok_ = false;
    const uint64_t count = BeginList();
    const uint8_t element = type_;
    for (uint64_t i = 0; ok_ && i < count; ++i) {
      // In lists, booleans take a byte.
      element <= kThriftFalse ? static_cast<void>(Byte()) : SkipValue(element);
    }
    --depth_;
  } else if (type == kThriftStruct) {
    Struct([&](int64_t) { Skip(); });
  } else {
    ok_ = false;  // maps, which Parquet has none of
  }
}

void ThriftWriter::Varint(uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

void ThriftWriter::Head(int field, ThriftType type) {
  if (field == 0) return;
  const int step = field - last_.back();
  HALO_CHECK(step > 0 && step < 16);
  out_ += static_cast<char>(step << 4 | static_cast<int>(type));
  last_.back() = field;
}

void ThriftWriter::Integer(int field, ThriftType type, int64_t value) {
  Head(field, type);
  Varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void ThriftWriter::Bool(int field, bool value) {
  Head(field, value ? ThriftType::kTrue : ThriftType::kFalse);
}

void ThriftWriter::Binary(int field, std::string_view value) {
  Head(field, ThriftType::kBinary);
  Varint(value.size());
  out_ += value;
}

void ThriftWriter::BeginStruct(int field) {
  Head(field, ThriftType::kStruct);
  last_.push_back(0);
}

void ThriftWriter::EndStruct() {
  out_ += '\0';
  last_.pop_back();
}

void ThriftWriter::BeginList(int field, ThriftType element, size_t count) {
  Head(field, ThriftType::kList);
  const auto type = static_cast<uint8_t>(element);
  if (count < 15) {
    out_ += static_cast<char>(count << 4 | type);
    return;
  }
  out_ += static_cast<char>(0xF0 | type);
  Varint(count);
}

std::string ThriftWriter::Take() {
  out_ += '\0';
  return std::move(out_);
}

}  // namespace halo
