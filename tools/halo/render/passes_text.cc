// One row for each pass that changed something; the others are listed by name.
#include "tools/halo/render/passes_text.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kWidth = 100;     // of a table that no terminal limits
constexpr size_t kNameWidth = 42;  // of pipelines and passes, XLA's longest

std::string Change(int64_t number) {
  if (number == 0) return "";
  return (number > 0 ? "+" : "-") + GroupedDigits(std::abs(number));
}

std::string ChangedBytes(int64_t bytes) {
  if (bytes == 0) return "";
  return (bytes > 0 ? "+" : "-") + HumanBytes(std::abs(bytes));
}

std::string OpcodeText(const PassEffect& effect) {
  constexpr size_t kMost = 2;
  std::string text;
  for (size_t i = 0; i < std::min(kMost, effect.opcodes.size()); ++i) {
    const OpcodeDelta& count = effect.opcodes[i];
    text += (i == 0 ? "" : ", ") + Change(count.after - count.before) + " " + count.opcode;
  }
  if (effect.opcodes.size() > kMost) text += ", ...";
  return text.empty() ? effect.what : text;
}

std::string StateText(const PassState& state) {
  return state.pass.empty() ? state.label : Phrase("{} ({})", state.Name(), state.label);
}

void AddCauses(const std::string& title, const ProgramDiff& diff, size_t top, size_t width,
               std::string& text) {
  if (diff.causes.empty()) return;
  text += title + "\n";
  TextTable table("lrrt");
  for (size_t i = 0; i < std::min(top, diff.causes.size()); ++i) {
    const DiffCause& cause = diff.causes[i];
    table.Add({std::string(TextOf(cause.kind)), GroupedDigits(cause.count),
               cause.bytes != 0 ? HumanBytes(cause.bytes) : "", cause.what});
  }
  text += table.Text(4, width);
  if (diff.causes.size() > top) {
    text += Phrase("    and {}\n",
                   Counted(static_cast<int64_t>(diff.causes.size() - top), "smaller change"));
  }
}

}  // namespace

std::string PassesText(const PassesResult& result, size_t width) {
  int64_t changed = 0;
  for (const PassEffect& each : result.passes) changed += each.changed ? 1 : 0;
  std::string text =
      Phrase("{}: {}, {} changed the program\n{} instructions became {}, results of {} became {}\n",
             result.module, Counted(static_cast<int64_t>(result.states), "state"), changed,
             GroupedDigits(result.first.instructions), GroupedDigits(result.last.instructions),
             HumanBytes(result.first.bytes), HumanBytes(result.last.bytes));
  // A pipeline's passes follow its name: names of both would not fit a line.
  TextTable table("lrrrrt");
  table.Add({"pass", "instrs", "fusions", "bytes", "values", "what"});
  std::vector<std::string> nothing;
  std::string pipeline;
  for (const PassEffect& each : result.passes) {
    if (!each.changed) {
      const std::string name = each.state.Name();
      if (std::find(nothing.begin(), nothing.end(), name) == nothing.end()) nothing.push_back(name);
      continue;
    }
    std::string values;
    if (each.values_changed) {
      values =
          Phrase("~{} +{} -{}", *each.values_changed, *each.values_added, *each.values_removed);
    }
    if (each.state.pipeline != pipeline) {
      pipeline = each.state.pipeline;
      table.Add({Shortened(pipeline, kNameWidth)});
    }
    const std::string name = each.state.pass.empty() ? each.state.Name() : "  " + each.state.pass;
    table.Add({Shortened(name, kNameWidth), Change(each.instructions), Change(each.fusions),
               ChangedBytes(each.bytes), values, OpcodeText(each)});
  }
  text += table.Text(2, width == 0 ? kWidth : width);
  nothing.insert(nothing.end(), result.idle.begin(), result.idle.end());
  if (!nothing.empty()) {
    text += Phrase("{} did nothing:\n",
                   nothing.size() == 1
                       ? "1 pass"
                       : GroupedDigits(static_cast<int64_t>(nothing.size())) + " passes");
    for (const std::string& each : nothing) text += "  " + Printable(each) + "\n";
  }
  return text;
}

std::string FollowText(const PassesResult& result, size_t width) {
  TextTable table("ltttt");
  table.Add({"", "after", "instruction", "result", "inside"});
  for (const FollowStep& each : result.follow) {
    table.Add({each.event, each.state.Name(),
               each.name + (each.opcode == each.name ? "" : " (" + each.opcode + ")"), each.shape,
               each.kernel});
  }
  return table.Text(0, width);
}

std::string PassDiffText(const PassDiff& diff, size_t top, size_t width) {
  if (diff.same()) {
    return Phrase("all {} are equal\n",
                  Counted(static_cast<int64_t>(diff.equal), "distinct state"));
  }
  std::string text;
  if (diff.last_a) {
    text += Phrase("equal up to      {}\n", StateText(*diff.last_a));
  }
  text += Phrase("first different  {}\n", diff.pass);
  const auto side = [&](std::string_view name, const std::optional<PassState>& state,
                        const ProgramDiff& did) {
    if (!state) {
      text += Phrase("  {}: changed nothing, or did not run\n", name);
      return;
    }
    const std::string title = Phrase("  {}: {}", name, state->label);
    if (did.causes.empty()) text += title + "\n";
    AddCauses(title, did, top, width, text);
  };
  side("A", diff.first_a, diff.did_a);
  side("B", diff.first_b, diff.did_b);
  AddCauses("  from A to B after it", diff.between, top, width, text);
  return text;
}

}  // namespace halo::tool
