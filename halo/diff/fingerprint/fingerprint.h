// Fingerprints of one program: equal for programs that `halo diff` would call the same, whatever
// their names, metadata and channel numbers. They hold within one version of Haloscope only.
#ifndef HALO_DIFF_FINGERPRINT_FINGERPRINT_H_
#define HALO_DIFF_FINGERPRINT_FINGERPRINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/diff/graph/value_label.h"
#include "halo/ir/module.h"

namespace halo {

// One collective, in the order in which a device reaches it.
struct CollectiveStep {
  uint64_t digest = 0;  // of its kind, shape, groups and reducer
  InstId inst;
};

// Loops and branches count once, at their first use.
std::vector<CollectiveStep> CollectiveSequence(const Module& module);

// Of the module as compiled, everything that a compiler pass can change: ops, shapes with layouts,
// attributes, constants, computations, donations and, if it is scheduled, the order.
uint64_t FingerprintModule(const Module& module);
// Of the sequence of collectives.
uint64_t FingerprintCollectives(const std::vector<CollectiveStep>& steps);

// Of the values that the program computes and returns, as DiffPrograms matches them. Of the module
// as compiled if the graph of its values would be too large; 0 if the program cannot be compared.
uint64_t FingerprintValues(const Module& module, const LabelOptions& options = {});

// "0123456789abcdef"
std::string FingerprintText(uint64_t fingerprint);

}  // namespace halo

#endif  // HALO_DIFF_FINGERPRINT_FINGERPRINT_H_
