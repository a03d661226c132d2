// Changes the text of a generated module so that it may still be legal: other types, sizes and
// layouts throughout, other digits of attributes and constants, other operands, other ops. Ops and
// operands are exchanged only for ones whose results every correct program computes to the last
// bit, so that a comparable module stays comparable. Whether the result is legal is left to the
// verifier.
#ifndef HALO_EVAL_TEST_MUTATE_MODULE_H_
#define HALO_EVAL_TEST_MUTATE_MODULE_H_

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/test/random_module.h"

namespace halo::random_module {

class ModuleMutator {
 public:
  ModuleMutator(Choices& choices, std::string text) : choices_(choices), text_(std::move(text)) {}

  // The text after one to three changes.
  std::string Mutated() {
    const uint32_t count = 1 + choices_.Below(3);
    for (uint32_t i = 0; i < count; ++i) Change();
    return std::move(text_);
  }

 private:
  void Change() {
    switch (choices_.Below(7)) {
      case 0: return ChangeType();
      case 1: return ChangeSize();
      case 2: return ChangeDigit();
      case 3: return ChangeOp();
      case 4: return ChangeOperand();
      case 5: return ChangeConstant();
      default: return AddLayout();
    }
  }

  static bool IsWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  }

  // Where a word occurs as a whole.
  std::vector<size_t> FindWord(std::string_view word) const {
    std::vector<size_t> found;
    for (size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1)) {
      const size_t end = at + word.size();
      if (at > 0 && IsWord(text_[at - 1])) continue;
      if (end < text_.size() && IsWord(text_[end])) continue;
      found.push_back(at);
    }
    return found;
  }

  void ReplaceAll(std::string_view word, std::string_view by) {
    const std::vector<size_t> found = FindWord(word);
    for (size_t i = found.size(); i-- > 0;) text_.replace(found[i], word.size(), by);
  }

  // One type for another of its kind, everywhere.
  void ChangeType() {
    static constexpr std::array<std::string_view, 6> kFloats = {"f32", "f64",    "bf16",
                                                                "f16", "f8e5m2", "f8e4m3fn"};
    static constexpr std::array<std::string_view, 8> kIntegers = {"s8",  "u8",  "s16", "u16",
                                                                  "s32", "u32", "s64", "u64"};
    if (choices_.Chance(2)) {
      ReplaceAll(choices_.Pick(kFloats), choices_.Pick(kFloats));
    } else {
      ReplaceAll(choices_.Pick(kIntegers), choices_.Pick(kIntegers));
    }
  }

  // One number for another, everywhere.
  void ChangeSize() {
    static constexpr std::array<std::string_view, 10> kSizes = {"1", "2", "3",  "4",  "5",
                                                                "7", "8", "16", "33", "130"};
    ReplaceAll(std::to_string(2 + choices_.Below(39)), choices_.Pick(kSizes));
  }

  void ChangeDigit() {
    std::vector<size_t> digits;
    for (size_t i = 1; i < text_.size(); ++i) {
      if (std::isdigit(static_cast<unsigned char>(text_[i])) != 0 && !IsWord(text_[i - 1])) {
        digits.push_back(i);
      }
    }
    if (!digits.empty()) text_[choices_.Pick(digits)] = static_cast<char>('0' + choices_.Below(10));
  }

  // Whether a position is in a computation that reduces, where the order of the elements matters.
  bool IsInFold(size_t at) const {
    const size_t open = text_.rfind(" {\n", at);
    if (open == std::string::npos) return false;
    const size_t line = text_.rfind('\n', open);
    return line != std::string::npos && text_.compare(line + 1, 4, "fold") == 0;
  }

  void ReplaceOne(std::string_view word, std::string_view by) {
    std::vector<size_t> found = FindWord(word);
    if (found.empty()) return;
    const size_t at = choices_.Pick(found);
    const bool depends_on_order = by == "add" || by == "subtract" || by == "multiply";
    if (depends_on_order && IsInFold(at)) return;
    text_.replace(at, word.size(), by);
  }

  void ChangeOp() {
    static constexpr std::array<std::string_view, 5> kNumbers = {"add", "subtract", "multiply",
                                                                 "maximum", "minimum"};
    static constexpr std::array<std::string_view, 3> kBits = {"and", "or", "xor"};
    if (choices_.Chance(3)) {
      ReplaceOne(choices_.Pick(kBits), choices_.Pick(kBits));
    } else {
      ReplaceOne(choices_.Pick(kNumbers), choices_.Pick(kNumbers));
    }
  }

  // Lines of the entry: "  name = shape opcode(operands), attributes".
  std::vector<std::pair<size_t, size_t>> Lines() const {
    std::vector<std::pair<size_t, size_t>> lines;
    size_t at = text_.find("ENTRY");
    while (at != std::string::npos && (at = text_.find("\n  ", at)) != std::string::npos) {
      const size_t end = text_.find('\n', at + 1);
      if (end == std::string::npos) break;
      lines.emplace_back(at + 1, end);
      at = end - 1;
    }
    return lines;
  }

  // An operand of some instruction becomes a parameter.
  void ChangeOperand() {
    const auto lines = Lines();
    std::vector<std::string> parameters;
    for (const auto& [begin, end] : lines) {
      const std::string line = text_.substr(begin, end - begin);
      if (line.find(" parameter(") == std::string::npos) continue;
      const size_t first = line.find_first_not_of(' ');
      parameters.push_back(line.substr(first, line.find(' ', first) - first));
    }
    if (lines.empty() || parameters.empty()) return;
    const auto [begin, end] = lines[choices_.Below(static_cast<uint32_t>(lines.size()))];
    const size_t open = text_.find('(', text_.find("] ", begin));
    const size_t close = open == std::string::npos ? open : text_.find(')', open);
    if (close == std::string::npos || close > end) return;
    std::vector<size_t> names;
    for (size_t i = open; i < close; ++i) {
      if (!IsWord(text_[i]) && std::isalpha(static_cast<unsigned char>(text_[i + 1])) != 0) {
        names.push_back(i + 1);
      }
    }
    if (names.empty()) return;
    const size_t at = choices_.Pick(names);
    size_t stop = at;
    while (IsWord(text_[stop])) ++stop;
    text_.replace(at, stop - at, choices_.Pick(parameters));
  }

  void ChangeConstant() {
    static constexpr std::array<std::string_view, 8> kValues = {"0",   "1",       "-1",  "2",
                                                                "127", "1000000", "100", "-5"};
    std::vector<size_t> found;
    for (size_t at = text_.find("constant("); at != std::string::npos;
         at = text_.find("constant(", at + 1)) {
      found.push_back(at + 9);
    }
    if (found.empty()) return;
    const size_t at = choices_.Pick(found);
    const size_t close = text_.find(')', at);
    if (close != std::string::npos) text_.replace(at, close - at, choices_.Pick(kValues));
  }

  // One array is stored in another order of dimensions.
  void AddLayout() {
    const auto lines = Lines();
    if (lines.empty()) return;
    const auto [begin, end] = lines[choices_.Below(static_cast<uint32_t>(lines.size()))];
    const size_t open = text_.find('[', begin);
    const size_t close = open == std::string::npos ? open : text_.find(']', open);
    if (close == std::string::npos || close > end || text_[close + 1] != ' ') return;
    size_t rank = close == open + 1 ? 0 : 1;
    for (size_t i = open; i < close; ++i) rank += text_[i] == ',' ? 1 : 0;
    if (rank < 2) return;
    std::vector<size_t> order(rank);
    for (size_t i = 0; i < rank; ++i) order[i] = i;
    for (size_t i = rank; i-- > 1;) {
      std::swap(order[i], order[choices_.Below(static_cast<uint32_t>(i + 1))]);
    }
    std::string layout = "{";
    for (size_t i = 0; i < rank; ++i) layout += (i == 0 ? "" : ",") + std::to_string(order[i]);
    text_.insert(close + 1, layout + "}");
  }

  Choices& choices_;
  std::string text_;
};

}  // namespace halo::random_module

#endif  // HALO_EVAL_TEST_MUTATE_MODULE_H_
