// Collects findings: counts all, keeps the first ones.
#ifndef HALO_MEMORY_CHECK_CHECK_REPORT_H_
#define HALO_MEMORY_CHECK_CHECK_REPORT_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "halo/memory/check/violation.h"

namespace halo::check {

inline std::string RangeText(const LiveRange& range) {
  if (!range.known()) return "unknown";
  return std::to_string(range.start) + "-" + std::to_string(range.end);
}

class Report {
 public:
  explicit Report(size_t keep) : keep_(keep) {}

  void Add(Finding finding) {
    Count(finding.kind);
    if (IsKeeping()) result_.findings.push_back(std::move(finding));
  }
  // False once further findings are only counted, so no message is needed.
  [[nodiscard]] bool IsKeeping() const { return result_.findings.size() < keep_; }
  void Count(FindingKind kind) {
    ++result_.total;
    ++result_.counts[static_cast<size_t>(kind)];
  }
  CheckCoverage& coverage() { return result_.coverage; }
  void SetIncomplete() { result_.counted_all = false; }

  AssignmentFindings Take() && {
    std::ranges::sort(result_.findings, [](const Finding& a, const Finding& b) {
      return std::tuple(a.kind, a.allocation, a.first, a.second, a.explanation) <
             std::tuple(b.kind, b.allocation, b.first, b.second, b.explanation);
    });
    return std::move(result_);
  }

 private:
  size_t keep_;
  AssignmentFindings result_;
};

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_REPORT_H_
