// Allocations and the values placed in them, in the three forms that XLA has printed.
#include <string>

#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/allocation_traits.h"
#include "halo/memory/text/assignment_reader.h"

namespace halo {

bool AssignmentReader::ReadAllocationLine(std::string_view line) {
  if (line.starts_with("allocation ")) {
    row_ = kNoRow;
    part_ = Part::kAllocations;
    return ReadAllocation(line);
  }
  if (part_ == Part::kPositions || part_ == Part::kUses) {
    if (line == " uses:") {
      part_ = Part::kUses;
      return true;
    }
    if (line.starts_with(" [")) return ReadInlineOffsetAndSize(line);
    return part_ == Part::kPositions ? ReadPosition(line) : ReadUse(line);
  }
  if (line.starts_with(" value: ")) return ReadPlacedValue(line);
  if (line == " reused by buffers of a different color:") {
    part_ = Part::kCrossColor;
    return true;
  }
  if (line.starts_with("  value: ") && part_ == Part::kCrossColor) return ReadCrossColorValue(line);
  if (line.ends_with(", positions:")) return ReadInlineValue(line);
  if (line.starts_with("  ") && line.find("](#") != std::string_view::npos)
    return ReadLogicalBuffer(line);
  return false;
}

bool AssignmentReader::ReadAllocation(std::string_view line) {
  Fields fields(line);
  fields.Take("allocation ");
  int64_t number = 0;
  if (!fields.TakeCount(number)) return Bad(fields, "expected the allocation's number");
  const size_t wanted = assignment_.allocations.size();
  if (static_cast<uint64_t>(number) != wanted)
    Bad(fields, "allocations must be numbered in order; expected " + std::to_string(wanted));
  // Its values are read even if the rest of the line cannot be.
  Allocation& allocation = assignment_.allocations.emplace_back();
  allocation.first = static_cast<uint32_t>(assignment_.placed.size());
  if (!fields.Take(": ")) return Bad(fields, "expected a colon");
  return ReadAllocationFields(fields, allocation);
}

bool AssignmentReader::ReadAllocationFields(Fields& fields, Allocation& allocation) {
  const bool has_address = fields.rest().starts_with("0x");
  if (has_address) {
    std::string_view address;
    if (!fields.TakeUntil(", ", address)) return Bad(fields, "expected the size");
    allocation.address = assignment_.Text(address);
  }
  if (!fields.Take("size ") || !fields.TakeCount(allocation.size))
    return Bad(fields, "expected the allocation's size, as in: size 1024");
  const std::string_view wrong = TakeAllocationTraits(fields, assignment_, allocation);
  if (!wrong.empty()) return Bad(fields, std::string(wrong));
  if (allocation.parameter >= 0) Agree(entry_shapes_, allocation.parameter_shape.valid());
  if (allocation.output_shape.valid()) Agree(entry_shapes_, true);
  Agree(addresses_, has_address);
  Agree(pages_said_, allocation.page >= 0);
  return true;
}

void AssignmentReader::BeginValues(ValueForm form) {
  if (!form_) form_ = form;
  if (*form_ != form)
    Complain(diag::kBadAssignmentEntry, 0,
             "this value has another format than the values before it");
}

void AssignmentReader::Place(uint32_t row, int64_t offset, int64_t size, std::string_view shape) {
  if (assignment_.allocations.empty()) {
    Complain(diag::kBadAssignmentEntry, 0, "this value is outside of any allocation");
    return;
  }
  AssignedValue& value = assignment_.values[row];
  if (rows_[row].placed) {
    Complain(diag::kDuplicateAssignmentEntry, 0,
             "value " + std::to_string(value.id) + " is placed more than once");
    return;
  }
  Allocation& allocation = assignment_.allocations.back();
  if (allocation.count != 0 && assignment_.value(assignment_.placed.back()).id > value.id) {
    Complain(diag::kBadAssignmentEntry, 0,
             "an allocation's values must be in the order of their numbers");
  }
  rows_[row].placed = true;
  value.allocation = AllocationId(assignment_.allocations.size() - 1);
  value.offset = offset;
  value.size = size;
  value.shape = assignment_.Text(shape);
  assignment_.placed.emplace_back(row);
  ++allocation.count;
}

bool AssignmentReader::ReadPlacedValue(std::string_view line) {
  Fields fields(line);
  fields.Take(" value: ");
  ValueLabel label;
  if (part_ == Part::kCrossColor)
    return Bad(fields, "values must come before the list of values of a different color");
  if (!TakeLabel(fields, label)) return false;
  int64_t size = 0;
  int64_t offset = 0;
  if (!fields.Take(" (size=") || !fields.TakeCount(size) || !fields.Take(",offset=") ||
      !fields.TakeCount(offset) || !fields.Take("): ")) {
    return Bad(fields, "expected size, offset and shape, as in: (size=64,offset=0): f32[16]{0}");
  }
  if (fields.at_end()) return Bad(fields, "expected the value's shape");
  BeginValues(ValueForm::kSizeOffset);
  Place(RowOf(label), offset, size, fields.TakeRest());
  return true;
}

bool AssignmentReader::ReadCrossColorValue(std::string_view line) {
  Fields fields(line);
  fields.Take("  value: ");
  ValueLabel label;
  if (!TakeLabel(fields, label)) return false;
  int32_t color = 0;
  if (!fields.Take(" (color=") || !fields.TakeCount(color) || !fields.Take(")") || !fields.at_end())
    return Bad(fields, "expected the value's color, as in: (color=1)");
  const uint32_t row = RowOf(label);
  AssignedValue& value = assignment_.values[row];
  if (!rows_[row].placed || value.allocation.index() + 1 != assignment_.allocations.size())
    return Bad(fields, "this value is not in the allocation");
  if (color != value.color) return Bad(fields, "the value has another color");
  if (value.is_cross_color) return Bad(fields, "this value is listed more than once");
  value.is_cross_color = true;
  if (last_cross_ >= label.id && last_cross_allocation_ == value.allocation)
    return Bad(fields, "values must be in the order of their numbers");
  last_cross_ = label.id;
  last_cross_allocation_ = value.allocation;
  return true;
}

bool AssignmentReader::ReadOffsetAndSize(Fields& fields, int64_t& offset, int64_t& size) {
  if (!fields.Take(" [") || !fields.TakeCount(offset) || !fields.Take(",") ||
      !fields.TakeCount(size) || !fields.Take("]: ") || fields.at_end()) {
    return Bad(fields, "expected offset, size and shape, as in: [0,64]: f32[16]{0}");
  }
  return true;
}

bool AssignmentReader::ReadLogicalBuffer(std::string_view line) {
  Fields fields(line);
  fields.Take("  ");
  ValueLabel label;
  if (!fields.TakeWord("[", label.instruction) || !fields.Take("[") || !fields.TakeList(steps_) ||
      !fields.Take("](#") || !fields.TakeCount(label.id)) {
    return Bad(fields, "a buffer is written name[index](#number @color)");
  }
  label.shows_index = !steps_.empty();
  if (fields.Take(" @") && !fields.TakeCount(label.color))
    return Bad(fields, "expected the buffer's color");
  int64_t offset = 0;
  int64_t size = 0;
  if (!fields.Take(")")) return Bad(fields, "expected ) after the buffer's name");
  if (!ReadOffsetAndSize(fields, offset, size)) return false;
  BeginValues(ValueForm::kLogicalBuffer);
  Place(RowOf(label), offset, size, fields.TakeRest());
  return true;
}

bool AssignmentReader::ReadInlineValue(std::string_view line) {
  row_ = kNoRow;
  part_ = Part::kPositions;
  Fields fields(line);
  ValueLabel label;
  if (!fields.Take("  ") || !fields.TakeCount(label.id) || !fields.Take(" "))
    return Bad(fields, "expected the value's number");
  label.is_phi = fields.Take("PHI ");
  if (!fields.TakeWord(" {,", label.instruction))
    return Bad(fields, "expected the value's instruction");
  label.shows_index = fields.rest().starts_with('{');
  steps_.clear();
  if (label.shows_index && !fields.TakeIndex(steps_))
    return Bad(fields, "a shape index is written {1,0}");
  if (!fields.Take(" @") || !fields.TakeInt(label.color) || label.color < -1)
    return Bad(fields, "expected the value's color, as in: @0");
  if (!fields.Take(", positions:") || !fields.at_end())
    return Bad(fields, "expected the positions");
  BeginValues(ValueForm::kInline);
  const uint32_t row = RowOf(label);
  if (rows_[row].listed) {
    Complain(diag::kDuplicateAssignmentEntry, 0,
             "value " + std::to_string(label.id) + " is placed more than once");
    return false;
  }
  rows_[row].listed = true;
  row_ = row;
  assignment_.values[row].first_position = static_cast<uint32_t>(assignment_.positions.size());
  assignment_.values[row].first_use = static_cast<uint32_t>(assignment_.uses.size());
  return true;
}

bool AssignmentReader::ReadInlineOffsetAndSize(std::string_view line) {
  const bool whole = part_ == Part::kUses;
  part_ = Part::kAllocations;
  Fields fields(line);
  int64_t offset = 0;
  int64_t size = 0;
  if (!whole) return Bad(fields, "the value's uses must come before this line");
  if (!ReadOffsetAndSize(fields, offset, size)) return false;
  if (row_ != kNoRow) Place(row_, offset, size, fields.TakeRest());
  row_ = kNoRow;
  return true;
}

}  // namespace halo
