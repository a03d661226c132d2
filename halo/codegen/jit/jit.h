// Machine code for lowered kernels: LLVM's passes and backend on all cores, and compiled objects
// kept on disk between runs, found by content. Knows nothing of HLO.
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
class Module;
}

namespace halo {

struct JitOptions {
  int threads = 0;                                          // 0: as many as there are cores
  std::string cache_dir;                                    // empty: nothing is kept
  std::function<void(int64_t done, int64_t all)> progress;  // called from any thread
};

// Something to compile: equal keys are the same code, whoever asks.
struct JitUnit {
  std::string key;
  std::vector<std::string> symbols;
  std::function<void(llvm::Module&)> emit;
};

struct JitCounts {
  int64_t units = 0;     // distinct ones asked for
  int64_t compiled = 0;  // the others came from the cache
  int64_t rejected = 0;  // cache entries that were damaged
  double seconds = 0;
};

class Jit {
 public:
  static Result<std::unique_ptr<Jit>> Create(JitOptions options);
  virtual ~Jit() = default;

  // Compiles what is not known yet. Symbols stay valid as long as this object.
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
