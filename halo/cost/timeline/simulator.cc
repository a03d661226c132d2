// Computations run with nothing under way first, callees before callers, so that the recursion into
// calls that begin with work under way can be cut off anywhere: beyond a depth or a number of
// events, a call waits for everything under way and takes the time of its idle run.
#include "halo/cost/timeline/simulator.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/timeline/lane.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxDepth = 32;
constexpr size_t kMoreEvents = 1'000'000;

}  // namespace

Simulator::Simulator(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
                     const TimelineOptions& options, Timeline& timeline)
    : module_(module),
      cost_(cost),
      times_(times),
      options_(options),
      timeline_(timeline),
      collectives_(module.insts.size()),
      inside_(module.comps.size()),
      longest_(module.comps.size()),
      flying_(module.insts.size(), kNoEvent),
      idle_(module.comps.size()),
      budget_(4 * module.insts.size() + kMoreEvents) {
  options_.gap = ExactSeconds(options.gap);
  Kernels kernels(module);
  for (const CompId comp : cost.order()) {
    const Computation& body = module.comp(comp);
    for (uint32_t i = body.first; i < body.first + body.count; ++i) {
      const Kernel kernel = kernels.Of(InstId(i));
      if (kernel.kind != KernelKind::kCollective) continue;
      collectives_[i] = CollectiveQueues(cost.wire(kernel.hero), options.per_node, options.backend);
    }
    DescribeComputation(comp);
  }
  DescribeMoves();
}

void Simulator::DescribeMoves() {
  if (options_.moved.empty()) return;
  roles_.resize(module_.insts.size());
  for (const MovedTransfer& each : options_.moved) {
    roles_[each.start.index()].is_moved = true;
    if (each.done.valid()) roles_[each.done.index()].is_moved = true;
    roles_[each.issue_before.index()].has_moved = true;
    roles_[each.wait_before.index()].has_moved = true;
    issues_.emplace_back(each.issue_before.value, each.start);
    waits_.emplace_back(each.wait_before.value, each.start);
  }
  std::sort(issues_.begin(), issues_.end());
  std::sort(waits_.begin(), waits_.end());
}

void Simulator::DescribeComputation(CompId id) {
  const Computation& comp = module_.comp(id);
  InstId& longest = longest_[id.index()];
  const auto consider = [&](InstId inst) {
    if (!inst.valid()) return;
    if (!longest.valid() || times_[inst.index()].seconds > times_[longest.index()].seconds) {
      longest = inst;
    }
  };
  std::vector<RunCall> calls;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    inside_[id.index()].Add(collectives_[i]);
    consider(InstId(i));
    cost_.RunBy(module_.insts[i], calls);
    for (const RunCall& call : calls) {
      inside_[id.index()].Add(inside_[call.comp.index()]);
      consider(longest_[call.comp.index()]);
    }
  }
}

void Simulator::Run() {
  for (const CompId comp : cost_.order()) RunComputation(comp, UnderWay(), 0);
  timeline_.root = idle_[module_.entry.index()].frame;
}

bool Simulator::MayNest(int depth) const {
  return depth < kMaxDepth && timeline_.events.size() < budget_;
}

// One run of a computation.
class Simulator::Frame {
 public:
  Frame(Simulator& simulator, CompId comp, const UnderWay& before, int depth)
      : s_(simulator), comp_(s_.module_.comp(comp)), lane_(before), depth_(depth) {
    std::fill_n(s_.flying_.begin() + comp_.first, comp_.count, kNoEvent);
    frame_.comp = comp;
  }

  Ended Run() {
    for (uint32_t i = comp_.first; i < comp_.first + comp_.count; ++i) RunInst(InstId(i));
    if (comp_.is_entry) lane_.WaitForAll();
    Ended ended;
    ended.after = lane_.Left();
    CarryOut(ended.after);
    frame_.length = lane_.now();
    lane_.MarkCriticalPath();
    StepTime& total = frame_.total;
    total.exposed += lane_.exposed();
    total.hidden -= lane_.exposed();
    total.stalled += lane_.stalled();
    total.estimate = frame_.length;
    total.floor = std::max(total.floor_compute, total.floor_links);
    Timeline& timeline = s_.timeline_;
    ended.frame = static_cast<uint32_t>(timeline.frames.size());
    lane_.Store(timeline.events, frame_.first, frame_.count);
    timeline.frames.push_back(frame_);
    return ended;
  }

