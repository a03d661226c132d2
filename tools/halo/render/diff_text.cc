// Bytes of the causes are exact, since they add up.
#include "tools/halo/render/diff_text.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "halo/api/time/time.h"
#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

std::string Signed(int64_t bytes) {
  if (bytes == 0) return "0";
  return (bytes > 0 ? "+" : "-") + GroupedDigits(std::abs(bytes));
}

std::string PlaceText(const PeakCause& cause) {
  if (cause.places.empty()) return "";
  const PeakPlace& place = cause.places.front();
  if (place.before.empty() || place.after.empty() || place.before == place.after) {
    return place.after.empty() ? place.before : place.after;
  }
  return place.before + " -> " + place.after;
}

std::string SignedSeconds(double seconds) {
  if (seconds == 0) return "0";
  return (seconds > 0 ? "+" : "-") + HumanSeconds(std::abs(seconds));
}

std::string CauseExample(const DiffCause& cause) {
  for (const DiffPlace& place : cause.places) {
    if (!place.before.empty() && !place.after.empty() && place.before != place.after) {
      return place.before + " -> " + place.after;
    }
    if (!place.before.empty() || !place.after.empty()) {
      return place.before.empty() ? place.after : place.before;
    }
  }
  return "";
}

std::string_view MadeBy(const PeakChange& change) {
  if (change.before.is_planned && change.after.is_planned) return "planned by halo";
  if (!change.before.is_planned && !change.after.is_planned) return "XLA's own assignments";
  return change.before.is_planned ? "A is planned by halo, B is XLA's own assignment"
                                  : "A is XLA's own assignment, B is planned by halo";
}

}  // namespace

std::string CausesText(const ProgramDiff& diff, size_t top, size_t width) {
  std::string text = Phrase("{}\n", diff.verdict);
  if (diff.counts.ambiguous != 0) {
    text += Phrase("left unmatched, since several others could correspond: {}\n",
                   Counted(diff.counts.ambiguous, "value"));
  }
  if (diff.causes.empty()) return text;
  const size_t shown = std::min(top, diff.causes.size());
  const bool has_times =
      std::any_of(diff.causes.begin(), diff.causes.begin() + static_cast<ptrdiff_t>(shown),
                  [](const DiffCause& cause) { return cause.seconds.has_value(); });
  TextTable table(has_times ? "lrrrtn" : "lrrtn");
  const auto add = [&](std::vector<std::string> cells) {
    if (!has_times) cells.erase(cells.begin() + 3);
    table.Add(std::move(cells));
  };
  add({"change", "times", "bytes", "seconds", "what", "for example"});
  for (size_t i = 0; i < shown; ++i) {
    const DiffCause& cause = diff.causes[i];
    add({std::string(TextOf(cause.kind)), GroupedDigits(cause.count),
         cause.bytes != 0 ? HumanBytes(cause.bytes) : "",
         cause.seconds ? SignedSeconds(*cause.seconds) : "",
         cause.confidence < 0.75 ? cause.what + " (likely)" : cause.what, CauseExample(cause)});
  }
  text += table.Text(2, width);
  if (diff.causes.size() > top) {
    text += Phrase("  and {} (--top {})\n",
                   Counted(static_cast<int64_t>(diff.causes.size() - top), "smaller change"),
                   diff.causes.size());
  }
  return text;
}

std::string PeakText(const PeakChange& change, size_t top, size_t width) {
  if (change.bytes() == 0 && change.causes.empty()) {
    return Phrase("memory  {} in both ({})\n", HumanBytes(change.after.bytes), MadeBy(change));
  }
  std::string text =
      Phrase("memory  {} became {}: {} bytes ({})\n", HumanBytes(change.before.bytes),
             HumanBytes(change.after.bytes), Signed(change.bytes()), MadeBy(change));
  text += Phrase("  at B's peak only {}, at A's only {}, other sizes {}, packing {}\n",
                 Signed(change.only_after), Signed(change.only_before), Signed(change.resized),
                 Signed(change.packing));
  if (change.before.instruction != change.after.instruction) {
    text += Phrase("  the peak was at {}, it is at {} now\n", change.before.instruction,
                   change.after.instruction);
  }
  TextTable table("lrrrtn");
  table.Add({"cause", "values", "bytes", "replayed", "what", "for example"});
  for (size_t i = 0; i < std::min(top, change.causes.size()); ++i) {
    const PeakCause& cause = change.causes[i];
    table.Add({std::string(TextOf(cause.kind)),
               cause.places.empty() ? "" : GroupedDigits(cause.count), Signed(cause.bytes),
               cause.replayed ? Signed(*cause.replayed) : "correlation", cause.what,
               PlaceText(cause)});
  }
  text += table.Text(2, width);
  return text;
}

std::string StepText(const StepChange& change, size_t top, size_t width) {
  if (change.seconds() == 0 && change.causes.empty()) {
    return Phrase("time {} in both (predicted for {})\n", HumanSeconds(change.before),
                  change.device);
  }
  std::string text =
      Phrase("time {} became {}: {} (predicted for {})\n", HumanSeconds(change.before),
             HumanSeconds(change.after), SignedSeconds(change.seconds()), change.device);
  text += Phrase(
      "  kernels only in B {}, only in A {}, other times {}, gaps {},\n  waiting for collectives "
      "{}, for other work {}\n",
      SignedSeconds(change.only_after), SignedSeconds(change.only_before),
      SignedSeconds(change.changed), SignedSeconds(change.gaps), SignedSeconds(change.exposed),
      SignedSeconds(change.stalled));
  TextTable table("rrtn");
  if (!change.causes.empty()) table.Add({"times", "seconds", "what", "for example"});
  for (size_t i = 0; i < std::min(top, change.causes.size()); ++i) {
    const StepCause& cause = change.causes[i];
    const StepPlace& place = cause.places.front();
    const bool is_renamed =
        !place.before.empty() && !place.after.empty() && place.before != place.after;
    table.Add({GroupedDigits(cause.count), SignedSeconds(cause.seconds), cause.what,
               is_renamed            ? place.before + " -> " + place.after
               : place.after.empty() ? place.before
                                     : place.after});
  }
  return text + table.Text(2, width);
}

}  // namespace halo::tool
