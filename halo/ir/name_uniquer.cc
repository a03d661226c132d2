// A name is a root and a number after the last dot. Each root has a separate counter.
#include "halo/ir/name_uniquer.h"

#include <charconv>

#include "halo/ir/types/element_type.h"

namespace halo {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Replaces characters that names cannot contain with '_', and modifies reserved words.
std::string Legal(std::string_view name) {
  std::string legal(name.empty() ? "name" : name);
  for (size_t i = 0; i < legal.size(); ++i) {
    const char c = legal[i];
    const bool fine = IsLetter(c) || (i != 0 && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
    if (!fine) legal[i] = '_';
  }
  const auto type = ElementTypeFromText(legal);
  if (type && *type != ElementType::kTuple && *type != ElementType::kBuffer) legal += '_';
  if (legal.starts_with("__") && !legal.starts_with("__xla_")) legal[0] = 'a';
  return legal;
}

}  // namespace

std::string NameUniquer::Unique(std::string_view name) {
  std::string root = Legal(name);
  int64_t number = 0;
  bool numbered = false;
  const size_t dot = root.rfind('.');
  if (dot != std::string::npos && dot > 0 && dot + 1 < root.size()) {
    int64_t written = 0;
    const char* end = root.data() + root.size();
    const auto [stop, error] = std::from_chars(root.data() + dot + 1, end, written);
    if (error == std::errc() && stop == end) {
      numbered = true;
      number = written;
      root.resize(dot);
    }
  }
  Numbers& numbers = numbers_[root];
  if (!numbers.used.insert(number).second) {
    while (!numbers.used.insert(numbers.next).second) ++numbers.next;
    number = numbers.next++;
  }
  if (number == 0) return numbered ? root + ".0" : root;
  return root + "." + std::to_string(number);
}

}  // namespace halo
