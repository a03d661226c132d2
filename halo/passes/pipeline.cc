// The list of passes, run one after the other and verified in between.
#include "halo/passes/pipeline.h"

#include <algorithm>
#include <array>
#include <optional>

#include "halo/passes/host_passes.h"
#include "halo/semantics/verify.h"

namespace halo {
namespace {

constexpr std::array kPasses = {
    Pass{"host-layouts",
         "drops tiles, memory spaces and other parts of layouts that are a device's", HostLayouts},
};

std::optional<Diagnostic> Broken(const Module& module, std::string_view pass) {
  VerifyOptions options;
  options.warnings = false;
  options.max_findings = 1;
  const RuleFindings findings = Verify(module, options);
  if (findings.ok()) return std::nullopt;
  const RuleFinding& first = findings.all()[0];
  std::string where;
  if (first.inst.valid()) where = "%" + std::string(module.name_of(module.inst(first.inst))) + " ";
  return MakeBinaryDiagnostic(DiagCode::kCannotEvaluate, 0,
                              "pass " + std::string(pass) + " broke the module: " + where +
                                  first.message + " [" + std::string(TextOf(first.rule)) + "]");
}

}  // namespace

std::span<const Pass> HostPasses() { return kPasses; }

Result<Module> RunPasses(Module module, std::span<const Pass> passes, const PassOptions& options) {
  PassLog silent;
  PassLog& log = options.log != nullptr ? *options.log : silent;
  for (const Pass& pass : passes) {
    if (std::ranges::find(options.disabled, pass.name) != options.disabled.end()) continue;
    log.Begin(pass.name);
    const bool changed = pass.run(module, log);
    if (!changed || !options.verify) continue;
    if (std::optional<Diagnostic> broken = Broken(module, pass.name)) return *std::move(broken);
  }
  return module;
}

bool HasDynamicShapes(const Module& module) {
  return std::ranges::any_of(module.insts, [&](const Inst& inst) {
    if (!module.shapes.is_tuple(inst.shape)) return module.shapes.has_dynamic(inst.shape);
    return std::ranges::any_of(module.shapes.elements(inst.shape),
                               [&](ShapeId each) { return module.shapes.has_dynamic(each); });
  });
}

Result<Module> PrepareForHost(Module module, const PassOptions& options) {
  if (HasDynamicShapes(module)) {
    if (options.log != nullptr) {
      options.log->Begin("pipeline");
      options.log->Note("left as it is: some dimensions are known at run time only");
    }
    return module;
  }
  return RunPasses(std::move(module), HostPasses(), options);
}

}  // namespace halo
