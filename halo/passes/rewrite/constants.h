// Constants as passes ask for them: scalars, and arrays all of whose elements are one scalar.
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

// The element that all of a value have: of a constant, or of a constant scalar that is broadcast,
// reshaped or converted in layout only.
std::optional<Splat> SplatOf(const ModuleEditor& edit, InstId id);

// Numbers of real types only; a signed zero keeps its sign.
bool IsNumber(const Splat& splat, double number);
// Every bit set, or true.
bool IsAllOnes(const Splat& splat);
// What maximum (or minimum) of the type's elements with it leaves alone.
bool IsLowest(const Splat& splat);
bool IsHighest(const Splat& splat);
// Integers and predicates.
std::optional<int64_t> IntegerOf(const Splat& splat);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_CONSTANTS_H_
