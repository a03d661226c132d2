// What is wrong with a document: `halo check` as a function.
#ifndef HALOSCOPE_CHECK_H_
#define HALOSCOPE_CHECK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

struct CheckRequest {
  bool warnings = true;
  bool rules = true;
};

template <class V>
void Fields(V& v, CheckRequest& r) {
  v.Group("Checks");
  v("warnings", r.warnings, "Report warnings, too",
    Flags{{{"no-warnings", "false", "Report errors only"}}});
  v("rules", r.rules, "Run the verifier; otherwise only syntax errors are reported",
    Flags{{{"no-rules", "false", "Report syntax errors only; do not run the verifier"}}});
}

struct CheckInput : InputFile {
  uint64_t errors = 0, warnings = 0;
};

template <class V>
void Fields(V& v, CheckInput& r) {
  Fields(v, static_cast<InputFile&>(r));
  v("errors", r.errors, "in this file");
  v("warnings", r.warnings, "in this file");
}

struct CheckResult {
  static constexpr std::string_view kSchema = "halo.check.v1";

  std::vector<CheckInput> inputs;
  uint64_t errors = 0, warnings = 0;
  std::vector<Diagnostic> diagnostics;  // of each file by location
  bool is_readable = true;              // false: a file could not be opened or is of no known kind

  [[nodiscard]] bool ok() const { return errors == 0; }
  // The output of `halo check --json`.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
  // SARIF 2.1.0, for code-review tools.
  [[nodiscard]] HALO_EXPORT std::string ToSarif() const;
};

template <class V>
void Fields(V& v, CheckResult& r) {
  v("inputs", r.inputs, "the files that were read");
  v("errors", r.errors, "in all files, including those beyond the list's limit");
  v("warnings", r.warnings, "the same");
  v("diagnostics", r.diagnostics, "what is wrong with the inputs, in the order of their text");
}

HALO_EXPORT CheckResult Check(const Document& document, const CheckRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_CHECK_H_
