// Names of values as dumps print them; the rest of an assignment is plain data.
#include "halo/memory/model/assignment.h"

namespace halo {

std::string IndexText(std::span<const int64_t> steps) {
  std::string text = "{";
  for (const int64_t step : steps) {
    if (text.size() > 1) text += ',';
    text += std::to_string(step);
  }
  return text + '}';
}

std::string Assignment::FullNameOf(const AssignedValue& value) const {
  return std::string(text(value.instruction)) + IndexText(index(value.index));
}

std::string Assignment::NameOf(const AssignedValue& value) const {
  std::string name(text(value.instruction));
  if (value.shows_index || !index(value.index).empty()) name += IndexText(index(value.index));
  return name;
}

}  // namespace halo
