// Plans a module's memory and compares the result with the assignment that XLA printed for it:
// allocations by number, values by name, live ranges, and the total. Prints one JSON line.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "halo/base/io/source_buffer.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/text/read/read_text.h"

namespace {

using halo::AssignedValue;
using halo::Assignment;

// Everything that an allocation's printed lines say. Two allocations are equal if and only if these
// texts are.
std::string Describe(const Assignment& assignment, const halo::Allocation& allocation) {
  std::string text = std::to_string(allocation.size) + "|" + std::to_string(allocation.color) +
                     "|" + std::to_string(allocation.parameter) + "|" +
                     halo::IndexText(assignment.index(allocation.parameter_index)) + "|" +
                     std::string(assignment.text(allocation.output_shape)) + "|";
  for (const bool flag : {allocation.is_constant, allocation.is_thread_local,
                          allocation.maybe_live_out, allocation.is_preallocated_temp}) {
    text += flag ? '1' : '0';
  }
  std::map<std::string, std::pair<int64_t, int64_t>> values;
  for (const halo::ValueId id : assignment.values_of(allocation)) {
    const AssignedValue& value = assignment.value(id);
    values[assignment.FullNameOf(value)] = {value.offset, value.size};
  }
  for (const auto& [name, position] : values) {
    text +=
        '|' + name + '@' + std::to_string(position.first) + '+' + std::to_string(position.second);
  }
  return text;
}

struct Where {
  uint32_t allocation;
  int64_t offset, size;
  friend bool operator==(const Where&, const Where&) = default;
};

std::map<std::string, Where> Positions(const Assignment& assignment) {
  std::map<std::string, Where> positions;
  for (const AssignedValue& value : assignment.values) {
    if (!value.allocation.valid()) continue;
    positions[assignment.FullNameOf(value)] = {value.allocation.value, value.offset, value.size};
  }
  return positions;
}

// A text that prints tuple elements in the compact form leaves out when they run. Times are then
// counted in the instructions that the text does show; -1 means a tuple element.
std::vector<int64_t> ShownTimes(const Assignment& assignment,
                                const std::set<std::string_view>& shown) {
  std::vector<int64_t> times;
  int64_t count = 0;
  for (const halo::TextId id : assignment.sequence) {
    times.push_back(shown.contains(assignment.text(id)) ? count++ : -1);
  }
  times.push_back(count);
  return times;
}

// A tuple's table that a tuple element reads last, on either side, ends at a time that the text
// does not show.
bool SameRange(halo::LiveRange a, const std::vector<int64_t>& times_of_a, halo::LiveRange b,
               const std::vector<int64_t>& times_of_b) {
  const auto at = [](const std::vector<int64_t>& times, int64_t time) {
    const auto row = static_cast<size_t>(time);
    return row < times.size() ? times[row] : -2;
  };
  const int64_t end_of_a = at(times_of_a, a.end), end_of_b = at(times_of_b, b.end);
  return at(times_of_a, a.start) == at(times_of_b, b.start) &&
         (end_of_a == -1 || end_of_b == -1 || end_of_a == end_of_b);
}

}  // namespace

