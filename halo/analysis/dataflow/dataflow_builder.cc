// Decides which values instructions define and in which order they are processed, and propagates
// values to a fixed point. What each opcode forwards is in dataflow_update.cc.
#include "halo/analysis/dataflow/dataflow_builder.h"

#include "halo/analysis/graph/post_order.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/facts/parameters.h"

namespace halo {

void Dataflow::Builder::Build(std::span<const CompId> numbered) {
  const size_t count = module_.insts.size();
  flow_.begins_.resize(count + 1);
  for (size_t i = 0; i < count; ++i) {
    flow_.begins_[i + 1] = flow_.begins_[i] + trees_.count(module_.insts[i].shape);
  }
  flow_.at_.assign(flow_.begins_[count], kNone);
  for (size_t i = 0; i < module_.comps.size(); ++i) {
    parameters_.push_back(ParametersOf(module_, CompId(i)));
  }

  PostOrder order(module_, flow_.users_);
  flow_.post_order_.reserve(count);
  flow_.computations_ = ComputationOrder(module_);
  for (const CompId comp : InGivenOrder(flow_.computations_, numbered)) {
    const size_t begin = flow_.post_order_.size();
    order.Append(comp, flow_.post_order_);
    const bool defines_parameters = flow_.calls_.callers(comp).empty() ||
                                    flow_.calls_.context(comp) != CallGraph::Context::kControlFlow;
    for (size_t i = begin; i < flow_.post_order_.size(); ++i) {
      Define(flow_.post_order_[i], defines_parameters);
    }
  }
  OrderWork();
  IndexBranches();
  Propagate();
  SimplifyPhis();
}

void Dataflow::Builder::DefineAt(InstId id, uint32_t node, bool is_phi) {
  flow_.at_[flow_.begins_[id.index()] + node] = static_cast<uint32_t>(flow_.values_.size());
  flow_.values_.push_back({{id, node}, is_phi, true});
}

void Dataflow::Builder::Define(InstId id, bool defines_parameters) {
  const Inst& inst = module_.inst(id);
  const uint32_t count = trees_.count(inst.shape);
  const auto define_where = [&](const auto& wanted) {
    for (uint32_t node = 0; node < count; ++node) {
      const bool is_tuple = module_.shapes.is_tuple(trees_.shape_at(inst.shape, node));
      if (wanted(is_tuple, node == 0 ? -1 : trees_.FirstStep(inst.shape, node))) {
        DefineAt(id, node);
      }
    }
  };
  const auto define_element = [&](std::initializer_list<int64_t> index) {
    if (const auto node = trees_.NodeAt(inst.shape, index)) DefineAt(id, *node);
  };
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kForwards:
    case OpFlow::kBitcast:
    case OpFlow::kElement:
    case OpFlow::kCall:
    case OpFlow::kWhile:
    case OpFlow::kConditional:
    case OpFlow::kCopyDone:
    case OpFlow::kReduceDone: return;
    case OpFlow::kParameter:
      if (defines_parameters) define_where([](bool, int64_t) { return true; });
      return;
    case OpFlow::kCopy:
    case OpFlow::kTuple: DefineAt(id, 0); return;
    case OpFlow::kAsyncStart: {
      const bool has_body = flow_.async_computation(id).valid();
      define_where([&](bool is_tuple, int64_t first) {
        return is_tuple || first > 1 || (first == 1 && !has_body);
      });
      return;
    }
    case OpFlow::kAsyncUpdate:
      define_where([](bool is_tuple, int64_t first) { return is_tuple || first > 1; });
      return;
    case OpFlow::kAsyncDone: define_where([](bool is_tuple, int64_t) { return is_tuple; }); return;
    case OpFlow::kCopyStart:
      define_element({});
      define_element({0});
      define_element({2});
      return;
    case OpFlow::kGatherStart:
      define_where([](bool is_tuple, int64_t first) { return is_tuple || first == 1; });
      return;
    case OpFlow::kStartedResult:
      if (count > 1) DefineAt(id, 0);
      return;
    case OpFlow::kPermuteStart: {
      define_element({});
      define_element({1});
      const auto elements = static_cast<int64_t>(
          module_.shapes.is_tuple(inst.shape) ? module_.shapes.elements(inst.shape).size() : 0);
      for (int64_t i = 2; i < elements; ++i) define_element({i});
      if (const auto results = trees_.NodeAt(inst.shape, std::initializer_list<int64_t>{1})) {
        const ShapeId shape = trees_.shape_at(inst.shape, *results);
        for (uint32_t node = 1; node < trees_.count(shape); ++node) DefineAt(id, *results + node);
      }
      return;
    }
    case OpFlow::kRecvDone:
      define_element({});
      define_element({1});
      return;
    case OpFlow::kSend:
      define_element({});
      define_element({1});
      define_element({2});
      return;
    case OpFlow::kComputed:
    case OpFlow::kConstant:
    case OpFlow::kDeviceId:
    case OpFlow::kToken:
    case OpFlow::kFusion:
    case OpFlow::kReduceStart:
    case OpFlow::kTransfer: define_where([](bool, int64_t) { return true; });
  }
}

