// Decides the order of an assignment's parts, and combines what the parts said.
#include "halo/memory/text/read_assignment.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "halo/ir/ir_diagnostics.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/assignment_reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

// Blank lines before these parts; live ranges have some when they follow the values.
constexpr uint32_t kBlanksBeforeTotal = 1;
constexpr uint32_t kBlanksBeforeValues = 1;

std::string_view FirstLine(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  return text.substr(0, text.find('\n'));
}

// The piece that a text begins with, as far as its first line tells.
size_t RankOf(std::string_view text) {
  const std::string_view line = FirstLine(text);
  if (line.starts_with("HloLiveRange")) return 2;
  return line.starts_with("Total bytes used") || line.starts_with("Used values") ? 1 : 0;
}

}  // namespace

bool AssignmentReader::Bad(const Fields& fields, std::string message) {
  Complain(diag::kBadAssignmentEntry, fields.at(), std::move(message));
  return false;
}

void AssignmentReader::Complain(DiagCode code, size_t column, std::string message) {
  reported_ = true;
  lines_->Report(code, column, std::move(message));
}

void AssignmentReader::Agree(std::optional<bool>& known, bool seen) {
  if (!known) known = seen;
  if (*known != seen) {
    Complain(diag::kBadAssignmentEntry, 0,
             "this entry has another format than the entries before it");
  }
}

bool AssignmentReader::TakeLabel(Fields& fields, ValueLabel& label) {
  if (!fields.Take("<")) return Bad(fields, "a value is written <number name>, as in <7 add @0>");
  if (!fields.TakeCount(label.id)) return Bad(fields, "expected the value's number");
  if (!fields.Take(" ") || !fields.TakeWord(" {>", label.instruction))
    return Bad(fields, "expected the value's instruction");
  label.shows_index = fields.rest().starts_with('{');
  steps_.clear();
  if (label.shows_index && !fields.TakeIndex(steps_))
    return Bad(fields, "a shape index is written {1,0}");
  label.is_phi = fields.Take(" (phi)");
  if (fields.Take(" @") && !fields.TakeCount(label.color))
    return Bad(fields, "expected the value's color");
  return fields.Take(">") || Bad(fields, "expected > after the value's name");
}

uint32_t AssignmentReader::RowOf(const ValueLabel& label) {
  const TextId instruction = assignment_.Text(label.instruction);
  const IndexId index = assignment_.Index(steps_);
  const auto [known, is_new] =
      row_of_id_.try_emplace(label.id, static_cast<uint32_t>(assignment_.values.size()));
  if (is_new) {
    AssignedValue& value = assignment_.values.emplace_back();
    value.id = label.id;
    value.instruction = instruction;
    value.index = index;
    value.shows_index = label.shows_index;
    value.is_phi = label.is_phi;
    value.color = label.color;
    rows_.emplace_back();
    return known->second;
  }
  const AssignedValue& value = assignment_.values[known->second];
  if (value.instruction != instruction || value.index != index || value.is_phi != label.is_phi ||
      value.color != label.color || value.shows_index != label.shows_index) {
    Complain(diag::kAssignmentPiecesDisagree, 0,
             "value " + std::to_string(label.id) + " was " + assignment_.NameOf(value) + " before");
  }
  return known->second;
}

void AssignmentReader::KeepBlanks(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    assignment_.kept.push_back({file_, lines_->number() - 1 - blanks_ + i, assignment_.Text({})});
  }
  if (count != 0)
    lines_->Report(diag::kUnknownAssignmentLine, 0, "unexpected blank lines before this one");
}

void AssignmentReader::TakeBlanks(uint32_t wanted) {
  if (blanks_ < wanted) Complain(diag::kBadAssignmentEntry, 0, "a blank line is missing here");
  if (blanks_ > wanted) KeepBlanks(blanks_ - wanted);
  blanks_ = 0;
}

void AssignmentReader::BeginPiece(AssignmentPiece piece) {
  if (pieces_.empty()) file_ = piece;
  if (all_pieces_.has(piece))
    Complain(diag::kDuplicateAssignmentEntry, 0,
             "this part of the assignment is specified more than once");
  pieces_ = pieces_.With(piece);
  all_pieces_ = all_pieces_.With(piece);
}

bool AssignmentReader::BeginPart(std::string_view line) {
  if (line == "BufferAssignment:" && part_ == Part::kNone) {
    BeginPiece(AssignmentPiece::kAllocations);
    TakeBlanks(0);
    part_ = Part::kAllocations;
    return true;
  }
  const bool values_may_begin =
      part_ == Part::kNone || part_ == Part::kAllocations || part_ == Part::kCrossColor;
  if (line.starts_with("Total bytes used: ") && values_may_begin) {
    BeginPiece(AssignmentPiece::kValues);
    TakeBlanks(kBlanksBeforeTotal);
    ReadTotal(line);
    part_ = Part::kTotal;
    return true;
  }
  if (line == "Used values:" && part_ == Part::kTotal) {
    TakeBlanks(kBlanksBeforeValues);
    part_ = Part::kValueEnd;
    return true;
  }
  if (line.starts_with("HloLiveRange (max ") && part_ < Part::kLiveRanges) {
    EndValues();
    if (!pieces_.empty()) {
      assignment_.style.split = false;
      assignment_.style.live_range_gap = static_cast<uint8_t>(std::min<uint32_t>(blanks_, 255));
      TakeBlanks(assignment_.style.live_range_gap);
    } else {
      TakeBlanks(0);
    }
    BeginPiece(AssignmentPiece::kLiveRanges);
    ReadLiveRangeHead(line);
    part_ = Part::kLiveRanges;
    return true;
  }
  return false;
}

