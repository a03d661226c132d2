// The list of values: where each appears, what uses it, and the line that defines it.
#include <string>

#include "halo/base/strings/human_size.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/assignment_reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kFrom = " from instruction:";

}  // namespace

bool AssignmentReader::ReadTotal(std::string_view line) {
  Fields fields(line);
  fields.Take("Total bytes used: ");
  if (!fields.TakeCount(assignment_.total_bytes)) return Bad(fields, "expected a number of bytes");
  assignment_.has_total = true;
  assignment_.style.human_total = !fields.at_end();
  if (fields.at_end()) return true;
  const std::string human = " (" + HumanBytes(assignment_.total_bytes) + ")";
  if (fields.rest() != human) return Bad(fields, "expected" + human);
  return true;
}

bool AssignmentReader::ReadValueLine(std::string_view line) {
  if (line.starts_with('<') && part_ != Part::kTotal) return ReadListedValue(line);
  if (part_ == Part::kValues && line == " positions:") {
    part_ = Part::kPositions;
    return true;
  }
  if (part_ == Part::kPositions && line == " uses:") {
    part_ = Part::kUses;
    return true;
  }
  if (part_ == Part::kUses && line.starts_with(kFrom)) return ReadFromInstruction(line);
  if (!line.starts_with("  ")) return false;
  if (part_ == Part::kPositions) return ReadPosition(line);
  return part_ == Part::kUses && ReadUse(line);
}

bool AssignmentReader::ReadListedValue(std::string_view line) {
  if (last_id_ >= 0 && part_ == Part::kValueEnd)
    Agree(from_newline_, lines_->line().size() == line.size());
  EndListedValue();
  part_ = Part::kValues;
  // Columns are counted in the whole line.
  Fields fields(lines_->line());
  fields.Take(lines_->line().substr(0, lines_->line().size() - line.size()));
  ValueLabel label;
  if (!TakeLabel(fields, label)) return false;
  if (!fields.at_end()) return Bad(fields, "unexpected text after the value's name");
  const size_t known = assignment_.values.size();
  const uint32_t row = RowOf(label);
  if (rows_[row].listed) {
    Complain(diag::kDuplicateAssignmentEntry, 0,
             "value " + std::to_string(label.id) + " is listed more than once");
    return false;
  }
  if (row >= known && all_pieces_.has(AssignmentPiece::kAllocations)) {
    Complain(diag::kAssignmentPiecesDisagree, 0,
             "value " + std::to_string(label.id) + " is in no allocation");
  }
  if (label.id < last_id_)
    Complain(diag::kBadAssignmentEntry, 0, "values must be in the order of their numbers");
  last_id_ = label.id;
  rows_[row].listed = true;
  row_ = row;
  assignment_.values[row].first_position = static_cast<uint32_t>(assignment_.positions.size());
  assignment_.values[row].first_use = static_cast<uint32_t>(assignment_.uses.size());
  return true;
}

bool AssignmentReader::ReadPosition(std::string_view line) {
  if (row_ == kNoRow) return true;
  Fields fields(line);
  std::string_view instruction;
  if (!fields.Take("  ") || !fields.TakeWord(" ", instruction))
    return Bad(fields, "expected an instruction's name");
  ValuePosition position;
  position.instruction = assignment_.Text(instruction);
  if (fields.Take(" ")) {
    if (!fields.TakeIndex(steps_)) return Bad(fields, "a shape index is written {1,0}");
    position.index = assignment_.Index(steps_);
  }
  if (!fields.at_end()) return Bad(fields, "unexpected text after the position");
  assignment_.positions.push_back(position);
  ++assignment_.values[row_].position_count;
  return true;
}

bool AssignmentReader::ReadUse(std::string_view line) {
  if (row_ == kNoRow) return true;
  Fields fields(line);
  if (line == "  (none)") {
    if (says_none_ || assignment_.values[row_].use_count != 0)
      return Bad(fields, "the value has uses");
    says_none_ = true;
    return true;
  }
  std::string_view instruction;
  ValueUse use;
  if (!fields.Take("  ") || !fields.TakeUntil(", operand ", instruction) || instruction.empty() ||
      !fields.TakeCount(use.operand)) {
    return Bad(fields, "a use is written name, operand 0");
  }
  use.instruction = assignment_.Text(instruction);
  if (fields.Take(" ")) {
    if (!fields.TakeIndex(steps_)) return Bad(fields, "a shape index is written {1,0}");
    use.index = assignment_.Index(steps_);
  }
  if (!fields.at_end()) return Bad(fields, "unexpected text after the use");
  if (says_none_) return Bad(fields, "the value has no uses");
  assignment_.uses.push_back(use);
  ++assignment_.values[row_].use_count;
  return true;
}

std::string_view AssignmentReader::GluedLabel(std::string_view line) {
  const size_t begin = line.ends_with('>') ? line.rfind('<') : std::string_view::npos;
  if (begin == std::string_view::npos) return {};
  const std::string_view label = line.substr(begin);
  // An instruction may also end with <...>, but not with a number and a name in it.
  Fields fields(label.substr(1));
  int64_t id = 0;
  return fields.TakeCount(id) && fields.Take(" ") ? label : std::string_view{};
}

bool AssignmentReader::ReadFromInstruction(std::string_view line) {
  part_ = Part::kValueEnd;
  Fields fields(line);
  fields.Take(kFrom);
  const bool space = fields.Take(" ");
  const std::string_view glued = GluedLabel(fields.rest());
  const std::string_view text = fields.rest().substr(0, fields.rest().size() - glued.size());
  if (text.empty()) return Bad(fields, "expected the defining instruction");
  Agree(from_space_, space);
  Agree(from_instruction_, true);
  if (row_ != kNoRow) {
    assignment_.values[row_].from_instruction = assignment_.Text(text);
    if (assignment_.values[row_].use_count == 0) Agree(none_uses_, says_none_);
  }
  row_ = kNoRow;
  says_none_ = false;
  return glued.empty() || ReadListedValue(glued);
}

void AssignmentReader::EndListedValue() {
  if (row_ != kNoRow) {
    if (part_ != Part::kUses) {
      Complain(diag::kBadAssignmentEntry, 0,
               "the value before this line has no positions or no uses");
    } else {
      Agree(from_instruction_, false);
      if (assignment_.values[row_].use_count == 0) Agree(none_uses_, says_none_);
    }
  }
  row_ = kNoRow;
  says_none_ = false;
}

void AssignmentReader::EndValues() {
  if (pieces_.has(AssignmentPiece::kValues)) {
    EndListedValue();
  } else if (row_ != kNoRow) {
    Complain(diag::kUnexpectedEnd, 0, "the value before this line has no offset and size");
    row_ = kNoRow;
  }
  if (!pieces_.has(AssignmentPiece::kValues) || pieces_.has(AssignmentPiece::kLiveRanges) ||
      !all_pieces_.has(AssignmentPiece::kAllocations)) {
    return;
  }
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].listed) continue;
    Complain(diag::kAssignmentPiecesDisagree, 0,
             "the list of values lacks value " + std::to_string(assignment_.values[row].id));
  }
}

}  // namespace halo
