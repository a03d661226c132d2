// Arbitrary bytes must be read without harm, as pieces of an assignment (split at zero bytes) and
// as a memory usage report. What reads without errors must print back to the same bytes; printing
// it in any generation's style and making its report must do no harm.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "halo/memory/text/memory_report.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/memory/text/write_assignment.h"

namespace {

using namespace halo;

void TryAssignment(std::string_view bytes) {
  std::vector<std::string_view> texts;
  while (texts.size() < 4) {
    const size_t end = bytes.find('\0');
    texts.push_back(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  const AssignmentReadResult read = ReadAssignment(texts);
  const Assignment& assignment = read.assignment;
  for (size_t i = 0; i < texts.size() && read.ok(); ++i) {
    TextBuffer out;
    WriteAssignment(assignment, assignment.style, read.pieces[i], out);
    if (out.view() != texts[i]) std::abort();
  }
  for (const std::string_view style : AssignmentStyleTexts()) {
    TextBuffer out;
    WriteAssignment(assignment, *AssignmentStyleFromText(style), AssignmentPieces::All(), out);
  }
  for (const ReportForm form : {ReportForm::kAllocations, ReportForm::kMemorySpaces}) {
    TextBuffer out;
    WriteMemoryReport(MakeMemoryReport(assignment, form), out);
  }
}

void TryReport(std::string_view bytes) {
  Diagnostics diagnostics;
  const MemoryReport report = ReadMemoryReport(bytes, diagnostics);
  TextBuffer out;
  WriteMemoryReport(report, out);
  if (diagnostics.ok() && out.view() != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TryAssignment(bytes);
  TryReport(bytes);
  return 0;
}
