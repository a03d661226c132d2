// Library calls by target name. The evaluator knows those that XLA's compilers emit; a program that
// embeds the library can add its own or replace one.
#ifndef HALO_EVAL_CONTEXT_CUSTOM_CALLS_H_
#define HALO_EVAL_CONTEXT_CUSTOM_CALLS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/context/op_context.h"

namespace halo {

using CustomCall = std::function<Result<Value>(OpContext& cx)>;

class CustomCallRegistry {
 public:
  void Register(std::string target, CustomCall call);
  [[nodiscard]] const CustomCall* Find(std::string_view target) const;
  // All targets, in alphabetical order.
  [[nodiscard]] std::vector<std::string> Targets() const;

 private:
  std::map<std::string, CustomCall, std::less<>> calls_;
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_CUSTOM_CALLS_H_
