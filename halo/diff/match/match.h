// Which values of one program correspond to which of another. Equal values are matched by what they
// are computed from; others by their surroundings, only where exactly one candidate fits. What
// stays ambiguous is left unmatched. Time is O(n log n): candidates are looked up by digest and
// paired only if unique, so repeated layers are never enumerated pair by pair.
#ifndef HALO_DIFF_MATCH_MATCH_H_
#define HALO_DIFF_MATCH_MATCH_H_

#include <cstdint>
#include <vector>

#include "halo/diff/graph/class_graph.h"

namespace halo {

inline constexpr uint32_t kUnmatched = UINT32_MAX;

// How a match was found, the most certain first.
enum class MatchReason : uint8_t {
  kSameValue,     // computed in the same way from the same parameters and constants
  kSameUse,       // the same op, and everything computed from it is the same
  kSurroundings,  // the same op with the same neighbours a few steps around
  kNeighbour,     // the same op, read by or reading a matched value at the same position
  kOpName,        // the same op of the same op_name
  kChanged,       // another op or other attributes, between matched neighbours
};

// Of 1: how likely a match is right.
double ConfidenceOf(MatchReason reason);

struct ClassMatch {
  std::vector<uint32_t> to_b;        // by class of A; kUnmatched if there is none
  std::vector<uint32_t> to_a;        // by class of B
  std::vector<MatchReason> reasons;  // by class of A
};

struct MatchHints {
  // By class: digest of op_name; 0 if unknown. Empty: not used.
  std::vector<uint64_t> a, b;
};

ClassMatch MatchClasses(const ClassGraph& a, const ClassGraph& b, const MatchHints& hints = {});

}  // namespace halo

#endif  // HALO_DIFF_MATCH_MATCH_H_
