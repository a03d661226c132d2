// Finds newlines and styles; what is between them is data.
#include "tools/halo/terminal/output_filter.h"

#include <algorithm>
#include <cstddef>

#include "halo/base/strings/printable.h"
#include "halo/base/strings/text_style.h"

namespace halo::tool {
namespace {

// Length of the style at the front; 0 if there is none.
size_t StyleLength(std::string_view text) {
  for (const std::string_view style : text_style::kAll) {
    if (text.starts_with(style)) return style.size();
  }
  return 0;
}

bool BeginsStyle(std::string_view text) {
  return std::ranges::any_of(text_style::kAll,
                             [text](std::string_view style) { return style.starts_with(text); });
}

// Whether bytes can be the first ones of a longer UTF-8 character.
bool BeginsCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  return lead <= 0xF4 && text.size() < length &&
         std::ranges::all_of(
             text.substr(1), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
}

// Bytes at the end that only the next piece explains.
size_t BegunLength(std::string_view text) {
  constexpr size_t kLongestStyle = 7;
  for (size_t length = std::min(text.size(), kLongestStyle); length > 0; --length) {
    const std::string_view end = text.substr(text.size() - length);
    if (BeginsStyle(end) && StyleLength(end) == 0) return length;
    if (BeginsCharacter(end)) return length;
  }
  return 0;
}

}  // namespace

std::string Filtered(std::string_view text, bool styled) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t data = std::min(text.find_first_of("\n\033"), text.size());
    out += Printable(text.substr(0, data));
    text.remove_prefix(data);
    if (text.empty()) break;
    const size_t ours = text.front() == '\n' ? 1 : styled ? StyleLength(text) : 0;
    out += ours != 0 ? std::string(text.substr(0, ours)) : Printable(text.substr(0, 1));
    text.remove_prefix(std::max<size_t>(ours, 1));
  }
  return out;
}

std::string OutputFilter::Pass(std::string_view piece, bool styled) {
  begun_ += piece;
  std::string text = std::move(begun_);
  begun_ = text.substr(text.size() - BegunLength(text));
  text.resize(text.size() - begun_.size());
  return Filtered(text, styled);
}

std::string OutputFilter::Rest() {
  std::string rest = Printable(begun_);
  begun_.clear();
  return rest;
}

}  // namespace halo::tool
