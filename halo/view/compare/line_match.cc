// The longest series of linked lines that rise in both texts keeps its rows. Between them, equal
// lines that define nothing (blank lines, braces) are linked from both ends.
#include "halo/view/compare/line_match.h"

#include <algorithm>

namespace halo::view {
namespace {

struct LinePair {
  uint32_t before = 0, after = 0;
};

// Pairs sorted by `before`; returns the longest series in which `after` rises too.
std::vector<LinePair> LongestRising(const std::vector<LinePair>& pairs) {
  std::vector<uint32_t> tails;  // of the best series of each length: a position in `pairs`
  std::vector<uint32_t> previous(pairs.size(), UINT32_MAX);
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    const auto at =
        std::lower_bound(tails.begin(), tails.end(), pairs[i].after,
                         [&](uint32_t t, uint32_t after) { return pairs[t].after < after; });
    if (at != tails.begin()) previous[i] = *(at - 1);
    if (at == tails.end()) {
      tails.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<LinePair> series;
  for (uint32_t i = tails.empty() ? UINT32_MAX : tails.back(); i != UINT32_MAX; i = previous[i]) {
    series.push_back(pairs[i]);
  }
  std::reverse(series.begin(), series.end());
  return series;
}

class LineMatcher {
 public:
  LineMatcher(const TextIndex& before, const TextIndex& after, const InstMatch& insts)
      : a_(before), b_(after), insts_(insts) {
    match_.before_links.assign(a_.line_count(), kNoLine);
    match_.after_links.assign(b_.line_count(), kNoLine);
  }

  LineMatch Match() {
    Link(HeaderOf(a_), HeaderOf(b_));
    LinkInsts();
    LinkComputations();
    std::vector<LinePair> pairs;
    for (uint32_t i = 0; i < a_.line_count(); ++i) {
      if (match_.before_links[i] != kNoLine) pairs.push_back({i, match_.before_links[i]});
    }
    uint32_t x = 0, y = 0;
    for (const LinePair& fixed : LongestRising(pairs)) {
      Between(x, fixed.before, y, fixed.after);
      Add(fixed.before, fixed.after);
      x = fixed.before + 1;
      y = fixed.after + 1;
    }
    Between(x, a_.line_count(), y, b_.line_count());
    return std::move(match_);
  }

 private:
  void Link(uint32_t x, uint32_t y) {
    if (x >= match_.before_links.size() || y >= match_.after_links.size()) return;
    if (match_.before_links[x] != kNoLine || match_.after_links[y] != kNoLine) return;
    match_.before_links[x] = y;
    match_.after_links[y] = x;
  }

  // The line of the module's attributes, before all computations.
  static uint32_t HeaderOf(const TextIndex& text) {
    const uint32_t end = text.folds().empty() ? text.line_count() : text.folds().front().first;
    for (uint32_t line = 0; line < end; ++line) {
      if (text.line(line).starts_with("HloModule")) return line;
    }
    return kNoLine;
  }

  void LinkInsts() {
    const std::vector<InstId>& partners = insts_.before.partners;
    for (uint32_t i = 0; i < partners.size(); ++i) {
      if (partners[i].valid()) Link(a_.line_of(InstId(i)), b_.line_of(partners[i]));
    }
  }

  // The first and the last line of corresponding computations.
  void LinkComputations() {
    std::vector<const TextIndex::Fold*> after(insts_.after.comps.size(), nullptr);
    for (const TextIndex::Fold& fold : b_.folds()) after[fold.comp.index()] = &fold;
    for (const TextIndex::Fold& fold : a_.folds()) {
      const CompId other = insts_.before.comps[fold.comp.index()];
      if (!other.valid() || after[other.index()] == nullptr) continue;
      Link(fold.first, after[other.index()]->first);
      Link(fold.last, after[other.index()]->last);
    }
  }

  [[nodiscard]] bool AreAlike(uint32_t x, uint32_t y) const {
    const bool is_plain = match_.before_links[x] == kNoLine && match_.after_links[y] == kNoLine &&
                          !a_.inst_at(x).valid() && !b_.inst_at(y).valid();
    return is_plain && a_.line(x) == b_.line(y);
  }

  void Between(uint32_t x, uint32_t x_end, uint32_t y, uint32_t y_end) {
    while (x < x_end && y < y_end && AreAlike(x, y)) {
      Link(x, y);
      Add(x++, y++);
    }
    uint32_t alike = 0;
    while (x + alike < x_end && y + alike < y_end &&
           AreAlike(x_end - alike - 1, y_end - alike - 1)) {
      ++alike;
    }
    // What remains is side by side as far as there are lines on both sides.
    const uint32_t x_stop = x_end - alike, y_stop = y_end - alike;
    while (x < x_stop || y < y_stop) {
      Add(x < x_stop ? x : kNoLine, y < y_stop ? y : kNoLine);
      if (x < x_stop) ++x;
      if (y < y_stop) ++y;
    }
    for (; x < x_end; ++x, ++y) {
      Link(x, y);
      Add(x, y);
    }
  }

  static InstState StateOf(const TextIndex& text, const InstSide& side, uint32_t line) {
    if (line == kNoLine) return InstState::kAside;
    const InstId inst = text.inst_at(line);
    return inst.valid() ? side.states[inst.index()] : InstState::kAside;
  }

  void Add(uint32_t x, uint32_t y) {
    match_.before.push_back(x);
    match_.after.push_back(y);
    match_.before_states.push_back(StateOf(a_, insts_.before, x));
    match_.after_states.push_back(StateOf(b_, insts_.after, y));
  }

  const TextIndex& a_;
  const TextIndex& b_;
  const InstMatch& insts_;
  LineMatch match_;
};

}  // namespace

LineMatch MatchLines(const TextIndex& before, const TextIndex& after, const InstMatch& insts) {
  return LineMatcher(before, after, insts).Match();
}

}  // namespace halo::view
