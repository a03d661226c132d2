// The library calls that the evaluator defines: those that XLA's compilers emit.
#ifndef HALO_EVAL_CALLS_KNOWN_CALLS_H_
#define HALO_EVAL_CALLS_KNOWN_CALLS_H_

#include "halo/eval/context/custom_calls.h"

namespace halo {

// Returns a registry of all of them.
CustomCallRegistry KnownCustomCalls();

// Each function registers the targets of one family.
void RegisterMarkers(CustomCallRegistry& registry);    // Sharding and others that compute nothing
void RegisterGemms(CustomCallRegistry& registry);      // cuBLAS and cuBLASLt
void RegisterCudnn(CustomCallRegistry& registry);      // convolutions, norms, attention
void RegisterAttention(CustomCallRegistry& registry);  // te_fused_attn_*
void RegisterCudnnAttention(CustomCallRegistry& registry);  // __cudnn$fmha*
void RegisterLapack(CustomCallRegistry& registry);          // lapack_*, cusolver_*
void RegisterOneDnn(CustomCallRegistry& registry);          // __onednn$*
void RegisterRandom(CustomCallRegistry& registry);          // cuda_threefry2x32
void RegisterSelection(CustomCallRegistry& registry);       // TopK and similar

}  // namespace halo

#endif  // HALO_EVAL_CALLS_KNOWN_CALLS_H_
