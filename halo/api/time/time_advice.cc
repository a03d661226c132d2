// Instructions with the same op, source line and scope are changed together: they are the same line
// of the user's program, in several layers. Only groups that matter are simulated, and at most a
// few of each kind.
#include "halo/api/time/time_advice.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "halo/analysis/graph/run_counts.h"
#include "halo/api/time/time.h"
#include "halo/base/strings/human_size.h"
#include "halo/cost/timeline/free_transfer.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

constexpr double kWorthSaving = 0.005, kWorthNaming = 0.01, kManyGaps = 0.05;
constexpr size_t kGroupsOfAKind = 8, kMembers = 1000, kToReorder = 3;

struct Group {
  std::vector<const TimedOp*> ops;
  double seconds = 0;
};

std::string Named(const std::vector<const TimedOp*>& ops) {
  std::string text = ops.front()->name;
  if (ops.size() > 1) text += " and " + std::to_string(ops.size() - 1) + " more";
  if (!ops.front()->source.empty()) text += " (" + ops.front()->source + ")";
  return text;
}

class Advisor {
 public:
  Advisor(const TimeAdviceInputs& inputs, const TimeResult& result)
      : in_(inputs),
        result_(result),
        base_(result.timeline.step.estimate),
        mover_(in_.module),
        callers_(AsyncCallers()) {}

  std::vector<TimeAdvice> Run() {
    if (base_ <= 0) return {};
    AdviseOverlap();
    AdviseNarrow();
    AdviseCopies();
    AdviseFusion();
    AdviseGraph();
    std::sort(advice_.begin(), advice_.end(), [](const TimeAdvice& a, const TimeAdvice& b) {
      if (a.seconds != b.seconds) return a.seconds > b.seconds;
      return a.exposed != b.exposed ? a.exposed > b.exposed : a.text < b.text;
    });
    return std::move(advice_);
  }

 private:
  [[nodiscard]] double Saved(const std::vector<OpTime>& times,
                             const TimelineOptions& options) const {
    const double estimate = MakeTimeline(in_.module, in_.cost, times, options).step.estimate;
    // A calibrated step is a multiple of the simulated one.
    return (base_ - estimate) * result_.step.estimate / base_;
  }

  void Add(TimeAdvice advice, const std::vector<const TimedOp*>& ops) {
    for (const TimedOp* op : ops) advice.names.push_back(op->name);
    advice_.push_back(std::move(advice));
  }

  // The groups of the ops that `seconds` is positive for, largest first.
  template <class Seconds>
  std::vector<Group> Groups(const Seconds& seconds, double least) const {
    std::map<std::array<std::string_view, 3>, Group> groups;
    for (const TimedOp& op : result_.ops) {
      const double each = seconds(op);
      if (each <= 0) continue;
      Group& group = groups[{op.opcode, op.source, op.scope}];
      if (group.ops.size() < kMembers) group.ops.push_back(&op);
      group.seconds += each;
    }
    std::vector<Group> list;
    for (auto& [key, group] : groups) {
      if (group.seconds >= least * base_) list.push_back(std::move(group));
    }
    std::sort(list.begin(), list.end(), [](const Group& a, const Group& b) {
      return a.seconds != b.seconds ? a.seconds > b.seconds
                                    : a.ops.front()->name < b.ops.front()->name;
    });
    if (list.size() > kGroupsOfAKind) list.resize(kGroupsOfAKind);
    return list;
  }

  // The instruction that starts a collective, which may be inside an async computation.
  [[nodiscard]] InstId StartOf(InstId inst) const {
    const auto caller = callers_.find(in_.module.inst(inst).parent.value);
    return caller == callers_.end() ? inst : caller->second;
  }

  [[nodiscard]] std::map<uint32_t, InstId> AsyncCallers() const {
    std::map<uint32_t, InstId> callers;
    std::vector<RunCall> calls;
    for (const CompId comp : in_.cost.order()) {
      const Computation& body = in_.module.comp(comp);
      for (uint32_t i = body.first; i < body.first + body.count; ++i) {
        if (!IsAsyncStart(in_.module.insts[i])) continue;
        in_.cost.RunBy(in_.module.insts[i], calls);
        for (const RunCall& call : calls) callers[call.comp.value] = InstId(i);
      }
    }
    return callers;
  }

