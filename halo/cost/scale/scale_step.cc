// All classes advance together, instruction by instruction: they run the same ones in the same
// order, so what a class waits for is always known. Iterations of a loop are simulated until one
// begins like an earlier one; the rest is multiplied. Work that a loop hands to its next iteration
// is not followed here.
#include "halo/cost/scale/scale_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "halo/cost/predict/collective_model.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/timeline/lane.h"
#include "halo/cost/timeline/queues.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxCallDepth = 100;
constexpr double kVisits = 2e7, kVisitsOfEach = 16;  // of instructions, all classes together
constexpr double kVariation = 0.016;                 // of a device's step, as measured on A100

// Times of all classes, absolute.
struct JobState {
  std::vector<double> now, waited;
  std::array<std::vector<double>, kQueues> free;
};

class JobSimulator {
 public:
  JobSimulator(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
               const ScaleOptions& options, ScaleStep& step)
      : module_(module), cost_(cost), times_(times), options_(options), step_(step) {}

  void Run();

 private:
  void FindCollectives();
  // Seconds of a collective by class.
  const std::vector<double>& SecondsOf(InstId collective);
  void RunComputation(CompId comp, int depth);
  void RunInst(InstId id, int depth);
  void RunLoop(const Inst& inst, int depth);
  // A call, or the branch after which the last class ends latest.
  void RunCalls(const std::vector<RunCall>& calls, int depth);
  // Puts work into queues; a collective begins when all partners could begin it.
  std::vector<double> Issue(InstId collective, const std::vector<double>& seconds, QueueSet queues);
  void Wait(const std::vector<double>& ends, bool communicates);
  // Seconds of a computation, one instruction after the other.
  double SumOf(CompId comp, int depth);
  [[nodiscard]] std::vector<double> Normalized() const;
  void Shift(double seconds);

  const Module& module_;
  ModuleCost& cost_;
  const std::vector<OpTime>& times_;
  ScaleOptions options_;
  ScaleStep& step_;
  std::vector<InstId> heroes_;  // by instruction: the collective that it is; invalid if none
  std::optional<JobClasses> classes_;
  std::map<uint32_t, std::vector<double>> seconds_;  // by collective
  struct Flying {
    std::vector<double> ends;  // by class
    bool communicates = false;
  };
  std::map<uint32_t, Flying> under_way_;  // by start
  std::map<uint32_t, double> sums_;       // by computation
  std::vector<InstId> longest_;           // by computation: its collective
  JobState state_;
  double gap_ = 0, visits_ = 0;
};

void JobSimulator::FindCollectives() {
  heroes_.resize(module_.insts.size());
  longest_.resize(module_.comps.size());
  std::vector<InstId> collectives;
  std::vector<RunCall> calls;
  Kernels kernels(module_);
  for (const CompId comp : cost_.order()) {
    const Computation& body = module_.comp(comp);
    InstId& longest = longest_[comp.index()];
    for (uint32_t i = body.first; i < body.first + body.count; ++i) {
      const Kernel kernel = kernels.Of(InstId(i));
      if (kernel.kind == KernelKind::kCollective && times_[i].seconds > 0) {
        heroes_[i] = kernel.hero;
        collectives.push_back(kernel.hero);
        if (!longest.valid() || times_[i].seconds > times_[longest.index()].seconds) {
          longest = InstId(i);
        }
      }
      cost_.RunBy(module_.insts[i], calls);
      for (const RunCall& call : calls) {
        const InstId other = longest_[call.comp.index()];
        if (other.valid() && !longest.valid()) longest = other;
      }
    }
  }
  classes_.emplace(module_, collectives, options_.layout);
}

const std::vector<double>& JobSimulator::SecondsOf(InstId id) {
  const auto [found, fresh] = seconds_.try_emplace(id.value);
  if (!fresh) return found->second;
  std::map<int64_t, ScaledCollective> by_nodes;
  const WireUse use = cost_.wire(heroes_[id.index()]);
  for (uint32_t each = 0; each < classes_->count(); ++each) {
    const CollectivePart& part = classes_->part(heroes_[id.index()], each);
    double seconds = 0;
    if (part.takes_part) {
      ScaledCollective& scaled = by_nodes[part.nodes];
      if (scaled.devices == 0) {
        scaled.inst = id;
        scaled.nodes = part.nodes;
        scaled.seconds = ExactSeconds(
            PredictCollective(use, part.nodes, options_.rates, ConstantsOf(options_.backend))
                .seconds);
      }
      scaled.devices += classes_->size(each);
      seconds = scaled.seconds;
    }
    found->second.push_back(seconds);
  }
  for (const auto& [nodes, scaled] : by_nodes) step_.collectives.push_back(scaled);
  return found->second;
}

