// Each unmatched value scores the candidates that its matched neighbours lead to. The number of
// candidates is bounded; a value with too many is ambiguous anyway.
#include "halo/diff/match/changed_values.h"

#include <algorithm>

#include "halo/diff/match/match.h"

namespace halo {
namespace {

constexpr size_t kMostCandidates = 24;
constexpr size_t kManyReaders = 64;

struct Candidate {
  uint32_t value = 0;
  uint32_t operands = 0;  // that agree
  uint32_t users = 0;
};

class Candidates {
 public:
  Candidates(const ClassGraph& from, const ClassGraph& to, const std::vector<uint32_t>& forth,
             const std::vector<uint32_t>& back)
      : from_(from), to_(to), forth_(forth), back_(back) {}

  // The best candidate of an unmatched value; kUnmatched if there is none or several are as good.
  uint32_t Best(uint32_t value, const std::vector<Opcode>& from_ops,
                const std::vector<Opcode>& to_ops) {
    found_.clear();
    uint32_t slot = 0;
    for (const ClassEdge& edge : from_.edges(value)) {
      const uint32_t at = from_.commutes(value) ? 0 : slot;
      ++slot;
      const uint32_t other = forth_[edge.from];
      if (other == kUnmatched || to_.users(other).size() > kManyReaders) continue;
      for (const ClassUse& use : to_.users(other)) {
        // Whether an op commutes may be what changed.
        if (use.slot != at && !from_.commutes(value) && !to_.commutes(use.user)) continue;
        Count(use.user, 1, 0);
      }
    }
    for (const ClassUse& use : from_.users(value)) {
      if (found_.size() >= kMostCandidates) break;
      const uint32_t other = forth_[use.user];
      if (other == kUnmatched) continue;
      slot = 0;
      for (const ClassEdge& edge : to_.edges(other)) {
        if (to_.commutes(other) || slot == use.slot) Count(edge.from, 0, 1);
        ++slot;
        if (slot > kManyReaders && !to_.commutes(other) && slot > use.slot) break;
      }
    }
    uint32_t best = kUnmatched;
    uint32_t most = 0;
    bool is_tied = false;
    for (const Candidate& each : found_) {
      const bool same_op = from_ops[value] == to_ops[each.value];
      const size_t operands = from_.edges(value).size();
      const bool all_operands =
          operands != 0 && each.operands >= operands && to_.edges(each.value).size() == operands;
      const bool both_sides = each.operands != 0 && each.users != 0;
      const bool fits = same_op ? (each.operands != 0 || each.users != 0)
                                : both_sides || (all_operands && operands > 1);
      if (!fits) continue;
      const uint32_t score = 4 * (each.operands + each.users) + (same_op ? 5 : 0);
      if (score > most) {
        most = score;
        best = each.value;
        is_tied = false;
      } else if (score == most) {
        is_tied = true;
      }
    }
    return is_tied ? kUnmatched : best;
  }

 private:
  void Count(uint32_t value, uint32_t operands, uint32_t users) {
    if (back_[value] != kUnmatched) return;
    for (Candidate& each : found_) {
      if (each.value != value) continue;
      each.operands += operands;
      each.users += users;
      return;
    }
    if (found_.size() < kMostCandidates) found_.push_back({value, operands, users});
  }

  const ClassGraph& from_;
  const ClassGraph& to_;
  const std::vector<uint32_t>& forth_;
  const std::vector<uint32_t>& back_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> FindChanged(const ClassGraph& a, const ClassGraph& b,
                                                       const ClassMatch& match,
                                                       const std::vector<uint32_t>& unmatched) {
  Candidates to_b(a, b, match.to_b, match.to_a);
  Candidates to_a(b, a, match.to_a, match.to_b);
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const uint32_t x : unmatched) {
    const uint32_t y = to_b.Best(x, a.opcodes(), b.opcodes());
    if (y == kUnmatched) continue;
    if (to_a.Best(y, b.opcodes(), a.opcodes()) == x) pairs.emplace_back(x, y);
  }
  return pairs;
}

}  // namespace halo
