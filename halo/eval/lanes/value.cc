// Tuples and tokens as values.
#include "halo/eval/lanes/value.h"

namespace halo {

Value Value::Tuple(std::vector<Value> elements) {
  Value value;
  value.kind_ = Kind::kTuple;
  value.tuple_ = std::make_shared<std::vector<Value>>(std::move(elements));
  return value;
}

Value Value::Token() {
  Value value;
  value.kind_ = Kind::kToken;
  return value;
}

std::span<const Value> Value::elements() const {
  return tuple_ == nullptr ? std::span<const Value>() : std::span<const Value>(*tuple_);
}

std::vector<Value> Value::TakeElements() {
  if (tuple_ == nullptr) return {};
  std::vector<Value> taken = tuple_.use_count() == 1 ? std::move(*tuple_) : *tuple_;
  *this = Value();
  return taken;
}

}  // namespace halo
