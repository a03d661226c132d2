// Edges are gathered in one walk over the instructions. Order and contexts follow from a walk from
// the entry with an explicit stack.
#include "halo/analysis/graph/call_graph.h"

#include <algorithm>

#include "halo/ir/op_properties.h"

namespace halo {

void CalledComputations(const Module& module, const Inst& inst, std::vector<CompId>& out) {
  out.clear();
  module.CalledBy(inst, out);
  if (inst.opcode != Opcode::kWhile) return;
  const Attr* body = module.Find(inst, AttrKey::k_body);
  if (out.size() == 2 && body != nullptr && CompId(body->value) == out[1]) {
    std::swap(out[0], out[1]);
  }
}

bool RunsItsComputations(Opcode opcode) { return PropertiesOf(opcode).calls == OpCalls::kRuns; }

CallGraph::CallGraph(const Module& module) {
  const size_t count = module.comps.size();
  std::vector<std::pair<CompId, InstId>> calls;  // callee, caller
  struct Reach {
    CompId caller;
    size_t nth;
    CompId callee;
  };
  std::vector<Reach> reaches;
  std::vector<CompId> called;
  call_sites_.assign(count, 0);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    CalledComputations(module, inst, called);
    for (const CompId callee : called) {
      if (!callee.valid() || callee.index() >= count) continue;
      ++call_sites_[callee.index()];
      calls.emplace_back(callee, InstId(i));
      reaches.push_back({inst.parent, reaches.size(), callee});
    }
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  caller_begins_.assign(count + 1, 0);
  for (const auto& call : calls) ++caller_begins_[call.first.index() + 1];
  for (size_t i = 0; i < count; ++i) caller_begins_[i + 1] += caller_begins_[i];
  callers_.reserve(calls.size());
  for (const auto& call : calls) callers_.push_back(call.second);

  std::sort(reaches.begin(), reaches.end(), [](const Reach& a, const Reach& b) {
    return std::pair(a.caller, a.nth) < std::pair(b.caller, b.nth);
  });
  callee_begins_.assign(count + 1, 0);
  std::vector<CompId> last_caller(count);
  for (const auto& [caller, nth, callee] : reaches) {
    if (last_caller[callee.index()] == caller) continue;
    last_caller[callee.index()] = caller;
    ++callee_begins_[caller.index() + 1];
    callees_.push_back(callee);
  }
  for (size_t i = 0; i < count; ++i) callee_begins_[i + 1] += callee_begins_[i];
  contexts_.assign(count, Context::kUnreached);
  Visit(module);
  if (!cyclic_.valid()) FindContexts(module);
}

void CallGraph::Visit(const Module& module) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(module.comps.size(), State::kNew);
  struct Frame {
    CompId comp;
    size_t next;
  };
  std::vector<Frame> stack;
  if (!module.entry.valid()) return;
  stack.push_back({module.entry, 0});
  states[module.entry.index()] = State::kOpen;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const std::span<const CompId> next = callees(frame.comp);
    if (frame.next == next.size()) {
      states[frame.comp.index()] = State::kDone;
      post_order_.push_back(frame.comp);
      stack.pop_back();
      continue;
    }
    const CompId callee = next[frame.next++];
    if (states[callee.index()] == State::kOpen) cyclic_ = callee;
    if (states[callee.index()] != State::kNew) continue;
    states[callee.index()] = State::kOpen;
    stack.push_back({callee, 0});
  }
}

void CallGraph::FindContexts(const Module& module) {
  if (!module.entry.valid()) return;
  contexts_[module.entry.index()] = Context::kControlFlow;
  std::vector<CompId> called;
  for (auto comp = post_order_.rbegin(); comp != post_order_.rend(); ++comp) {
    const Computation& computation = module.comp(*comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const Inst& inst = module.insts[computation.first + i];
      CalledComputations(module, inst, called);
      // Callees of an embedded computation are embedded too.
      const Context context =
          RunsItsComputations(inst.opcode) ? contexts_[comp->index()] : Context::kEmbedded;
      for (const CompId callee : called) {
        if (!callee.valid() || callee.index() >= contexts_.size()) continue;
        Context& known = contexts_[callee.index()];
        if (known == Context::kUnreached) known = context;
        if (known != context) known = Context::kBoth;
      }
    }
  }
}

}  // namespace halo
