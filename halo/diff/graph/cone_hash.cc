// The state of a loop depends on what the loop's body makes of it. States are therefore told apart
// in rounds: first by what they start as, then by what the round before makes of their updates,
// until a round tells no more of them apart.
#include "halo/diff/graph/cone_hash.h"

#include <algorithm>

#include "halo/base/hash.h"
#include "halo/diff/graph/value_label.h"

namespace halo {
namespace {

// Beyond this, states are told apart by their position in the loop's tuple.
constexpr int kMostRounds = 12;

uint64_t EdgeHash(uint64_t value, const ValueEdge& edge) {
  return HashMix(value ^ (static_cast<uint64_t>(edge.out) << 32 | edge.view), kDigestKeys.k0);
}

class ConeHasher {
 public:
  explicit ConeHasher(const ValueGraph& graph) : graph_(graph), hashes_(graph.nodes.size(), 0) {}

  std::vector<uint64_t> Hash() {
    const auto count = static_cast<uint32_t>(graph_.nodes.size());
    HashRange(0, count);
    if (graph_.loops.empty()) return std::move(hashes_);
    first_state_ = *std::min_element(graph_.loops.begin(), graph_.loops.end());
    size_t distinct = CountDistinct();
    for (int round = 0; round < kMostRounds; ++round) {
      HashRange(first_state_, count);
      const size_t now = CountDistinct();
      if (now == distinct && round > 0) return std::move(hashes_);
      distinct = now;
    }
    by_position_ = true;
    HashRange(first_state_, count);
    return std::move(hashes_);
  }

 private:
  [[nodiscard]] size_t CountDistinct() const {
    std::vector<uint64_t> found;
    found.reserve(graph_.loops.size());
    for (const uint32_t node : graph_.loops) found.push_back(hashes_[node]);
    std::sort(found.begin(), found.end());
    return static_cast<size_t>(std::unique(found.begin(), found.end()) - found.begin());
  }

  void HashRange(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      const ValueNode& node = graph_.nodes[i];
      uint64_t sum = 0;
      for (const ValueEdge& edge : graph_.edges_of(node)) {
        const uint64_t value = EdgeHash(hashes_[edge.node], edge);
        sum = node.commutes ? sum + HashMix(value, kDigestKeys.k1)
                            : HashMix(sum ^ value, kDigestKeys.k1) + value;
      }
      if (node.update != UINT32_MAX) {
        // What the last round knew.
        const ValueEdge& update = graph_.edges[node.update];
        sum = HashMix(sum ^ EdgeHash(hashes_[update.node], update), kDigestKeys.k0);
        if (by_position_) sum += i - first_state_;
      }
      hashes_[i] = HashWords({node.label, sum});
    }
  }

  const ValueGraph& graph_;
  std::vector<uint64_t> hashes_;
  uint32_t first_state_ = 0;
  bool by_position_ = false;
};

}  // namespace

std::vector<uint64_t> HashCones(const ValueGraph& graph) { return ConeHasher(graph).Hash(); }

}  // namespace halo
