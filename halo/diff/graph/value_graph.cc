// Expands the entry computation with an explicit stack of frames. Every instruction of a frame is
// given the leaves of its result; instructions that only pass values on reuse those of others.
#include "halo/diff/graph/value_graph.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/base/capped.h"
#include "halo/diff/graph/shape_leaves.h"
#include "halo/diff/graph/value_label.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// How much larger than the module a graph may be if computations are expanded at all call sites,
// and how much larger at all. Sizes count instructions, operands and the arrays of results.
constexpr int64_t kFreeExpansion = 500'000, kExpansionFactor = 3;
constexpr int64_t kFreeSize = 8'000'000, kSizeFactor = 16;

// What a frame's result is for.
enum class Purpose : uint8_t { kEntry, kCall, kAsync, kBody, kCondition, kBranch };

struct Frame {
  CompId comp;
  Purpose purpose = Purpose::kEntry;
  InstId caller;
  InstId kernel;  // of everything inside; none outside fusions
  uint32_t cursor = 0;
  std::vector<LeafRange> values;      // of each instruction
  std::vector<LeafRange> parameters;  // by number
  // Of a loop or a branch under way:
  LeafRange states, body;
  uint32_t branch = 0;
  std::vector<CompId> called;  // by all branches
  std::vector<LeafRange> branches;
};

class Builder {
 public:
  Builder(const Module& module, const LabelOptions& options)
      : module_(module), calls_(module), labels_(module, options), shapes_(module.shapes) {}

  ValueGraph Build() {
    if (!module_.entry.valid() || module_.entry.index() >= module_.comps.size() ||
        calls_.cyclic().valid()) {
      graph_.problem = "has no entry computation, or its calls form a cycle";
      return std::move(graph_);
    }
    Plan();
    graph_.nodes.reserve(module_.insts.size());
    Frame entry;
    entry.comp = module_.entry;
    Push(std::move(entry));
    while (!frames_.empty() && Fits(0)) Step();
    if (is_too_large_) {
      graph_ = {};
      graph_.problem = "is too large: many of its instructions read the same wide tuples";
    }
    return std::move(graph_);
  }

 private:
  // Decides whether computations with several call sites are expanded.
  void Plan() {
    std::vector<int64_t> size(module_.comps.size(), 0);
    int64_t own = 0;
    std::vector<CompId> called;
    for (const CompId id : calls_.post_order()) {
      const Computation& comp = module_.comp(id);
      int64_t total = 0;
      for (uint32_t i = 0; i < comp.count; ++i) {
        const Inst& inst = module_.insts[comp.first + i];
        const int64_t here = int64_t{1} + inst.operand_count + shapes_.Count(inst.shape);
        own = AddCapped(own, here);
        total = AddCapped(total, here);
        if (PropertiesOf(inst.opcode).calls == OpCalls::kNone) continue;
        if (PropertiesOf(inst.opcode).calls == OpCalls::kApplies) continue;
        called.clear();
        CalledComputations(module_, inst, called);
        for (const CompId each : called) total = AddCapped(total, size[each.index()]);
      }
      size[id.index()] = total;
    }
    expand_all_ = size[module_.entry.index()] <=
                  AddCapped(MultiplyCapped(kExpansionFactor, own), kFreeExpansion);
    most_ = AddCapped(MultiplyCapped(kSizeFactor, own), kFreeSize);
  }

  [[nodiscard]] bool Expands(CompId comp) const {
    return comp.valid() && comp.index() < module_.comps.size() && module_.comp(comp).count != 0 &&
           (expand_all_ || calls_.call_sites(comp) <= 1);
  }

  // False if the graph would become too large.
  bool Fits(size_t more) {
    const size_t size = graph_.nodes.size() + graph_.edges.size() + leaves_.size();
    if (static_cast<int64_t>(size + more) > most_) is_too_large_ = true;
    return !is_too_large_;
  }

  void Push(Frame frame) {
    const Computation& comp = module_.comp(frame.comp);
    frame.values.resize(comp.count);
    frames_.push_back(std::move(frame));
  }

