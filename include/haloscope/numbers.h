// Whether two programs compute the same numbers on the same inputs: `halo diff --run` as a
// function.
#ifndef HALOSCOPE_NUMBERS_H_
#define HALOSCOPE_NUMBERS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/run.h"

namespace halo {
HALO_V0_BEGIN

struct NumbersState;

// The first value that both programs have and that differs.
struct DifferentValue {
  std::string before, after;  // instructions
  double confidence = 1;      // that they correspond
};

struct NumbersResult {
  bool succeeded = false;
  std::vector<Diagnostic> diagnostics;  // if it did not succeed, why
  bool agrees = false;                  // all results do, but for rounding
  int64_t results = 0, wrong = 0;       // how many there are, and how many of them differ
  std::optional<DifferentValue> first;

  // The output of `halo diff --run --json`, schema halo.numbers.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const NumbersState> state;  // what ToJson needs
};

// The reference engine runs the first modules of both documents. Of the request, inputs, devices,
// limits and elided constants count. Inputs are generated from seed 1 if none are given.
HALO_EXPORT NumbersResult Numbers(const Document& before, const Document& after,
                                  const RunRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_NUMBERS_H_
