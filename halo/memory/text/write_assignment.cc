// One function per kind of line.
#include "halo/memory/text/write_assignment.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/memory/text/allocation_traits.h"

namespace halo {
namespace {

class AssignmentWriter {
 public:
  AssignmentWriter(const Assignment& assignment, const AssignmentStyle& style, TextBuffer& out)
      : assignment_(assignment), style_(style), out_(out) {}

  void Write(AssignmentPieces pieces) {
    const bool allocations = pieces.has(AssignmentPiece::kAllocations);
    const bool values = pieces.has(AssignmentPiece::kValues) &&
                        (style_.values == ValueForm::kSizeOffset || !allocations);
    BeginFile(allocations ? AssignmentPiece::kAllocations
              : values    ? AssignmentPiece::kValues
                          : AssignmentPiece::kLiveRanges);
    if (allocations) WriteAllocations();
    if (values) WriteValues();
    if (!pieces.has(AssignmentPiece::kLiveRanges)) return;
    if (allocations || values) {
      for (int i = 0; i < style_.live_range_gap; ++i) EndLine();
    }
    WriteLiveRanges();
  }

 private:
  void BeginFile(AssignmentPiece file) {
    for (const KeptLine& kept : assignment_.kept) {
      if (kept.file == file) kept_.push_back(kept);
    }
    PrintKept();
  }
  void PrintKept() {
    for (; next_kept_ < kept_.size() && kept_[next_kept_].line <= line_; ++next_kept_) {
      out_ << assignment_.text(kept_[next_kept_].text) << '\n';
      ++line_;
    }
  }
  void EndLine() {
    out_ << '\n';
    ++line_;
    PrintKept();
  }
  void Line(std::string_view text) {
    out_ << text;
    EndLine();
  }

  void Steps(IndexId index) {
    const std::span<const int64_t> steps = assignment_.index(index);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i != 0) out_ << ',';
      out_ << steps[i];
    }
  }
  void Index(IndexId index) {
    out_ << '{';
    Steps(index);
    out_ << '}';
  }

  void WriteAllocations() {
    Line("BufferAssignment:");
    for (size_t i = 0; i < assignment_.allocations.size(); ++i) {
      const Allocation& allocation = assignment_.allocations[i];
      out_ << "allocation " << i << ": ";
      if (style_.addresses) {
        out_ << (allocation.address.valid() ? assignment_.text(allocation.address) : "0x0") << ", ";
      }
      out_ << "size " << allocation.size;
      WriteAllocationTraits(assignment_, allocation, style_, out_);
      EndLine();
      const std::span<const ValueId> values = assignment_.values_of(allocation);
      for (const ValueId id : values) WritePlaced(assignment_.value(id));
      WriteCrossColor(values);
    }
  }

  void WritePlaced(const AssignedValue& value) {
    switch (style_.values) {
      case ValueForm::kSizeOffset:
        out_ << " value: ";
        Label(value);
        out_ << " (size=" << value.size << ",offset=" << value.offset << ')';
        break;
      case ValueForm::kInline:
        out_ << "  " << value.id << ' ' << (value.is_phi ? "PHI " : "");
        NameAndIndex(value);
        out_ << " @" << value.color << ", positions:";
        EndLine();
        WritePositions(value);
        Line(" uses:");
        WriteUses(value);
        out_ << " [" << value.offset << ',' << value.size << ']';
        break;
      case ValueForm::kLogicalBuffer:
        out_ << "  " << assignment_.text(value.instruction) << '[';
        Steps(value.index);
        out_ << "](#" << value.id;
        if (value.color >= 0) out_ << " @" << value.color;
        out_ << ") [" << value.offset << ',' << value.size << ']';
        break;
    }
    out_ << ": " << assignment_.text(value.shape);
    EndLine();
  }

  void WriteCrossColor(std::span<const ValueId> values) {
    const auto is_cross = [this](ValueId id) { return assignment_.value(id).is_cross_color; };
    if (std::ranges::none_of(values, is_cross)) return;
    Line(" reused by buffers of a different color:");
    for (const ValueId id : values) {
      if (!is_cross(id)) continue;
      out_ << "  value: ";
      Label(assignment_.value(id));
      out_ << " (color=" << assignment_.value(id).color << ')';
      EndLine();
    }
  }