  void Step() {
    Frame& frame = frames_.back();
    const Computation& comp = module_.comp(frame.comp);
    if (frame.cursor < comp.count) {
      const uint32_t at = frame.cursor++;
      Visit(frame, InstId(comp.first + at), at);  // may push a frame
      return;
    }
    const size_t root = comp.root.valid() ? comp.root.index() - comp.first : comp.count;
    const LeafRange result = root < comp.count ? frame.values[root] : LeafRange{};
    const Purpose purpose = frame.purpose;
    const InstId caller = frame.caller;
    frames_.pop_back();
    if (purpose == Purpose::kEntry) {
      for (uint32_t i = 0; i < result.count; ++i) {
        graph_.outputs.push_back(leaves_[result.begin + i]);
      }
      return;
    }
    Resume(frames_.back(), purpose, caller, result);
  }

  [[nodiscard]] LeafRange& ValueOf(Frame& frame, InstId inst) {
    return frame.values[inst.index() - module_.comp(frame.comp).first];
  }

  // The leaves of an operand; unknown ones for operands that are missing or come later.
  LeafRange Operand(Frame& frame, const Inst& inst, size_t index) {
    const std::span<const InstId> operands = module_.operands_of(inst);
    if (index >= operands.size()) return {};
    const InstId operand = operands[index];
    const Computation& comp = module_.comp(frame.comp);
    if (!operand.valid() || operand.index() < comp.first ||
        operand.index() >= comp.first + comp.count) {
      return {};
    }
    return ValueOf(frame, operand);
  }

  LeafRange Append(LeafRange a, LeafRange b) {
    const auto begin = static_cast<uint32_t>(leaves_.size());
    if (!Fits(size_t{a.count} + b.count)) return {begin, 0};
    for (const LeafRange range : {a, b}) {
      for (uint32_t i = 0; i < range.count; ++i) {
        const ValueEdge leaf = leaves_[range.begin + i];
        leaves_.push_back(leaf);
      }
    }
    return {begin, a.count + b.count};
  }

  static LeafRange Part(LeafRange whole, LeafRange part) {
    if (part.begin > whole.count || part.count > whole.count - part.begin) return {};
    return {whole.begin + part.begin, part.count};
  }

  uint32_t View(ShapeId shape) { return static_cast<uint32_t>(labels_.OfDims(shape) >> 16); }

