// Operands of matched values are compared through the match, one by one, or as sets if the op
// commutes.
#include "halo/diff/explain/edits.h"

#include <algorithm>
#include <iterator>

namespace halo {
namespace {

class Finder {
 public:
  explicit Finder(const MatchedPrograms& programs)
      : a_(programs.classes_a), b_(programs.classes_b), match_(programs.match) {}

  Edits Find() {
    Edits edits;
    for (uint32_t x = 0; x < a_.size(); ++x) {
      const uint32_t y = match_.to_b[x];
      if (y == kUnmatched) {
        edits.values.push_back({EditKind::kDeleted, x, kUnmatched});
      } else if (a_.label(x) != b_.label(y)) {
        edits.values.push_back({EditKind::kChanged, x, y});
      } else if (!SameOperands(x, y)) {
        edits.values.push_back({EditKind::kRewired, x, y});
      }
    }
    for (uint32_t y = 0; y < b_.size(); ++y) {
      if (match_.to_a[y] == kUnmatched) {
        edits.values.push_back({EditKind::kInserted, kUnmatched, y});
      }
    }
    const auto& before = a_.outputs();
    const auto& after = b_.outputs();
    for (uint32_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      if (i >= before.size() || i >= after.size() || !Corresponds(before[i], after[i])) {
        edits.outputs.push_back(i);
      }
    }
    return edits;
  }

 private:
  // An unmatched value corresponds to anything: it is an edit itself.
  [[nodiscard]] bool Corresponds(const ClassEdge& x, const ClassEdge& y) const {
    const uint32_t image = match_.to_b[x.from];
    if (image == kUnmatched || match_.to_a[y.from] == kUnmatched) return true;
    return image == y.from && x.out == y.out && x.view == y.view;
  }

  [[nodiscard]] bool SameOperands(uint32_t x, uint32_t y) {
    const auto before = a_.edges(x);
    const auto after = b_.edges(y);
    if (before.size() != after.size()) return false;
    if (!a_.commutes(x)) {
      for (size_t i = 0; i < before.size(); ++i) {
        if (!Corresponds(before[i], after[i])) return false;
      }
      return true;
    }
    const bool straight = Corresponds(before[0], after[0]) && Corresponds(before[1], after[1]);
    return straight || (Corresponds(before[0], after[1]) && Corresponds(before[1], after[0]));
  }

  const ClassGraph& a_;
  const ClassGraph& b_;
  const ClassMatch& match_;
};

}  // namespace

Edits FindEdits(const MatchedPrograms& programs) { return Finder(programs).Find(); }

DiffCounts CountEdits(const MatchedPrograms& programs, const Edits& edits) {
  const ClassGraph& a = programs.classes_a;
  const ClassGraph& b = programs.classes_b;
  DiffCounts counts;
  counts.before = a.size();
  counts.after = b.size();
  for (uint32_t x = 0; x < a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    if (y == kUnmatched) continue;
    ++counts.matched;
    if (a.cone(x) == b.cone(y)) ++counts.same;
    if (a.members(x).size() < b.members(y).size()) ++counts.more;
    if (a.members(x).size() > b.members(y).size()) ++counts.fewer;
  }
  std::vector<uint64_t> deleted;
  std::vector<uint64_t> inserted;
  for (const Edit& edit : edits.values) {
    switch (edit.kind) {
      case EditKind::kChanged: ++counts.changed; break;
      case EditKind::kRewired: ++counts.rewired; break;
      case EditKind::kDeleted:
        ++counts.deleted;
        deleted.push_back(a.label(edit.a));
        break;
      case EditKind::kInserted:
        ++counts.inserted;
        inserted.push_back(b.label(edit.b));
        break;
    }
  }
  counts.outputs = static_cast<int64_t>(edits.outputs.size());
  std::sort(deleted.begin(), deleted.end());
  std::sort(inserted.begin(), inserted.end());
  std::vector<uint64_t> both;
  std::set_intersection(deleted.begin(), deleted.end(), inserted.begin(), inserted.end(),
                        std::back_inserter(both));
  counts.ambiguous = static_cast<int64_t>(both.size());
  return counts;
}

}  // namespace halo