  // Seconds of kernels that another schedule could run beside each collective, of all its runs.
  [[nodiscard]] double IndependentSeconds(InstId start, double runs) const {
    const std::vector<bool> independent = mover_.Independent(start);
    const uint32_t first = in_.module.comp(in_.module.inst(start).parent).first;
    double seconds = 0;
    for (uint32_t i = 0; i < independent.size(); ++i) {
      const OpTime& time = in_.times[first + i];
      if (independent[i] && time.bound != TimeBound::kLink) seconds += time.seconds;
    }
    return seconds * runs;
  }

  [[nodiscard]] bool IsWaitedForAtOnce(InstId start) const {
    const Inst& inst = in_.module.inst(start);
    return !IsAsyncStart(inst) || IsSynchronous(in_.module, inst);
  }

  void AdviseOverlap() {
    const auto exposed = [](const TimedOp& op) { return op.exposed * op.runs; };
    size_t reordered = 0;
    for (const Group& group : Groups(exposed, kWorthSaving)) {
      TimelineOptions options = in_.options;
      std::vector<InstId> starts;
      double bytes = 0;
      for (const TimedOp* op : group.ops) {
        starts.push_back(StartOf(op->inst));
        bytes = std::max(bytes, op->payload);
      }
      std::sort(starts.begin(), starts.end());
      starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
      options.moved = mover_.Free(starts);
      TimeAdvice advice;
      advice.exposed = group.seconds;
      if (!options.moved.empty()) advice.seconds = Saved(in_.times, options);
      const bool several = group.ops.size() > 1;
      if (advice.seconds < kWorthSaving * base_) {
        if (AdviseAhead(group, starts, bytes)) continue;
        if (group.seconds < kWorthNaming * base_ || reordered == kToReorder) continue;
        ++reordered;
        AdviseOtherOrder(group);
        continue;
      }
      advice.text = "start " + Named(group.ops) + " as soon as " +
                    (several ? "their operands are" : "its operands are") +
                    " ready and wait as late as possible, to run beside other kernels";
      if (in_.options.backend == Backend::kGpu && IsWaitedForAtOnce(starts.front())) {
        advice.text += " (--xla_gpu_enable_latency_hiding_scheduler=true)";
      }
      if (bytes > 0) {
        advice.bytes = bytes;
        advice.text += "; " + HumanBytes(static_cast<int64_t>(bytes)) +
                       (several ? " each stay" : " stay") + " in memory longer";
      }
      Add(std::move(advice), group.ops);
    }
  }

  // Collectives of a loop that need nothing of the iteration before. The first one has nothing to
  // run beside. False if that does not help either.
  bool AdviseAhead(const Group& group, const std::vector<InstId>& starts, double bytes) {
    TimelineOptions options = in_.options;
    double first = 0;
    for (const InstId start : starts) {
      const std::optional<MovedTransfer> move = mover_.AnIterationAhead(start);
      if (!move) return false;
      options.moved.push_back(*move);
    }
    for (const TimedOp* op : group.ops) {
      const Inst& loop = in_.module.inst(mover_.LoopOf(StartOf(op->inst)));
      const auto trips = static_cast<double>(KnownTripCount(in_.module, loop).value_or(1));
      first += op->time.seconds * op->runs / std::max(trips, 1.0);
    }
    TimeAdvice advice;
    advice.kind = TimeAdviceKind::kAhead;
    advice.exposed = group.seconds;
    advice.seconds = Saved(in_.times, options) - first;
    if (advice.seconds < kWorthSaving * base_) return false;
    advice.bytes = bytes;
    const bool several = group.ops.size() > 1;
    advice.text = "start " + Named(group.ops) + " one iteration ahead, with the result in the " +
                  "state of the loop: " + (several ? "their" : "its") +
                  " operands are known before; " + HumanBytes(static_cast<int64_t>(bytes)) +
                  (several ? " each" : "") + " more memory";
    Add(std::move(advice), group.ops);
    return true;
  }

