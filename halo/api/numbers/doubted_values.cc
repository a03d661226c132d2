// Both programs are run by the same engine, so the same op on equal operands yields equal bits.
#include "halo/api/numbers/doubted_values.h"

#include <algorithm>
#include <span>

namespace halo {

bool IsSameOp(const MatchedPrograms& programs, const std::vector<AgreedValue>& values, uint32_t b) {
  const uint32_t a = values[b].partner;
  if (a == kUnmatched || programs.classes_a.label(a) != programs.classes_b.label(b)) return false;
  const std::span<const ClassEdge> before = programs.classes_a.edges(a);
  const std::span<const ClassEdge> after = programs.classes_b.edges(b);
  if (before.size() != after.size()) return false;
  const auto fits = [&](size_t i, size_t j) {
    return values[after[i].from].partner == before[j].from && after[i].out == before[j].out &&
           after[i].view == before[j].view;
  };
  size_t fitting = 0;
  for (size_t i = 0; i < after.size(); ++i) fitting += fits(i, i) ? 1 : 0;
  if (fitting == after.size()) return true;
  return programs.classes_b.commutes(b) && after.size() == 2 && fits(0, 1) && fits(1, 0);
}

std::vector<bool> FindDoubted(const MatchedPrograms& programs,
                              const std::vector<AgreedValue>& values) {
  std::vector<bool> doubted(values.size(), false);
  std::vector<uint32_t> open;
  const auto doubt_operands = [&](uint32_t b) {
    for (const ClassEdge& edge : programs.classes_b.edges(b)) {
      if (values[edge.from].agreement != ValueAgreement::kClose || doubted[edge.from]) continue;
      doubted[edge.from] = true;
      open.push_back(edge.from);
    }
  };
  const auto agrees = [&](const ClassEdge& edge) {
    const ValueAgreement agreement = values[edge.from].agreement;
    return agreement == ValueAgreement::kEqual || agreement == ValueAgreement::kClose;
  };
  for (uint32_t b = 0; b < values.size(); ++b) {
    if (values[b].agreement != ValueAgreement::kDiffers || !IsSameOp(programs, values, b)) continue;
    if (std::ranges::all_of(programs.classes_b.edges(b), agrees)) doubt_operands(b);
  }
  while (!open.empty()) {
    const uint32_t b = open.back();
    open.pop_back();
    if (IsSameOp(programs, values, b)) doubt_operands(b);
  }
  return doubted;
}

}  // namespace halo
