// Long texts are shortened: a shape with thousands of elements would otherwise be stored with
// every instruction that passes it on.
#include "halo/profile/parquet/column_buffer.h"

#include <bit>
#include <string>

#include "halo/base/check.h"
#include "halo/base/strings/utf8.h"

namespace halo {
namespace {

constexpr size_t kLongestText = 1024;
constexpr std::string_view kShortened = "...";

bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace

void ColumnBuffer::AddReal(double value) { AddBits(std::bit_cast<uint64_t>(value)); }

void ColumnBuffer::AddHole() {
  if (holes_ == 0) exists_.assign(bits_.size(), true);
  ++holes_;
  exists_.push_back(false);
  if (type_ == ColumnType::kText) TextId({});  // what the 0 below refers to
  bits_.push_back(0);
}

uint32_t ColumnBuffer::TextId(std::string_view text) {
  if (text.size() <= kLongestText && IsAscii(text)) {
    return texts_.Intern({text.data(), text.size()});
  }
  std::string changed;
  AppendUtf8Text(text.substr(0, kLongestText), changed);
  if (text.size() > kLongestText) changed += kShortened;
  return texts_.Intern({changed.data(), changed.size()});
}

void ColumnBuffer::Append(const ColumnBuffer& other) {
  HALO_CHECK(type_ == other.type_);
  std::vector<uint32_t> ids(other.text_count());
  for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = texts_.Intern(other.texts_[i]);
  if (holes_ == 0 && other.holes_ != 0) exists_.assign(bits_.size(), true);
  for (size_t row = 0; row < other.rows(); ++row) {
    const uint64_t bits = other.bits_[row];
    if (holes_ + other.holes_ != 0) exists_.push_back(other.exists(row));
    bits_.push_back(type_ == ColumnType::kText ? ids[bits] : bits);
  }
  holes_ += other.holes_;
}

}  // namespace halo
