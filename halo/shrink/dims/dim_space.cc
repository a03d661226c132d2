// Unification of products and sums. It uses explicit stacks, and works on sizes that only get
// smaller by splitting, so it terminates on any input.
#include "halo/shrink/dims/dim_space.h"

#include <algorithm>
#include <utility>

namespace halo {

DimSpace::DimSpace() { nodes_.emplace_back(); }

DimId DimSpace::Make(int64_t size) {
  if (size == 1) return one();
  Node node;
  node.size = size;
  nodes_.push_back(node);
  const DimId id(static_cast<uint32_t>(nodes_.size() - 1));
  if (size <= 0) Pin(id, {}, "it has no elements");
  return id;
}

DimId DimSpace::Constant(int64_t size, InstId why) {
  const DimId id = Make(size);
  if (size > 1) Pin(id, why, "its size is written there");
  return id;
}

DimId DimSpace::Find(DimId node) const {
  // Each step links a node to its grandparent: a long chain of equal dimensions stays cheap.
  while (nodes_[node.index()].link.valid()) {
    DimId& link = nodes_[node.index()].link;
    const DimId above = nodes_[link.index()].link;
    if (above.valid()) link = above;
    node = link;
  }
  return node;
}

void DimSpace::Link(DimId from, DimId to) { nodes_[from.index()].link = to; }

std::pair<DimId, DimId> DimSpace::SplitOf(DimId node) const {
  const Node& at = nodes_[Find(node).index()];
  return {at.hi, at.lo};
}

void DimSpace::Factors(DimId node, std::vector<DimId>& out) const {
  std::vector<DimId> stack = {node};
  while (!stack.empty()) {
    const DimId id = Find(stack.back());
    stack.pop_back();
    const Node& at = nodes_[id.index()];
    if (at.hi.valid()) {
      stack.push_back(at.lo);
      stack.push_back(at.hi);
    } else if (at.size != 1) {
      out.push_back(id);
    }
  }
}

void DimSpace::Leaves(DimId node, std::vector<DimId>& out) const {
  std::vector<DimId> stack = {node}, factors, sums_seen;
  while (!stack.empty()) {
    factors.clear();
    Factors(stack.back(), factors);
    stack.pop_back();
    for (const DimId factor : factors) {
      const Node& at = nodes_[factor.index()];
      if (at.sum < 0) {
        if (std::find(out.begin(), out.end(), factor) == out.end()) out.push_back(factor);
      } else if (std::find(sums_seen.begin(), sums_seen.end(), factor) == sums_seen.end()) {
        sums_seen.push_back(factor);
        for (const SumTerm& term : sums_[static_cast<size_t>(at.sum)]) {
          if (term.part.valid()) stack.push_back(term.part);
        }
      }
    }
  }
}

bool DimSpace::IsPinned(DimId node) const {
  std::vector<DimId> leaves;
  Leaves(node, leaves);
  return std::all_of(leaves.begin(), leaves.end(),
                     [&](DimId leaf) { return nodes_[leaf.index()].pin >= 0; });
}

const PinReason* DimSpace::ReasonOf(DimId leaf) const {
  const int32_t pin = nodes_[Find(leaf).index()].pin;
  return pin < 0 ? nullptr : &reasons_[static_cast<size_t>(pin)];
}

void DimSpace::PinLeaf(DimId leaf, int32_t reason) {
  Node& at = nodes_[leaf.index()];
  if (at.pin < 0) at.pin = reason;
}

void DimSpace::PinAll(std::span<const DimId> nodes, InstId why, const std::string& text) {
  std::vector<DimId> leaves;
  for (const DimId node : nodes) Leaves(node, leaves);
  const bool news = std::any_of(leaves.begin(), leaves.end(),
                                [&](DimId leaf) { return nodes_[leaf.index()].pin < 0; });
  if (!news) return;
  reasons_.push_back({why, text});
  for (const DimId leaf : leaves) PinLeaf(leaf, static_cast<int32_t>(reasons_.size() - 1));
}

void DimSpace::Pin(DimId node, InstId why, const std::string& text) {
  PinAll({&node, 1}, why, text);
}

void DimSpace::Freeze(DimId node, InstId why, const std::string& text) {
  Pin(node, why, text);
  nodes_[node.index()].sum = -1;
  reasons_.push_back({why, text});
  PinLeaf(node, static_cast<int32_t>(reasons_.size() - 1));
}

void DimSpace::SplitLeaf(DimId leaf, int64_t minor) {
  const int64_t major = nodes_[leaf.index()].size / minor;
  const int32_t pin = nodes_[leaf.index()].pin;
  const DimId hi = Make(major), lo = Make(minor);
  nodes_[hi.index()].pin = pin;
  nodes_[lo.index()].pin = pin;
  nodes_[leaf.index()].hi = hi;
  nodes_[leaf.index()].lo = lo;
}

std::vector<DimId> DimSpace::MovingParts(const SumForm& form, int64_t* number) const {
  std::vector<DimId> moving;
  std::vector<SumTerm> stack(form.rbegin(), form.rend());
  *number = 0;
  while (!stack.empty()) {
    const SumTerm term = stack.back();
    stack.pop_back();
    if (!term.part.valid()) {
      *number += term.number;
    } else if (IsPinned(term.part)) {
      *number += size(Find(term.part));
    } else if (IsSum(term.part)) {
      const SumForm& inner = sum(term.part);
      stack.insert(stack.end(), inner.rbegin(), inner.rend());
    } else {
      moving.push_back(Find(term.part));
    }
  }
  std::sort(moving.begin(), moving.end(), [&](DimId x, DimId y) {
    return std::pair(size(x), x.value) < std::pair(size(y), y.value);
  });
  return moving;
}

void DimSpace::UnifySums(DimId a, DimId b, InstId why) {
  int64_t x_number = 0, y_number = 0;
  const std::vector<DimId> x = MovingParts(sum(a), &x_number);
  const std::vector<DimId> y = MovingParts(sum(b), &y_number);
  const bool alike =
      x_number == y_number && std::equal(x.begin(), x.end(), y.begin(), y.end(),
                                         [&](DimId p, DimId q) { return size(p) == size(q); });
  if (!alike) {
    PinAll(std::vector<DimId>{a, b}, why, "two sums of different parts must be equal");
    return;
  }
  for (size_t i = 0; i < x.size(); ++i) Unify(x[i], y[i], why);
}

// Both are undivided or sums, and have the same size.
void DimSpace::UnifyFactor(DimId a, DimId b, InstId why) {
  if (a == b) return;
  const bool sum_a = IsSum(a), sum_b = IsSum(b);
  if (sum_a && sum_b) return UnifySums(a, b, why);
  if (sum_b) std::swap(a, b);
  if (sum_a || sum_b) {
    // Here a is the sum and b is not.
    std::vector<DimId> leaves;
    Leaves(a, leaves);
    const bool occurs = std::find(leaves.begin(), leaves.end(), b) != leaves.end();
    if (occurs || nodes_[b.index()].pin >= 0) {
      PinAll(std::vector<DimId>{a, b}, why,
             occurs ? "it would be a part of itself" : "a sum must equal a size that stays");
      return;
    }
    Link(b, a);
    return;
  }
  const int32_t pin = nodes_[a.index()].pin >= 0 ? nodes_[a.index()].pin : nodes_[b.index()].pin;
  Link(b, a);
  nodes_[a.index()].pin = pin;
}

void DimSpace::UnifyProducts(std::span<const DimId> a, std::span<const DimId> b, InstId why) {
  std::vector<DimId> left, right;
  for (const DimId node : a) Factors(node, left);
  for (const DimId node : b) Factors(node, right);
  if (left == right) return;
  size_t i = 0, j = 0;
  const auto cut = [&](std::vector<DimId>& list, size_t at, int64_t major) {
    const DimId node = list[at];
    if (IsSum(node)) Freeze(node, why, "a sum is also a product there");
    SplitLeaf(node, nodes_[node.index()].size / major);
    list[at] = nodes_[node.index()].lo;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), nodes_[node.index()].hi);
  };
  while (i < left.size() && j < right.size()) {
    // A node that an earlier step of this walk split is now represented by its factors.
    const auto refresh = [&](std::vector<DimId>& list, size_t at) {
      std::vector<DimId> now;
      Factors(list[at], now);
      if (now.size() == 1) {
        list[at] = now[0];
        return;
      }
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), now.begin(), now.end());
    };
    refresh(left, i);
    refresh(right, j);
    const DimId x = left[i], y = right[j];
    const int64_t sx = size(x), sy = size(y);
    if (sx == sy) {
      UnifyFactor(x, y, why);
      ++i;
      ++j;
    } else if (sx != 0 && sy != 0 && sx > sy && sx % sy == 0) {
      cut(left, i, sy);
    } else if (sx != 0 && sy != 0 && sy > sx && sy % sx == 0) {
      cut(right, j, sx);
    } else {
      break;
    }
  }
  if (i == left.size() && j == right.size()) return;
  // For example 6 x 2 against 4 x 3: no common factors in this order.
  Retile retile;
  retile.given.assign(left.begin() + static_cast<std::ptrdiff_t>(i), left.end());
  retile.dependent.assign(right.begin() + static_cast<std::ptrdiff_t>(j), right.end());
  retile.why = why;
  retiles_.push_back(std::move(retile));
}

