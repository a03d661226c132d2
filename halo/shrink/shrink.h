// Rewrites a module that is too large to run into a small one of the same structure: the same
// instructions, computations, collectives, types and layouts, with dimensions scaled wherever they
// flow. relations.h determines the meaning of sizes, and choose.h which sizes are chosen.
#ifndef HALO_SHRINK_SHRINK_H_
#define HALO_SHRINK_SHRINK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct ShrinkOptions {
  std::optional<int64_t> bytes;                                         // the limit for one device
  std::vector<std::pair<int64_t, int64_t>> dims;                        // old and new size
  std::optional<int64_t> devices;                                       // how many are left
  int64_t smallest = 2;                                                 // lower bound for every
                                                                        // dimension
  std::vector<std::pair<std::string, std::vector<int64_t>>> constants;  // elided ones, by name
};

// An undivided size of the program: the old and the new one, and what it seems to mean.
struct FoundDim {
  int64_t size = 0, new_size = 0;
  std::string meaning;    // a guess; empty if nothing suggests one
  int64_t uses = 0;       // dimensions it is a factor of
  std::string example;    // one of them: "param.3[2]"
  bool device = false;    // an axis of the devices
  std::string pinned;     // why it stays; empty if it may change
  std::string pinned_by;  // the instruction
};

// A constant that was printed as {...}, and its contents now.
struct RecoveredConstant {
  std::string name;
  std::string how;
  std::vector<int64_t> values;
};

struct ChangedConstant {
  std::string name;
  int64_t before = 0, after = 0;
  std::string because;
};

struct ShrinkResult {
  Module module;
  std::string refused;  // why there is no module; empty if there is one
  std::vector<FoundDim> dims;
  std::vector<RecoveredConstant> recovered;
  std::vector<ChangedConstant> constants;
  int64_t devices = 1, new_devices = 1;
  int64_t bytes = 0, new_bytes = 0;  // peak on one device, roughly
};

ShrinkResult Shrink(const Module& module, const ShrinkOptions& options);

}  // namespace halo

#endif  // HALO_SHRINK_SHRINK_H_