  uint32_t AddNode(const Frame& frame, InstId id, uint64_t label, ValueKind kind) {
    ValueNode node;
    node.label = label;
    node.inst = id;
    node.kernel = frame.kernel.valid() ? frame.kernel : id;
    node.kind = kind;
    node.edges_begin = static_cast<uint32_t>(graph_.edges.size());
    graph_.nodes.push_back(node);
    return static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  void AddEdges(LeafRange range) {
    if (!Fits(range.count)) return;
    for (uint32_t i = 0; i < range.count; ++i) graph_.edges.push_back(leaves_[range.begin + i]);
    ValueNode& node = graph_.nodes[graph_.nodes.size() - 1];
    node.edges_count = static_cast<uint32_t>(graph_.edges.size()) - node.edges_begin;
  }

  // The outputs of a node with a result of this shape.
  LeafRange Outputs(uint32_t node, ShapeId shape, uint32_t first_out = 0) {
    const LeafRange made = {static_cast<uint32_t>(leaves_.size()), shapes_.Count(shape)};
    for (uint32_t i = 0; i < made.count; ++i) {
      leaves_.push_back({node, first_out + i, View(shapes_.Leaf(shape, i))});
    }
    return made;
  }

  uint32_t AddOp(Frame& frame, InstId id, uint64_t label, ValueKind kind) {
    const Inst& inst = module_.inst(id);
    const uint32_t node = AddNode(frame, id, label, kind);
    for (size_t i = 0; i < inst.operand_count; ++i) AddEdges(Operand(frame, inst, i));
    // Operands of a broken program may be missing, or tuples.
    ValueNode& made = graph_.nodes[node];
    made.commutes = made.edges_count == 2 && IsCommutative(module_, inst);
    return node;
  }

  LeafRange Computed(Frame& frame, InstId id) {
    const Inst& inst = module_.inst(id);
    const ValueKind kind = FlowOf(inst.opcode) == OpFlow::kParameter  ? ValueKind::kParameter
                           : FlowOf(inst.opcode) == OpFlow::kConstant ? ValueKind::kConstant
                                                                      : ValueKind::kOp;
    return Outputs(AddOp(frame, id, labels_.Of(id), kind), inst.shape);
  }

  // One array, read with other dimensions.
  LeafRange Reviewed(LeafRange from, ShapeId shape) {
    if (from.count != 1) return from;
    ValueEdge leaf = leaves_[from.begin];
    leaf.view = View(shape);
    leaves_.push_back(leaf);
    return {static_cast<uint32_t>(leaves_.size() - 1), 1};
  }

  LeafRange Bitcast(Frame& frame, InstId id) {
    const Inst& inst = module_.inst(id);
    const std::span<const InstId> operands = module_.operands_of(inst);
    const LeafRange from = Operand(frame, inst, 0);
    if (from.count != 1) return Computed(frame, id);
    const auto permutation =
        BitcastPermutation(module_.shapes, module_.inst(operands[0]).shape, inst.shape);
    if (!permutation) return Computed(frame, id);
    if (permutation->empty()) return Reviewed(from, inst.shape);
    const uint32_t node =
        AddOp(frame, id, labels_.Transpose(inst.shape, *permutation), ValueKind::kOp);
    return Outputs(node, inst.shape);
  }

  // (operands, new arrays, contexts...)
  LeafRange Started(Frame& frame, InstId id) {
    const Inst& inst = module_.inst(id);
    const std::span<const ShapeId> elements = module_.shapes.is_tuple(inst.shape)
                                                  ? module_.shapes.elements(inst.shape)
                                                  : std::span<const ShapeId>();
    const ShapeId result = elements.size() > 1 ? elements[1] : inst.shape;
    const uint32_t node = AddOp(frame, id, labels_.Of(id, result), ValueKind::kOp);
    const LeafRange made = Outputs(node, inst.shape);
    const LeafRange first = Part(made, shapes_.Element(inst.shape, 0));
    const LeafRange second = Part(made, shapes_.Element(inst.shape, 1));
    // Outputs are numbered as those of the synchronous op.
    for (uint32_t i = 0; i < second.count; ++i) leaves_[second.begin + i].out = i;
    uint32_t at = first.begin;
    for (size_t i = 0; i < inst.operand_count && at < first.begin + first.count; ++i) {
      const LeafRange operand = Operand(frame, inst, i);
      for (uint32_t k = 0; k < operand.count && at < first.begin + first.count; ++k) {
        leaves_[at++] = leaves_[operand.begin + k];
      }
    }
    return made;
  }

  ShapeId OperandShape(const Inst& inst) {
    const std::span<const InstId> operands = module_.operands_of(inst);
    const bool ok =
        !operands.empty() && operands[0].valid() && operands[0].index() < module_.insts.size();
    return ok ? module_.inst(operands[0]).shape : ShapeId();
  }

  LeafRange OperandElement(Frame& frame, const Inst& inst, int64_t element) {
    const ShapeId shape = OperandShape(inst);
    if (!shape.valid()) return {};
    return Part(Operand(frame, inst, 0), shapes_.Element(shape, element));
  }

  void Visit(Frame& frame, InstId id, uint32_t at) {
    const Inst& inst = module_.inst(id);
    LeafRange value;
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kParameter:
        value = inst.extra < frame.parameters.size() ? frame.parameters[inst.extra]
                                                     : Computed(frame, id);
        break;
      case OpFlow::kForwards:
      case OpFlow::kAsyncUpdate:
      case OpFlow::kReduceDone: value = Operand(frame, inst, 0); break;
      case OpFlow::kCopy:
        value = Operand(frame, inst, 0);
        if (value.count == 1) graph_.copies.push_back({id, leaves_[value.begin]});
        break;
      case OpFlow::kBitcast: value = Bitcast(frame, id); break;
      case OpFlow::kTuple:
        value = {static_cast<uint32_t>(leaves_.size()), 0};
        for (size_t i = 0; i < inst.operand_count; ++i) {
          const LeafRange operand = Operand(frame, inst, i);
          // The declared shape bounds what nested tuples may cost.
          if (operand.count > shapes_.Count(inst.shape) - value.count) break;
          value.count += Append({}, operand).count;
        }
        break;
      case OpFlow::kElement:
        value = OperandElement(frame, inst, module_.IntOr(inst.attrs, AttrKey::k_index, 0));
        break;
      case OpFlow::kAsyncDone:
      case OpFlow::kStartedResult: value = OperandElement(frame, inst, 1); break;
      case OpFlow::kCopyStart: {
        const LeafRange from = Operand(frame, inst, 0);
        if (from.count == 1) graph_.copies.push_back({id, leaves_[from.begin]});
        value = Append(Append(from, from), from);
        break;
      }
      case OpFlow::kCopyDone: value = OperandElement(frame, inst, 0); break;
      case OpFlow::kGatherStart:
      case OpFlow::kPermuteStart: value = Started(frame, id); break;
      case OpFlow::kCall:
      case OpFlow::kFusion:
      case OpFlow::kAsyncStart:
      case OpFlow::kWhile:
      case OpFlow::kConditional:
        if (Enter(id)) return;
        value = Computed(frame, id);
        break;
      default:
        value = inst.opcode == Opcode::kReshape ? Reviewed(Operand(frame, inst, 0), inst.shape)
                                                : Computed(frame, id);
    }
    // A broken program must not lose its instructions.
    if (value.count == 0 && shapes_.Count(inst.shape) != 0) value = Computed(frame, id);
    frame.values[at] = value;
  }