  // For collectives that are exposed wherever they start: the order of kernels, or the program,
  // would have to change.
  void AdviseOtherOrder(const Group& group) {
    double hidable = 0, independent = 0;
    constexpr size_t kLookedAt = 4;
    const size_t count = std::min(group.ops.size(), kLookedAt);
    for (size_t i = 0; i < count; ++i) {
      const TimedOp& op = *group.ops[i];
      const double seconds = IndependentSeconds(StartOf(op.inst), op.runs);
      independent += seconds;
      hidable += std::min(seconds, op.exposed * op.runs);
    }
    const std::string kernels = HumanSeconds(independent) + " of kernels do not depend on ";
    const std::string whom = count > 1 ? "them" : "it";
    TimeAdvice advice;
    advice.kind = TimeAdviceKind::kIndependent;
    advice.exposed = group.seconds;
    if (hidable >= group.seconds / 2) {
      advice.text = "reorder the kernels around " + Named(group.ops) + ", exposed for " +
                    HumanSeconds(group.seconds) + " wherever " +
                    (count > 1 ? "they start" : "it starts") + " in this order: " + kernels + whom;
    } else {
      advice.text = "split the work around " + Named(group.ops) + " in two parts: exposed for " +
                    HumanSeconds(group.seconds) + ", and no schedule hides " + whom + ", because " +
                    "only " + kernels + whom;
    }
    Add(std::move(advice), group.ops);
  }

  void AdviseNarrow() {
    std::vector<OpTime> times = in_.times;
    std::vector<const TimedOp*> changed;
    for (const TimedOp& op : result_.ops) {
      if (op.kind != KernelKind::kProduct || op.cost.work.product_type != ElementType::kF32) {
        continue;
      }
      const OpTime narrow = in_.predictor.InType(op.inst, ElementType::kBF16);
      if (narrow.seconds >= op.time.seconds || narrow.seconds <= 0) continue;
      // Calibrated times keep their factor.
      const double before = in_.predictor.InType(op.inst, ElementType::kF32).seconds;
      if (before <= 0) continue;
      times[op.inst.index()].seconds *= std::min(1.0, narrow.seconds / before);
      changed.push_back(&op);
    }
    if (changed.empty()) return;
    TimeAdvice advice;
    advice.kind = TimeAdviceKind::kNarrow;
    advice.seconds = Saved(times, in_.options);
    if (advice.seconds < kWorthSaving * base_) return;
    advice.text = "compute " + Named(changed) + " in bf16 instead of f32 (dtype=jnp.bfloat16)";
    Add(std::move(advice), changed);
  }

  void AdviseCopies() {
    const auto copied = [](const TimedOp& op) {
      const bool is_copy = op.kind == KernelKind::kCopy || op.kind == KernelKind::kTranspose;
      return is_copy && op.exposed <= 0 ? op.total() : 0;
    };
    for (const Group& group : Groups(copied, kWorthSaving)) {
      std::vector<OpTime> times = in_.times;
      for (const TimedOp* op : group.ops) times[op->inst.index()] = OpTime();
      TimeAdvice advice;
      advice.kind = TimeAdviceKind::kCopies;
      advice.seconds = Saved(times, in_.options);
      if (advice.seconds < kWorthSaving * base_) continue;
      const TimedOp& first = *group.ops.front();
      if (const std::string parameter = CopiedParameter(first); !parameter.empty()) {
        advice.kind = TimeAdviceKind::kDonate;
        advice.text = "donate " + parameter + " (donate_argnums): " + Named(group.ops) +
                      (group.ops.size() > 1 ? " copy " : " copies ") + first.shape +
                      " because the caller keeps it";
        Add(std::move(advice), group.ops);
        continue;
      }
      advice.text = "do without " + Named(group.ops) + ", " +
                    (ChangesLayout(first) ? "which changes the layout of " : "which copies ") +
                    first.shape;
      Add(std::move(advice), group.ops);
    }
  }

  // The entry's parameter that a copy is of, if it is not donated; otherwise empty.
  [[nodiscard]] std::string CopiedParameter(const TimedOp& op) const {
    if (op.kind != KernelKind::kCopy || ChangesLayout(op)) return {};
    constexpr int kLookedThrough = 8;
    InstId at = op.inst;
    for (int i = 0; i < kLookedThrough; ++i) {
      const Inst& inst = in_.module.inst(at);
      if (FlowOf(inst.opcode) == OpFlow::kParameter) break;
      const bool is_first = i == 0;
      if ((!is_first && !PassesValuesOn(inst.opcode)) || inst.operand_count != 1) return {};
      at = in_.module.operands_of(inst)[0];
      if (!at.valid()) return {};
    }
    const Inst& found = in_.module.inst(at);
    if (FlowOf(found.opcode) != OpFlow::kParameter || found.parent != in_.module.entry) return {};
    const std::vector<InstId> parameters = ParametersOf(in_.module, in_.module.entry);
    for (const AliasEntry& alias :
         DecodeAliases(in_.module.IntsOf(in_.module.attrs, AttrKey::k_input_output_alias))) {
      if (alias.number >= 0 && static_cast<size_t>(alias.number) < parameters.size() &&
          parameters[static_cast<size_t>(alias.number)] == at) {
        return {};
      }
    }
    return std::string(in_.module.name_of(found));
  }

