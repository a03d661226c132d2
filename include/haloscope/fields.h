// How the requests and results of this interface describe themselves. Beside each struct, a
// function template `Fields` lists its members once, with their meaning, unit and when they are
// present:
//
//   template <class V>
//   void Fields(V& v, LiveValue& r) {
//     v("name", r.name, "the instruction, with its index in the tuple");
//     v("bytes", r.bytes, "of its buffer", Unit::kBytes);
//   }
//
// Everything that shows a result or takes a request is derived from these descriptions: JSON in
// both directions, schemas, tables in documents, types of other languages, columns, and options of
// the command. A visitor derives from FieldVisitor.
#ifndef HALOSCOPE_FIELDS_H_
#define HALOSCOPE_FIELDS_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

// Of a number. A name that states its unit (`seconds`) need not repeat it.
enum class Unit : uint8_t {
  kNone,
  kBytes,
  kSeconds,
  kPosition,  // in the program's flattened schedule
  kPercent,
  kFlops,
  kBytesPerSecond,
};

enum class FieldFlag : uint8_t {
  kIfAny,          // absent if it is empty, zero or false
  kNullIfUnknown,  // an optional value is printed as null instead of being absent
  kTop,            // a list that is cut to the rows that were asked for
  kNotFinite,      // a real number that may be "nan", "inf" or "-inf"
  kDetail,         // left out of tables that have room for a few columns only
  kPowerOfTwo,     // of a request: other values are refused
  kPositional,     // of a request: on the command line, an argument without a name
};

// When a field that may be absent is present.
struct When {
  std::string_view text;
};

// The name of the list of values that a text may have; the library knows the lists by name.
struct Choices {
  std::string_view list;
};

// The least and the greatest value of a number in a request.
struct Between {
  double least, most;
};

// A value of a request that the command line gives by a flag without a value.
struct FlagWord {
  std::string_view flag, value, help;
};
struct Flags {
  std::initializer_list<FlagWord> words;
};

struct FieldInfo {
  std::string_view name = {}, meaning = {};
  Unit unit = Unit::kNone;
  std::string_view when = {}, choices = {};
  double least = 0, most = 0;  // no bounds if they are equal
  std::initializer_list<FlagWord> flags = {};
  uint32_t set = 0;  // a bit for each FieldFlag

  [[nodiscard]] constexpr bool has(FieldFlag flag) const {
    return (set >> static_cast<uint32_t>(flag) & 1) != 0;
  }
};

constexpr void Add(FieldInfo& field, Unit unit) { field.unit = unit; }
constexpr void Add(FieldInfo& field, When when) { field.when = when.text; }
constexpr void Add(FieldInfo& field, Choices choices) { field.choices = choices.list; }
constexpr void Add(FieldInfo& field, Flags flags) { field.flags = flags.words; }
constexpr void Add(FieldInfo& field, Between range) {
  field.least = range.least;
  field.most = range.most;
}
constexpr void Add(FieldInfo& field, FieldFlag flag) {
  field.set |= 1U << static_cast<uint32_t>(flag);
}

// Calls `Field(info, value)` of the derived class for each member.
template <class Derived>
class FieldVisitor {
 public:
  template <class T, class... More>
  void operator()(std::string_view name, T& value, std::string_view meaning, More... more) {
    FieldInfo field{.name = name, .meaning = meaning};
    (Add(field, more), ...);
    static_cast<Derived*>(this)->Field(field, value);
  }
  // The heading of the members that follow, in the help of a command.
  void Group(std::string_view) {}
};

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_FIELDS_H_
