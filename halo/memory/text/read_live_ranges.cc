// When values are live: the flattened schedule, a range for each value, and what is live at the
// peak.
#include <string>

#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/assignment_reader.h"

namespace halo {
namespace {

constexpr std::string_view kUndetermined =
    "  Peak memory could not be determined due to unbounded dynamic shape.";
constexpr std::string_view kStackTrace = "  Stack trace breakdown";

}  // namespace

bool AssignmentReader::ReadLiveRangeHead(std::string_view line) {
  assignment_.style.peak = false;
  assignment_.style.stack_trace = false;
  IndexValues();
  Fields fields(line);
  fields.Take("HloLiveRange (max ");
  if (!fields.TakeCount(assignment_.schedule_end))
    return Bad(fields, "expected the end of the schedule");
  return (fields.Take("):") && fields.at_end()) || Bad(fields, "expected ):");
}

bool AssignmentReader::ReadLiveRangeLine(std::string_view line) {
  if (line == "  InstructionSequence:" && part_ == Part::kLiveRanges) {
    part_ = Part::kSequence;
    return true;
  }
  if (line == "  BufferLiveRange:" && part_ == Part::kSequence) {
    part_ = Part::kRanges;
    return true;
  }
  if (line.starts_with("  Live ranges at ") && part_ == Part::kRanges) return ReadPeakHead(line);
  if (line == kUndetermined && part_ == Part::kRanges) {
    assignment_.peak.undetermined = true;
    assignment_.style.peak = true;
    part_ = Part::kPeakEnd;
    return true;
  }
  if (line.starts_with(kStackTrace) && part_ == Part::kPeak) {
    assignment_.style.stack_trace = true;
    assignment_.peak.stack_trace.push_back(assignment_.Text(line));
    part_ = Part::kStackTrace;
    return true;
  }
  if (!line.starts_with("    ")) return false;
  switch (part_) {
    case Part::kSequence: return ReadSequenceStep(line);
    case Part::kRanges: return ReadLiveRange(line);
    case Part::kPeak: return ReadPeakEntry(line);
    default: return false;
  }
}

bool AssignmentReader::ReadSequenceStep(std::string_view line) {
  Fields fields(line);
  fields.Take("    ");
  int64_t time = 0;
  const size_t wanted = assignment_.sequence.size();
  if (!fields.TakeCount(time) || !fields.Take(":") || fields.at_end())
    return Bad(fields, "a step of the schedule is written 7:name");
  // The step counts even if its number is wrong, so that the following ones are checked
  // independently.
  assignment_.sequence.push_back(assignment_.Text(fields.rest()));
  if (static_cast<uint64_t>(time) == wanted) return true;
  Complain(diag::kBadAssignmentEntry, 4,
           "steps must be numbered in order; expected " + std::to_string(wanted));
  return false;
}

bool AssignmentReader::ReadLiveRange(std::string_view line) {
  Fields fields(line);
  fields.Take("    ");
  std::string_view instruction;
  LiveRange live;
  if (!fields.TakeWord("{", instruction) || !fields.TakeIndex(steps_) || !fields.Take(":") ||
      !fields.TakeCount(live.start) || !fields.Take("-") || !fields.TakeCount(live.end) ||
      !fields.at_end()) {
    return Bad(fields, "a live range is written name{0}:3-7");
  }
  const TextId name = assignment_.Text(instruction);
  const IndexId index = assignment_.Index(steps_);
  const auto [found, is_new] = row_of_position_.try_emplace(
      PositionKey(name, index), static_cast<uint32_t>(assignment_.values.size()));
  if (is_new) {
    AssignedValue& value = assignment_.values.emplace_back();
    value.instruction = name;
    value.index = index;
    rows_.emplace_back();
  }
  AssignedValue& value = assignment_.values[found->second];
  if (value.live.known()) {
    Complain(diag::kDuplicateAssignmentEntry, 4, "this value has a live range already");
    return false;
  }
  value.live = live;
  assignment_.ranged.emplace_back(found->second);
  return true;
}

bool AssignmentReader::ReadPeakHead(std::string_view line) {
  part_ = Part::kPeak;
  Fields fields(line);
  fields.Take("  Live ranges at ");
  if (!fields.TakeCount(assignment_.peak.time) || !fields.Take(" (peak):") || !fields.at_end())
    return Bad(fields, "expected the peak's time, as in: 7 (peak):");
  assignment_.style.peak = true;
  return true;
}

bool AssignmentReader::ReadPeakEntry(std::string_view line) {
  Fields fields(line);
  fields.Take("    ");
  std::string_view instruction;
  if (!fields.TakeWord("{:", instruction)) return Bad(fields, "expected a name");
  PeakEntry entry;
  entry.instruction = assignment_.Text(instruction);
  const bool has_index = fields.rest().starts_with('{');
  if (has_index) {
    if (!fields.TakeIndex(steps_)) return Bad(fields, "a shape index is written {1,0}");
    entry.index = assignment_.Index(steps_);
  }
  if (!fields.Take(": ") || !fields.TakeCount(entry.bytes) || !fields.Take(" bytes"))
    return Bad(fields, "expected a number of bytes, as in: 64 bytes");
  const bool has_sum = fields.Take(" (cumulative: ");
  if (has_sum && (!fields.TakeCount(entry.cumulative) || !fields.Take(" bytes)")))
    return Bad(fields, "expected the sum, as in: (cumulative: 64 bytes)");
  if (!fields.at_end()) return Bad(fields, "unexpected text after the entry");
  Agree(peak_indices_, has_index);
  Agree(peak_cumulative_, has_sum);
  assignment_.peak.entries.push_back(entry);
  return true;
}

}  // namespace halo
