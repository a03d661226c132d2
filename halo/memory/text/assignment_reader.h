// The state of reading an assignment: the current part of the text, what was read so far, and the
// tables that find values again. Each part of the text has a file: read_allocations.cc,
// read_values.cc, read_live_ranges.cc. Internal to this folder.
#ifndef HALO_MEMORY_TEXT_ASSIGNMENT_READER_H_
#define HALO_MEMORY_TEXT_ASSIGNMENT_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/line_fields.h"
#include "halo/memory/text/lines.h"

namespace halo {

// How the text names a value.
struct ValueLabel {
  int64_t id = -1;
  std::string_view instruction;
  bool shows_index = false;
  bool is_phi = false;
  int32_t color = -1;
};

class AssignmentReader {
 public:
  explicit AssignmentReader(Assignment& assignment) : assignment_(assignment) {
    assignment_.has_total = false;
  }

  // Texts must come in the order of their pieces. Returns the pieces that the text held.
  AssignmentPieces Read(std::string_view text, Diagnostics& diagnostics);
  // Sorts the values; call it once, after the last text.
  void Finish();

 private:
  enum class Part : uint8_t {
    kNone,
    kAllocations,
    kCrossColor,
    kTotal,
    kValues,
    kPositions,
    kUses,
    kValueEnd,  // its defining line was read
    kLiveRanges,
    kSequence,
    kRanges,
    kPeak,
    kPeakEnd,
    kStackTrace,
  };
  static constexpr uint32_t kNoRow = UINT32_MAX;

  struct RowState {
    bool placed = false, listed = false;
  };

  void ReadLine(std::string_view line);
  bool BeginPart(std::string_view line);
  bool ReadPartLine(std::string_view line);
  void BeginPiece(AssignmentPiece piece);
  void TakeBlanks(uint32_t wanted);
  void KeepBlanks(uint32_t count);
  void EndOfText();

  // read_allocations.cc
  bool ReadAllocationLine(std::string_view line);
  bool ReadAllocation(std::string_view line);
  bool ReadAllocationFields(Fields& fields, Allocation& allocation);
  bool ReadPlacedValue(std::string_view line);
  bool ReadLogicalBuffer(std::string_view line);
  bool ReadInlineValue(std::string_view line);
  bool ReadInlineOffsetAndSize(std::string_view line);
  bool ReadCrossColorValue(std::string_view line);
  bool ReadOffsetAndSize(Fields& fields, int64_t& offset, int64_t& size);
  void Place(uint32_t row, int64_t offset, int64_t size, std::string_view shape);
  void BeginValues(ValueForm form);

  // read_values.cc
  bool ReadTotal(std::string_view line);
  bool ReadValueLine(std::string_view line);
  bool ReadListedValue(std::string_view line);
  bool ReadPosition(std::string_view line);
  bool ReadUse(std::string_view line);
  bool ReadFromInstruction(std::string_view line);
  // A value's name at the end of the previous value's defining line; empty if there is none.
  std::string_view GluedLabel(std::string_view line);
  void EndListedValue();
  void EndValues();

  // read_live_ranges.cc
  bool ReadLiveRangeLine(std::string_view line);
  bool ReadLiveRangeHead(std::string_view line);
  bool ReadSequenceStep(std::string_view line);
  bool ReadLiveRange(std::string_view line);
  bool ReadPeakHead(std::string_view line);
  bool ReadPeakEntry(std::string_view line);
  void IndexValues();

  static uint64_t PositionKey(TextId instruction, IndexId index) {
    return uint64_t{instruction.value} << 32 | index.value;
  }

  // <7 add{0} (phi) @0>; the index goes to steps_.
  bool TakeLabel(Fields& fields, ValueLabel& label);
  // The row of the value with this label, new or known; reports an error if it is known with a
  // different one.
  uint32_t RowOf(const ValueLabel& label);
  // For facts that hold throughout a text: reports an error if `seen` differs from before.
  void Agree(std::optional<bool>& known, bool seen);
  // Reports that the line is wrong where reading stopped; returns false, for the reader to return.
  bool Bad(const Fields& fields, std::string message);
  void Complain(DiagCode code, size_t column, std::string message);

  Assignment& assignment_;
  Lines* lines_ = nullptr;  // of the text being read
  Part part_ = Part::kNone;
  AssignmentPieces pieces_;      // of the text being read
  AssignmentPieces all_pieces_;  // of all texts
  AssignmentPiece file_ = AssignmentPiece::kAllocations;
  uint32_t blanks_ = 0;  // blank lines just before this one
  bool reported_ = false;

  std::unordered_map<int64_t, uint32_t> row_of_id_;
  std::unordered_map<uint64_t, uint32_t> row_of_position_;  // by instruction and index
  std::vector<RowState> rows_;
  std::vector<int64_t> steps_;
  uint32_t row_ = kNoRow;  // the value whose lines are being read; none after an error
  int64_t last_id_ = -1;   // of the values listed so far
  bool says_none_ = false;
  int64_t last_cross_ = -1;  // the cross-color value listed last, and where
  AllocationId last_cross_allocation_;

  std::optional<bool> addresses_, pages_said_, entry_shapes_, none_uses_, from_instruction_,
      from_space_, from_newline_, peak_indices_, peak_cumulative_;
  std::optional<ValueForm> form_;
};

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_ASSIGNMENT_READER_H_
