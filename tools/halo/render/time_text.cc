// Lays out the verdict, the device and why it was chosen, the totals, then lists of scopes,
// instructions and collectives. Shares are of the serial time; those of sources add up to 100 %.
#include "tools/halo/render/time_text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kTimeLabel = 11;

std::string TimeShare(double part, double whole) {
  return whole <= 0 ? "0%" : Phrase("{:.{}f}%", part / whole * 100, part / whole < 0.1 ? 1 : 0);
}

// 1.2 TFLOP, 34 GFLOP.
std::string HumanCount(double count, std::string_view what) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit unit : {Unit{1e15, "P"}, Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}}) {
    if (count >= unit.size) return Phrase("{:.3g} {}{}", count / unit.size, unit.name, what);
  }
  return Phrase("{:.0f} {}", count, what);
}

std::string BytesText(double bytes) { return HumanBytes(static_cast<int64_t>(bytes)); }

// Instructions that a list shows on one line: the layers of a model repeat the same work.
struct AlikeOps {
  const TimedOp* first = nullptr;
  size_t rank = 0;  // of the first, in the list that was gathered
  size_t count = 0;
  double seconds = 0;  // of all
  double waited = 0;   // of which kernels wait

  [[nodiscard]] std::string name() const {
    const std::string name = first->name;
    return count == 1 ? name : Phrase("{} +{}", name, count - 1);
  }
};

// Gathers the ops whose keys are equal, most seconds by `order` first.
template <typename Key>
std::vector<AlikeOps> GatherAlike(const std::vector<const TimedOp*>& ops, Key key,
                                  double AlikeOps::* order) {
  std::vector<AlikeOps> groups;
  std::map<std::decay_t<std::invoke_result_t<Key, const TimedOp&>>, size_t> known;
  for (const TimedOp* op : ops) {
    const auto [found, is_new] = known.emplace(key(*op), groups.size());
    if (is_new) groups.push_back({.first = op, .rank = groups.size()});
    AlikeOps& group = groups[found->second];
    ++group.count;
    group.seconds += op->total();
    group.waited += op->exposed * op->runs;
  }
  std::ranges::sort(groups, std::less<>(),
                    [&](const AlikeOps& group) { return std::pair(-(group.*order), group.rank); });
  return groups;
}

class TimeWriter {
 public:
  TimeWriter(const TimeResult& result, const TimeTextOptions& options)
      : result_(result), step_(result.step), options_(options) {}

  std::string Write() {
    out_ += WrapText(Printable(result_.verdict), options_.width, 2) + "\n";
    WriteSource();
    WriteStep();
    WriteScale();
    WriteCost();
    WriteFrom();
    WriteScopes();
    WriteOps();
    WriteCollectives();
    WriteAdvice();
    return std::move(out_);
  }

 private:
  void Line(std::string_view label, std::string_view text) {
    out_ += LabelledText(label, kTimeLabel, text, options_.width);
  }

  void Heading(std::string_view text) {
    out_ += "\n" + Painted(text, Paint::kBold, options_.color) + "\n";
  }

  void WriteSource() {
    out_ += WrapText(Painted(result_.inputs.module_path, Paint::kBold, options_.color),
                     options_.width, 2) +
            "\n";
    if (result_.inputs.autotune) {
      Line(
          "with",
          Phrase("{}: {} measured by XLA's autotuner",
                 result_.inputs.autotune->path.substr(result_.inputs.autotune->path.rfind('/') + 1),
                 Counted(static_cast<int64_t>(result_.autotuned), "product")));
    }
    Line("device", Phrase("{}: {}", result_.device.title, result_.device_why));
    if (!result_.device_is_certain) Line("", "choose another with --device");
    if (!result_.is_scheduled) {
      Line("warning",
           "the module has no schedule: its instructions are taken in the order of the text");
    }
    if (!result_.trips_known) {
      Line("warning", "a loop has no known trip count and counts as one iteration");
    }
  }

  void WriteStep() {
    std::string text = Painted(HumanSeconds(step_.estimate), Paint::kBold, options_.color);
    text += Phrase(": kernels {}", HumanSeconds(step_.compute));
    if (step_.exposed > 0) {
      text += Phrase(", waiting for collectives {}", HumanSeconds(step_.exposed));
    }
    if (step_.stalled > 0) {
      text += Phrase(", for copies and other asynchronous work {}", HumanSeconds(step_.stalled));
    }
    Line("step", text);
    if (step_.hidden > 0) {
      Line("hidden", Phrase("{} of collectives run beside kernels; {} of collectives are on "
                            "the critical path",
                            HumanSeconds(step_.hidden), HumanSeconds(step_.critical_links)));
    }
    Line("at least", Phrase("{} at the device's rates with all communication hidden",
                            HumanSeconds(step_.floor)));
    Line("at most", Phrase("{} if nothing overlaps", HumanSeconds(step_.serial)));
  }