  // Pushes the frame of what an instruction calls; false if that is not expanded.
  bool Enter(InstId id) {
    const Inst& inst = module_.inst(id);
    called_.clear();
    CalledComputations(module_, inst, called_);
    const OpFlow flow = FlowOf(inst.opcode);
    const size_t expected = flow == OpFlow::kWhile ? 2 : 1;
    if (called_.size() < expected) return false;
    for (const CompId comp : called_) {
      if (!Expands(comp)) return false;
    }
    Frame& frame = frames_.back();
    Frame next;
    next.comp = called_[0];
    next.caller = id;
    next.kernel = frame.kernel;
    if (flow == OpFlow::kWhile) {
      frame.states = AddStates(frame, id);
      next.purpose = Purpose::kBody;
      next.parameters = {frame.states};
    } else if (flow == OpFlow::kConditional) {
      frame.branch = 0;
      frame.called = called_;
      frame.branches.clear();
      next.purpose = Purpose::kBranch;
      next.parameters = {Operand(frame, inst, 1)};
    } else {
      next.purpose = flow == OpFlow::kAsyncStart ? Purpose::kAsync : Purpose::kCall;
      if (flow == OpFlow::kFusion && !next.kernel.valid()) next.kernel = id;
      for (size_t i = 0; i < inst.operand_count; ++i) {
        next.parameters.push_back(Operand(frame, inst, i));
      }
    }
    Push(std::move(next));
    return true;
  }

  LeafRange AddStates(Frame& frame, InstId id) {
    const LeafRange initial = Operand(frame, module_.inst(id), 0);
    const auto begin = static_cast<uint32_t>(leaves_.size());
    for (uint32_t i = 0; i < initial.count; ++i) {
      const ValueEdge from = leaves_[initial.begin + i];
      const uint32_t node =
          AddNode(frame, id, HashWords({kStateLabel, from.view}), ValueKind::kState);
      AddEdges({initial.begin + i, 1});
      graph_.loops.push_back(node);
      leaves_.push_back({node, 0, from.view});
    }
    return {begin, initial.count};
  }

