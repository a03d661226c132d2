// Retilings: equations between products whose factors do not line up. One side depends on the
// other: its free nodes occur in no other relation, so any sizes with the right product will do.
#include <algorithm>
#include <unordered_map>

#include "halo/shrink/dims/dim_space.h"

namespace halo {

const DimSpace::Retile* DimSpace::RetileOf(DimId leaf) const {
  const int32_t at = nodes_[Find(leaf).index()].retile;
  return at < 0 ? nullptr : &retiles_[static_cast<size_t>(at)];
}

void DimSpace::ResolveRetiles() {
  // The current factors, without those common to both sides.
  std::vector<Retile> open;
  std::unordered_map<uint32_t, int> groups;  // retilings each node is in
  for (const Retile& each : retiles_) {
    Retile now;
    now.why = each.why;
    std::vector<DimId> right;
    for (const DimId node : each.given) Factors(node, now.given);
    for (const DimId node : each.dependent) Factors(node, right);
    for (const DimId node : right) {
      const auto same = std::find(now.given.begin(), now.given.end(), node);
      if (same != now.given.end()) {
        now.given.erase(same);
      } else {
        now.dependent.push_back(node);
      }
    }
    if (now.given.empty() && now.dependent.empty()) continue;
    std::vector<DimId> seen;
    for (const auto* side : {&now.given, &now.dependent}) {
      for (const DimId node : *side) {
        if (std::find(seen.begin(), seen.end(), node) == seen.end()) seen.push_back(node);
      }
    }
    for (const DimId node : seen) ++groups[node.value];
    open.push_back(std::move(now));
  }
  retiles_.clear();
  std::unordered_map<uint32_t, bool> given;  // other nodes depend on it
  const auto is_free = [&](DimId node) {
    return nodes_[node.index()].pin < 0 && !IsSum(node) && nodes_[node.index()].retile < 0 &&
           !given.contains(node.value);
  };
  for (Retile& each : open) {
    bool done = false;
    for (int turn = 0; turn < 2 && !done; ++turn) {
      std::vector<DimId> own, shared, kept;
      for (const DimId node : each.dependent) {
        const bool twice = std::count(each.dependent.begin(), each.dependent.end(), node) > 1;
        if (!is_free(node) || twice) {
          kept.push_back(node);
        } else if (groups[node.value] > 1) {
          shared.push_back(node);
        } else {
          own.push_back(node);
        }
      }
      if (own.empty()) {
        std::swap(each.given, each.dependent);
        continue;
      }
      const auto at = static_cast<int32_t>(retiles_.size());
      for (const DimId node : own) nodes_[node.index()].retile = at;
      for (const DimId node : shared) {
        if (std::find(units_.begin(), units_.end(), node) == units_.end()) units_.push_back(node);
        given[node.value] = true;
      }
      for (const DimId node : each.given) given[node.value] = true;
      kept.insert(kept.end(), shared.begin(), shared.end());
      each.dependent = own;
      each.kept = kept;
      retiles_.push_back(each);
      done = true;
    }
    if (done) continue;
    std::vector<DimId> all = each.given;
    all.insert(all.end(), each.dependent.begin(), each.dependent.end());
    PinAll(all, each.why, "its factors do not line up there");
  }
}

}  // namespace halo
