// A line defines an instruction if it reads "[ROOT] [%]name = ", and starts a computation if it
// ends with a brace.
#include "halo/api/document/find_definitions.h"

#include <map>
#include <utility>

#include "halo/base/strings/characters.h"

namespace halo {
namespace {

bool EatWord(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  text = Trimmed(text);
  return true;
}

// The name at the start of a line; `rest` is set to what follows it.
std::string_view LeadingName(std::string_view line, std::string_view& rest) {
  if (line.starts_with('%')) line.remove_prefix(1);
  const size_t end = line.find_first_of(" \t(={,");
  const std::string_view name = line.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : Trimmed(line.substr(end));
  return name;
}

}  // namespace

std::vector<std::optional<size_t>> FindDefinitions(std::string_view text,
                                                   std::span<const Definition> wanted) {
  std::vector<std::optional<size_t>> found(wanted.size());
  std::multimap<std::pair<std::string_view, std::string_view>, size_t> open;
  for (size_t i = 0; i < wanted.size(); ++i) {
    open.emplace(std::pair(wanted[i].computation, wanted[i].instruction), i);
  }
  const auto note = [&](std::string_view computation, std::string_view instruction, size_t offset) {
    const auto [begin, end] = open.equal_range({computation, instruction});
    for (auto it = begin; it != end; ++it) found[it->second] = offset;
    open.erase(begin, end);
  };
  std::string_view computation;
  for (size_t begin = 0; begin < text.size() && !open.empty();) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = Trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with("HloModule")) {
      note({}, {}, static_cast<size_t>(line.data() - text.data()));
      continue;
    }
    const bool root = EatWord(line, "ROOT ");
    if (!root) EatWord(line, "ENTRY ");
    std::string_view rest;
    const std::string_view name = LeadingName(line, rest);
    if (name.empty()) continue;
    const auto offset = static_cast<size_t>(line.data() - text.data());
    if (rest.starts_with('=')) {
      note(computation, name, offset);
    } else if (line.ends_with('{')) {
      computation = name;
      note(computation, {}, offset);
    }
  }
  return found;
}

}  // namespace halo
