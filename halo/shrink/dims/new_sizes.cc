// Evaluates sizes and positions. Nodes nest as deeply as a dimension has factors, which is bounded
// by its size. The parts of a sum exist before the sum.
#include "halo/shrink/dims/new_sizes.h"

#include <algorithm>
#include <numeric>

namespace halo {
namespace {

constexpr int64_t kUnknown = INT64_MIN;

}  // namespace

void NewSizes::Set(DimId leaf, int64_t size) {
  const DimId node = space_.Find(leaf);
  if (size == space_.size(node)) {
    sizes_.erase(node.value);
  } else {
    sizes_[node.value] = size;
  }
  memo_.clear();
}

int64_t NewSizes::of(DimId node) const {
  node = space_.Find(node);
  if (sizes_.empty()) return space_.size(node);
  if (memo_.size() != space_.count()) memo_.assign(space_.count(), kUnknown);
  if (memo_[node.index()] == kUnknown) memo_[node.index()] = Compute(node);
  return memo_[node.index()];
}

int64_t NewSizes::Compute(DimId node) const {
  const auto [hi, lo] = space_.SplitOf(node);
  if (hi.valid()) return of(hi) * of(lo);
  if (space_.IsSum(node)) {
    int64_t total = 0;
    for (const DimSpace::SumTerm& term : space_.sum(node)) {
      total += term.part.valid() ? of(term.part) : term.number;
    }
    return total;
  }
  if (const DimSpace::Retile* retile = space_.RetileOf(node)) return Retiled(node, *retile);
  const auto found = sizes_.find(node.value);
  return found == sizes_.end() ? space_.size(node) : found->second;
}

// The dependent nodes divide what the others leave: each takes as much of it as divides its old
// size, and the last takes the rest.
int64_t NewSizes::Retiled(DimId node, const DimSpace::Retile& retile) const {
  const auto changes = [&](DimId each) { return Changes(each); };
  if (std::none_of(retile.given.begin(), retile.given.end(), changes) &&
      std::none_of(retile.kept.begin(), retile.kept.end(), changes)) {
    return space_.size(node);
  }
  const int64_t total = Product(retile.given), kept = Product(retile.kept);
  if (kept == 0 || total % kept != 0) return 0;
  int64_t rest = total / kept;
  for (size_t i = 0; i + 1 < retile.dependent.size(); ++i) {
    const int64_t share = std::gcd(rest, space_.size(retile.dependent[i]));
    if (retile.dependent[i] == node) return share;
    rest /= share;
  }
  return rest;
}

int64_t NewSizes::Product(const std::vector<DimId>& factors) const {
  int64_t product = 1;
  for (const DimId factor : factors) product *= of(factor);
  return product;
}

int64_t NewSizes::Position(DimId node, int64_t position) const {
  node = space_.Find(node);
  const int64_t old_size = space_.size(node), new_size = of(node);
  if (position <= 0 || old_size == new_size) return position;
  if (position >= old_size) return new_size + (position - old_size);
  const auto [hi, lo] = space_.SplitOf(node);
  if (hi.valid()) {
    const int64_t digit = position / space_.size(lo), rest = position % space_.size(lo);
    // The very last element stays the last.
    if (position == old_size - 1) return new_size - 1;
    return Position(hi, digit) * of(lo) + Position(lo, rest);
  }
  if (space_.IsSum(node)) {
    int64_t at = 0, new_at = 0;
    for (const DimSpace::SumTerm& term : space_.sum(node)) {
      const int64_t length = term.part.valid() ? space_.size(term.part) : term.number;
      const int64_t new_length = term.part.valid() ? of(term.part) : term.number;
      if (position < at + length) {
        return new_at + (term.part.valid() ? Position(term.part, position - at) : position - at);
      }
      at += length;
      new_at += new_length;
    }
    return std::min(new_at, new_size);
  }
  const int64_t behind = old_size - position;
  if (position <= behind && position < new_size) return position;
  if (position > behind && behind < new_size) return new_size - behind;
  // In the middle: proportional, computed without overflowing 64 bits.
  return static_cast<int64_t>(static_cast<double>(position) * static_cast<double>(new_size) /
                              static_cast<double>(old_size));
}

int64_t NewSizes::OldElement(DimId node, int64_t position) const {
  node = space_.Find(node);
  if (space_.size(node) == of(node)) return position;
  const auto [hi, lo] = space_.SplitOf(node);
  if (hi.valid()) {
    const int64_t inner = std::max<int64_t>(of(lo), 1);
    return OldElement(hi, position / inner) * space_.size(lo) + OldElement(lo, position % inner);
  }
  if (space_.IsSum(node)) {
    int64_t at = 0, old_at = 0;
    for (const DimSpace::SumTerm& term : space_.sum(node)) {
      const int64_t length = term.part.valid() ? of(term.part) : term.number;
      if (position < at + length) {
        return old_at + (term.part.valid() ? OldElement(term.part, position - at) : position - at);
      }
      at += length;
      old_at += term.part.valid() ? space_.size(term.part) : term.number;
    }
    return std::clamp<int64_t>(position, 0, space_.size(node) - 1);
  }
  return std::clamp<int64_t>(position, 0, space_.size(node) - 1);
}

}  // namespace halo
