// The generations, oldest first; each changes some facts of the previous one.
#include "halo/memory/model/assignment_style.h"

#include <array>
#include <cstddef>

namespace halo {
namespace {

constexpr std::array<std::string_view, 16> kAll = {
    "2018",    "2019-04", "2019-09", "2019-12", "2021-04", "2021-08", "2021-09", "2022-09",
    "2024-01", "2024-11", "2025-04", "2025-05", "2025-07", "2026-04", "2026-06", "2026-08"};

AssignmentStyle Oldest() {
  AssignmentStyle style;
  style.values = ValueForm::kLogicalBuffer;
  style.split = false;
  style.addresses = true;
  style.pages = style.entry_shapes = style.human_total = style.none_uses = false;
  style.from_instruction = style.from_space = false;
  style.peak = style.peak_indices = style.peak_cumulative = style.stack_trace = false;
  return style;
}

// Applies what begins with the generation at this index of kAll.
void Begin(size_t generation, AssignmentStyle& style) {
  switch (generation) {
    case 1: style.values = ValueForm::kInline; break;
    case 2: style.values = ValueForm::kSizeOffset; break;
    case 3: style.entry_shapes = true; break;
    case 4: style.peak = true; break;
    case 5: style.human_total = true; break;
    case 6: style.from_instruction = true; break;
    case 7: style.addresses = false; break;
    case 8:
      style.from_space = true;
      style.from_newline = false;
      style.live_range_gap = 1;
      break;
    case 9:
      style.from_newline = true;
      style.live_range_gap = 2;
      break;
    case 10: style.peak_indices = true; break;
    case 11: style.peak_cumulative = true; break;
    case 12: style.stack_trace = true; break;
    case 13: style.split = true; break;
    case 14: style.none_uses = true; break;
    case 15: style.pages = true; break;
    default: break;
  }
}

}  // namespace

std::optional<AssignmentStyle> AssignmentStyleFromText(std::string_view text) {
  AssignmentStyle style = Oldest();
  for (size_t i = 0; i < kAll.size(); ++i) {
    Begin(i, style);
    if (kAll[i] == text) return style;
  }
  return std::nullopt;
}

std::span<const std::string_view> AssignmentStyleTexts() { return kAll; }

}  // namespace halo
