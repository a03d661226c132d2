// What kind of kernel an instruction is, by the op that decides how it runs: for a fusion, the
// heaviest op inside it. Models are chosen by kind.
#ifndef HALO_COST_PREDICT_KERNEL_KIND_H_
#define HALO_COST_PREDICT_KERNEL_KIND_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "halo/ir/module.h"

namespace halo {

enum class KernelKind : uint8_t {
  kNone,  // no kernel: tuples, parameters, control flow, second halves of async ops
  kProduct,
  kConvolution,
  kAttention,
  kCollective,
  kScatter,
  kSort,
  kReduction,
  kTranspose,  // elements change their order
  kGather,
  kUpdate,  // writes a part of an array in place
  kLoop,    // elementwise arithmetic and movement in order
  kCopy,
  kLinearAlgebra,  // factorizations, triangular systems, Fourier transforms
  kTransfer,       // to or from the host, infeed and outfeed
  kOpaque,         // a call that is not understood
};
inline constexpr size_t kKernelKinds = 16;
std::string_view KernelKindText(KernelKind kind);

struct Kernel {
  KernelKind kind = KernelKind::kNone;
  InstId hero;  // the op that decided, perhaps inside a fusion; the instruction itself otherwise
};

Kernel KernelOf(const Module& module, InstId id);

// The same for many instructions: each fused computation is looked through once, however many
// fusions name it. `module` must outlive this.
class Kernels {
 public:
  explicit Kernels(const Module& module) : module_(module) {}
  Kernel Of(InstId id);

 private:
  const Module& module_;
  std::unordered_map<uint32_t, Kernel> fused_;
};

}  // namespace halo

#endif  // HALO_COST_PREDICT_KERNEL_KIND_H_
