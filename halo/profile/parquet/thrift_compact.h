// Reads messages in Thrift's compact protocol, which Parquet uses for its metadata: structs whose
// fields the caller knows, with everything else skipped. Lengths are checked against the bytes.
#ifndef HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_
#define HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_

#include <cstdint>
#include <string_view>

namespace halo {

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

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_THRIFT_COMPACT_H_
