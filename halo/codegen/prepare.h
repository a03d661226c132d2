// From any verified module to one that can be run step by step in planned memory: rewritten for
// this machine, in a fixed order, with copies where values that must share memory are both needed,
// and with a place for every value. What each step of it becomes is left to the plan.
#ifndef HALO_CODEGEN_PREPARE_H_
#define HALO_CODEGEN_PREPARE_H_

#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct PrepareOptions {
  bool with_uses = false;  // the assignment also says where values appear, for printing it
  std::vector<std::string> without;  // passes to leave out
  bool wants_log = false;            // of the passes' decisions
  bool has_devices = false;          // several run it: collectives overlap with the rest
};

struct PreparedModule {
  Module module;  // scheduled: the order of each computation is the order in which it runs
  Assignment assignment;
  std::vector<std::string> log;
};

// BufferMap (halo/runtime/buffer_map.h) finds the place of each array.
Result<PreparedModule> PrepareModule(Module module, const PrepareOptions& options = {});

}  // namespace halo

#endif  // HALO_CODEGEN_PREPARE_H_