  void WriteScale() {
    if (!result_.scale) return;
    const ScaleStep& scale = *result_.scale;
    std::string text =
        Phrase("{} on {}: {} of {}, {} in a node", HumanSeconds(scale.seconds),
               Counted(scale.layout.total(), "device"),
               scale.layout.copies == 1 ? "one copy" : Phrase("{} copies", scale.layout.copies),
               scale.layout.program, scale.layout.per_node);
    text += scale.classes == 1 ? ", all alike" : Phrase(", {} kinds of devices", scale.classes);
    Line("at scale", text);
    if (scale.gradient_seconds > 0) {
      Line("", Phrase("{} of it reduce {} of gradients between the copies, if nothing hides "
                      "that",
                      HumanSeconds(scale.gradient_seconds), BytesText(scale.gradient_bytes)));
    } else if (scale.layout.copies > 1) {
      Line("",
           "without reducing gradients between the copies: no donated parameter looks like a "
           "weight");
    }
    if (scale.straggler_seconds > 0) {
      Line("", Phrase("the last device ends {} later if each varies by 1.6%",
                      HumanSeconds(scale.straggler_seconds)));
    }
    Line("", "other degrees of tensor, pipeline or expert parallelism need another dump");
  }

  void WriteCost() {
    const Cost& cost = result_.cost;
    std::string text = HumanCount(cost.work.flops, "FLOP");
    if (cost.work.product_flops > 0) {
      text += Phrase(" ({} in products)", TimeShare(cost.work.product_flops, cost.work.flops));
    }
    text += Phrase(", {} read, {} written", BytesText(cost.traffic.read),
                   BytesText(cost.traffic.written));
    if (cost.sent > 0) text += Phrase(", {} sent to other devices", BytesText(cost.sent));
    Line("work", text);
  }

  void WriteFrom() {
    WriteShares("sources", result_.sources);
    WriteShares("bound by", result_.bounds);
  }

  void WriteShares(std::string_view label, const std::vector<TimeGroup>& groups) {
    double sum = 0;
    for (const TimeGroup& each : groups) sum += each.seconds;
    std::string text;
    for (const TimeGroup& each : groups) {
      if (each.seconds <= 0) continue;
      text += Phrase("{}{} {}", text.empty() ? "" : ", ", each.name, TimeShare(each.seconds, sum));
    }
    Line(label, text);
  }

  void WriteScopes() {
    if (result_.scopes.empty()) return;
    Heading("By scope");
    TextTable table("rrrn");
    for (size_t i = 0; i < std::min(options_.top, result_.scopes.size()); ++i) {
      const TimeGroup& scope = result_.scopes[i];
      table.Add({HumanSeconds(scope.seconds), TimeShare(scope.seconds, step_.serial),
                 Counted(scope.count, "op"), scope.name});
    }
    out_ += table.Text(2, options_.width);
  }

  void WriteOps() {
    if (result_.ops.empty()) return;
    Heading("Longest instructions");
    std::vector<const TimedOp*> ops;
    for (const TimedOp& op : result_.ops) ops.push_back(&op);
    const std::vector<AlikeOps> groups = GatherAlike(
        ops,
        [](const TimedOp& op) {
          return std::tuple(op.time.seconds, op.runs, op.kind, op.time.bound, op.time.source,
                            op.time.low, op.time.high, op.opcode);
        },
        &AlikeOps::seconds);
    TextTable table("rrrlln");
    for (size_t i = 0; i < std::min(options_.top, groups.size()); ++i) {
      const AlikeOps& group = groups[i];
      const TimedOp& op = *group.first;
      const std::string range =
          op.time.confidence == TimeConfidence::kLow || op.time.confidence == TimeConfidence::kNone
              ? Phrase("{} to {}", HumanSeconds(op.time.low), HumanSeconds(op.time.high))
              : std::string(TimeConfidenceText(op.time.confidence));
      const double runs = op.runs * static_cast<double>(group.count);
      table.Add({HumanSeconds(group.seconds), TimeShare(group.seconds, step_.serial),
                 runs > 1 ? Phrase("{:.0f} x", runs) : "",
                 Phrase("{}, {}", KernelKindText(op.kind), TimeBoundText(op.time.bound)),
                 Phrase("{} ({})", TimeSourceText(op.time.source), range), group.name()});
    }
    out_ += table.Text(2, options_.width);
  }

  void WriteCollectives() {
    const std::vector<AlikeOps> exposed = GatherAlike(
        ExposedOps(result_),
        [](const TimedOp& op) {
          return std::tuple(op.opcode, op.payload, op.group_size, op.time.seconds, op.source);
        },
        &AlikeOps::waited);
    if (exposed.empty()) return;
    Heading("Exposed collectives");
    TextTable table("rrrrln");
    for (size_t i = 0; i < std::min(options_.top, exposed.size()); ++i) {
      const AlikeOps& group = exposed[i];
      const TimedOp& op = *group.first;
      table.Add({HumanSeconds(group.waited), Phrase("of {}", HumanSeconds(group.seconds)),
                 op.payload > 0 ? BytesText(op.payload) : "",
                 op.group_size > 0 ? Counted(op.group_size, "device") : "", group.name(),
                 op.source});
    }
    out_ += table.Text(2, options_.width);
  }

  void WriteAdvice() {
    if (result_.advice.empty()) return;
    Heading("What would help");
    for (const TimeAdvice& each : result_.advice) {
      const std::string saved =
          each.seconds <= 0
              ? std::string()
              : Phrase("{}{} ({} of the step): ", each.at_most ? "at most " : "",
                       HumanSeconds(each.seconds), TimeShare(each.seconds, step_.estimate));
      out_ += "  " + WrapText(saved + Printable(each.text), options_.width - 2, 4) + "\n";
    }
  }

  const TimeResult& result_;
  const StepTime& step_;
  const TimeTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string TimeText(const TimeResult& result, const TimeTextOptions& options) {
  return TimeWriter(result, options).Write();
}

}  // namespace halo::tool
