// The protobuf wire format, both ways: a sequence of fields without a schema. The reader checks
// every length against the remaining bytes and handles files of any size (sizes are 64 bits).
// fields.def lists the fields; the callers interpret them.
#ifndef HALO_PROTO_WIRE_WIRE_H_
#define HALO_PROTO_WIRE_WIRE_H_

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

// Shapes, literals and shape indices nested deeper than this are refused.
inline constexpr int kMaxNesting = 64;

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

enum class WireFault : uint8_t { kNone, kCutShort, kMalformed, kTooNested };

// Iterates over the fields of one message. Groups are skipped, as no message here has any.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : bytes_(message) {}

  // Moves to the next field. False at the end of the message or at damage.
  bool Next();

  [[nodiscard]] uint32_t field() const { return field_; }
  [[nodiscard]] WireType type() const { return type_; }
  // The encoded field, including its tag.
  [[nodiscard]] std::string_view whole() const { return bytes_.substr(begin_, at_ - begin_); }
  [[nodiscard]] WireFault fault() const { return fault_; }
  [[nodiscard]] bool ok() const { return fault_ == WireFault::kNone; }
  // Where reading stopped, relative to the start of the message.
  [[nodiscard]] size_t position() const { return at_; }

  // The current field's value. If the field has another wire type than requested, these return
  // false and leave `out` unchanged, as protobuf treats such a field as unknown.
  bool Get(int64_t& out) const;
  bool Get(bool& out) const;
  bool Get(std::string_view& out) const;
  bool GetFloat(float& out) const;
  bool GetDouble(double& out) const;
  // Appends one element of a repeated field, or all elements of a packed one.
  bool Append(std::vector<int64_t>& out) const;
  bool Append(std::vector<std::string_view>& out) const;

 private:
  bool ReadVarint(uint64_t& value);
  bool SkipGroup(uint32_t field);
  bool ReadValue();
  bool Fail(WireFault fault) {
    fault_ = fault;
    return false;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  size_t begin_ = 0;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  WireFault fault_ = WireFault::kNone;
  uint64_t number_ = 0;
  std::string_view view_;
};

// The number of fields with this number in a message, as far as it can be read. Lists are counted
// before they are filled: a hostile file may hold millions of empty messages.
size_t CountFields(std::string_view message, uint32_t field);

// Reads one varint from the front of `bytes`. Returns false and leaves `bytes` unchanged if the
// varint is incomplete.
bool TakeVarint(std::string_view& bytes, uint64_t& value);

// Builds a message. Nested messages are written in place and their length is inserted when they
// close, so that nothing is built twice.
class WireWriter {
 public:
  void Int(uint32_t field, int64_t value);     // also written if zero
  void IntIf(uint32_t field, int64_t value) {  // as in proto3: zero is not written
    if (value != 0) Int(field, value);
  }
  void BoolIf(uint32_t field, bool value) {
    if (value) Int(field, 1);
  }
  void Float(uint32_t field, float value);
  void Double(uint32_t field, double value);
  void Bytes(uint32_t field, std::string_view value);
  void BytesIf(uint32_t field, std::string_view value) {
    if (!value.empty()) Bytes(field, value);
  }
  template <class List>
  void PackedInts(uint32_t field, const List& values) {
    if (values.empty()) return;
    const size_t mark = Begin(field);
    for (const auto value : values) Varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
    End(mark);
  }
  // A field that is already encoded, including its tag.
  void Raw(std::string_view encoded) { out_.append(encoded); }
  void Varint(uint64_t value);

  // A nested message: everything written between Begin and End(mark).
  [[nodiscard]] size_t Begin(uint32_t field);
  void End(size_t mark);

  [[nodiscard]] size_t size() const { return out_.size(); }
  [[nodiscard]] std::string Take() { return std::move(out_); }
  [[nodiscard]] std::string_view view() const { return out_; }

 private:
  void Tag(uint32_t field, WireType type);

  std::string out_;
};

}  // namespace halo

#endif  // HALO_PROTO_WIRE_WIRE_H_
