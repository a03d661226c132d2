// What each device is given: arrays from archives, matched to the entry's parameters by name, and
// arrays made up where a seed was given. Everything that does not match is reported at once.
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
  std::string parameter;  // the parameter's own name, with ".1.0" for a part of a tuple
  InputLeaf leaf;
  std::string source;         // the file's path; empty if it was made up
  bool joined = false;        // from the shards of a module that is not partitioned yet
  bool cut = false;           // from the whole array, for a module that is partitioned
  InputUse use;               // what a made-up one was drawn for
  std::vector<Array> arrays;  // one, or one per device; one if only one device is asked for
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
  int64_t only = -1;  // read and make up only what this device needs; -1: all
  int64_t max_bytes = INT64_MAX;
};

// Errors go to `diagnostics`, each with the path of its file in the message.
RunInputs FindInputs(const Module& module, const InputSources& sources, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_INPUTS_RUN_INPUTS_H_
