// The style of a buffer assignment's text: what each generation of XLA printed, as separate facts.
// The readers detect them and the writers follow them; the contents of an assignment do not depend
// on them.
#ifndef HALO_MEMORY_MODEL_ASSIGNMENT_STYLE_H_
#define HALO_MEMORY_MODEL_ASSIGNMENT_STYLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace halo {

// The parts of an assignment's text. Since 2026-04 each is a separate file.
enum class AssignmentPiece : uint8_t { kAllocations, kValues, kLiveRanges };

class AssignmentPieces {
 public:
  constexpr AssignmentPieces() = default;
  static constexpr AssignmentPieces All() {
    return AssignmentPieces()
        .With(AssignmentPiece::kAllocations)
        .With(AssignmentPiece::kValues)
        .With(AssignmentPiece::kLiveRanges);
  }
  [[nodiscard]] constexpr AssignmentPieces With(AssignmentPiece piece) const {
    AssignmentPieces more = *this;
    more.bits_ |= Bit(piece);
    return more;
  }
  [[nodiscard]] constexpr bool has(AssignmentPiece piece) const {
    return (bits_ & Bit(piece)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(AssignmentPieces, AssignmentPieces) = default;

 private:
  static constexpr unsigned Bit(AssignmentPiece piece) {
    return 1U << static_cast<unsigned>(piece);
  }
  unsigned bits_ = 0;
};

// How a value is printed below its allocation.
enum class ValueForm : uint8_t {
  kSizeOffset,     // value: <7 add{0} @0> (size=64,offset=0): f32[16]{0}
  kInline,         // 7 add{0} @0, positions: ... uses: ... [0,64]: f32[16]{0}
  kLogicalBuffer,  // add[0](#7 @0) [0,64]: f32[16]{0}
};

struct AssignmentStyle {
  ValueForm values = ValueForm::kSizeOffset;
  bool split = true;             // a file for each piece
  bool addresses = false;        // allocation 0: 0x7f10, size ...
  bool pages = true;             // , page 0
  bool entry_shapes = true;      // shapes of parameters and of the output
  bool human_total = true;       // Total bytes used: 2048 (2.0KiB)
  bool none_uses = true;         // (none) where nothing uses a value
  bool from_instruction = true;  // each value with the line that defines it,
  bool from_space = true;        // with a blank before that line
  bool from_newline = true;      // and a newline after it, except for the last one
  bool peak = true;              // the listing at the peak,
  bool peak_indices = true;      // with indices,
  bool peak_cumulative = true;   // with running sums,
  bool stack_trace = true;       // with the tree by source
  uint8_t live_range_gap = 2;    // blank lines before live ranges in the same file
  friend bool operator==(const AssignmentStyle&, const AssignmentStyle&) = default;
};

// By the month from which XLA printed this style: "2018", "2019-04", "2019-09", ... , "2026-08".
std::optional<AssignmentStyle> AssignmentStyleFromText(std::string_view text);
std::span<const std::string_view> AssignmentStyleTexts();

}  // namespace halo

#endif  // HALO_MEMORY_MODEL_ASSIGNMENT_STYLE_H_
