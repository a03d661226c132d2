// The way from any verified module to one that is fast on this machine's CPU: which passes, in
// which order. What each does is its own file's.
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
  std::vector<std::string> disabled;  // names of passes to leave out
  PassLog* log = nullptr;
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;  // after each pass; what it broke becomes a diagnostic
#endif
};

// In the order in which they run.
std::span<const Pass> HostPasses();

// A module that yields the same results from the same arguments. Control flow keeps its
// computations; everything else of the entry and of them is one of the forms that code generation
// and libraries know. A module with bounded dynamic dimensions comes back as it was.
Result<Module> PrepareForHost(Module module, const PassOptions& options = {});

// Runs the given passes only, for tests and tools.
Result<Module> RunPasses(Module module, std::span<const Pass> passes, const PassOptions& options);

// Why a module comes back as it was; empty if it does not.
std::string_view WhyNotForHost(const Module& module);

// True if some array of the module has a bounded dynamic dimension.
bool HasDynamicShapes(const Module& module);

}  // namespace halo

#endif  // HALO_PASSES_PIPELINE_H_
