// The list of passes, run one after the other and verified in between.
#include "halo/passes/pipeline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/host/layouts_agree.h"
#include "halo/semantics/verify/verify.h"

namespace halo {
namespace {

constexpr Pass kHostLayouts = {
    "host-layouts", "drops tiles, memory spaces and other device-specific parts of layouts",
    HostLayouts};
constexpr Pass kWholeAliases = {"whole-aliases",
                                "drops aliases between arrays of equal size on each device only",
                                WholeAliases};
constexpr Pass kSynchronize = {
    "synchronize", "replaces async ops with the ops they start; removes barriers and markers",
    Synchronize};
constexpr Pass kSingleDevice = {
    "single-device", "replaces collectives of one device with their operands", SingleDevice};
constexpr Pass kInlineCalls = {"inline-calls", "inlines calls and fusions of other compilers",
                               InlineCalls};
constexpr Pass kMatchTypes = {
    "match-types", "inserts conversions where ops that move data mix precisions", MatchTypes};
constexpr Pass kDecompose = {"decompose", "expands batch normalisation into basic ops", Decompose};
constexpr Pass kSimplify = {"simplify", "applies local rewrites that keep results bit-identical",
                            Simplify};
constexpr Pass kFoldConstants = {
    "fold-constants", "evaluates instructions whose operands are constants", FoldConstants};
constexpr Pass kSimplifyLoops = {"simplify-loops", "removes loop state that is invariant or unused",
                                 SimplifyLoops};
constexpr Pass kShareEqual = {"share-equal", "merges equal instructions", ShareEqual};

constexpr Pass kSplitDots = {
    "split-dots", "splits dots of concatenated operands whose result is sliced again", SplitDots};
constexpr Pass kExpandDots = {
    "expand-dots", "computes dots that are no matrix products by elementwise ops", ExpandDots};
constexpr Pass kExpandArgmax = {"expand-argmax", "computes argmax and argmin as maxima of keys",
                                ExpandArgmax};
constexpr Pass kFreeTransposes = {"free-transposes", "folds transposes into the layouts of dots",
                                  FreeTransposes};
constexpr Pass kFuse = {"fuse", "fuses instructions into kernels", Fuse};

// Simplifying a loop or a branch exposes constants and calls, hence the second round.
constexpr std::array kPasses = {
    kHostLayouts, kWholeAliases,   kSynchronize,   kSingleDevice,  kInlineCalls,   kMatchTypes,
    kDecompose,   kSimplify,       kFoldConstants, kSimplifyLoops, kShareEqual,    kInlineCalls,
    kSplitDots,   kExpandDots,     kExpandArgmax,  kSimplify,      kSimplifyLoops, kFoldConstants,
    kShareEqual,  kFreeTransposes, kFuse};

std::optional<Diagnostic> Broken(const Module& module, std::string_view pass) {
  VerifyOptions options;
  options.warnings = false;
  options.max_findings = 1;
  const RuleFindings findings = Verify(module, options);
  if (findings.ok()) return std::nullopt;
  const RuleFinding& first = findings.all()[0];
  std::string where;
  if (first.inst.valid()) where = "%" + std::string(module.name_of(module.inst(first.inst))) + " ";
  return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
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
    if (pass.run == kSingleDevice.run && !options.is_single_device) continue;
    log.Begin(pass.name);
    const bool changed = pass.run(module, log);
    if (!changed || !options.verify) continue;
    if (std::optional<Diagnostic> broken = Broken(module, pass.name)) return *std::move(broken);
  }
  return module;
}

namespace {

bool HasDynamic(const ShapeTable& shapes, ShapeId shape) {
  if (!shapes.is_tuple(shape)) return shapes.has_dynamic(shape);
  return std::ranges::any_of(shapes.elements(shape),
                             [&](ShapeId each) { return HasDynamic(shapes, each); });
}

// A bitcast that turns a device's padding into elements, or elements into padding, or that puts
// elements of another width together as tiles store them. The evaluator follows tiles in these
// cases.
bool DependsOnTiles(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kBitcast || inst.operand_count != 1) return false;
  const ShapeId from = module.inst(module.operands_of(inst)[0]).shape;
  // Sizes as stored on this machine: elements narrower than a byte take one byte each.
  const auto bytes = [&](ShapeId shape) {
    return module.shapes.ElementCount(shape).value_or(0) *
           static_cast<int64_t>(StoredBytes(module.shapes.type(shape)));
  };
  if (!module.shapes.is_array(from) || !module.shapes.is_array(inst.shape)) return false;
  const auto width = [&](ShapeId shape) { return StoredBytes(module.shapes.type(shape)); };
  const auto has_tiles = [&](ShapeId shape) {
    const Layout* layout = module.shapes.layout(shape);
    return layout != nullptr && !layout->tiles.empty();
  };
  return bytes(from) != bytes(inst.shape) ||
         (width(from) != width(inst.shape) && (has_tiles(from) || has_tiles(inst.shape)));
}

// An async op that gets operands after its start, and whose state has more parts than its operands
// and result.
bool BindsLateWithContext(const Module& module, const Inst& inst) {
  return inst.opcode == Opcode::kAsyncUpdate && inst.operand_count > 1 &&
         module.shapes.elements(inst.shape).size() > 2;
}

}  // namespace

std::string_view WhyNotForHost(const Module& module) {
  const bool late = std::ranges::any_of(
      module.insts, [&](const Inst& inst) { return BindsLateWithContext(module, inst); });
  if (late) return "an async op with a context gets operands after its start";
  if (HasDynamicShapes(module)) return "some dimensions are known at run time only";
  const bool tiled = std::ranges::any_of(
      module.insts, [&](const Inst& inst) { return DependsOnTiles(module, inst); });
  if (tiled) return "a bitcast reads a device's tiles in another way";
  // What a bitcast means depends on layouts, so they cannot be replaced by others.
  const bool bitcasts = std::ranges::any_of(
      module.insts, [](const Inst& inst) { return inst.opcode == Opcode::kBitcast; });
  return bitcasts && !LayoutsAgree(module) ? "its layouts contradict each other" : "";
}

bool HasDynamicShapes(const Module& module) {
  return std::ranges::any_of(
      module.insts, [&](const Inst& inst) { return HasDynamic(module.shapes, inst.shape); });
}

Result<Module> PrepareForHost(Module module, const PassOptions& options) {
  const std::string_view why_not = WhyNotForHost(module);
  if (!why_not.empty()) {
    if (options.log != nullptr) {
      options.log->Begin("pipeline");
      options.log->Note("left as it is: ", why_not);
    }
    return module;
  }
  return RunPasses(std::move(module), HostPasses(), options);
}

}  // namespace halo
