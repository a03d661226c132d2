// What a run yields: one array per result and device or, where the distribution over devices is
// known, one array for the whole result. The inverse of the slicing in run_inputs.h.
#ifndef HALO_API_RUN_RUN_OUTPUTS_H_
#define HALO_API_RUN_RUN_OUTPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"

namespace halo {

struct RunOutput {
  std::string name;  // "out_0", with several devices "out_0_d3"
  int64_t device = 0;
  size_t leaf = 0;  // index in the result, tuples flattened
  Array array;
};

// What happened to one result where whole arrays were requested.
struct OutputGather {
  size_t leaf = 0;
  int64_t parts = 1;     // that were gathered; 1: every device holds the whole array
  std::string sharding;  // as text
  std::string problem;   // why it was not gathered; empty if it was
};

struct GatherRequest {
  const Module* stated = nullptr;  // specifies how results are sharded; has whole or part shapes
  bool states_whole = false;       // `stated` has the shapes of the whole
  std::string sharding;            // of all results, if only the proto of `stated` specifies it
  bool is_partitioned = true;      // false: every device holds whole arrays
  int64_t devices = 1;
};

// Replaces the parts of each result in `outputs`, which are sorted by leaf and device, by the whole
// array, whose name has no device. Copies that should be equal but differ are left unchanged.
std::vector<OutputGather> GatherOutputs(const GatherRequest& request,
                                        std::vector<RunOutput>& outputs);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_OUTPUTS_H_