bool DimSpace::SplitAt(DimId node, int64_t minor, InstId why, DimId* hi, DimId* lo) {
  const int64_t whole = size(Find(node));
  if (minor <= 0 || whole % minor != 0) {
    Pin(node, why, "it is sliced at an offset that does not divide it");
    return false;
  }
  *hi = Make(whole / minor);
  *lo = Make(minor);
  const std::vector<DimId> parts = {*hi, *lo};
  UnifyProducts({&node, 1}, parts, why);
  return true;
}

DimId DimSpace::Sum(const SumForm& terms, InstId why) {
  int64_t number = 0, total = 0;
  SumForm form;
  for (SumTerm term : terms) {
    if (term.part.valid()) {
      term.part = Find(term.part);
      if (size(term.part) == 1) term = {DimId(), 1};
    }
    total += term.part.valid() ? size(term.part) : term.number;
    if (term.part.valid() || term.number != 0) form.push_back(term);
  }
  const std::vector<DimId> moving = MovingParts(form, &number);
  if (moving.size() == 1 && number == 0) return moving.front();
  if (total == 1) {
    PinAll(moving, why, "what is left of it is one element");
    return one();
  }
  if (moving.empty() && form.size() == 1) {
    return form[0].part.valid() ? form[0].part : Constant(total, why);
  }
  const DimId id = Make(total);
  sums_.push_back(std::move(form));
  nodes_[id.index()].sum = static_cast<int32_t>(sums_.size() - 1);
  return id;
}

}  // namespace halo
