// Computations are counted callees first, so that each is counted once however often it is called.
#include "halo/cost/count/module_cost.h"

#include <algorithm>

#include "halo/analysis/graph/run_counts.h"
#include "halo/cost/count/op_work.h"
#include "halo/cost/count/traffic.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// The larger of each figure.
void TakeLarger(const Cost& other, Cost& cost) {
  if (other.work.product_flops > cost.work.product_flops) {
    cost.work.product_type = other.work.product_type;
  }
  const auto larger = [](double from, double& to) { to = std::max(from, to); };
  larger(other.work.flops, cost.work.flops);
  larger(other.work.product_flops, cost.work.product_flops);
  larger(other.work.transcendentals, cost.work.transcendentals);
  larger(other.traffic.read, cost.traffic.read);
  larger(other.traffic.written, cost.traffic.written);
  larger(other.traffic.near, cost.traffic.near);
  larger(other.traffic.host, cost.traffic.host);
  larger(other.sent, cost.sent);
  cost.known = cost.known && other.known;
}

}  // namespace

ModuleCost::ModuleCost(const Module& module, std::optional<Backend> backend)
    : module_(module),
      calls_(module),
      wire_(module),
      insts_(module.insts.size()),
      work_(module.comps.size()),
      totals_(module.comps.size()),
      once_(module.comps.size()) {
  if (!module.entry.valid()) {
    problem_ = "the module has no entry computation";
    return;
  }
  if (calls_.cyclic().valid()) {
    problem_ = "a computation calls itself";
    return;
  }
  TrafficCounter traffic(module, MemoryLevels(backend));
  for (const CompId comp : calls_.post_order()) {
    const CallGraph::Context context = calls_.context(comp);
    const bool runs =
        context == CallGraph::Context::kControlFlow || context == CallGraph::Context::kBoth;
    CountComputation(comp);
    if (context != CallGraph::Context::kControlFlow) traffic.AddFused(comp);
    if (!runs) continue;
    const Computation& body = module.comp(comp);
    for (uint32_t i = body.first; i < body.first + body.count; ++i) {
      Cost& cost = insts_[i];
      cost.traffic = traffic.Of(module.insts[i]);
      cost.sent = wire_.Of(module.insts[i]).sent;
    }
    order_.push_back(comp);
    SumComputation(comp);
  }
}

void ModuleCost::CountComputation(CompId id) {
  const Computation& comp = module_.comp(id);
  Work& sum = work_[id.index()];
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const OpWorkResult result = WorkOfInst(module_, module_.insts[i], work_);
    insts_[i].work = result.work;
    insts_[i].known = result.known;
    sum.Add(result.work);
  }
}

void ModuleCost::RunBy(const Inst& inst, std::vector<RunCall>& out) const {
  out.clear();
  std::vector<CompId> called;
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kCall:
    case OpFlow::kAsyncStart:
    case OpFlow::kConditional:
    case OpFlow::kWhile: CalledComputations(module_, inst, called); break;
    default: return;
  }
  const OpFlow flow = FlowOf(inst.opcode);
  const std::optional<int64_t> trips =
      flow == OpFlow::kWhile ? KnownTripCount(module_, inst) : std::optional<int64_t>(1);
  const Attr* body = module_.Find(inst, AttrKey::k_body);
  for (const CompId comp : called) {
    RunCall call{.comp = comp, .times_known = trips.has_value()};
    call.is_branch = flow == OpFlow::kConditional;
    call.times = static_cast<double>(std::max<int64_t>(trips.value_or(1), 0));
    const bool is_body = body != nullptr && CompId(body->value) == comp;
    if (flow == OpFlow::kWhile && !is_body && trips) call.times += 1;
    out.push_back(call);
  }
}

void ModuleCost::SumComputation(CompId id) {
  const Computation& comp = module_.comp(id);
  Cost& total = totals_[id.index()];
  Cost& once = once_[id.index()];
  std::vector<RunCall> calls;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    total.Add(insts_[i]);
    once.Add(insts_[i]);
    RunBy(module_.insts[i], calls);
    Cost largest, largest_once;
    for (const RunCall& call : calls) {
      trips_known_ = trips_known_ && call.times_known;
      if (call.is_branch) {
        TakeLarger(totals_[call.comp.index()], largest);
        TakeLarger(once_[call.comp.index()], largest_once);
      } else {
        total.Add(totals_[call.comp.index()], call.times);
        once.Add(once_[call.comp.index()]);
      }
    }
    total.Add(largest);
    once.Add(largest_once);
  }
}

}  // namespace halo