  // Kernels whose only user is another one that goes through the same elements.
  void AdviseFusion() {
    std::map<uint32_t, const TimedOp*> ops;
    for (const TimedOp& op : result_.ops) ops.emplace(op.inst.value, &op);
    const auto user_of = [&](const TimedOp& op) -> const TimedOp* {
      if (op.kind != KernelKind::kLoop ||
          in_.module.shapes.is_tuple(in_.module.inst(op.inst).shape))
        return nullptr;
      const std::span<const InstId> users = mover_.users().of(op.inst);
      if (users.size() != 1) return nullptr;
      const auto user = ops.find(users[0].value);
      if (user == ops.end()) return nullptr;
      const KernelKind kind = user->second->kind;
      const bool fits = kind == KernelKind::kLoop || kind == KernelKind::kReduction;
      return fits && user->second->runs == op.runs ? user->second : nullptr;
    };
    const auto saving = [&](const TimedOp& op) {
      const TimedOp* user = user_of(op);
      if (user == nullptr) return 0.0;
      const double fused = in_.predictor.Fused(op.inst, user->inst).seconds;
      return (op.time.seconds + user->time.seconds - fused) * op.runs;
    };
    for (const Group& group : Groups(saving, kWorthSaving)) {
      std::vector<OpTime> times = in_.times;
      std::vector<const TimedOp*> changed;
      double between = 0;
      for (const TimedOp* op : group.ops) {
        const TimedOp* user = user_of(*op);
        OpTime& first = times[op->inst.index()];
        OpTime& second = times[user->inst.index()];
        // Of a chain, every other one.
        if (first.seconds != op->time.seconds || second.seconds != user->time.seconds) continue;
        second.seconds = in_.predictor.Fused(op->inst, user->inst).seconds;
        first = OpTime();
        between = std::max(between, op->cost.traffic.written);
        changed.push_back(op);
      }
      TimeAdvice advice;
      advice.kind = TimeAdviceKind::kFuse;
      advice.seconds = Saved(times, in_.options);
      if (advice.seconds < kWorthSaving * base_ || changed.empty()) continue;
      advice.text = "fuse " + Named(changed) + " with its user " + user_of(*changed.front())->name +
                    ", so that " + HumanBytes(static_cast<int64_t>(between)) +
                    " between them are neither written nor read";
      Add(std::move(advice), changed);
    }
  }

  [[nodiscard]] bool ChangesLayout(const TimedOp& op) const {
    const Inst& inst = in_.module.inst(op.inst);
    if (op.kind == KernelKind::kTranspose || inst.operand_count == 0) return true;
    const InstId operand = in_.module.operands_of(inst)[0];
    return operand.valid() &&
           in_.module.shapes.Text(in_.module.inst(operand).shape, /*with_layout=*/true) !=
               in_.module.shapes.Text(inst.shape, /*with_layout=*/true);
  }

  void AdviseGraph() {
    if (result_.timeline.step.gaps < kManyGaps * base_) return;
    TimelineOptions options = in_.options;
    options.gap = 0;
    TimeAdvice advice;
    advice.kind = TimeAdviceKind::kGraph;
    advice.seconds = Saved(in_.times, options);
    advice.at_most = true;
    if (advice.seconds < kWorthSaving * base_) return;
    advice.text =
        "launch kernels as a graph, without gaps between them: "
        "--xla_gpu_enable_command_buffer and --xla_gpu_graph_min_graph_size=1";
    Add(std::move(advice), {});
  }

  const TimeAdviceInputs& in_;
  const TimeResult& result_;
  double base_;
  TransferMover mover_;
  std::vector<TimeAdvice> advice_;
  std::map<uint32_t, InstId> callers_;  // async computations and what starts them
};

}  // namespace

std::string_view TimeAdviceText(TimeAdviceKind kind) {
  constexpr std::array<std::string_view, 8> kTexts = {"overlap", "independent", "narrow", "copies",
                                                      "graph",   "ahead",       "fuse",   "donate"};
  return kTexts[static_cast<size_t>(kind)];
}

std::vector<TimeAdvice> AdviseOnTime(const TimeAdviceInputs& inputs, const TimeResult& result) {
  return Advisor(inputs, result).Run();
}

}  // namespace halo
