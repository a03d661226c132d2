// Turns any verified module into one that is fast on this machine's CPU: decides which passes run,
// and in which order. What each pass does is left to its own file.
#ifndef HALO_PASSES_PIPELINE_H_
#define HALO_PASSES_PIPELINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

struct PassOptions {
  std::vector<std::string> disabled;  // names of passes to skip
  PassLog* log = nullptr;
  bool is_single_device = false;  // the module runs on one device, whatever it was compiled for
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;  // after each pass; errors become diagnostics
#endif
};

// In the order in which they run.
std::span<const Pass> HostPasses();

// Returns a module that computes the same results from the same arguments. Control flow keeps its
// computations; everything else in the entry and in those computations has one of the forms that
// code generation and libraries know. A module with bounded dynamic dimensions is returned
// unchanged.
Result<Module> PrepareForHost(Module module, const PassOptions& options = {});

// Runs only the given passes, for tests and tools.
Result<Module> RunPasses(Module module, std::span<const Pass> passes, const PassOptions& options);

// Why a module is returned unchanged; empty if it is not.
std::string_view WhyNotForHost(const Module& module);

// Returns true if some array of the module has a bounded dynamic dimension.
bool HasDynamicShapes(const Module& module);

}  // namespace halo

#endif  // HALO_PASSES_PIPELINE_H_