void Dataflow::Builder::OrderWork() {
  const std::vector<InstId>& post_order = flow_.post_order_;
  struct Range {
    size_t begin = 0, end = 0;
  };
  std::vector<Range> ranges(module_.comps.size());
  for (size_t i = 0; i < post_order.size(); ++i) {
    Range& range = ranges[module_.inst(post_order[i]).parent.index()];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
  priority_.assign(module_.insts.size(), UINT32_MAX);
  std::vector<InstId> in_sequence;
  in_sequence.reserve(post_order.size());
  std::vector<bool> entered(module_.comps.size(), false);
  struct Frame {
    CompId comp;
    size_t next;
    std::vector<CompId> to_enter;  // callees of the instruction at `next`, last first
    bool called;
  };
  std::vector<Frame> stack;
  const auto enter = [&](CompId comp) {
    if (!comp.valid() || entered[comp.index()]) return;
    entered[comp.index()] = true;
    stack.push_back({comp, ranges[comp.index()].begin, {}, false});
  };
  enter(module_.entry);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == ranges[frame.comp.index()].end) {
      stack.pop_back();
      continue;
    }
    const InstId id = post_order[frame.next];
    const Inst& inst = module_.inst(id);
    if (!frame.called) {
      frame.called = true;
      switch (FlowOf(inst.opcode)) {
        case OpFlow::kCall:
        case OpFlow::kAsyncStart:
        case OpFlow::kConditional:
        case OpFlow::kWhile: {
          // A while's body is called last, so its condition comes first in this order.
          CalledComputations(module_, inst, frame.to_enter);
          if (inst.opcode != Opcode::kWhile) {
            std::reverse(frame.to_enter.begin(), frame.to_enter.end());
          }
          break;
        }
        default: break;
      }
    }
    if (!frame.to_enter.empty()) {
      const CompId comp = frame.to_enter.back();
      frame.to_enter.pop_back();
      enter(comp);
      continue;
    }
    in_sequence.push_back(id);
    frame.called = false;
    ++frame.next;
  }
  for (const InstId inst : post_order) {
    if (!entered[module_.inst(inst).parent.index()]) by_priority_.push_back(inst);
  }
  by_priority_.insert(by_priority_.end(), in_sequence.begin(), in_sequence.end());
  for (size_t i = 0; i < by_priority_.size(); ++i) {
    priority_[by_priority_[i].index()] = static_cast<uint32_t>(i);
  }
}

void Dataflow::Builder::AddWork(InstId inst) {
  if (inst.valid() && priority_[inst.index()] != UINT32_MAX) work_.Add(priority_[inst.index()]);
}

void Dataflow::Builder::IndexBranches() {
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    if (FlowOf(module_.insts[i].opcode) != OpFlow::kConditional) continue;
    const std::vector<CompId>& branches = BranchesOf(InstId(i));
    for (size_t j = 0; j < branches.size(); ++j) {
      branch_operands_.try_emplace(BranchKey(InstId(i), branches[j]), static_cast<uint32_t>(j + 1));
    }
  }
}

// What an update costs at most, in positions.
size_t Dataflow::Builder::StepsOf(InstId inst) const {
  const size_t callers =
      flow_.is_root(inst) ? flow_.calls_.callers(module_.inst(inst).parent).size() : 0;
  return 1 + Whole(inst).count + flow_.users_.of(inst).size() + callers;
}

