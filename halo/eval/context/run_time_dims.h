// Checks dimensions that a verified module promises to be equal but that can differ at run time if
// they are dynamic.
#ifndef HALO_EVAL_CONTEXT_RUN_TIME_DIMS_H_
#define HALO_EVAL_CONTEXT_RUN_TIME_DIMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/op_context.h"

namespace halo {

inline std::optional<Diagnostic> DemandSameDims(const OpContext& cx, std::span<const int64_t> dims,
                                                std::span<const int64_t> others) {
  if (std::ranges::equal(dims, others)) return std::nullopt;
  return cx.Fail(diag::kCannotEvaluate, "dimensions that belong together differ at run time");
}

// Checks the operands first, first + 1, ...
inline std::optional<Diagnostic> DemandSameDims(const OpContext& cx, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    if (auto error = DemandSameDims(cx, cx.array(first).dims(), cx.array(i).dims())) return error;
  }
  return std::nullopt;
}

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_RUN_TIME_DIMS_H_