int main(int argc, char** argv) {
  halo::Backend backend = halo::Backend::kCpu;
  int64_t alignment = 0, table = 0;
  bool presets = false, is_printed_only = false, in_text_order = false;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--presets") == 0) {
      presets = true;
    } else if (std::strcmp(argv[i], "--without-module") == 0) {
      is_printed_only = true;
    } else if (std::strcmp(argv[i], "--text-order") == 0) {
      in_text_order = true;
    } else if (std::strncmp(argv[i], "--backend=", 10) == 0) {
      backend = halo::BackendFromName(argv[i] + 10).value_or(backend);
    } else if (std::strncmp(argv[i], "--alignment=", 12) == 0) {
      alignment = std::atoll(argv[i] + 12);
    } else if (std::strncmp(argv[i], "--table=", 8) == 0) {
      table = std::atoll(argv[i] + 8);
    } else {
      files.push_back(argv[i]);
    }
  }
  const size_t modules = is_printed_only ? 0 : 1;
  if (files.size() < modules + 1) {
    std::fprintf(stderr,
                 "usage: assign_compare [OPTIONS] MODULE ASSIGNMENT...\n"
                 "       assign_compare [OPTIONS] --without-module ASSIGNMENT...\n");
    return 2;
  }
  std::vector<halo::SourceBuffer> sources;
  for (const char* file : files) {
    auto source = halo::SourceBuffer::Open(file);
    if (!source) {
      std::fprintf(stderr, "%s: cannot open\n", file);
      return 2;
    }
    sources.push_back(std::move(*source));
  }
  halo::TextReadResult module;
  if (!is_printed_only) module = halo::ReadHloText(sources[0]);
  std::vector<std::string_view> texts;
  for (size_t i = modules; i < sources.size(); ++i) texts.push_back(sources[i].bytes());
  const halo::AssignmentReadResult printed = halo::ReadAssignment(texts);
  if (!module.diagnostics.ok() || !printed.ok()) {
    std::fprintf(stderr, "%s: cannot be read\n", files[0]);
    return 2;
  }
  const Assignment& theirs = printed.assignment;
  halo::AssignOptions options;
  options.rules = halo::DetectRules(module.module, backend);
  halo::RefineRules(theirs, options.rules);
  options.with_uses = false;
  if (alignment != 0) options.rules.alignment = alignment;
  if (table != 0) options.rules.table_rounding = table;
  if (!is_printed_only) {
    const halo::BoundAssignment bound(theirs, &module.module);
    if (presets) options.presets = halo::PresetsOf(bound, backend);
    halo::RefineInPlace(bound, options.rules);
    if (!in_text_order) options.numbered = halo::NumberedComputations(bound);
  }
  halo::Result<Assignment> planned = is_printed_only
                                         ? halo::ReassignBuffers(theirs, options.rules, presets)
                                         : halo::AssignBuffers(module.module, options);
  if (!planned) {
    std::fprintf(stderr, "%s: %s\n", files[0], planned.error().message.c_str());
    return 2;
  }
  const Assignment& ours = *planned;

  size_t same_allocations = 0;
  for (size_t i = 0; i < theirs.allocations.size() && i < ours.allocations.size(); ++i) {
    same_allocations +=
        Describe(theirs, theirs.allocations[i]) == Describe(ours, ours.allocations[i]);
  }
  const auto their_positions = Positions(theirs), our_positions = Positions(ours);
  size_t same_values = 0;
  for (const auto& [name, position] : their_positions) {
    const auto found = our_positions.find(name);
    same_values += found != our_positions.end() && found->second == position;
  }
  std::map<std::string, halo::LiveRange> our_ranges;
  for (const AssignedValue& value : ours.values) our_ranges[ours.FullNameOf(value)] = value.live;
  std::set<std::string_view> shown;
  for (const halo::TextId id : ours.sequence) {
    if (!ours.text(id).empty()) shown.insert(ours.text(id));
  }
  const bool hides_times = module.module.style.compact_gte;
  const std::vector<int64_t> their_times = ShownTimes(theirs, shown);
  const std::vector<int64_t> our_times = ShownTimes(ours, shown);
  size_t ranges = 0, same_ranges = 0;
  for (const AssignedValue& value : theirs.values) {
    if (!value.live.known() || !value.allocation.valid()) continue;
    ++ranges;
    const auto found = our_ranges.find(theirs.FullNameOf(value));
    if (found == our_ranges.end()) continue;
    same_ranges += hides_times ? SameRange(found->second, our_times, value.live, their_times)
                               : found->second == value.live;
  }
  std::printf(
      "{\"allocations\":%zu,\"same_allocations\":%zu,\"our_allocations\":%zu,\"values\":%zu,"
      "\"same_values\":%zu,\"ranges\":%zu,\"same_ranges\":%zu,\"total\":%lld,\"our_total\":%lld}\n",
      theirs.allocations.size(), same_allocations, ours.allocations.size(), their_positions.size(),
      same_values, ranges, same_ranges, static_cast<long long>(theirs.total_bytes),
      static_cast<long long>(ours.total_bytes));
  return 0;
}