std::vector<double> JobSimulator::Issue(InstId collective, const std::vector<double>& seconds,
                                        QueueSet queues) {
  std::vector<double> ready = state_.now;
  for (size_t q = 0; q < kQueues; ++q) {
    if (!queues.Has(static_cast<Queue>(q))) continue;
    for (size_t c = 0; c < ready.size(); ++c) ready[c] = std::max(ready[c], state_.free[q][c]);
  }
  std::vector<double> ends = ready;
  for (uint32_t c = 0; c < ready.size(); ++c) {
    if (collective.valid()) {
      const CollectivePart& part = classes_->part(heroes_[collective.index()], c);
      if (!part.takes_part) {
        ends[c] = state_.now[c];
        continue;
      }
      for (const uint32_t partner : part.partners) ends[c] = std::max(ends[c], ready[partner]);
    }
    ends[c] += seconds[c];
    for (size_t q = 0; q < kQueues; ++q) {
      if (queues.Has(static_cast<Queue>(q))) state_.free[q][c] = ends[c];
    }
  }
  return ends;
}

void JobSimulator::Wait(const std::vector<double>& ends, bool communicates) {
  for (size_t c = 0; c < ends.size(); ++c) {
    if (ends[c] <= state_.now[c]) continue;
    if (communicates) state_.waited[c] += ends[c] - state_.now[c];
    state_.now[c] = ends[c];
  }
}

double JobSimulator::SumOf(CompId comp, int depth) {
  const auto known = sums_.find(comp.value);
  if (known != sums_.end()) return known->second;
  const Computation& body = module_.comp(comp);
  double sum = 0;
  std::vector<RunCall> calls;
  for (uint32_t i = body.first; i < body.first + body.count; ++i) {
    const double seconds = ExactSeconds(times_[i].seconds);
    sum += seconds;
    if (seconds > 0 && !heroes_[i].valid()) sum += gap_;
    cost_.RunBy(module_.insts[i], calls);
    for (const RunCall& call : calls) {
      if (depth < kMaxCallDepth) sum += SumOf(call.comp, depth + 1) * call.times;
    }
  }
  return sums_[comp.value] = sum;
}

void JobSimulator::RunCalls(const std::vector<RunCall>& calls, int depth) {
  const JobState before = state_;
  JobState slowest;
  double latest = -1;
  for (const RunCall& call : calls) {
    state_ = before;
    RunComputation(call.comp, depth + 1);
    const double end = *std::max_element(state_.now.begin(), state_.now.end());
    if (end <= latest) continue;
    latest = end;
    slowest = std::move(state_);
    state_ = slowest;
  }
  state_ = std::move(slowest);
}

void JobSimulator::RunInst(InstId id, int depth) {
  const Inst& inst = module_.inst(id);
  visits_ += static_cast<double>(state_.now.size());
  if (IsAsyncDone(inst)) {
    if (inst.operand_count == 0) return;
    InstId at = module_.operands_of(inst)[0];
    for (int step = 0; step < 64 && at.valid(); ++step) {
      const Inst& source = module_.inst(at);
      if (FlowOf(source.opcode) != OpFlow::kAsyncUpdate || source.operand_count == 0) break;
      at = module_.operands_of(source)[0];
    }
    const auto found = at.valid() ? under_way_.find(at.value) : under_way_.end();
    if (found == under_way_.end()) return;
    Wait(found->second.ends, found->second.communicates);
    under_way_.erase(found);
    return;
  }
  std::vector<RunCall> calls;
  cost_.RunBy(inst, calls);
  const bool is_async = IsAsyncStart(inst) && !IsSynchronous(module_, inst);
  if (!calls.empty()) {
    if (IsAsyncStart(inst)) {
      const CompId comp = calls.front().comp;
      const InstId collective = longest_[comp.index()];
      const double sum = SumOf(comp, 0);
      std::vector<double> seconds(state_.now.size(), sum);
      QueueSet queues;
      queues.Add(Queue::kSide);
      if (collective.valid()) {
        const std::vector<double>& own = SecondsOf(collective);
        const double usual = ExactSeconds(times_[collective.index()].seconds);
        for (size_t c = 0; c < seconds.size(); ++c) seconds[c] += own[c] - usual;
        queues = CollectiveQueues(cost_.wire(heroes_[collective.index()]), options_.layout.per_node,
                                  options_.backend);
      }
      std::vector<double> ends = Issue(collective, seconds, queues);
      if (is_async) {
        under_way_[id.value] = {std::move(ends), collective.valid()};
      } else {
        Wait(ends, collective.valid());
      }
    } else if (FlowOf(inst.opcode) == OpFlow::kWhile) {
      RunLoop(inst, depth);
    } else {
      RunCalls(calls, depth);
    }
    return;
  }
  const double seconds = ExactSeconds(times_[id.index()].seconds);
  if (seconds <= 0) return;
  const bool is_collective = heroes_[id.index()].valid();
  if (!is_collective && !is_async) {
    for (double& now : state_.now) now += seconds + gap_;
    return;
  }
  const QueueSet queues = is_collective
                              ? CollectiveQueues(cost_.wire(heroes_[id.index()]),
                                                 options_.layout.per_node, options_.backend)
                              : StartQueues(inst, options_.backend);
  std::vector<double> ends =
      is_collective ? Issue(id, SecondsOf(id), queues)
                    : Issue(InstId(), std::vector<double>(state_.now.size(), seconds), queues);
  if (is_async) {
    under_way_[id.value] = {std::move(ends), queues.communicates()};
  } else {
    Wait(ends, true);
  }
}

