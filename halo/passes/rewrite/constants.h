// Constants as passes need them: scalars, and arrays whose elements are all the same scalar.
#ifndef HALO_PASSES_REWRITE_CONSTANTS_H_
#define HALO_PASSES_REWRITE_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

// One element of a constant, as it is stored.
struct Splat {
  ElementType type = ElementType::kPred;
  std::span<const uint8_t> bits;
};

// The common element of a value: of a constant, or of a constant scalar that is broadcast, reshaped
// or changed in layout only.
std::optional<Splat> SplatOf(const ModuleEditor& edit, InstId id);

// For real types only; the sign of a zero matters.
bool IsNumber(const Splat& splat, double number);
// Every bit set, or true.
bool IsAllOnes(const Splat& splat);
// The identity element of maximum (or minimum) for the type.
bool IsLowest(const Splat& splat);
bool IsHighest(const Splat& splat);
// For integers and predicates.
std::optional<int64_t> IntegerOf(const Splat& splat);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_CONSTANTS_H_
