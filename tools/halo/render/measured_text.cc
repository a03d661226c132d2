// Ratios are measured to predicted: above 1, the program is slower than the model. The share of the
// roofline is what the device's rates would need, of what was measured.
#include "tools/halo/render/measured_text.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kMeasuredLabel = 11;

std::string RatioText(double measured, double predicted) {
  if (predicted <= 0) return "-";
  const double ratio = measured / predicted;
  return Phrase("{:.{}f}x", ratio, ratio >= 99.5 ? 0 : ratio >= 9.95 ? 1 : 2);
}

std::string RooflineText(double floor, double measured) {
  return measured > 0 ? Phrase("{:.0f}%", floor / measured * 100) : "-";
}

class MeasuredWriter {
 public:
  MeasuredWriter(const TimeResult& result, const TimeTextOptions& options)
      : result_(result), measured_(*result.measured), options_(options) {}

  std::string Write() {
    out_ += WrapText(Printable(measured_.verdict), options_.width, 2) + "\n";
    out_ += WrapText(Painted(result_.inputs.module_path, Paint::kBold, options_.color),
                     options_.width, 2) +
            "\n";
    WriteProfiles();
    WriteJoin();
    WriteSums();
    WriteKinds();
    WriteOps();
    return std::move(out_);
  }

 private:
  void Line(std::string_view label, std::string_view text) {
    out_ += LabelledText(label, kMeasuredLabel, text, options_.width);
  }

  void Heading(std::string_view text) {
    out_ += "\n" + Painted(text, Paint::kBold, options_.color) + "\n";
  }

  static std::string Events(size_t count) { return Counted(static_cast<int64_t>(count), "event"); }

  void WriteProfiles() {
    std::string_view label = "profile";
    for (const ProfileSummary& each : result_.profiles) {
      Line(label, Phrase("{}: {}, {} that name an op", each.path.substr(each.path.rfind('/') + 1),
                         ProfileKindText(each.kind), Events(each.events)));
      label = "";
    }
    Line("device", Phrase("{}: {}", result_.device.title, result_.device_why));
  }

  void WriteJoin() {
    const MeasuredModule& join = measured_.join;
    std::string programs;
    for (const std::string& each : join.programs) {
      programs += (programs.empty() ? "" : ", ") + each;
    }
    Line("joined",
         Phrase("{} of {}{} ({})", GroupedDigits(static_cast<int64_t>(join.joined)),
                Events(join.events), programs.empty() ? "" : ", program " + programs, join.why));
    std::string left;
    const auto add = [&](size_t count, std::string_view what) {
      if (count == 0) return;
      left += Phrase("{}{} {}", left.empty() ? "" : ", ", Events(count), what);
    };
    add(join.other_programs, "of other programs");
    add(join.other_steps, "of other steps");
    add(join.unnamed, "that name no op");
    add(join.launches, "of the host");
    if (!left.empty()) Line("left out", left);
    if (join.unknown_events > 0) {
      std::string names;
      for (size_t i = 0; i < std::min<size_t>(3, join.unknown.size()); ++i) {
        names += (i == 0 ? "" : ", ") + join.unknown[i].name;
      }
      Line("not found",
           Phrase("{} name ops that the module does not have: {}{}", Events(join.unknown_events),
                  names, join.unknown.size() > 3 ? ", ..." : ""));
    }
  }

  void WriteSums() {
    Line("ops", Phrase("{}: measured {}, predicted {}; weighted error {:.0f}%",
                       measured_.ops.size(), HumanSeconds(measured_.measured),
                       HumanSeconds(measured_.predicted), measured_.error * 100));
    if (measured_.unmeasured > 0) {
      Line("", Phrase("{} predicted ({}) but not in the profile",
                      Counted(static_cast<int64_t>(measured_.unmeasured), "op"),
                      HumanSeconds(measured_.unmeasured_seconds)));
    }
    if (measured_.unpredicted > 0) {
      Line("", Phrase("{} measured ({}) but not predicted",
                      Counted(static_cast<int64_t>(measured_.unpredicted), "op"),
                      HumanSeconds(measured_.unpredicted_seconds)));
    }
  }

  void WriteKinds() {
    Heading("By kind, in one step");
    TextTable table("rrrrrl");
    table.Add({"measured", "predicted", "ratio", "roofline", "ops", "kind"});
    for (const ComparedKind& each : measured_.kinds) {
      table.Add({HumanSeconds(each.measured), HumanSeconds(each.predicted),
                 RatioText(each.measured, each.predicted), RooflineText(each.floor, each.measured),
                 std::to_string(each.count), std::string(KernelKindText(each.kind))});
    }
    out_ += table.Text(2, options_.width);
  }

  void WriteOps() {
    Heading("Furthest from their prediction, of one run");
    TextTable table("rrrrrn");
    table.Add({"measured", "predicted", "ratio", "roofline", "runs", "op"});
    for (size_t i = 0; i < std::min(options_.top, measured_.ops.size()); ++i) {
      const ComparedOp& each = measured_.ops[i];
      const TimedOp& op = result_.ops[each.op];
      table.Add({HumanSeconds(each.seconds), HumanSeconds(op.time.seconds),
                 RatioText(each.seconds, op.time.seconds),
                 RooflineText(op.time.floor, each.seconds), Phrase("{:.0f}", op.runs), op.name});
    }
    out_ += table.Text(2, options_.width);
  }

  const TimeResult& result_;
  const TimeMeasured& measured_;
  const TimeTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string MeasuredText(const TimeResult& result, const TimeTextOptions& options) {
  return MeasuredWriter(result, options).Write();
}

}  // namespace halo::tool
