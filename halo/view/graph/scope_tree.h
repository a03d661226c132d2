// The scopes of the user's program as a tree: op_name "jit(f)/encoder/layer_3/dot_general" belongs
// to jit(f)/encoder/layer_3. Orders instructions so that those of one scope follow each other as
// far as their dependencies allow. What becomes a box is left to scene_level.h.
#ifndef HALO_VIEW_GRAPH_SCOPE_TREE_H_
#define HALO_VIEW_GRAPH_SCOPE_TREE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace halo::view {

class ScopeTree {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kDeepest = 24;  // deeper scopes belong to the one at this depth

  ScopeTree() : nodes_(1) {}

  // The scope of an op_name, which must outlive the tree: its path without the primitive at the
  // end.
  uint32_t Add(std::string_view op_name);

  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] uint32_t parent(uint32_t scope) const { return nodes_[scope].parent; }
  [[nodiscard]] uint32_t depth(uint32_t scope) const { return nodes_[scope].depth; }
  // The whole path of a scope; empty for the root.
  [[nodiscard]] std::string_view path(uint32_t scope) const { return nodes_[scope].path; }
  // The path below an enclosing scope.
  [[nodiscard]] std::string_view path(uint32_t scope, uint32_t below) const;
  // The innermost scope that contains both.
  [[nodiscard]] uint32_t Common(uint32_t a, uint32_t b) const;
  // The enclosing scope at that depth, or the scope itself if it is not as deep.
  [[nodiscard]] uint32_t At(uint32_t scope, uint32_t depth) const;

 private:
  struct Node {
    uint32_t parent = kRoot;
    uint32_t depth = 0;
    std::string_view path;
  };
  std::vector<Node> nodes_;
  std::unordered_map<std::string_view, uint32_t> by_path_;
  std::unordered_map<const char*, uint32_t> by_name_;  // op_names are interned
};

// For each instruction of a sequence, the earlier ones it reads. `begins` has one more element.
struct Dependencies {
  std::vector<uint32_t> begins = {0};
  std::vector<uint32_t> on;
  [[nodiscard]] std::span<const uint32_t> of(size_t position) const {
    return std::span(on).subspan(begins[position], begins[position + 1] - begins[position]);
  }
};

// An order of the positions 0 to n - 1 in which each follows what it depends on, with as few
// changes of scope as greedy choices from both ends find. Takes n log n steps for each level of the
// tree.
std::vector<uint32_t> OrderByScope(const ScopeTree& tree, std::span<const uint32_t> scopes,
                                   const Dependencies& reads);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_SCOPE_TREE_H_
