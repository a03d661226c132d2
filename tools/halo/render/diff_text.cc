// Bytes of the causes are exact, since they add up.
#include "tools/halo/render/diff_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
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
    return Printable(place.after.empty() ? place.before : place.after);
  }
  return Printable(place.before + " -> " + place.after);
}

std::string_view MadeBy(const PeakChange& change) {
  if (change.before.is_planned && change.after.is_planned) return "planned by halo";
  if (!change.before.is_planned && !change.after.is_planned) return "XLA's own assignments";
  return change.before.is_planned ? "A is planned by halo, B is XLA's own assignment"
                                  : "A is XLA's own assignment, B is planned by halo";
}

}  // namespace

std::string PeakText(const PeakChange& change, size_t top, size_t width) {
  if (change.bytes() == 0 && change.causes.empty()) {
    return fmt::format("memory  {} in both ({})\n", HumanBytes(change.after.bytes), MadeBy(change));
  }
  std::string text =
      fmt::format("memory  {} became {}: {} bytes ({})\n", HumanBytes(change.before.bytes),
                  HumanBytes(change.after.bytes), Signed(change.bytes()), MadeBy(change));
  text += fmt::format("  at B's peak only {}, at A's only {}, other sizes {}, packing {}\n",
                      Signed(change.only_after), Signed(change.only_before), Signed(change.resized),
                      Signed(change.packing));
  if (change.before.instruction != change.after.instruction) {
    text += fmt::format("  the peak was at {}, it is at {} now\n",
                        Printable(change.before.instruction), Printable(change.after.instruction));
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

}  // namespace halo::tool
