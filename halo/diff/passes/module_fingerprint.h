// One number for everything a compiler pass can change in a module: ops, shapes with layouts,
// attributes, constants, computations, donations, and the order if it is scheduled. Names, metadata
// and channel numbers do not count, nor does the order of unscheduled instructions.
#ifndef HALO_DIFF_PASSES_MODULE_FINGERPRINT_H_
#define HALO_DIFF_PASSES_MODULE_FINGERPRINT_H_

#include <cstdint>
#include <map>
#include <string>

#include "halo/ir/module.h"

namespace halo {

uint64_t FingerprintOf(const Module& module);

// What a module consists of.
struct ModuleCounts {
  int64_t instructions = 0, computations = 0, fusions = 0;
  int64_t bytes = 0;  // of results that are stored, as if none shared memory
  std::map<std::string, int64_t> opcodes;
};
ModuleCounts CountsOf(const Module& module);

}  // namespace halo

#endif  // HALO_DIFF_PASSES_MODULE_FINGERPRINT_H_