 private:
  // The instruction behind an operand, without what only hands it on.
  [[nodiscard]] InstId WorkOf(InstId at) const {
    for (int step = 0; step < 64 && at.valid(); ++step) {
      const Inst& inst = s_.module_.inst(at);
      const OpFlow flow = FlowOf(inst.opcode);
      const bool passes = flow == OpFlow::kAsyncUpdate || flow == OpFlow::kForwards ||
                          flow == OpFlow::kBitcast || flow == OpFlow::kCopy;
      if (!passes || inst.operand_count == 0) return at;
      at = s_.module_.operands_of(inst)[0];
    }
    return at;
  }

  // Of an element of a tuple, the tuple and the index.
  [[nodiscard]] std::pair<InstId, int64_t> ElementOf(InstId at) const {
    if (!at.valid()) return {};
    const Inst& inst = s_.module_.inst(at);
    if (FlowOf(inst.opcode) != OpFlow::kElement || inst.operand_count == 0) return {};
    return {WorkOf(s_.module_.operands_of(inst)[0]),
            s_.module_.IntOr(inst.attrs, AttrKey::k_index, -1)};
  }

  // The transfer behind a value; kNoEvent if it is none, or was waited for.
  [[nodiscard]] uint32_t TransferOf(InstId value) const {
    const InstId work = WorkOf(value);
    if (!work.valid()) return kNoEvent;
    if (s_.flying_[work.index()] != kNoEvent) return s_.flying_[work.index()];
    const auto [tuple, index] = ElementOf(work);
    if (!tuple.valid()) return kNoEvent;
    if (FlowOf(s_.module_.inst(tuple).opcode) == OpFlow::kParameter) return lane_.Carried(index);
    const auto found = handed_back_.find({tuple.value, index});
    return found == handed_back_.end() ? kNoEvent : found->second;
  }

  void CarryOut(UnderWay& after) const {
    const Inst& root = s_.module_.inst(comp_.root);
    if (FlowOf(root.opcode) != OpFlow::kTuple) return;
    CarryElements(root, after);
  }

  void CarryElements(const Inst& tuple, UnderWay& after) const {
    const std::span<const InstId> operands = s_.module_.operands_of(tuple);
    for (size_t i = 0; i < operands.size(); ++i) {
      const uint32_t transfer = TransferOf(operands[i]);
      if (transfer == kNoEvent) continue;
      const CarriedWork work = lane_.Carry(transfer, static_cast<int64_t>(i));
      if (work.left > 0) after.carried.push_back(work);
    }
  }

  void RunInst(InstId id) {
    if (s_.roles_.empty()) {
      RunAsScheduled(id, false);
      return;
    }
    const Role role = s_.roles_[id.index()];
    if (role.has_moved) RunMovedBefore(id);
    if (!role.is_moved) RunAsScheduled(id, false);
  }

  void RunMovedBefore(InstId id) {
    const auto first = [&](const auto& list) {
      return std::lower_bound(list.begin(), list.end(), std::pair(id.value, InstId(0U)));
    };
    for (auto at = first(s_.waits_); at != s_.waits_.end() && at->first == id.value; ++at) {
      lane_.Wait(s_.flying_[at->second.index()]);
    }
    for (auto at = first(s_.issues_); at != s_.issues_.end() && at->first == id.value; ++at) {
      RunAsScheduled(at->second, true);
    }
  }

