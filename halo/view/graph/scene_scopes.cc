// Scopes are numbers of one tree for the whole level; parts of a level share it.
#include "halo/view/graph/scene_scopes.h"

#include <memory>
#include <unordered_map>

#include "halo/ir/op_properties.h"
#include "halo/memory/explain/origins.h"
#include "halo/view/graph/scope_tree.h"

namespace halo::view {
namespace {

constexpr uint32_t kNoScope = UINT32_MAX;

// The reads of a level as positions in its order. Only earlier ones count, so that a malformed
// program has no cycle here.
Dependencies PositionsRead(const Level& level) {
  std::unordered_map<uint32_t, uint32_t> positions;
  positions.reserve(level.order.size());
  for (uint32_t i = 0; i < level.order.size(); ++i) positions.emplace(level.order[i].value, i);
  Dependencies reads;
  for (uint32_t i = 0; i < level.order.size(); ++i) {
    for (const InstId each : level.reads.of(i)) {
      const auto found = positions.find(each.value);
      if (found != positions.end() && found->second < i) reads.on.push_back(found->second);
    }
    reads.begins.push_back(static_cast<uint32_t>(reads.on.size()));
  }
  return reads;
}

// Gives instructions without a scope that of a neighbour.
void Inherit(const Dependencies& reads, std::vector<uint32_t>& scopes) {
  std::vector<uint32_t> of_user(scopes.size(), kNoScope);
  for (size_t i = scopes.size(); i-- > 0;) {
    if (scopes[i] == kNoScope) scopes[i] = of_user[i];
    for (const uint32_t each : reads.of(i)) of_user[each] = scopes[i];
  }
  for (size_t i = 0; i < scopes.size(); ++i) {
    for (const uint32_t each : reads.of(i)) {
      if (scopes[i] == kNoScope) scopes[i] = scopes[each];
    }
  }
  for (uint32_t& scope : scopes) {
    if (scope == kNoScope) scope = ScopeTree::kRoot;
  }
}

void Reorder(std::span<const uint32_t> order, Level& level) {
  Level sorted;
  for (const uint32_t i : order) {
    sorted.order.push_back(level.order[i]);
    sorted.scopes.push_back(level.scopes[i]);
    const std::span<const InstId> reads = level.reads.of(i);
    sorted.reads.insts.insert(sorted.reads.insts.end(), reads.begin(), reads.end());
    sorted.reads.End();
  }
  level.order = std::move(sorted.order);
  level.scopes = std::move(sorted.scopes);
  level.reads = std::move(sorted.reads);
}

// Groups runs of instructions that belong directly to the scope around the level, if there are so
// many that its scopes would be lost among them. What runs computations stays visible.
void GatherDirect(const Module& module, uint32_t around, Level& level) {
  constexpr size_t kMany = 40, kRun = 6;
  if (level.items.size() <= kMany) return;
  const auto is_direct = [&](const LevelItem& item) {
    const uint32_t scope = level.scopes[item.begin];
    const Inst& inst = module.inst(level.order[item.begin]);
    return item.kind == NodeKind::kInst && (scope == around || scope == ScopeTree::kRoot) &&
           PropertiesOf(inst.opcode).calls != OpCalls::kRuns;
  };
  std::vector<LevelItem> items;
  for (size_t begin = 0; begin < level.items.size();) {
    size_t end = begin;
    while (end < level.items.size() && is_direct(level.items[end])) ++end;
    const bool is_all = end - begin == level.items.size();
    if (end - begin >= kRun && !is_all) {
      LevelItem item{NodeKind::kScope, level.items[begin].begin, level.items[end - 1].end, 0, {}};
      item.name = std::string(level.tree->path(around));
      item.is_direct = true;
      items.push_back(std::move(item));
    } else {
      for (size_t i = begin; i < end; ++i) items.push_back(std::move(level.items[i]));
      if (end < level.items.size()) items.push_back(std::move(level.items[end]));
      if (is_all) break;
      ++end;
    }
    begin = end;
  }
  level.items = std::move(items);
}

}  // namespace

void ArrangeByScope(const Module& module, bool keep_order, Level& level) {
  auto tree = std::make_shared<ScopeTree>();
  level.scopes.clear();
  for (const InstId id : level.order) {
    const std::string_view op_name = OriginOf(module, id).op_name;
    level.scopes.push_back(op_name.empty() ? kNoScope : tree->Add(op_name));
  }
  const Dependencies reads = PositionsRead(level);
  Inherit(reads, level.scopes);
  if (!keep_order) Reorder(OrderByScope(*tree, level.scopes, reads), level);
  level.tree = std::move(tree);
}

void CutByScope(const Module& module, Level& level) {
  level.items.clear();
  const ScopeTree& tree = *level.tree;
  const auto count = static_cast<uint32_t>(level.order.size());
  // Instructions outside all scopes say nothing about the scope of the others.
  uint32_t around = kNoScope;
  for (const uint32_t scope : level.scopes) {
    if (scope == ScopeTree::kRoot) continue;
    around = around == kNoScope ? scope : tree.Common(around, scope);
  }
  if (around == kNoScope) around = ScopeTree::kRoot;
  const uint32_t depth = tree.depth(around) + 1;
  std::unordered_map<uint32_t, uint32_t> parts;  // boxes so far of each scope
  for (uint32_t begin = 0; begin < count;) {
    const uint32_t scope = tree.At(level.scopes[begin], depth);
    const bool is_inside = tree.depth(scope) == depth;
    uint32_t end = begin + 1, common = level.scopes[begin];
    while (is_inside && end < count && tree.At(level.scopes[end], depth) == scope) {
      common = tree.Common(common, level.scopes[end++]);
    }
    LevelItem item{NodeKind::kInst, begin, end, 0, {}};
    if (end - begin > 1) {
      item.kind = NodeKind::kScope;
      item.name = tree.path(common, around);
      item.scope = scope;
      item.part = ++parts[scope];
    }
    level.items.push_back(std::move(item));
    begin = end;
  }
  for (LevelItem& item : level.items) {
    if (item.kind == NodeKind::kScope) item.parts = parts[item.scope];
  }
  GatherDirect(module, around, level);
}

}  // namespace halo::view
