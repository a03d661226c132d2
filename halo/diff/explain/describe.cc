// Says what is most telling first: the op, then type and dimensions, then attributes by name.
#include "halo/diff/explain/describe.h"

#include <algorithm>
#include <vector>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr size_t kMostListed = 5;

std::string OpcodeOf(const Module& module, const Inst& inst) {
  return std::string(module.opcode_text(inst));
}

}  // namespace

Describer::Describer(const MatchedPrograms& programs)
    : programs_(programs), labels_a_(programs.a), labels_b_(programs.b) {}

std::string Describer::OpText(const Module& module, const ClassGraph& graph, uint32_t c) {
  const ValueNode& node = graph.node(c);
  switch (node.kind) {
    case ValueKind::kState: return "loop state";
    case ValueKind::kLoop: return "loop result";
    case ValueKind::kBranch: return "conditional result";
    default: return OpcodeOf(module, module.inst(node.inst));
  }
}

std::string Describer::NameOf(const Module& module, InstId inst) {
  return std::string(module.name_of(module.inst(inst)));
}

int64_t Describer::BytesOf(const Module& module, InstId inst) {
  return module.shapes.ByteSize(module.inst(inst).shape).value_or(0);
}

std::string Describer::Change(uint32_t x, uint32_t y) {
  const Module& a = programs_.a;
  const Module& b = programs_.b;
  const std::string before = OpText(a, programs_.classes_a, x);
  const std::string after = OpText(b, programs_.classes_b, y);
  const Inst& old_inst = a.inst(programs_.classes_a.node(x).inst);
  const Inst& new_inst = b.inst(programs_.classes_b.node(y).inst);
  std::string out = before;
  if (before != after) out += " became " + after;
  const std::string old_shape = a.shapes.Text(old_inst.shape, false);
  const std::string new_shape = b.shapes.Text(new_inst.shape, false);
  if (old_shape != new_shape) out += ": " + old_shape + " became " + new_shape;
  if (before != after || old_shape != new_shape) return out;
  const OpFlow flow = FlowOf(old_inst.opcode);
  if (flow == OpFlow::kParameter && old_inst.extra != new_inst.extra) {
    return out + " number " + std::to_string(old_inst.extra) + " became " +
           std::to_string(new_inst.extra);
  }
  if (flow == OpFlow::kConstant) return out + " " + old_shape + ": other elements";
  // Digests of computations need those of the whole module.
  (void)labels_a_.Of(programs_.classes_a.node(x).inst);
  (void)labels_b_.Of(programs_.classes_b.node(y).inst);
  std::vector<std::string> keys;
  const auto compare = [&](const Module& from, ValueLabels& from_labels, const Inst& from_inst,
                           const Module& to, ValueLabels& to_labels, const Inst& to_inst) {
    for (const Attr& attr : from.attrs_of(from_inst)) {
      if (!DecidesResult(attr.key)) continue;
      const Attr* other = to.Find(to_inst, attr.key);
      if (other != nullptr && from_labels.OfAttr(attr) == to_labels.OfAttr(*other)) continue;
      std::string key(TextOf(attr.key));
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
    }
  };
  compare(a, labels_a_, old_inst, b, labels_b_, new_inst);
  compare(b, labels_b_, new_inst, a, labels_a_, old_inst);
  if (keys.empty()) return out;
  out += ": other ";
  for (size_t i = 0; i < keys.size(); ++i) out += (i == 0 ? "" : ", ") + keys[i];
  return out;
}

void AppendKernels(const ClassGraph& graph, uint32_t c, std::vector<InstId>& kernels) {
  if (graph.node(c).kind != ValueKind::kOp) return;
  for (const uint32_t member : graph.members(c)) {
    kernels.push_back(graph.graph().nodes[member].kernel);
  }
}

std::string CountedList(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [text, count] : counts) sorted.emplace_back(-count, text);
  std::sort(sorted.begin(), sorted.end());
  std::string out;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == kMostListed) return out + ", and " + std::to_string(sorted.size() - i) + " more kinds";
    if (i != 0) out += ", ";
    if (sorted[i].first != -1) out += std::to_string(-sorted[i].first) + " ";
    out += sorted[i].second;
  }
  return out;
}

}  // namespace halo
