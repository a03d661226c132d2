// Computations are timed callees first. What is still under way at the end of a computation is
// waited for there, so a loop never hides a collective in its next iteration.
#include "halo/cost/predict/step.h"

#include <algorithm>
#include <map>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

bool IsCollectiveOp(const Inst& inst) {
  return PropertiesOf(inst.opcode).group != CollectiveFamily::kNone;
}

// The start whose result a done waits for; invalid if the instruction waits for nothing.
InstId StartOf(const Module& module, const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  const bool is_done = op.flow == OpFlow::kAsyncDone ||
                       (op.partner != Opcode::kUnknown && op.sync == Opcode::kUnknown);
  if (!is_done || inst.operand_count == 0) return {};
  InstId at = module.operands_of(inst)[0];
  // Updates continue a start.
  for (int step = 0; step < 64 && at.valid(); ++step) {
    const Inst& source = module.inst(at);
    if (FlowOf(source.opcode) != OpFlow::kAsyncUpdate || source.operand_count == 0) break;
    at = module.operands_of(source)[0];
  }
  return at;
}

bool IsAsyncStart(const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  return op.flow == OpFlow::kAsyncStart ||
         (op.partner != Opcode::kUnknown && op.sync != Opcode::kUnknown);
}

class StepTimer {
 public:
  StepTimer(const Module& module, const ModuleCost& cost, const std::vector<OpTime>& times,
            double gap, std::vector<double>& exposed)
      : module_(module),
        cost_(cost),
        times_(times),
        gap_(gap),
        exposed_(exposed),
        steps_(module.comps.size()) {
    exposed_.assign(module.insts.size(), 0);
  }

  StepTime Run() {
    for (const CompId comp : cost_.order()) TimeComputation(comp);
    return steps_[module_.entry.index()];
  }

 private:
  void TimeComputation(CompId id) {
    const Computation& comp = module_.comp(id);
    StepTime& step = steps_[id.index()];
    now_ = links_ = 0;
    under_way_.clear();
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) TimeInst(InstId(i), step);
    for (const auto& [start, end] : under_way_) Wait(InstId(start), end, step);
    step.estimate = now_;
    step.floor = std::max(step.floor_compute, step.floor_links);
  }

  // Nothing runs until `end`.
  void Wait(InstId start, double end, StepTime& step) {
    if (end <= now_) return;
    exposed_[start.index()] += end - now_;
    step.exposed += end - now_;
    if (IsAsyncStart(module_.inst(start))) step.hidden -= end - now_;
    now_ = end;
  }

  void TimeInst(InstId id, StepTime& step) {
    const Inst& inst = module_.inst(id);
    const OpTime& time = times_[id.index()];
    const InstId start = StartOf(module_, inst);
    if (start.valid()) {
      const auto found = under_way_.find(start.value);
      if (found == under_way_.end()) return;
      const double end = found->second;
      under_way_.erase(found);
      Wait(start, end, step);
      return;
    }
    double seconds = time.seconds, floor = time.floor;
    bool collective = IsCollectiveOp(inst);
    cost_.RunBy(inst, calls_);
    if (!calls_.empty()) {
      const StepTime called = Called();
      if (!IsAsyncStart(inst)) {
        step.Add(called, 1);
        now_ += called.estimate;
        return;
      }
      seconds = called.serial;
      floor = called.floor;
      collective = called.floor_links > called.floor_compute;
    }
    if (seconds <= 0) return;
    step.serial += seconds;
    (collective ? step.floor_links : step.floor_compute) += floor;
    if (IsAsyncStart(inst)) {
      // One queue: collectives do not overlap each other.
      links_ = std::max(links_, now_) + seconds;
      under_way_[id.value] = links_;
      step.hidden += seconds;
      return;
    }
    if (collective) {
      links_ = std::max(links_, now_) + seconds;
      Wait(id, links_, step);
      return;
    }
    now_ += seconds + gap_;
    step.compute += seconds + gap_;
    step.serial += gap_;
    if (time.source == TimeSource::kUnknown) step.unknown += seconds;
  }

  // What the computations of an instruction take: bodies as often as they run, the slowest branch.
  [[nodiscard]] StepTime Called() const {
    StepTime sum, slowest;
    for (const RunCall& call : calls_) {
      const StepTime& each = steps_[call.comp.index()];
      if (!call.is_branch) {
        sum.Add(each, call.times);
      } else if (each.estimate >= slowest.estimate) {
        slowest = each;
      }
    }
    sum.Add(slowest, 1);
    return sum;
  }

  const Module& module_;
  const ModuleCost& cost_;
  const std::vector<OpTime>& times_;
  double gap_;
  std::vector<double>& exposed_;
  std::vector<StepTime> steps_;
  std::vector<RunCall> calls_;
  double now_ = 0, links_ = 0;
  std::map<uint32_t, double> under_way_;  // end of each start
};

}  // namespace

void StepTime::Add(const StepTime& other, double times) {
  floor += other.floor * times;
  estimate += other.estimate * times;
  serial += other.serial * times;
  compute += other.compute * times;
  exposed += other.exposed * times;
  hidden += other.hidden * times;
  unknown += other.unknown * times;
  floor_compute += other.floor_compute * times;
  floor_links += other.floor_links * times;
}

StepTime TimeStep(const Module& module, const ModuleCost& cost, const std::vector<OpTime>& times,
                  double gap, std::vector<double>& exposed) {
  return StepTimer(module, cost, times, gap, exposed).Run();
}

}  // namespace halo