  void Resume(Frame& frame, Purpose purpose, InstId caller, LeafRange result) {
    const Inst& inst = module_.inst(caller);
    LeafRange& value = ValueOf(frame, caller);
    switch (purpose) {
      case Purpose::kEntry: return;
      case Purpose::kCall: value = result; return;
      case Purpose::kAsync: {
        value = {static_cast<uint32_t>(leaves_.size()), 0};
        for (size_t i = 0; i < inst.operand_count; ++i) {
          value.count += Append({}, Operand(frame, inst, i)).count;
        }
        value.count += Append({}, result).count;
        // Contexts after the result.
        const uint32_t count = shapes_.Count(inst.shape);
        while (value.count < count && result.count != 0) {
          const ValueEdge context = leaves_[result.begin];
          leaves_.push_back(context);
          ++value.count;
        }
        return;
      }
      case Purpose::kBody: {
        frame.body = result;
        called_.clear();
        CalledComputations(module_, inst, called_);
        Frame next;
        next.comp = called_[1];
        next.purpose = Purpose::kCondition;
        next.caller = caller;
        next.kernel = frame.kernel;
        next.parameters = {frame.states};
        Push(std::move(next));
        return;
      }
      case Purpose::kCondition: value = FinishLoop(frame, caller, result); return;
      case Purpose::kBranch:
        frame.branches.push_back(result);
        NextBranch(caller);
        return;
    }
  }

  LeafRange FinishLoop(Frame& frame, InstId caller, LeafRange condition) {
    const auto begin = static_cast<uint32_t>(leaves_.size());
    for (uint32_t i = 0; i < frame.states.count; ++i) {
      const ValueEdge state = leaves_[frame.states.begin + i];
      const ValueEdge updated = i < frame.body.count ? leaves_[frame.body.begin + i] : state;
      // A state that never changes is what it was before the loop.
      if (updated.node == state.node) {
        const ValueEdge initial = graph_.edges[graph_.nodes[state.node].edges_begin];
        leaves_.push_back(initial);
        continue;
      }
      const uint32_t node =
          AddNode(frame, caller, HashWords({kLoopLabel, state.view}), ValueKind::kLoop);
      graph_.edges.push_back(state);
      graph_.edges.push_back(updated);
      AddEdges(condition);
      graph_.nodes[state.node].update = static_cast<uint32_t>(graph_.nodes[node].edges_begin + 1);
      leaves_.push_back({node, 0, state.view});
    }
    return {begin, frame.states.count};
  }

  void NextBranch(InstId caller) {
    Frame& frame = frames_.back();
    const Inst& inst = module_.inst(caller);
    if (++frame.branch < frame.called.size()) {
      Frame next;
      next.comp = frame.called[frame.branch];
      next.purpose = Purpose::kBranch;
      next.caller = caller;
      next.kernel = frame.kernel;
      next.parameters = {Operand(frame, inst, frame.branch + 1)};
      Push(std::move(next));
      return;
    }
    const LeafRange chosen = Operand(frame, inst, 0);
    const LeafRange made = {static_cast<uint32_t>(leaves_.size()), shapes_.Count(inst.shape)};
    for (uint32_t i = 0; i < made.count; ++i) {
      const uint32_t view = View(shapes_.Leaf(inst.shape, i));
      const uint32_t node =
          AddNode(frame, caller, HashWords({kBranchLabel, view}), ValueKind::kBranch);
      if (!Fits(frame.branches.size())) return;
      for (const LeafRange& each : frame.branches) {
        if (i < each.count) graph_.edges.push_back(leaves_[each.begin + i]);
      }
      AddEdges(chosen);
      leaves_.push_back({node, 0, view});
    }
    ValueOf(frame, caller) = made;
  }

  static constexpr uint64_t kStateLabel = 0xA11CE5ull, kLoopLabel = 0x100Full,
                            kBranchLabel = 0xB4A9Cull;

  const Module& module_;
  CallGraph calls_;
  ValueLabels labels_;
  ShapeLeaves shapes_;
  ValueGraph graph_;
  bool expand_all_ = false;
  int64_t most_ = 0;  // nodes, edges and leaves
  bool is_too_large_ = false;
  std::vector<Frame> frames_;
  FlatVector<ValueEdge> leaves_;
  std::vector<CompId> called_;
};

}  // namespace

ValueGraph BuildValueGraph(const Module& module, const LabelOptions& options) {
  return Builder(module, options).Build();
}

}  // namespace halo
