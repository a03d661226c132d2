// What is live at one time: in groups, and the largest values with the reason why each is alive.
#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "tools/halo/render/memory_text.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kValueColumn = 14;  // after the bytes

std::string_view BareShape(std::string_view shape) {
  return shape.find(":T(") != std::string_view::npos ? shape : shape.substr(0, shape.find('{'));
}

// XLA's "temp" also covers activations and gradients, which are other kinds here.
std::string RoleLabel(const std::string& role) {
  return role == ValueRoleText(ValueRole::kTemp) ? "other temporary" : role;
}

std::string MemoryAtText(const MemoryExplanation& all) {
  if (!all.has_times) return "in all";
  return all.at == all.peak_time ? "at the peak" : Phrase("at position {}", GroupedDigits(all.at));
}

std::string MemoryHeading(std::string_view text, const MemoryTextOptions& options) {
  return "  " + Painted(text, Paint::kBold, options.color);
}

std::string ParameterText(const LiveEntry& item) {
  const std::string number = item.count == 1 ? Phrase("parameter {}", item.parameter)
                                             : Phrase("parameters {}, ...", item.parameter);
  return Phrase("{}, {}", number, item.donated ? "donated" : "not donated");
}

std::string WhyText(const LiveEntry& item) {
  if (item.memory_kind == MemoryKind::kConstant) return "constant, held throughout";
  std::string why;
  if (item.from >= 0) why = Phrase("made at position {}", GroupedDigits(item.from));
  if (!item.source.empty()) why += Phrase(" ({})", item.source);
  if (item.memory_kind == MemoryKind::kOutput) return why + ", returned";
  if (item.needed_by.empty()) {
    return item.to >= 0 ? Phrase("{}, live until {}", why, GroupedDigits(item.to)) : why;
  }
  why += Phrase(", needed until {} by {}", GroupedDigits(std::max(item.needed_at, item.to)),
                item.needed_by);
  if (!item.through.empty()) why += Phrase(" through {}", item.through);
  if (!item.needed_source.empty() && item.needed_source != item.source) {
    why += Phrase(" ({})", item.needed_source);
  }
  return why;
}

// A value's name and what it belongs to, beside its shape if there is space, otherwise below it.
std::string ValueHeadline(const LiveEntry& item, const MemoryTextOptions& options) {
  const size_t width = options.full ? 0 : options.width;
  const size_t least = width > kValueColumn ? width - kValueColumn : 0;
  std::string line =
      Phrase("  {:>10}  {}", HumanBytes(item.bytes), FitShape(BareShape(item.shape), least));
  if (item.count > 1) line += Phrase(" x{}", item.count);
  const bool is_parameter = item.parameter >= 0;
  const std::string name = Printable(is_parameter ? ParameterText(item) : item.name);
  // The name of a parameter is its op_name.
  const bool is_whole = (is_parameter && item.count == 1) || (!is_parameter && width == 0);
  const std::string part = Printable(is_whole ? item.op_name : item.scope);
  const std::string gap = is_parameter ? ": " : "  ";
  if (width == 0) return line + "  " + name + (part.empty() ? "" : gap + part);
  size_t used = DisplayWidth(line) + 2;
  constexpr size_t kLeastPart = 16;
  if (used + std::min(name.size(), kLeastPart * 2) > width) {
    line += "\n" + std::string(kValueColumn, ' ');
    used = kValueColumn;
  } else {
    line += "  ";
  }
  line += FitName(name, width - used);
  used += DisplayWidth(FitName(name, width - used)) + 2;
  if (part.empty()) return line;
  if (used + std::min(part.size(), kLeastPart) <= width) {
    return line + gap + FitName(part, width - used);
  }
  return line + (is_parameter ? ":" : "") + "\n" + std::string(kValueColumn, ' ') +
         FitName(part, least);
}

}  // namespace

std::string MemoryGroupsText(const MemoryExplanation& all, const MemoryTextOptions& options) {
  int64_t whole = 0, small = 0;
  for (const LiveGroup& group : all.roles) whole += group.bytes;
  std::vector<std::string> roles;
  for (const LiveGroup& group : all.roles) {
    // Groups that round to zero are omitted.
    if (all.by != GroupBy::kRole && group.bytes < whole / 1000) {
      small += group.bytes;
      continue;
    }
    roles.push_back(Phrase("{} {} ({})", RoleLabel(group.name), HumanBytes(group.bytes),
                           MemoryShare(group.bytes, whole)));
  }
  if (small > 0) roles.push_back("other " + HumanBytes(small));
  std::string out = MemoryItems("roles", roles, options);
  const std::string reason =
      all.by_reason.empty() ? "" : Phrase(" (not by scope: {})", all.by_reason);
  if (all.by == GroupBy::kRole) {
    if (!reason.empty()) out += MemoryLine("", "by role" + reason, options);
    return out;
  }
  TextTable table(options.full ? "rrrt" : all.by == GroupBy::kShape ? "rrrs" : "rrrn");
  const size_t rows = std::min(options.top, all.groups.size());
  for (size_t i = 0; i < rows; ++i) {
    const LiveGroup& group = all.groups[i];
    table.Add({HumanBytes(group.bytes), MemoryShare(group.bytes, whole), Phrase("x{}", group.count),
               group.name});
  }
  const std::string heading = Phrase("by {} {}", GroupByText(all.by), MemoryAtText(all));
  out += WrapText(MemoryHeading(heading, options) + reason, options.width, 4) + "\n";
  out += table.Text(4, options.width);
  if (all.groups.size() > rows) out += Phrase("    ... {} more\n", all.groups.size() - rows);
  return out;
}

std::string MemoryValuesText(const MemoryExplanation& all, const MemoryTextOptions& options) {
  const std::vector<LiveEntry> items = MergeAlike(all.entries);
  if (items.empty()) return {};
  std::string out = MemoryHeading(Phrase("largest {}, and why", MemoryAtText(all)), options) + "\n";
  const size_t rows = std::min(options.top, items.size());
  for (size_t i = 0; i < rows; ++i) {
    out += ValueHeadline(items[i], options) + "\n";
    if (items[i].parameter >= 0) continue;
    const std::string why = std::string(kValueColumn, ' ') + WhyText(items[i]);
    out += WrapText(why, options.width, kValueColumn + 2) + "\n";
  }
  if (items.size() > rows) out += Phrase("    ... {} more\n", items.size() - rows);
  return out;
}

}  // namespace halo::tool
