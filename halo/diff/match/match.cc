// From the most certain to the least: equal values, values with equal uses, unique surroundings,
// neighbours of matched values, and last what is between matched neighbours but differs.
#include "halo/diff/match/match.h"

#include <algorithm>
#include <memory>

#include "halo/base/hash.h"
#include "halo/base/parallel.h"
#include "halo/diff/graph/value_label.h"
#include "halo/diff/match/changed_values.h"
#include "halo/diff/match/surroundings.h"

namespace halo {
namespace {

// Passes over the program; each finds what the one before made unique. Few find anything.
constexpr int kMostPasses = 6;
// Steps over an unmatched value start only where few users could be meant.
constexpr size_t kFewUsers = 16;

struct Keyed {
  uint64_t key = 0;
  uint32_t value = 0;
  friend bool operator<(const Keyed& x, const Keyed& y) {
    return x.key != y.key ? x.key < y.key : x.value < y.value;
  }
};

// Lists of this length are worth a second thread.
constexpr size_t kLongList = 50000;

// Calls `found` for each key that occurs exactly once in both lists. Sorts them.
template <class Found>
void PairUnique(std::vector<Keyed>& a, std::vector<Keyed>& b, const Found& found) {
  ParallelFor(2, 1, a.size() + b.size() > kLongList, [&](int64_t begin, int64_t end) {
    if (begin == 0) std::sort(a.begin(), a.end());
    if (end == 2) std::sort(b.begin(), b.end());
  });
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].key != b[j].key) {
      a[i].key < b[j].key ? ++i : ++j;
      continue;
    }
    const uint64_t key = a[i].key;
    const size_t first_a = i;
    const size_t first_b = j;
    while (i < a.size() && a[i].key == key) ++i;
    while (j < b.size() && b[j].key == key) ++j;
    if (i - first_a == 1 && j - first_b == 1) found(a[first_a].value, b[first_b].value);
  }
}

class Matcher {
 public:
  Matcher(const ClassGraph& a, const ClassGraph& b, const MatchHints& hints)
      : a_(a), b_(b), hints_(hints) {
    match_.to_b.assign(a.size(), kUnmatched);
    match_.to_a.assign(b.size(), kUnmatched);
    match_.reasons.assign(a.size(), MatchReason::kSameValue);
  }