void Dataflow::Builder::Propagate() {
  work_.Resize(by_priority_.size());
  for (size_t i = 0; i < by_priority_.size(); ++i) work_.Add(i);
  // Positions change a few times at most. The limit guards against contrived programs, whose wide
  // tuples change one element at a time; small programs may take as long as a fraction of a second.
  constexpr size_t kAlwaysAllowed = size_t{1} << 27;
  size_t left = 64 * (flow_.at_.size() + by_priority_.size()) + kAlwaysAllowed;
  while (!work_.empty()) {
    const InstId inst = by_priority_[work_.TakeFirst()];
    const size_t steps = StepsOf(inst);
    if (steps > left) {
      flow_.problem_ = "its values take too many steps to follow";
      return;
    }
    left -= steps;
    if (Update(inst)) AddWorkBehind(inst);
  }
}

void Dataflow::Builder::AddParameter(CompId comp, size_t number, InstId changed) {
  if (!comp.valid() || number >= parameters_[comp.index()].size()) return;
  const InstId parameter = parameters_[comp.index()][number];
  if (!parameter.valid()) return;
  const auto merged = merged_.find(parameter.value);
  if (merged != merged_.end()) merged->second.NoteChange(changed);
  AddWork(parameter);
}

void Dataflow::Builder::AddBoundParameters(InstId link, InstId changed) {
  const CompId comp = flow_.async_computation(link);
  const size_t first = flow_.asyncs_.first_bound(link);
  if (!comp.valid() || first == SIZE_MAX) return;
  flow_.ForEachOperand(link, changed, [&](int64_t i) {
    if (i > 0) AddParameter(comp, first + static_cast<size_t>(i) - 1, changed);
  });
}

void Dataflow::Builder::AddWorkBehind(InstId changed) {
  std::vector<CompId> called;
  for (const InstId id : flow_.users_.of(changed)) {
    AddWork(id);
    const Inst& user = module_.inst(id);
    if (!RunsItsComputations(user.opcode)) continue;
    if (user.opcode == Opcode::kConditional) {
      const std::vector<CompId>& branches = BranchesOf(id);
      flow_.ForEachOperand(id, changed, [&](int64_t i) {
        if (i > 0 && static_cast<size_t>(i) <= branches.size()) {
          AddParameter(branches[static_cast<size_t>(i) - 1], 0, changed);
        }
      });
    } else if (user.opcode == Opcode::kAsyncUpdate || user.opcode == Opcode::kAsyncDone) {
      AddBoundParameters(id, changed);
    } else {
      CalledComputations(module_, user, called);
      for (const CompId comp : called) {
        if (flow_.calls_.context(comp) != CallGraph::Context::kControlFlow) continue;
        flow_.ForEachOperand(
            id, changed, [&](int64_t i) { AddParameter(comp, static_cast<size_t>(i), changed); });
      }
    }
  }
  if (!flow_.is_root(changed)) return;
  for (const InstId caller : flow_.calls_.callers(module_.inst(changed).parent)) {
    const Inst& inst = module_.inst(caller);
    if (!RunsItsComputations(inst.opcode)) continue;
    AddWork(caller);
    if (inst.opcode != Opcode::kWhile) continue;
    CalledComputations(module_, inst, called);
    for (const CompId comp : called) AddParameter(comp, 0, changed);
  }
}

void Dataflow::Builder::SimplifyPhis() {
  for (const auto& [parameter, inputs] : merged_) {
    const PositionRange range = Whole(InstId(parameter));
    for (uint32_t node = 0; node < range.count; ++node) {
      const uint32_t value = flow_.at_[range.begin + node];
      const bool is_own = value != kNone && flow_.values_[value].is_phi &&
                          flow_.values_[value].defined == Position{InstId(parameter), node};
      if (is_own) phis_.Set(value, inputs.ValuesAt(node));
    }
  }
  phis_.Simplify();
  for (uint32_t& at : flow_.at_) {
    if (at == kNone || !flow_.values_[at].is_phi) continue;
    const uint32_t meaning = phis_.Meaning(at);
    if (meaning == at) continue;
    flow_.values_[at].exists = false;
    at = meaning;
  }
}

}  // namespace halo