bool AssignmentReader::ReadPartLine(std::string_view line) {
  if (part_ == Part::kNone) return false;
  if (!pieces_.has(AssignmentPiece::kValues) && part_ < Part::kLiveRanges)
    return ReadAllocationLine(line);
  return part_ < Part::kLiveRanges ? ReadValueLine(line) : ReadLiveRangeLine(line);
}

void AssignmentReader::ReadLine(std::string_view line) {
  if (part_ == Part::kStackTrace) {
    assignment_.peak.stack_trace.push_back(assignment_.Text(line));
    return;
  }
  if (line.empty()) {
    ++blanks_;
    return;
  }
  reported_ = false;
  if (BeginPart(line)) return;
  TakeBlanks(0);
  if (ReadPartLine(line) || reported_) return;
  assignment_.kept.push_back({file_, lines_->number() - 1, assignment_.Text(line)});
  lines_->Report(diag::kUnknownAssignmentLine, 0, "unknown line in a buffer assignment");
}

void AssignmentReader::EndOfText() {
  EndValues();
  const bool cut = part_ == Part::kTotal || part_ == Part::kLiveRanges || part_ == Part::kSequence;
  if (pieces_.empty()) {
    Complain(diag::kBadAssignmentEntry, 0, "expected a buffer assignment");
  } else if (cut) {
    Complain(diag::kUnexpectedEnd, 0, "the text ends inside an assignment");
  }
  KeepBlanks(blanks_);
  blanks_ = 0;
  const bool has_more = pieces_.has(AssignmentPiece::kAllocations) &&
                        pieces_ != AssignmentPieces().With(AssignmentPiece::kAllocations);
  if (has_more) assignment_.style.split = false;
}

AssignmentPieces AssignmentReader::Read(std::string_view text, Diagnostics& diagnostics) {
  Lines lines(text, diagnostics);
  lines_ = &lines;
  part_ = Part::kNone;
  pieces_ = {};
  while (lines.Next()) {
    if (!lines.ended()) {
      Complain(diag::kUnexpectedEnd, lines.line().size(), "the last line is truncated");
      break;
    }
    ReadLine(lines.line());
  }
  EndOfText();
  if (assignment_.full()) Complain(diag::kTooLarge, 0, "the assignment is too large");
  return pieces_;
}

void AssignmentReader::Finish() {
  std::vector<AssignedValue>& values = assignment_.values;
  // Values without a number come last.
  const auto position = [&values](uint32_t row) {
    return std::pair(static_cast<uint64_t>(values[row].id), row);
  };
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, position);
  std::vector<AssignedValue> sorted;
  sorted.reserve(values.size());
  std::vector<ValueId> moved(values.size());
  for (const uint32_t row : order) {
    moved[row] = ValueId(sorted.size());
    sorted.push_back(values[row]);
  }
  values = std::move(sorted);
  for (ValueId& id : assignment_.placed) id = moved[id.index()];
  for (ValueId& id : assignment_.ranged) id = moved[id.index()];

  AssignmentStyle& style = assignment_.style;
  style.values = form_.value_or(style.values);
  style.addresses = addresses_.value_or(style.addresses);
  style.pages = pages_said_.value_or(style.pages);
  style.entry_shapes = entry_shapes_.value_or(style.entry_shapes);
  style.none_uses = none_uses_.value_or(style.none_uses);
  style.from_instruction = from_instruction_.value_or(style.from_instruction);
  style.from_space = from_space_.value_or(style.from_space);
  style.from_newline = from_newline_.value_or(style.from_newline);
  style.peak_indices = peak_indices_.value_or(style.peak_indices);
  style.peak_cumulative = peak_cumulative_.value_or(style.peak_cumulative);
}

void AssignmentReader::IndexValues() {
  row_of_position_.reserve(assignment_.values.size());
  for (uint32_t row = 0; row < assignment_.values.size(); ++row) {
    const AssignedValue& value = assignment_.values[row];
    row_of_position_.try_emplace(PositionKey(value.instruction, value.index), row);
  }
}

bool AssignmentReadResult::ok() const {
  return std::ranges::all_of(diagnostics, [](const Diagnostics& each) { return each.ok(); });
}

AssignmentPieces AssignmentReadResult::all_pieces() const {
  AssignmentPieces all;
  for (const AssignmentPieces& each : pieces) {
    for (const AssignmentPiece piece :
         {AssignmentPiece::kAllocations, AssignmentPiece::kValues, AssignmentPiece::kLiveRanges}) {
      if (each.has(piece)) all = all.With(piece);
    }
  }
  return all;
}

AssignmentReadResult ReadAssignment(std::span<const std::string_view> texts) {
  AssignmentReadResult result;
  result.diagnostics.resize(texts.size());
  result.pieces.resize(texts.size());
  std::vector<size_t> order(texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(RankOf(texts[i]), i); });
  AssignmentReader reader(result.assignment);
  for (const size_t i : order) result.pieces[i] = reader.Read(texts[i], result.diagnostics[i]);
  reader.Finish();
  return result;
}

AssignmentReadResult ReadAssignment(std::string_view text) {
  const std::array texts = {text};
  return ReadAssignment(texts);
}

}  // namespace halo
