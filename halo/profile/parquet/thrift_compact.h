// Reads and writes messages in Thrift's compact protocol, which Parquet uses for its metadata:
// structs whose fields the caller knows. The reader skips everything else and checks lengths
// against the bytes.
#ifndef HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_
#define HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

// Types of values, as the protocol numbers them. Booleans have their value in the type.
enum class ThriftType : uint8_t {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] size_t position() const { return at_; }

  // Calls `field(id)` for each field of the struct here. It must read the value, or call Skip.
  template <class Field>
  void Struct(Field field) {
    if (++depth_ > kMaxThriftDepth) ok_ = false;
    int64_t id = 0;
    while (ok_ && NextField(id)) field(id);
    --depth_;
  }
  // Calls `element()` for each element of the list here.
  template <class Element>
  void List(Element element) {
    const uint64_t count = BeginList();
    for (uint64_t i = 0; ok_ && i < count; ++i) element();
  }
  int64_t Int();
  std::string_view Binary();
  void Skip() { SkipValue(type_); }

 private:
  static constexpr int kMaxThriftDepth = 16;

  bool NextField(int64_t& id);
  uint64_t BeginList();
  uint64_t Varint();
  uint8_t Byte();
  void SkipValue(uint8_t type);

  std::string_view bytes_;
  size_t at_ = 0;
  uint8_t type_ = 0;  // of the value here
  int depth_ = 0;
  bool ok_ = true;
};

// Appends one message. Fields of a struct are written in ascending order; field 0 is an element of
// a list. The caller closes what it opens.
class ThriftWriter {
 public:
  void I32(int field, int64_t value) { Integer(field, ThriftType::kI32, value); }
  void I64(int field, int64_t value) { Integer(field, ThriftType::kI64, value); }
  void Bool(int field, bool value);
  void Binary(int field, std::string_view value);
  void BeginStruct(int field);
  void EndStruct();
  void BeginList(int field, ThriftType element, size_t count);

  // The message without the end mark of the outermost struct, which `Take` adds.
  std::string Take();

 private:
  void Head(int field, ThriftType type);
  void Integer(int field, ThriftType type, int64_t value);
  void Varint(uint64_t value);

  std::string out_;
  std::vector<int> last_ = {0};  // the field before, in each open struct
};

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_
