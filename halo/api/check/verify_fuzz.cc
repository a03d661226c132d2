// Reads arbitrary bytes as text or as a serialized module. The verifier must not crash on whatever
// the reader produces, including modules with errors. Verifying twice must give the same findings,
// and every finding must name instructions and computations that exist in the module.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/check.h"
#include "halo/proto/read/read_proto.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace {

void Check(const halo::Module& module) {
  const halo::RuleFindings findings = halo::Verify(module);
  const halo::RuleFindings again = halo::Verify(module, {.warnings = true, .max_findings = 10});
  HALO_CHECK(findings.errors() == again.errors() && findings.warnings() == again.warnings());
  for (const halo::RuleFinding& each : findings.all()) {
    HALO_CHECK(!each.comp.valid() || each.comp.index() < module.comps.size());
    HALO_CHECK(!each.inst.valid() || each.inst.index() < module.insts.size());
    HALO_CHECK(!each.message.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Check(halo::ReadHloText(bytes).module);
  Check(halo::ReadHloProto(bytes).module);
  return 0;
}
