// What a run yields: one array of each result on each device, or, where it is known how devices
// hold their parts, one array of the whole. The other direction of run_inputs.h's cutting.
#ifndef HALO_API_RUN_RUN_OUTPUTS_H_
#define HALO_API_RUN_RUN_OUTPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"

namespace halo {

struct RunOutput {
  std::string name;  // "out_0", on several devices "out_0_d3"
  int64_t device = 0;
  size_t leaf = 0;  // among the result's, tuples taken apart in order
  Array array;
};

// What became of one result where wholes were asked for.
struct OutputJoin {
  size_t leaf = 0;
  int64_t parts = 1;     // that were put together; 1: every device holds the whole
  std::string sharding;  // as text
  std::string problem;   // why it stays in parts; empty if it was joined
};

struct JoinRequest {
  const Module* stated = nullptr;  // says how results lie, in shapes of the whole or of the parts
  bool states_whole = false;       // which of them
  std::string sharding;            // of all results, where not `stated` but its proto says it
  bool is_partitioned = true;      // else every device holds wholes
  int64_t devices = 1;
};

// Replaces the parts of each result in `outputs`, which are sorted by leaf and device, by the
// whole, named without a device. Copies that should be the same and are not stay as they are.
std::vector<OutputJoin> JoinOutputs(const JoinRequest& request, std::vector<RunOutput>& outputs);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_OUTPUTS_H_
