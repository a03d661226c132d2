// Arbitrary bytes, split at zero bytes into pieces of an assignment and, if one starts like it, a
// module. Everything that was read is checked under every backend's rules, with and without the
// module. The check must finish soon, do no harm, and count at least as many findings as it keeps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "halo/memory/check/check_assignment.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/text/read/read_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> texts;
  std::optional<halo::Module> module;
  while (texts.size() < 4) {
    const size_t end = bytes.find('\0');
    const std::string_view piece = bytes.substr(0, end);
    if (piece.starts_with("HloModule") && !module) {
      module = halo::ReadHloText(piece).module;
    } else {
      texts.push_back(piece);
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  const halo::Assignment assignment = halo::ReadAssignment(texts).assignment;
  for (const halo::CheckRules rules : {halo::CheckRules::kAny, halo::CheckRules::kCpu,
                                       halo::CheckRules::kGpu, halo::CheckRules::kTpu}) {
    const halo::Module* none = nullptr;
    for (const halo::Module* each : {module ? &*module : none, none}) {
      const halo::AssignmentFindings found =
          halo::CheckAssignment(assignment, each, {.rules = rules, .max_findings = 10});
      if (found.findings.size() > 10 || found.findings.size() > found.total) std::abort();
      size_t sum = 0;
      for (const size_t count : found.counts) sum += count;
      if (sum != found.total) std::abort();
    }
  }
  return 0;
}