  void RunAsScheduled(InstId id, bool is_moved) {
    const Inst& inst = s_.module_.inst(id);
    if (IsAsyncDone(inst)) {
      if (inst.operand_count > 0) lane_.Wait(TransferOf(s_.module_.operands_of(inst)[0]));
      return;
    }
    s_.cost_.RunBy(inst, calls_);
    if (!calls_.empty()) {
      if (IsAsyncStart(inst)) {
        StartComputation(id, calls_.front().comp, is_moved);
      } else if (FlowOf(inst.opcode) == OpFlow::kWhile) {
        RunLoop(id);
      } else {
        RunCalls(id);
      }
      return;
    }
    const OpTime& time = s_.times_[id.index()];
    const double seconds = ExactSeconds(time.seconds);
    if (seconds <= 0) return;
    const QueueSet collective = s_.collectives_[id.index()];
    StepTime& total = frame_.total;
    total.serial += seconds;
    (collective.empty() ? total.floor_compute : total.floor_links) +=
        std::min(seconds, ExactSeconds(time.floor));
    if (is_moved || (IsAsyncStart(inst) && !IsSynchronous(s_.module_, inst))) {
      const QueueSet queues =
          collective.empty() ? StartQueues(inst, s_.options_.backend) : collective;
      if (queues.communicates()) total.hidden += seconds;
      s_.flying_[id.index()] = lane_.Issue(id, seconds, queues);
      return;
    }
    if (!collective.empty()) {
      total.hidden += seconds;
      lane_.Wait(lane_.Issue(id, seconds, collective));
      return;
    }
    lane_.Kernel(id, seconds, s_.options_.gap);
    total.compute += seconds + s_.options_.gap;
    total.gaps += s_.options_.gap;
    total.serial += s_.options_.gap;
    if (time.source == TimeSource::kUnknown) total.unknown += seconds;
  }

  // A whole computation beside the kernels.
  void StartComputation(InstId id, CompId comp, bool is_moved) {
    const TimelineFrame& called = s_.timeline_.frames[s_.idle_[comp.index()].frame];
    QueueSet queues = s_.inside_[comp.index()];
    if (queues.empty()) queues.Add(Queue::kSide);
    StepTime& total = frame_.total;
    total.serial += called.total.serial;
    total.floor_compute += called.total.floor_compute;
    total.floor_links += called.total.floor_links;
    if (queues.communicates()) total.hidden += called.length;
    const InstId longest = s_.longest_[comp.index()];
    const uint32_t transfer = lane_.Issue(longest.valid() ? longest : id, called.length, queues);
    s_.flying_[id.index()] = transfer;
    if (!is_moved && IsSynchronous(s_.module_, s_.module_.inst(id))) lane_.Wait(transfer);
  }

  // What is under way for a call; if it may not nest, nothing is any more.
  UnderWay Enter() {
    UnderWay before = lane_.Left();
    if (before.idle() || s_.MayNest(depth_)) return before;
    lane_.WaitForAll();
    return {};
  }

  // A call, or the slowest branch of a conditional.
  void RunCalls(InstId id) {
    const std::vector<RunCall> calls = calls_;
    const UnderWay before = Enter();
    Ended slowest;
    double length = -1;
    for (const RunCall& call : calls) {
      const Ended& ended = s_.RunComputation(call.comp, before, depth_ + 1);
      const double each = s_.timeline_.frames[ended.frame].length;
      if (each > length) {
        slowest = ended;
        length = each;
      }
    }
    lane_.Call(id, EventKind::kCall, slowest.frame, length, slowest.after);
    frame_.total.Add(s_.timeline_.frames[slowest.frame].total, 1);
  }

  void RunLoop(InstId id);

  Simulator& s_;
  const Computation& comp_;
  TimelineFrame frame_;
  Lane lane_;
  int depth_;
  std::vector<RunCall> calls_;
  // Work in elements of the results of loops.
  std::map<std::pair<uint32_t, int64_t>, uint32_t> handed_back_;
};

