// An append-only text buffer, the writers' fast path. It formats integers itself and never uses
// locales or format strings.
#ifndef HALO_BASE_STRINGS_TEXT_BUFFER_H_
#define HALO_BASE_STRINGS_TEXT_BUFFER_H_

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace halo {

class TextBuffer {
 public:
  TextBuffer() = default;

  TextBuffer& operator<<(std::string_view text) {
    if (text.empty()) return *this;
    Reserve(text.size());
    std::memcpy(data_.get() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }
  TextBuffer& operator<<(const char* text) { return *this << std::string_view(text); }
  TextBuffer& operator<<(char c) {
    Reserve(1);
    data_[size_++] = c;
    return *this;
  }
  template <std::integral Int>
    requires(!std::same_as<Int, char> && !std::same_as<Int, bool>)
  TextBuffer& operator<<(Int value) {
    Reserve(24);
    size_ = static_cast<size_t>(
        std::to_chars(data_.get() + size_, data_.get() + size_ + 24, value).ptr - data_.get());
    return *this;
  }

  [[nodiscard]] std::string_view view() const { return {data_.get(), size_}; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  void clear() { size_ = 0; }
  void Truncate(size_t size) { size_ = size; }

  // Reserves `extra` more bytes without changing the content.
  void Reserve(size_t extra) {
    if (size_ + extra > capacity_) Grow(size_ + extra);
  }

 private:
  void Grow(size_t needed) {
    size_t capacity = capacity_ < 256 ? 256 : capacity_ * 2;
    if (capacity < needed) capacity = needed;
    auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace halo

#endif  // HALO_BASE_STRINGS_TEXT_BUFFER_H_