std::vector<double> JobSimulator::Normalized() const {
  const double base = *std::min_element(state_.now.begin(), state_.now.end());
  std::vector<double> all;
  for (const double now : state_.now) all.push_back(now - base);
  for (const std::vector<double>& queue : state_.free) {
    for (const double free : queue) all.push_back(std::max(free - base, 0.0));
  }
  return all;
}

void JobSimulator::Shift(double seconds) {
  for (double& now : state_.now) now += seconds;
  for (std::vector<double>& queue : state_.free) {
    for (double& free : queue) free += seconds;
  }
}

void JobSimulator::RunLoop(const Inst& inst, int depth) {
  std::vector<RunCall> calls;
  cost_.RunBy(inst, calls);
  const Attr* body_attr = module_.Find(inst, AttrKey::k_body);
  CompId body, condition;
  double trips = 0;
  for (const RunCall& call : calls) {
    const bool is_body = body_attr != nullptr && CompId(body_attr->value) == call.comp;
    (is_body ? body : condition) = call.comp;
    if (is_body) trips = call.times;
  }
  struct Begin {
    std::vector<double> state;
    double now = 0;
    std::vector<double> waited;
  };
  std::vector<Begin> begins;
  for (double trip = 0; trip < trips && body.valid() && step_.problem.empty(); ++trip) {
    Begin begin{Normalized(), state_.now[0], state_.waited};
    const auto seen = std::find_if(begins.begin(), begins.end(),
                                   [&](const Begin& each) { return each.state == begin.state; });
    if (seen != begins.end()) {
      const auto cycle = static_cast<double>(begins.end() - seen);
      const double whole = std::floor((trips - trip) / cycle);
      if (whole > 0) {
        Shift(whole * (begin.now - seen->now));
        for (size_t c = 0; c < state_.waited.size(); ++c) {
          state_.waited[c] += whole * (begin.waited[c] - seen->waited[c]);
        }
        trip += whole * cycle;
        if (trip >= trips) break;
      }
      begins.clear();
    }
    if (begins.size() < 64) begins.push_back(std::move(begin));
    if (condition.valid()) RunComputation(condition, depth + 1);
    RunComputation(body, depth + 1);
  }
  if (condition.valid()) RunComputation(condition, depth + 1);
}

void JobSimulator::RunComputation(CompId id, int depth) {
  const double most = kVisits + kVisitsOfEach * static_cast<double>(module_.insts.size());
  if (depth > kMaxCallDepth || visits_ > most) {
    step_.problem = depth > kMaxCallDepth ? "calls are nested too deeply" : "too many instructions";
    return;
  }
  const Computation& comp = module_.comp(id);
  for (uint32_t i = comp.first; i < comp.first + comp.count && step_.problem.empty(); ++i) {
    RunInst(InstId(i), depth);
  }
}

void JobSimulator::Run() {
  gap_ = ExactSeconds(ConstantsOf(options_.backend).gap);
  FindCollectives();
  if (!classes_->problem().empty()) {
    step_.problem = classes_->problem();
    return;
  }
  step_.layout = options_.layout;
  step_.classes = classes_->count();
  state_.now.assign(step_.classes, 0);
  state_.waited.assign(step_.classes, 0);
  for (std::vector<double>& queue : state_.free) queue.assign(step_.classes, 0);
  RunComputation(module_.entry, 0);
  for (const std::vector<double>& queue : state_.free) Wait(queue, false);
  const double own = *std::max_element(state_.now.begin(), state_.now.end());
  step_.exposed = *std::max_element(state_.waited.begin(), state_.waited.end());
  step_.seconds = own;
  if (options_.layout.copies > 1 && options_.gradient_bytes > 0) {
    step_.gradient_bytes = options_.gradient_bytes;
    WireGroup group;
    group.size = options_.layout.copies;
    WireUse use;
    use.family = CollectiveFamily::kAllReduce;
    use.payload = options_.gradient_bytes;
    use.sent = WireCounter::SentBytes(use.family, use.payload, group.size);
    use.group = &group;
    const OpTime time = PredictCollective(use, NodesAcrossCopies(options_.layout), options_.rates,
                                          ConstantsOf(options_.backend));
    step_.gradient_seconds = ExactSeconds(time.seconds);
    step_.seconds += step_.gradient_seconds;
  }
  // The expected largest of so many normal deviations.
  const auto devices = static_cast<double>(options_.layout.total());
  step_.straggler_seconds = devices > 1 ? own * kVariation * std::sqrt(2 * std::log(devices)) : 0;
}

}  // namespace

ScaleStep TimeAtScale(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
                      const ScaleOptions& options) {
  ScaleStep step;
  JobSimulator(module, cost, times, options, step).Run();
  return step;
}

}  // namespace halo
