// An entry stays until all devices that it concerns have reported. Devices that never do, because
// they took another branch, leave entries behind; the number of open entries is limited.
#include "halo/api/observe/agreement_table.h"

#include <algorithm>
#include <utility>

#include "halo/base/hash.h"

namespace halo {
namespace {

constexpr size_t kMostOpen = size_t{1} << 22;

}  // namespace

size_t AgreementTable::KeyHash::operator()(const Key& key) const {
  return HashMix(HashMix(key.inst + (uint64_t{key.leaf} << 32), 0x9E3779B97F4A7C15ull) ^
                     static_cast<uint64_t>(key.execution),
                 0xBF58476D1CE4E5B9ull + static_cast<uint64_t>(key.holder + 1));
}

void AgreementTable::Compare(const OfferedValue& value, int64_t holder, int64_t members,
                             std::optional<DisagreeingDevices>& earliest) {
  if (members < 2) return;
  const Key key{value.inst.value, static_cast<uint32_t>(value.leaf), value.execution, holder};
  auto at = open_.find(key);
  if (at == open_.end()) {
    if (open_.size() < kMostOpen) {
      open_.emplace(key, First{value.digest, value.device, members - 1});
    }
    return;
  }
  First& first = at->second;
  if (holder >= 0) ++compared_;
  if (first.digest != value.digest) {
    const auto [low, high] = std::minmax(first.device, value.device);
    const DisagreeingDevices found{value.inst, value.execution, value.leaf, value.sequence, low,
                                   high};
    const auto order = [](const DisagreeingDevices& each) {
      return std::tuple(each.sequence, each.leaf, each.device, each.other);
    };
    if (!earliest || order(found) < order(*earliest)) earliest = found;
  }
  if (--first.missing == 0) open_.erase(at);
}

void AgreementTable::Offer(const OfferedValue& value) {
  const auto device = static_cast<size_t>(value.device);
  reached_[device] = std::max(reached_[device], value.sequence);
  const std::span<const uint32_t> classes = replication_.ClassesOf(value.inst, value.leaf);
  if (classes.empty()) return;
  const int64_t holder = classes[device];
  if (!difference_ || value.sequence <= difference_->sequence) {
    Compare(value, holder, std::ranges::count(classes, classes[device]), difference_);
  }
  if (!divergence_ || value.sequence <= divergence_->sequence) {
    Compare(value, -1, static_cast<int64_t>(classes.size()), divergence_);
  }
}

bool AgreementTable::IsSettled() const {
  return difference_ && std::ranges::all_of(reached_, [this](int64_t reached) {
           return reached > difference_->sequence;
         });
}

}  // namespace halo