void Simulator::Frame::RunLoop(InstId id) {
  const Inst& inst = s_.module_.inst(id);
  const std::vector<RunCall> calls = calls_;
  const Attr* body_attr = s_.module_.Find(inst, AttrKey::k_body);
  CompId body, condition;
  double trips = 0;
  for (const RunCall& call : calls) {
    if (body_attr != nullptr && CompId(body_attr->value) == call.comp) {
      body = call.comp;
      trips = call.times;
    } else {
      condition = call.comp;
    }
  }
  UnderWay before = Enter();
  const InstId init = inst.operand_count > 0 ? WorkOf(s_.module_.operands_of(inst)[0]) : InstId();
  if (init.valid() && FlowOf(s_.module_.inst(init).opcode) == OpFlow::kTuple) {
    CarryElements(s_.module_.inst(init), before);
  }
  if (!before.idle() && !s_.MayNest(depth_)) before = UnderWay();
  TimelineLoop loop;
  loop.trips = trips;
  // Nothing is carried through a condition, which only looks at the state.
  const auto run_condition = [&](UnderWay& state) -> uint32_t {
    if (!condition.valid()) return kNoEvent;
    UnderWay seen = state;
    seen.carried.clear();
    const Ended& ended = s_.RunComputation(condition, seen, depth_ + 1);
    state.Pass(s_.timeline_.frames[ended.frame].length);
    state.queues = ended.after.queues;
    return ended.frame;
  };
  constexpr size_t kMaxIterations = 64;
  std::vector<UnderWay> begins;
  UnderWay state = before;
  while (static_cast<double>(loop.bodies.size()) < trips && body.valid()) {
    const auto seen = std::find(begins.begin(), begins.end(), state);
    if (seen != begins.end() || begins.size() >= kMaxIterations || !s_.MayNest(depth_)) {
      if (!begins.empty()) break;
      state = UnderWay();
    }
    begins.push_back(state);
    loop.conditions.push_back(run_condition(state));
    const Ended& ended = s_.RunComputation(body, state, depth_ + 1);
    loop.bodies.push_back(ended.frame);
    state = ended.after;
  }
  const auto done = static_cast<double>(loop.bodies.size());
  loop.steady = static_cast<uint32_t>(loop.bodies.size());
  if (done < trips && !begins.empty()) {
    const auto seen = std::find(begins.begin(), begins.end(), state);
    // Without a repetition, the last iteration counts for all that follow.
    loop.steady =
        seen == begins.end() ? loop.steady - 1 : static_cast<uint32_t>(seen - begins.begin());
    const double cycle = done - loop.steady;
    const auto rest = static_cast<size_t>(std::fmod(trips - loop.steady, cycle));
    state = begins[loop.steady + rest];
  }
  loop.last_condition = run_condition(state);
  double length = 0;
  const auto add = [&](uint32_t frame, double times) {
    if (frame == kNoEvent) return;
    length += s_.timeline_.frames[frame].length * times;
    frame_.total.Add(s_.timeline_.frames[frame].total, times);
  };
  for (uint32_t i = 0; i < loop.bodies.size(); ++i) {
    add(loop.conditions[i], loop.Runs(i));
    add(loop.bodies[i], loop.Runs(i));
  }
  add(loop.last_condition, 1);
  const auto index = static_cast<uint32_t>(s_.timeline_.loops.size());
  s_.timeline_.loops.push_back(std::move(loop));
  lane_.Call(id, EventKind::kLoop, index, length, state);
  for (const CarriedWork& each : state.carried) {
    handed_back_[{id.value, each.index}] = lane_.Resume(each);
  }
}

const Simulator::Ended& Simulator::RunComputation(CompId comp, const UnderWay& before, int depth) {
  if (before.idle()) {
    Ended& ended = idle_[comp.index()];
    if (ended.frame == kNoEvent) ended = Frame(*this, comp, before, depth).Run();
    return ended;
  }
  const auto [found, fresh] = busy_.try_emplace({comp.value, before});
  if (fresh) {
    // Map references stay valid while callees are added.
    Ended ended = Frame(*this, comp, before, depth).Run();
    found->second = std::move(ended);
  }
  return found->second;
}

double TimelineLoop::Runs(uint32_t i) const {
  if (i < steady) return 1;
  const double cycle = static_cast<double>(bodies.size()) - steady;
  const double after = trips - steady;
  const double whole = std::floor(after / cycle);
  return whole + (static_cast<double>(i - steady) < after - whole * cycle ? 1 : 0);
}

}  // namespace halo
