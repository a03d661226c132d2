// What the values of a request may be, beyond their types: one of a list, within bounds, a power of
// two. All front ends refuse the same values in the same words, because the function that takes the
// request checks them.
#ifndef HALO_DESCRIBE_CHECK_REQUEST_H_
#define HALO_DESCRIBE_CHECK_REQUEST_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/describe/traits.h"

namespace halo::describe {

// The values of a list by its name; none if every text is allowed.
using ChoiceList = std::function<std::vector<std::string_view>(std::string_view list)>;

class CheckFields : public v0::FieldVisitor<CheckFields> {
 public:
  explicit CheckFields(const ChoiceList& choices) : choices_(choices) {}

  template <class T>
  void Field(const v0::FieldInfo& field, T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) Field(field, *value);
    } else if constexpr (kIsList<T>) {
      for (auto& each : value) Field(field, each);
    } else if constexpr (std::same_as<T, std::string>) {
      Text(field, value);
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      Integer(field, static_cast<int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      Real(field, value);
    }
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void Text(const v0::FieldInfo& field, std::string_view text);
  void Integer(const v0::FieldInfo& field, int64_t number);
  void Real(const v0::FieldInfo& field, double number);
  void Refuse(const v0::FieldInfo& field, std::string_view why);

  const ChoiceList& choices_;
  std::string problem_;  // all of them
};

// Returns what is wrong with the values; empty if nothing is.
template <Described T>
std::string CheckRequest(const T& request, const ChoiceList& choices) {
  CheckFields fields(choices);
  Fields(fields, Readable(request));
  return fields.problem();
}

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_CHECK_REQUEST_H_