  ClassMatch Run() {
    MatchEqualValues();
    for (uint32_t c = 0; c < a_.size(); ++c) open_a_.push_back(c);
    for (uint32_t c = 0; c < b_.size(); ++c) open_b_.push_back(c);
    if (pairs_ == std::min(a_.size(), b_.size())) return std::move(match_);
    ParallelFor(2, 1, true, [&](int64_t begin, int64_t end) {
      if (begin == 0) around_a_ = std::make_unique<Surroundings>(a_);
      if (end == 2) around_b_ = std::make_unique<Surroundings>(b_);
    });
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const uint32_t before = pairs_;
      for (int step = kSteps - 1; step >= 0; --step) {
        const auto at = static_cast<size_t>(step);
        MatchUnique(around_a_->around[at], around_b_->around[at], MatchReason::kSurroundings);
        Spread(&around_a_->around[at], &around_b_->around[at]);
      }
      // Uses shift along a chain when something is added to or removed from it, so what is near
      // counts first.
      MatchUnique(around_a_->uses, around_b_->uses, MatchReason::kSameUse);
      Spread(nullptr, nullptr);
      MatchByOperands();
      SpreadOver();
      if (!hints_.a.empty()) MatchUnique(hints_.a, hints_.b, MatchReason::kOpName);
      KeepUnmatched();
      for (const auto& [x, y] : FindChanged(a_, b_, match_, open_a_)) {
        Add(x, y, MatchReason::kChanged);
      }
      if (pairs_ == before) break;
    }
    return std::move(match_);
  }

 private:
  void Add(uint32_t x, uint32_t y, MatchReason reason) {
    if (match_.to_b[x] != kUnmatched || match_.to_a[y] != kUnmatched) return;
    if (reason != MatchReason::kSameValue && IsContradicted(x, y)) return;
    match_.to_b[x] = y;
    match_.to_a[y] = x;
    match_.reasons[x] = reason;
    ++pairs_;
    work_.push_back(x);
  }

  void KeepUnmatched() {
    std::erase_if(open_a_, [&](uint32_t c) { return match_.to_b[c] != kUnmatched; });
    std::erase_if(open_b_, [&](uint32_t c) { return match_.to_a[c] != kUnmatched; });
  }

  // Lists the matched values next to unmatched ones of A.
  void FindBorder() {
    KeepUnmatched();
    work_.clear();
    ++stamp_;
    stamps_.resize(a_.size(), 0);
    const auto add = [&](uint32_t c) {
      if (match_.to_b[c] == kUnmatched || stamps_[c] == stamp_) return;
      stamps_[c] = stamp_;
      work_.push_back(c);
    };
    for (const uint32_t c : open_a_) {
      for (const ClassEdge& edge : a_.edges(c)) add(edge.from);
      for (const ClassUse& use : a_.users(c)) add(use.user);
    }
  }

  // True if matched operands say otherwise more often than not.
  [[nodiscard]] bool IsContradicted(uint32_t x, uint32_t y) const {
    int agree = 0;
    const auto after = b_.edges(y);
    size_t slot = 0;
    for (const ClassEdge& edge : a_.edges(x)) {
      const size_t at = slot++;
      const uint32_t image = match_.to_b[edge.from];
      if (image == kUnmatched || at >= after.size()) continue;
      if (a_.commutes(x) && after.size() == 2) {
        if (after[0].from == image || after[1].from == image) {
          ++agree;
        } else if (match_.to_a[after[0].from] != kUnmatched &&
                   match_.to_a[after[1].from] != kUnmatched) {
          --agree;
        }
      } else if (match_.to_a[after[at].from] != kUnmatched) {
        agree += after[at].from == image ? 1 : -1;
      }
    }
    return agree < 0;
  }

  // Steps over one value that only one program has: an op that was added or removed there.
  void SpreadOver() {
    FindBorder();
    for (size_t at = 0; at < work_.size(); ++at) {
      const uint32_t x = work_[at];
      const uint32_t y = match_.to_b[x];
      left_.clear();
      right_.clear();
      if (Readers(a_, match_.to_b, x, left_) && Readers(b_, match_.to_a, y, right_)) {
        PairUnique(left_, right_, [&](uint32_t p, uint32_t q) { Link(p, q); });
      }
      left_.clear();
      right_.clear();
      if (Sources(a_, match_.to_b, x, left_) && Sources(b_, match_.to_a, y, right_)) {
        PairUnique(left_, right_, [&](uint32_t p, uint32_t q) { Link(p, q); });
      }
    }
  }

  // Unmatched users, and unmatched users of those; false if there are none or too many.
  static bool Readers(const ClassGraph& graph, const std::vector<uint32_t>& to, uint32_t c,
                      std::vector<Keyed>& out) {
    if (graph.users(c).size() > kFewUsers) return false;
    for (const ClassUse& use : graph.users(c)) {
      if (to[use.user] != kUnmatched) continue;
      out.push_back({HashWords({graph.label(use.user), use.slot}), use.user});
      if (graph.users(use.user).size() > kFewUsers) continue;
      for (const ClassUse& next : graph.users(use.user)) {
        if (to[next.user] != kUnmatched) continue;
        out.push_back({HashWords({graph.label(next.user), next.slot}), next.user});
      }
    }
    DropRepeated(out);
    return !out.empty();
  }

  static bool Sources(const ClassGraph& graph, const std::vector<uint32_t>& to, uint32_t c,
                      std::vector<Keyed>& out) {
    if (graph.edges(c).size() > kFewUsers) return false;
    for (const ClassEdge& edge : graph.edges(c)) {
      if (to[edge.from] != kUnmatched) continue;
      out.push_back({HashWords({graph.label(edge.from), edge.out}), edge.from});
      if (graph.edges(edge.from).size() > kFewUsers) continue;
      for (const ClassEdge& next : graph.edges(edge.from)) {
        if (to[next.from] != kUnmatched) continue;
        out.push_back({HashWords({graph.label(next.from), next.out}), next.from});
      }
    }
    DropRepeated(out);
    return !out.empty();
  }

  // One value may be reached in two ways.
  static void DropRepeated(std::vector<Keyed>& list) {
    std::sort(list.begin(), list.end());
    const auto same = [](const Keyed& p, const Keyed& q) {
      return p.key == q.key && p.value == q.value;
    };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
  }

  // Classes of one program have different digests.
  void MatchEqualValues() {
    size_t capacity = 16;
    while (capacity < b_.size() * size_t{2}) capacity *= 2;
    std::vector<uint32_t> table(capacity, kUnmatched);
    const auto find = [&](uint64_t cone) {
      size_t at = TableHash(&cone, sizeof cone) & (capacity - 1);
      while (table[at] != kUnmatched && b_.cone(table[at]) != cone) at = (at + 1) & (capacity - 1);
      return at;
    };
    for (uint32_t c = 0; c < b_.size(); ++c) table[find(b_.cone(c))] = c;
    for (uint32_t c = 0; c < a_.size(); ++c) {
      const uint32_t found = table[find(a_.cone(c))];
      if (found != kUnmatched) Add(c, found, MatchReason::kSameValue);
    }
  }

  // Pairs unmatched values whose label and digest are unique on both sides.
  void MatchUnique(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b,
                   MatchReason reason) {
    KeepUnmatched();
    left_.clear();
    right_.clear();
    for (const uint32_t c : open_a_) {
      if (a[c] != 0) left_.push_back({HashWords({a_.label(c), a[c]}), c});
    }
    for (const uint32_t c : open_b_) {
      if (b[c] != 0) right_.push_back({HashWords({b_.label(c), b[c]}), c});
    }
    PairUnique(left_, right_, [&](uint32_t x, uint32_t y) { Add(x, y, reason); });
  }

  // Pairs unmatched values of one label by the matched operands and users they have.
  void MatchByOperands() {
    for (const bool with_users : {true, false}) {
      KeepUnmatched();
      left_.clear();
      right_.clear();
      Collect(a_, match_.to_b, open_a_, with_users, left_);
      Collect(b_, match_.to_a, open_b_, with_users, right_);
      PairUnique(left_, right_,
                 [&](uint32_t x, uint32_t y) { Add(x, y, MatchReason::kNeighbour); });
    }
  }

  void Collect(const ClassGraph& graph, const std::vector<uint32_t>& to,
               const std::vector<uint32_t>& open, bool with_users, std::vector<Keyed>& out) const {
    // A pair is named by its class in A.
    const auto name = [&](uint32_t c) -> uint64_t {
      return to[c] == kUnmatched ? 0 : (&graph == &a_ ? c : to[c]) + uint64_t{1};
    };
    for (const uint32_t c : open) {
      uint64_t known = 0;
      uint64_t sum = 0;
      uint64_t slot = 0;
      for (const ClassEdge& edge : graph.edges(c)) {
        const uint64_t pair = name(edge.from);
        known += pair != 0 ? 1 : 0;
        sum += HashWords({pair, edge.out, edge.view, graph.commutes(c) ? 0 : slot++});
      }
      if (with_users) {
        for (const ClassUse& use : graph.users(c)) {
          const uint64_t pair = name(use.user);
          known += pair != 0 ? 1 : 0;
          sum += HashWords({pair, use.slot, 7});
        }
      }
      if (known != 0) out.push_back({HashWords({graph.label(c), sum}), c});
    }
  }

  // Follows operands and users of matched values, and of what that matches in turn. With digests,
  // only to values that agree in them too.
  void Spread(const std::vector<uint64_t>* a, const std::vector<uint64_t>* b) {
    FindBorder();
    const auto key_a = [&](uint32_t c) { return a != nullptr ? (*a)[c] : a_.label(c); };
    const auto key_b = [&](uint32_t c) { return b != nullptr ? (*b)[c] : b_.label(c); };
    for (size_t at = 0; at < work_.size(); ++at) {
      const uint32_t x = work_[at];
      const uint32_t y = match_.to_b[x];
      left_.clear();
      right_.clear();
      for (const ClassUse& use : a_.users(x)) {
        if (match_.to_b[use.user] != kUnmatched) continue;
        left_.push_back({HashWords({key_a(use.user), use.slot}), use.user});
      }
      if (!left_.empty()) {
        for (const ClassUse& use : b_.users(y)) {
          if (match_.to_a[use.user] != kUnmatched) continue;
          right_.push_back({HashWords({key_b(use.user), use.slot}), use.user});
        }
        PairUnique(left_, right_, [&](uint32_t p, uint32_t q) { Link(p, q); });
      }
      SpreadToOperands(x, y, key_a, key_b);
    }
  }

  template <class KeyA, class KeyB>
  void SpreadToOperands(uint32_t x, uint32_t y, const KeyA& key_a, const KeyB& key_b) {
    left_.clear();
    right_.clear();
    uint64_t slot = 0;
    for (const ClassEdge& edge : a_.edges(x)) {
      const uint64_t position = a_.commutes(x) ? 0 : slot++;
      if (match_.to_b[edge.from] == kUnmatched) {
        left_.push_back({HashWords({key_a(edge.from), edge.out, position}), edge.from});
      }
    }
    if (left_.empty()) return;
    slot = 0;
    for (const ClassEdge& edge : b_.edges(y)) {
      const uint64_t position = b_.commutes(y) ? 0 : slot++;
      if (match_.to_a[edge.from] == kUnmatched) {
        right_.push_back({HashWords({key_b(edge.from), edge.out, position}), edge.from});
      }
    }
    PairUnique(left_, right_, [&](uint32_t p, uint32_t q) { Link(p, q); });
  }

  void Link(uint32_t x, uint32_t y) {
    if (a_.label(x) == b_.label(y)) Add(x, y, MatchReason::kNeighbour);
  }

  const ClassGraph& a_;
  const ClassGraph& b_;
  const MatchHints& hints_;
  ClassMatch match_;
  uint32_t pairs_ = 0;
  std::unique_ptr<Surroundings> around_a_, around_b_;
  std::vector<uint32_t> open_a_, open_b_;  // unmatched, and some that no longer are
  std::vector<uint32_t> work_;
  std::vector<uint32_t> stamps_;  // by class of A: the last list it was put on
  uint32_t stamp_ = 0;
  std::vector<Keyed> left_, right_;
};

}  // namespace

double ConfidenceOf(MatchReason reason) {
  switch (reason) {
    case MatchReason::kSameValue: return 1;
    case MatchReason::kSameUse: return 0.97;
    case MatchReason::kSurroundings: return 0.95;
    case MatchReason::kNeighbour: return 0.9;
    case MatchReason::kOpName: return 0.8;
    case MatchReason::kChanged: return 0.7;
  }
  return 0;
}

ClassMatch MatchClasses(const ClassGraph& a, const ClassGraph& b, const MatchHints& hints) {
  return Matcher(a, b, hints).Run();
}

}  // namespace halo
