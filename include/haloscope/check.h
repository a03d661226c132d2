// What is wrong with a document: `halo check` as a function.
#ifndef HALOSCOPE_CHECK_H_
#define HALOSCOPE_CHECK_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct CheckState;

struct CheckRequest {
  bool warnings = true;
  bool rules = true;  // false: only what the reader finds; the verifier does not run
};

struct CheckFinding {
  Diagnostic diagnostic;
  std::string computation, instruction;  // empty if the finding is about the whole file
};

struct CheckResult {
  std::vector<CheckFinding> findings;  // by location
  size_t errors = 0, warnings = 0;     // may be more than are listed
  bool is_readable = true;             // false: the file could not be opened or is of no known kind

  [[nodiscard]] bool ok() const { return errors == 0; }
  // The output of `halo check --json`, schema halo.check.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
  // SARIF 2.1.0, for code-review tools.
  [[nodiscard]] HALO_EXPORT std::string ToSarif() const;

  std::shared_ptr<const CheckState> state;  // what ToJson and ToSarif need
};

HALO_EXPORT CheckResult Check(const Document& document, const CheckRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_CHECK_H_
