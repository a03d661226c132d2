// Turns the kernels found by FusionPartition into fusions: one computation each, named after its
// ops, which replaces the results.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/passes/fusion/fusion_partition.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/op_cost.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// A copy of a cluster that outlives the module it was found in.
struct FusionGroup {
  std::vector<InstId> nodes, roots;
  KernelForm form = KernelForm::kLoop;
};

// "multiply_add_fusion": the last op and up to two descriptive ones before it.
std::string NameOf(const Module& module, const std::vector<InstId>& nodes) {
  std::vector<std::string> words;
  for (size_t i = nodes.size(); i-- > 0 && words.size() < 3;) {
    const Opcode opcode = module.inst(nodes[i]).opcode;
    const bool tells = OpCost(opcode) > 0 && opcode != Opcode::kConvert;
    if (!tells && i + 1 != nodes.size()) continue;
    std::string word(TextOf(opcode));
    std::ranges::replace(word, '-', '_');
    if (words.empty() || words.back() != word) words.push_back(std::move(word));
  }
  std::string name;
  for (size_t i = words.size(); i-- > 0;) name += words[i] + "_";
  return name + "fusion";
}

class FusionWriter {
 public:
  explicit FusionWriter(ModuleEditor& edit) : edit_(edit) {}

  void Write(const FusionGroup& group) {
    std::vector<InstId> nodes = group.nodes;
    std::ranges::sort(nodes);
    LeaveOut(nodes);
    if (nodes.size() < 2 || IsFill(nodes)) return;
    copy_of_.clear();
    parameters_ = 0;
    operands_.clear();
    comp_ = edit_.AddComputation("fused_computation", edit_.inst(nodes[0]).parent);
    for (const InstId node : nodes) Copy(node);
    edit_.SetRoot(comp_, Root(group.roots));
    Replace(group, NameOf(edit_.module(), nodes));
  }

 private:
  // Bitcasts of inputs are free outside the fusion, but cost index arithmetic inside it.
  void LeaveOut(std::vector<InstId>& nodes) const {
    std::vector<InstId> kept;
    for (const InstId node : nodes) {
      const bool reads_outside =
          edit_.inst(node).opcode == Opcode::kBitcast &&
          std::ranges::find(kept, edit_.module().operands_of(edit_.inst(node))[0]) == kept.end();
      if (!reads_outside) kept.push_back(node);
    }
    nodes = std::move(kept);
  }

  // A broadcast constant is more useful if it stays unfused.
  [[nodiscard]] bool IsFill(const std::vector<InstId>& nodes) const {
    return nodes.size() == 2 && edit_.inst(nodes[0]).opcode == Opcode::kConstant &&
           edit_.inst(nodes[1]).opcode == Opcode::kBroadcast;
  }

  InstId Inside(InstId value) {
    const auto known = copy_of_.find(value.value);
    if (known != copy_of_.end()) return known->second;
    const std::string name = "param_" + std::to_string(parameters_);
    const InstId parameter =
        edit_.AddParameter(comp_, parameters_++, edit_.inst(value).shape, name);
    operands_.push_back(value);
    return copy_of_[value.value] = parameter;
  }

  void Copy(InstId node) {
    const std::span<const InstId> stored = edit_.module().operands_of(edit_.inst(node));
    std::vector<InstId> operands(stored.begin(), stored.end());
    for (InstId& operand : operands) operand = Inside(operand);
    copy_of_[node.value] = edit_.Clone(node, comp_, operands);
  }

  // The results as a list; the tuple of a multi-value reduction is split into its elements.
  InstId Root(const std::vector<InstId>& roots) {
    const InstId only = copy_of_.at(roots[0].value);
    const ShapeId shape = edit_.inst(only).shape;
    if (roots.size() == 1 && !edit_.module().shapes.is_tuple(shape)) return only;
    std::vector<InstId> results;
    if (roots.size() > 1) {
      for (const InstId root : roots) results.push_back(copy_of_.at(root.value));
    } else {
      for (size_t i = 0; i < edit_.module().shapes.elements(shape).size(); ++i) {
        results.push_back(edit_.AddElement(comp_, only, static_cast<int64_t>(i)));
      }
    }
    return edit_.AddTuple(comp_, results);
  }

  void Replace(const FusionGroup& group, const std::string& name) {
    const int64_t called = comp_.value;
    Module& tables = edit_.tables();
    const auto [kind, form] = FormAttrs(tables, group.form);
    const Attr attrs[] = {kind, tables.MakeInts(AttrKey::k_calls, {&called, 1}, AttrForm::kBare),
                          form};
    const InstId root = group.roots[0];
    const CompId parent = edit_.inst(root).parent;
    const ShapeId shape = edit_.inst(edit_.root(comp_)).shape;
    const InstId fusion = edit_.Add(parent, Opcode::kFusion, shape, operands_, attrs, root);
    edit_.SetName(fusion, name);
    if (group.roots.size() == 1) return edit_.Replace(root, fusion);
    for (size_t i = 0; i < group.roots.size(); ++i) {
      edit_.Replace(group.roots[i],
                    edit_.AddElement(parent, fusion, static_cast<int64_t>(i), group.roots[i]));
    }
  }

  ModuleEditor& edit_;
  CompId comp_;
  uint32_t parameters_ = 0;
  std::vector<InstId> operands_;
  std::unordered_map<uint32_t, InstId> copy_of_;
};

// Covers the computations that run step by step, not those applied to elements.
std::vector<FusionGroup> FindGroups(const Module& module, PassLog& log) {
  const CallGraph graph(module);
  const Users users(module);
  std::vector<FusionGroup> groups;
  for (size_t c = 0; c < module.comps.size(); ++c) {
    if (graph.context(CompId(c)) != CallGraph::Context::kControlFlow) continue;
    const FusionPartition plan(module, users, CompId(c), log);
    for (const Cluster* cluster : plan.clusters()) {
      groups.push_back({cluster->nodes(), cluster->roots(), cluster->form()});
    }
  }
  return groups;
}

}  // namespace

bool Fuse(Module& module, PassLog& log) {
  const std::vector<FusionGroup> groups = FindGroups(module, log);
  if (groups.empty()) return false;
  ModuleEditor edit(std::move(module));
  FusionWriter writer(edit);
  for (const FusionGroup& group : groups) writer.Write(group);
  module = edit.Finish();
  return true;
}

}  // namespace halo
