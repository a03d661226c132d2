// Orders greedily: the next instruction is one of the innermost scope around the last one that has
// any whose turn may come. That is done from the first instruction on and from the last one back,
// because a value without operands could come at any time, and so could one without users.
#include "halo/view/graph/scope_tree.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace halo::view {
namespace {

Dependencies Reversed(const Dependencies& reads, size_t count) {
  Dependencies users;
  users.begins.assign(count + 1, 0);
  for (const uint32_t each : reads.on) ++users.begins[each + 1];
  std::partial_sum(users.begins.begin(), users.begins.end(), users.begins.begin());
  users.on.resize(reads.on.size());
  std::vector<uint32_t> next(users.begins.begin(), users.begins.end() - 1);
  for (uint32_t i = 0; i < count; ++i) {
    for (const uint32_t each : reads.of(i)) users.on[next[each]++] = i;
  }
  return users;
}

// The instructions that may come next, by scope: each is in the queue of every scope around it.
class Ready {
 public:
  Ready(const ScopeTree& tree, std::span<const uint32_t> scopes)
      : tree_(tree), scopes_(scopes), queues_(tree.size()), done_(scopes.size(), false) {}

  void Push(uint32_t position, uint32_t priority) {
    for (uint32_t scope = scopes_[position];; scope = tree_.parent(scope)) {
      queues_[scope].emplace(priority, position);
      if (scope == ScopeTree::kRoot) return;
    }
  }

  // Takes the first of the innermost scope around `scope` that has any. False if there is none.
  bool Pop(uint32_t scope, uint32_t& position) {
    for (;; scope = tree_.parent(scope)) {
      Queue& queue = queues_[scope];
      while (!queue.empty() && done_[queue.top().second]) queue.pop();
      if (!queue.empty()) {
        position = queue.top().second;
        done_[position] = true;
        return true;
      }
      if (scope == ScopeTree::kRoot) return false;
    }
  }

 private:
  using Queue = std::priority_queue<std::pair<uint32_t, uint32_t>>;
  const ScopeTree& tree_;
  std::span<const uint32_t> scopes_;
  std::vector<Queue> queues_;
  std::vector<bool> done_;
};

// An order in which each position follows those of `after` it, or less than all if there is a
// cycle. Among equals, the lowest position comes first, or the highest.
std::vector<uint32_t> Greedy(const ScopeTree& tree, std::span<const uint32_t> scopes,
                             const Dependencies& after, const Dependencies& before,
                             bool lowest_first) {
  const auto count = static_cast<uint32_t>(scopes.size());
  const auto priority = [&](uint32_t position) {
    return lowest_first ? count - position : position;
  };
  std::vector<uint32_t> waits(count, 0);
  Ready ready(tree, scopes);
  for (uint32_t i = 0; i < count; ++i) {
    waits[i] = static_cast<uint32_t>(after.of(i).size());
    if (waits[i] == 0) ready.Push(i, priority(i));
  }
  std::vector<uint32_t> order;
  order.reserve(count);
  uint32_t scope = ScopeTree::kRoot, position = 0;
  while (ready.Pop(scope, position)) {
    order.push_back(position);
    scope = scopes[position];
    for (const uint32_t each : before.of(position)) {
      if (--waits[each] == 0) ready.Push(each, priority(each));
    }
  }
  return order;
}

// The number of scopes that are left between neighbours.
uint64_t Changes(const ScopeTree& tree, std::span<const uint32_t> scopes,
                 std::span<const uint32_t> order) {
  uint64_t changes = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    const uint32_t a = scopes[order[i - 1]], b = scopes[order[i]];
    changes += tree.depth(a) - tree.depth(tree.Common(a, b));
  }
  return changes;
}

}  // namespace

uint32_t ScopeTree::Add(std::string_view op_name) {
  if (op_name.empty()) return kRoot;
  const auto [known, fresh] = by_name_.try_emplace(op_name.data(), kRoot);
  if (!fresh) return known->second;
  uint32_t scope = kRoot;
  size_t nesting = 0, begin = 0;
  for (size_t i = 0; i < op_name.size() && nodes_[scope].depth < kDeepest; ++i) {
    if (op_name[i] == '(') ++nesting;
    if (op_name[i] == ')' && nesting != 0) --nesting;
    if (op_name[i] != '/' || nesting != 0) continue;
    if (i > begin) {
      const std::string_view path = op_name.substr(0, i);
      const auto [at, is_new] = by_path_.try_emplace(path, static_cast<uint32_t>(nodes_.size()));
      if (is_new) nodes_.push_back({scope, nodes_[scope].depth + 1, path});
      scope = at->second;
    }
    begin = i + 1;
  }
  return known->second = scope;
}

std::string_view ScopeTree::path(uint32_t scope, uint32_t below) const {
  const std::string_view whole = nodes_[scope].path, outer = nodes_[below].path;
  if (outer.empty() || whole.size() <= outer.size()) return outer.empty() ? whole : "";
  const size_t begin = whole.find_first_not_of('/', outer.size());
  return begin == std::string_view::npos ? std::string_view() : whole.substr(begin);
}

uint32_t ScopeTree::Common(uint32_t a, uint32_t b) const {
  while (a != b) {
    uint32_t& deeper = nodes_[a].depth >= nodes_[b].depth ? a : b;
    deeper = nodes_[deeper].parent;
  }
  return a;
}

uint32_t ScopeTree::At(uint32_t scope, uint32_t depth) const {
  while (nodes_[scope].depth > depth) scope = nodes_[scope].parent;
  return scope;
}

std::vector<uint32_t> OrderByScope(const ScopeTree& tree, std::span<const uint32_t> scopes,
                                   const Dependencies& reads) {
  std::vector<uint32_t> best(scopes.size());
  std::iota(best.begin(), best.end(), 0);
  const Dependencies users = Reversed(reads, scopes.size());
  std::vector<uint32_t> forward = Greedy(tree, scopes, reads, users, true);
  std::vector<uint32_t> backward = Greedy(tree, scopes, users, reads, false);
  std::reverse(backward.begin(), backward.end());
  uint64_t least = Changes(tree, scopes, best);
  for (std::vector<uint32_t>* each : {&backward, &forward}) {
    const uint64_t changes = Changes(tree, scopes, *each);
    if (each->size() != scopes.size() || changes >= least) continue;
    least = changes;
    best = std::move(*each);
  }
  return best;
}

}  // namespace halo::view
