// Runs the steps in order: the meaning of sizes, the choice of new ones, the rewritten module, its
// verification.
#include "halo/shrink/shrink.h"

#include <algorithm>

#include "halo/semantics/verify/verify.h"
#include "halo/shrink/choose.h"
#include "halo/shrink/meaning.h"
#include "halo/shrink/recover_tables.h"
#include "halo/shrink/rewrite.h"
#include "halo/shrink/size_constants.h"

namespace halo {
namespace {

bool CheckVerified(const Module& module, const char* which, ShrinkResult& result) {
  const RuleFindings findings = Verify(module, {.warnings = false});
  for (const RuleFinding& finding : findings.all()) {
    if (InfoOf(finding.rule).severity != Severity::kError) continue;
    const std::string name =
        finding.inst.valid() ? std::string(module.name_of(module.inst(finding.inst))) + ": " : "";
    result.refused = std::string(which) + " module is not right: " + name + finding.message;
    return false;
  }
  return true;
}

}  // namespace

ShrinkResult Shrink(const Module& module, const ShrinkOptions& options) {
  ShrinkResult result;
  if (!CheckVerified(module, "the", result)) return result;
  DimSpace space;
  DimTable dims(module, space);
  if (!dims.ok()) {
    result.refused = "the shapes have too many dimensions";
    return result;
  }
  DeviceAxes devices(module, space);
  const Relations relations(module, space, dims, devices);
  const Quantities quantities(module);
  SizeConstants constants(module, space, dims, quantities);
  constants.Relate(devices);
  const Estimate estimate(module, dims);
  Chooser chooser(module, space, dims, devices, relations, estimate);
  NewSizes sizes(space);
  result.bytes = estimate.PeakBytes(sizes);
  if (auto why = chooser.Choose(options, sizes)) {
    result.refused = *why;
    return result;
  }
  result.new_bytes = estimate.PeakBytes(sizes);
  result.devices = devices.count();
  result.new_devices = sizes.of(devices.node());
  result.dims = DescribeDims(module, space, dims, relations, chooser, sizes);
  result.module = module;
  SizeRewriter rewriter(result.module, space, dims, devices, relations, sizes);
  rewriter.state_devices = options.devices.has_value();
  rewriter.new_values =
      constants.NewValues(sizes,
                          RecoverTables(module, space, dims, devices, relations, quantities,
                                        options.constants, result.recovered),
                          result.constants);
  if (auto why = rewriter.Run()) {
    result.refused = *why;
    return result;
  }
  CheckVerified(result.module, "the shrunk", result);
  return result;
}

}  // namespace halo
