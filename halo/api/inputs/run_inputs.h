// The inputs of each device: arrays from archives, matched to the entry's parameters by name, and
// arrays generated from a seed if one was given. All mismatches are reported at once.
#ifndef HALO_API_INPUTS_RUN_INPUTS_H_
#define HALO_API_INPUTS_RUN_INPUTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/api/inputs/given_arrays.h"
#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// One array of the entry's parameters.
struct RunInput {
  std::string name;       // "in_3": the leaf's position
  std::string parameter;  // the parameter's name, with ".1.0" for a tuple element
  InputLeaf leaf;
  std::string source;         // the file's path; empty if generated
  bool gathered = false;      // gathered from shards, for a module that is not yet partitioned
  bool sliced = false;        // sliced from the whole array, for a partitioned module
  InputUse use;               // the use that a generated input was drawn for
  std::vector<Array> arrays;  // one, or one per device; one if only one device is requested
};

struct RunInputs {
  std::vector<RunInput> list;
  int64_t bytes = 0;  // in memory

  // The entry's arguments on one device.
  [[nodiscard]] std::vector<Value> ArgumentsOf(const Module& module, int64_t device) const;
};

struct InputSources {
  std::span<const std::string> files;
  std::span<const InputArray> arrays = {};
  std::optional<uint64_t> random;
  int64_t devices = 1;
  int64_t only = -1;  // read and generate only what this device needs; -1: all
  int64_t max_bytes = INT64_MAX;
};

// Errors go to `diagnostics`; each message contains the path of its file.
RunInputs FindInputs(const Module& module, const InputSources& sources, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_INPUTS_RUN_INPUTS_H_
