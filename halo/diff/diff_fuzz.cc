// Reads arbitrary bytes as HLO text and compares the module with itself: nothing may differ. If the
// bytes hold two modules, separated by a line "===", both are compared, in both directions, and the
// counts must agree. Modules are compared as they were read, also with errors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/check.h"
#include "halo/diff/diff.h"
#include "halo/text/read/read_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kBorder = "\n===\n";
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t border = bytes.find(kBorder);
  const halo::TextReadResult first = halo::ReadHloText(bytes.substr(0, border));
  const halo::ProgramDiff self = halo::DiffPrograms(first.module, first.module);
  HALO_CHECK(!self.refused.empty() || self.same);
  if (border == std::string_view::npos) return 0;
  const halo::TextReadResult second = halo::ReadHloText(bytes.substr(border + kBorder.size()));
  const halo::ProgramDiff forth = halo::DiffPrograms(first.module, second.module);
  const halo::ProgramDiff back = halo::DiffPrograms(second.module, first.module);
  HALO_CHECK(forth.refused.empty() == back.refused.empty());
  HALO_CHECK(forth.counts.before == back.counts.after);
  return 0;
}
