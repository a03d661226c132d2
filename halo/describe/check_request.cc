// The words in which values are refused.
#include "halo/describe/check_request.h"

#include <algorithm>
#include <charconv>

namespace halo::describe {
namespace {

std::string NumberText(double number) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

std::string Joined(const std::vector<std::string_view>& texts) {
  std::string all;
  for (const std::string_view each : texts) {
    if (!all.empty()) all += ", ";
    all += each;
  }
  return all;
}

bool SameLetters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char left, char right) { return lower(left) == lower(right); });
}

}  // namespace

void CheckFields::Refuse(const v0::FieldInfo& field, std::string_view why) {
  if (!problem_.empty()) problem_ += "; ";
  problem_ += "`" + std::string(field.name) + "` " + std::string(why);
}

void CheckFields::Text(const v0::FieldInfo& field, std::string_view text) {
  if (field.choices.empty() || text.empty() || !choices_) return;
  const std::vector<std::string_view> all = choices_(field.choices);
  const auto is_it = [&](std::string_view each) { return SameLetters(each, text); };
  if (all.empty() || std::any_of(all.begin(), all.end(), is_it)) return;
  Refuse(field, "is one of " + Joined(all) + ", not " + std::string(text.substr(0, 100)));
}

void CheckFields::Integer(const v0::FieldInfo& field, int64_t number) {
  if (field.has(v0::FieldFlag::kPowerOfTwo) && (number <= 0 || (number & (number - 1)) != 0)) {
    Refuse(field, "must be a power of two");
  }
  Real(field, static_cast<double>(number));
}

void CheckFields::Real(const v0::FieldInfo& field, double number) {
  if (field.least == field.most || (number >= field.least && number <= field.most)) return;
  Refuse(field, "must be from " + NumberText(field.least) + " to " + NumberText(field.most));
}

}  // namespace halo::describe
