// Turns any verified module into one that can run step by step in assigned memory: rewritten for
// this machine, with a fixed schedule, with copies where two values that must share memory are both
// live, and with a location for every value. make_executable.h decides what each step becomes.
#ifndef HALO_CODEGEN_PREPARE_H_
#define HALO_CODEGEN_PREPARE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct PrepareOptions {
  bool with_uses = false;  // also record in the assignment where values are used, for printing
  std::vector<std::string> without;  // passes to skip
  bool wants_log = false;            // log the passes' decisions
  bool has_devices = false;          // run by several devices: overlap collectives
  bool is_single_device = false;     // run by one device: no collectives
  // Kernels to split (split_kernels.h), and how many values fit one.
  std::set<std::string> refused;
  int64_t max_kernel_values = 0;
};

struct PreparedModule {
  Module module;  // scheduled: each computation's instructions are in execution order
  Assignment assignment;
  std::vector<std::string> log;
};

// BufferMap (halo/runtime/buffer_map.h) maps each array to its location.
Result<PreparedModule> PrepareModule(Module module, const PrepareOptions& options = {});

}  // namespace halo

#endif  // HALO_CODEGEN_PREPARE_H_
