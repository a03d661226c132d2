// The smallest parsing steps over one line of an assignment's text: fixed words, integers, indices,
// names. Numbers are accepted only as XLA prints them (no sign but -, no leading zeros), so that
// printing what was read gives the same bytes. What a line means is left to the readers.
#ifndef HALO_MEMORY_TEXT_LINE_FIELDS_H_
#define HALO_MEMORY_TEXT_LINE_FIELDS_H_

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace halo {

class Fields {
 public:
  explicit Fields(std::string_view line) : line_(line), rest_(line) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  // The reading position, as an offset in the line.
  [[nodiscard]] size_t at() const { return line_.size() - rest_.size(); }

  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view TakeRest() {
    const std::string_view all = rest_;
    rest_ = {};
    return all;
  }
  // Takes the text before `mark`, and `mark` too; false if there is no `mark`.
  bool TakeUntil(std::string_view mark, std::string_view& before) {
    const size_t found = rest_.find(mark);
    if (found == std::string_view::npos) return false;
    before = rest_.substr(0, found);
    rest_.remove_prefix(found + mark.size());
    return true;
  }
  // Takes at least one character that is not in `stops`.
  bool TakeWord(std::string_view stops, std::string_view& word) {
    const size_t end = rest_.find_first_of(stops);
    word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    return !word.empty();
  }

  template <std::signed_integral Int>
  bool TakeInt(Int& value) {
    const size_t sign = rest_.starts_with('-') ? 1 : 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return false;
    const auto size = static_cast<size_t>(end - rest_.data());
    if (rest_[sign] == '0' && size != 1) return false;
    rest_.remove_prefix(size);
    return true;
  }
  template <std::signed_integral Int>
  bool TakeCount(Int& value) {
    return !rest_.starts_with('-') && TakeInt(value);
  }

  // {1,0}
  bool TakeIndex(std::vector<int64_t>& steps) { return Take("{") && TakeList(steps) && Take("}"); }
  // 1,0
  bool TakeList(std::vector<int64_t>& numbers) {
    numbers.clear();
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return true;
    do {
      if (!TakeCount(numbers.emplace_back())) return false;
    } while (Take(","));
    return true;
  }

 private:
  std::string_view line_;
  std::string_view rest_;
};

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_LINE_FIELDS_H_
