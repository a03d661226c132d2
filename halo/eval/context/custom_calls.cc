// The registry of library calls.
#include "halo/eval/context/custom_calls.h"

#include <utility>

namespace halo {

void CustomCallRegistry::Register(std::string target, CustomCall call) {
  calls_.insert_or_assign(std::move(target), std::move(call));
}

const CustomCall* CustomCallRegistry::Find(std::string_view target) const {
  const auto found = calls_.find(target);
  return found == calls_.end() ? nullptr : &found->second;
}

}  // namespace halo
