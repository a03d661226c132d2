// Either a value or the diagnostic that explains why there is none: the small subset of
// std::expected that the libraries need, which neither C++20 nor Debian 12 has.
#ifndef HALO_BASE_DIAGNOSTICS_RESULT_H_
#define HALO_BASE_DIAGNOSTICS_RESULT_H_

#include <utility>
#include <variant>

#include "halo/base/check.h"
#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}           // NOLINT
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() {
    HALO_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& operator*() const {
    HALO_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  [[nodiscard]] const Diagnostic& error() const {
    HALO_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Diagnostic> state_;
};

}  // namespace halo

#endif  // HALO_BASE_DIAGNOSTICS_RESULT_H_