  void NameAndIndex(const AssignedValue& value) {
    out_ << assignment_.text(value.instruction);
    if (value.shows_index) Index(value.index);
  }
  void Label(const AssignedValue& value) {
    out_ << '<' << value.id << ' ';
    NameAndIndex(value);
    if (value.is_phi) out_ << " (phi)";
    if (value.color >= 0) out_ << " @" << value.color;
    out_ << '>';
  }

  void WritePositions(const AssignedValue& value) {
    for (const ValuePosition& position : assignment_.positions_of(value)) {
      out_ << "  " << assignment_.text(position.instruction);
      if (position.index.valid()) {
        out_ << ' ';
        Index(position.index);
      }
      EndLine();
    }
  }
  void WriteUses(const AssignedValue& value) {
    for (const ValueUse& use : assignment_.uses_of(value)) {
      out_ << "  " << assignment_.text(use.instruction) << ", operand " << use.operand;
      if (use.index.valid()) {
        out_ << ' ';
        Index(use.index);
      }
      EndLine();
    }
  }

  void WriteValues() {
    EndLine();
    out_ << "Total bytes used: " << assignment_.total_bytes;
    if (style_.human_total) out_ << " (" << HumanBytes(assignment_.total_bytes) << ')';
    EndLine();
    EndLine();
    Line("Used values:");
    bool line_is_open = false;
    for (const AssignedValue& value : assignment_.values) {
      if (value.id < 0) break;
      Label(value);
      EndLine();
      Line(" positions:");
      WritePositions(value);
      Line(" uses:");
      if (value.use_count == 0 && style_.none_uses) Line("  (none)");
      WriteUses(value);
      if (!style_.from_instruction || !value.from_instruction.valid()) continue;
      out_ << " from instruction:" << (style_.from_space ? " " : "")
           << assignment_.text(value.from_instruction);
      line_is_open = !style_.from_newline;
      if (!line_is_open) EndLine();
    }
    if (line_is_open) EndLine();
  }

  void WriteLiveRange(const AssignedValue& value) {
    out_ << "    " << assignment_.text(value.instruction);
    Index(value.index);
    out_ << ':' << value.live.start << '-' << value.live.end;
    EndLine();
  }

  void WriteLiveRanges() {
    if (assignment_.schedule_end < 0) return;
    out_ << "HloLiveRange (max " << assignment_.schedule_end << "):";
    EndLine();
    Line("  InstructionSequence:");
    for (size_t i = 0; i < assignment_.sequence.size(); ++i) {
      out_ << "    " << i << ':' << assignment_.text(assignment_.sequence[i]);
      EndLine();
    }
    Line("  BufferLiveRange:");
    for (const ValueId id : assignment_.ranged) WriteLiveRange(assignment_.value(id));
    if (assignment_.ranged.empty()) {
      for (const AssignedValue& value : assignment_.values) {
        if (value.live.known()) WriteLiveRange(value);
      }
    }
    if (style_.peak) WritePeak();
  }

  void WritePeak() {
    const PeakListing& peak = assignment_.peak;
    if (peak.undetermined)
      Line("  Peak memory could not be determined due to unbounded dynamic shape.");
    if (peak.time < 0) return;
    out_ << "  Live ranges at " << peak.time << " (peak):";
    EndLine();
    for (const PeakEntry& entry : peak.entries) {
      out_ << "    " << assignment_.text(entry.instruction);
      if (style_.peak_indices) Index(entry.index);
      out_ << ": " << entry.bytes << " bytes";
      if (style_.peak_cumulative) out_ << " (cumulative: " << entry.cumulative << " bytes)";
      EndLine();
    }
    if (!style_.stack_trace) return;
    for (const TextId line : peak.stack_trace) Line(assignment_.text(line));
  }

  const Assignment& assignment_;
  const AssignmentStyle& style_;
  TextBuffer& out_;
  std::vector<KeptLine> kept_;
  size_t next_kept_ = 0;
  uint32_t line_ = 0;
};

}  // namespace

void WriteAssignment(const Assignment& assignment, const AssignmentStyle& style,
                     AssignmentPieces pieces, TextBuffer& out) {
  AssignmentWriter(assignment, style, out).Write(pieces);
}

}  // namespace halo
