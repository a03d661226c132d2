// What kinds of members a description may have. Shared by all visitors of `Fields`.
#ifndef HALO_DESCRIBE_TRAITS_H_
#define HALO_DESCRIBE_TRAITS_H_

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "haloscope/fields.h"

namespace halo::describe {

struct NoVisitor : v0::FieldVisitor<NoVisitor> {
  template <class T>
  void Field(const v0::FieldInfo& /*field*/, T& /*value*/) {}
};

// A struct with a description.
template <class T>
concept Described = requires(NoVisitor& visitor, T& value) { Fields(visitor, value); };

// A described struct that a command prints as a whole; its schema names it and its version.
template <class T>
concept IsDocument = Described<T> && requires {
  { T::kSchema } -> std::convertible_to<std::string_view>;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// An optional value that is present as null: absent means something else than null.
template <class T>
inline constexpr bool kIsOptionalNull = false;
template <class T>
inline constexpr bool kIsOptionalNull<std::optional<std::optional<T>>> = true;

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

// An object whose keys vary: pairs, in the order in which they are shown.
template <class T>
using Keyed = std::vector<std::pair<std::string, T>>;
template <class T>
inline constexpr bool kIsKeyed = false;
template <class T>
inline constexpr bool kIsKeyed<std::vector<std::pair<std::string, T>>> = true;

template <class T>
concept IsText = std::convertible_to<const T&, std::string_view>;

// Enumerations have texts, which EnumTexts lists by value.
template <class T>
concept HasTexts = std::is_enum_v<T> && requires(T value) {
  { EnumTexts(value)[0] } -> std::convertible_to<std::string_view>;
};

// Whether a field that is absent when it is empty has something to show.
template <class T>
bool HasAny(const T& value) {
  if constexpr (kIsOptional<T>) {
    return value.has_value();
  } else if constexpr (kIsList<T> || std::same_as<T, std::string> ||
                       std::same_as<T, std::string_view>) {
    return !value.empty();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return value != T();
  } else {
    return true;
  }
}

// Descriptions take what they describe by reference, because some visitors fill it. Visitors that
// only read use this to describe constants.
template <class T>
T& Readable(const T& value) {
  return const_cast<T&>(value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// The name of a type without its namespaces: "LiveValue".
template <class T>
constexpr std::string_view TypeName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const size_t colon = text.rfind(':');
  return colon == std::string_view::npos ? text : text.substr(colon + 1);
}

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_TRAITS_H_
