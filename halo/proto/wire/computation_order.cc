// Uses an iterative traversal, because a hostile file may nest calls to any depth or call in
// cycles.
#include "halo/proto/wire/computation_order.h"

#include <utility>

namespace halo {
namespace {

class Walk {
 public:
  explicit Walk(std::span<const CallSites> calls)
      : calls_(calls), entered_(calls.size()), done_(calls.size()) {}

  void From(uint32_t root) {
    for (const auto& site : calls_[root]) {
      Enter(site);
      Drain();
    }
    Finish(root);
  }

  // Computations that no traversal reached are part of a call cycle.
  void Rest() {
    for (uint32_t comp = 0; comp < calls_.size(); ++comp) Finish(comp);
  }

  std::vector<uint32_t> order;

 private:
  void Enter(const std::vector<uint32_t>& site) {
    // The first callee must end up on top of the stack.
    for (size_t i = site.size(); i-- > 0;) {
      if (entered_[site[i]] || done_[site[i]]) continue;
      entered_[site[i]] = true;
      stack_.emplace_back(site[i], 0);
    }
  }

  void Drain() {
    while (!stack_.empty()) {
      const uint32_t comp = stack_.back().first;
      const size_t next = stack_.back().second++;
      if (next < calls_[comp].size()) {
        Enter(calls_[comp][next]);
      } else {
        stack_.pop_back();
        Finish(comp);
      }
    }
  }

  void Finish(uint32_t comp) {
    if (done_[comp]) return;
    done_[comp] = true;
    order.push_back(comp);
  }

  std::span<const CallSites> calls_;
  std::vector<bool> entered_, done_;
  std::vector<std::pair<uint32_t, size_t>> stack_;
};

}  // namespace

std::vector<uint32_t> ComputationPrintOrder(std::span<const CallSites> calls,
                                            std::span<const uint32_t> roots_first) {
  std::vector<bool> called(calls.size());
  for (const CallSites& sites : calls) {
    for (const auto& site : sites) {
      for (const uint32_t comp : site) called[comp] = true;
    }
  }
  Walk walk(calls);
  for (const uint32_t comp : roots_first) {
    if (!called[comp]) walk.From(comp);
  }
  walk.Rest();
  return std::move(walk.order);
}

}  // namespace halo
