// Refuses a request whose values cannot be used, for functions that turn requests as users state
// them into internal ones.
#ifndef HALO_API_DESCRIBE_BAD_REQUEST_H_
#define HALO_API_DESCRIBE_BAD_REQUEST_H_

#include <optional>
#include <string>

#include "halo/api/describe/choice_lists.h"
#include "halo/base/diagnostics/diagnostic.h"
#include "halo/describe/check_request.h"

namespace halo {

inline constexpr DiagCode kBadRequest{"bad-request", Severity::kError, ""};

// What is wrong with the values; none if they can be used.
template <describe::Described T>
std::optional<Diagnostic> ProblemOf(const T& asked) {
  std::string problem = describe::CheckRequest(asked, ChoicesNamed);
  if (problem.empty()) return std::nullopt;
  return MakeBinaryDiagnostic(kBadRequest, 0, std::move(problem));
}

}  // namespace halo

#endif  // HALO_API_DESCRIBE_BAD_REQUEST_H_
