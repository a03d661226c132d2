// Users are summed up, because their order says nothing.
#include "halo/diff/match/surroundings.h"

#include "halo/base/hash.h"
#include "halo/diff/graph/value_label.h"

namespace halo {
namespace {

constexpr size_t kManyUsers = 32;

uint64_t SlotHash(uint64_t value, uint64_t slot) {
  return HashMix(value ^ (slot + 1) * kDigestKeys.k1, kDigestKeys.k0);
}

}  // namespace

Surroundings::Surroundings(const ClassGraph& graph) {
  const uint32_t count = graph.size();
  uses.assign(count, 0);
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ClassEdge& output = graph.outputs()[i];
    uses[output.from] += HashWords({i, output.out, output.view});
  }
  for (uint32_t c = count; c-- > 0;) {
    for (const ClassUse& use : graph.users(c)) {
      // Only loop states are read before they are defined; users come later otherwise.
      uses[c] += SlotHash(HashWords({graph.label(use.user), uses[use.user]}), use.slot);
    }
  }
  std::vector<uint64_t> last(count);
  for (uint32_t c = 0; c < count; ++c) last[c] = graph.label(c);
  for (std::vector<uint64_t>& now : around) {
    now.resize(count);
    for (uint32_t c = 0; c < count; ++c) {
      uint64_t operands = 0;
      uint64_t slot = 0;
      for (const ClassEdge& edge : graph.edges(c)) {
        const bool is_shared = graph.users(edge.from).size() > kManyUsers;
        const uint64_t value = is_shared ? graph.label(edge.from) : last[edge.from];
        operands += SlotHash(value + edge.out, graph.commutes(c) ? 0 : slot);
        ++slot;
      }
      uint64_t users = 0;
      if (graph.users(c).size() <= kManyUsers) {
        for (const ClassUse& use : graph.users(c)) users += SlotHash(last[use.user], use.slot);
      }
      now[c] = HashWords({last[c], operands, users});
    }
    last = now;
  }
}

}  // namespace halo
