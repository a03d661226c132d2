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

std::vector<std::string> CustomCallRegistry::Targets() const {
  std::vector<std::string> targets;
  for (const auto& [target, call] : calls_) targets.push_back(target);
  return targets;
}

}  // namespace halo
