// Library calls by their target's name. The evaluator knows those that XLA's compilers emit; a
// program that embeds the library can add its own or replace one.
#ifndef HALO_EVAL_CUSTOM_CALLS_H_
#define HALO_EVAL_CUSTOM_CALLS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/op_context.h"

namespace halo {

using CustomCall = std::function<Result<Value>(OpContext& cx)>;

class CustomCallRegistry {
 public:
  // All targets that have a definition here.
  static CustomCallRegistry Known();

  void Register(std::string target, CustomCall call);
  [[nodiscard]] const CustomCall* Find(std::string_view target) const;
  [[nodiscard]] std::vector<std::string_view> Targets() const;

 private:
  std::map<std::string, CustomCall, std::less<>> calls_;
};

// Each family adds its targets.
void RegisterMarkers(CustomCallRegistry& registry);    // Sharding and others that compute nothing
void RegisterGemms(CustomCallRegistry& registry);      // cuBLAS and cuBLASLt
void RegisterCudnn(CustomCallRegistry& registry);      // convolutions, norms, attention
void RegisterAttention(CustomCallRegistry& registry);  // te_fused_attn_*
void RegisterCudnnAttention(CustomCallRegistry& registry);  // __cudnn$fmha*
void RegisterLapack(CustomCallRegistry& registry);          // lapack_*, cusolver_*
void RegisterOneDnn(CustomCallRegistry& registry);          // __onednn$*
void RegisterRandom(CustomCallRegistry& registry);          // cuda_threefry2x32
void RegisterSelection(CustomCallRegistry& registry);       // TopK and its like

}  // namespace halo

#endif  // HALO_EVAL_CUSTOM_CALLS_H_
