// What an instruction yields: an array, a tuple of values, or a token. Copies are cheap, since
// elements and tuples are shared.
#ifndef HALO_EVAL_LANES_VALUE_H_
#define HALO_EVAL_LANES_VALUE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "halo/eval/lanes/array.h"

namespace halo {

class Value {
 public:
  enum class Kind : uint8_t { kNone, kArray, kTuple, kToken };

  Value() = default;
  Value(Array array) : kind_(Kind::kArray), array_(std::move(array)) {}  // NOLINT: a value as it is
  static Value Tuple(std::vector<Value> elements);
  static Value Token();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::kArray; }
  [[nodiscard]] bool is_tuple() const { return kind_ == Kind::kTuple; }
  [[nodiscard]] bool is_none() const { return kind_ == Kind::kNone; }

  [[nodiscard]] const Array& array() const { return array_; }
  [[nodiscard]] Array& array() { return array_; }
  [[nodiscard]] std::span<const Value> elements() const;
  // Takes the tuple apart: moves the elements out if no other value holds the tuple, copies them
  // otherwise.
  std::vector<Value> TakeElements();

 private:
  Kind kind_ = Kind::kNone;
  Array array_;
  std::shared_ptr<std::vector<Value>> tuple_;
};

// Visits the arrays of a value in order, including those of nested tuples.
template <class Visit>
void ForEachArray(const Value& value, const Visit& visit) {
  if (value.is_array()) visit(value.array());
  for (const Value& element : value.elements()) ForEachArray(element, visit);
}

}  // namespace halo

#endif  // HALO_EVAL_LANES_VALUE_H_
