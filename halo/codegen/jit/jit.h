// Machine code for lowered kernels: runs LLVM's passes and backend on all cores and caches compiled
// objects on disk between runs, by content. Knows nothing about HLO.
#ifndef HALO_CODEGEN_JIT_JIT_H_
#define HALO_CODEGEN_JIT_JIT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/runtime/kernel_call.h"

namespace llvm {
template <typename IrUnit, typename... ExtraArguments>
class AnalysisManager;
class Function;
class Module;
}  // namespace llvm

namespace halo {

using LlvmAnalyses = llvm::AnalysisManager<llvm::Function>;

struct JitOptions {
  int threads = 0;        // 0: one per core
  std::string cache_dir;  // empty: no cache
  bool optimizes = true;  // false: compiles in a fraction of the time, for code that runs once
  std::function<void(int64_t done, int64_t all)> progress;  // called from any thread
};

// Something to compile. Equal keys always mean the same code.
struct JitUnit {
  std::string key;
  std::vector<std::string> symbols;
  std::function<void(llvm::Module&)> emit;
  // For code whose functions call each other: called once they are inlined, before they are
  // optimized as a whole. Adds metadata; changes no code. Null for a kernel.
  std::function<void(llvm::Module&, LlvmAnalyses&)> annotate = nullptr;
  int64_t size = 0;  // roughly, in instructions; large units are compiled first
  // It computes too little for a second thread. Compiled faster, to code that may be a little
  // slower.
  bool is_brief = false;
};

struct JitCounts {
  int64_t units = 0;          // distinct units requested
  int64_t compiled = 0;       // the others came from the cache
  int64_t rejected = 0;       // cache entries that were not used: damaged, or not this user's own
  std::string cache_problem;  // why the cache folder was not used; empty if it was
  double seconds = 0;
};

class Jit {
 public:
  static Result<std::unique_ptr<Jit>> Create(JitOptions options);
  virtual ~Jit() = default;

  // Compiles units that are not known yet. Symbols stay valid as long as this object.
  virtual Result<JitCounts> Compile(std::span<const JitUnit> units) = 0;
  // Null if no unit defines it.
  [[nodiscard]] virtual KernelFunction Find(std::string_view symbol) const = 0;

 protected:
  Jit() = default;
  Jit(const Jit&) = default;
  Jit& operator=(const Jit&) = default;
};

}  // namespace halo

#endif  // HALO_CODEGEN_JIT_JIT_H_
