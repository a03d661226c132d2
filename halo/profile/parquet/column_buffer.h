// The values of one column in memory, on their way into a table: integers, floating point numbers,
// booleans, times or texts, with holes where the column allows them. Texts are interned, because
// most columns repeat a few. How values are stored in a file is decided in parquet_writer.h.
#ifndef HALO_PROFILE_PARQUET_COLUMN_BUFFER_H_
#define HALO_PROFILE_PARQUET_COLUMN_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/base/containers/span_pool.h"

namespace halo {

enum class ColumnType : uint8_t {
  kInt,
  kReal,
  kBool,
  kText,
  kTime,  // microseconds since 1970, UTC
};

struct ColumnSpec {
  std::string_view name;
  ColumnType type = ColumnType::kInt;
  bool is_optional = false;  // may have holes
};

class ColumnBuffer {
 public:
  explicit ColumnBuffer(ColumnType type) : type_(type) {}

  [[nodiscard]] ColumnType type() const { return type_; }
  [[nodiscard]] size_t rows() const { return bits_.size(); }
  [[nodiscard]] bool has_holes() const { return holes_ != 0; }
  [[nodiscard]] bool exists(size_t row) const { return holes_ == 0 || exists_[row]; }
  // The value: an integer, the bits of a floating point number, 0 or 1, or the number of a text.
  // 0 in a hole.
  [[nodiscard]] uint64_t bits(size_t row) const { return bits_[row]; }
  // Texts by number. Every number is below text_count.
  [[nodiscard]] std::string_view text(uint64_t id) const {
    const auto chars = texts_[static_cast<uint32_t>(id)];
    return {chars.data(), chars.size()};
  }
  [[nodiscard]] size_t text_count() const { return texts_.size(); }
  // Approximate, for limits.
  [[nodiscard]] size_t bytes() const { return bits_.size() * 8 + texts_.item_count(); }

  void AddInt(int64_t value) { AddBits(static_cast<uint64_t>(value)); }
  void AddReal(double value);
  void AddBool(bool value) { AddBits(value ? 1 : 0); }
  // Bytes that are not UTF-8 are replaced.
  void AddText(std::string_view text) { AddBits(TextId(text)); }
  void AddHole();
  // For callers that add the same text often.
  uint32_t TextId(std::string_view text);
  void AddTextId(uint32_t id) { AddBits(id); }

  // Adds the values of a column of the same type.
  void Append(const ColumnBuffer& other);

 private:
  void AddBits(uint64_t bits) {
    if (holes_ != 0) exists_.push_back(true);
    bits_.push_back(bits);
  }

  ColumnType type_;
  std::vector<uint64_t> bits_;
  std::vector<bool> exists_;  // empty if there are no holes
  size_t holes_ = 0;
  SpanPool<char> texts_;
};

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_COLUMN_BUFFER_H_
