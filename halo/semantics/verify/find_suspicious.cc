// Warnings about what is legal but rarely intended. Each states a fact that can be counted in the
// module.
#include <map>
#include <vector>

#include "halo/base/strings/human_size.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/semantics/facts/shape_index.h"
#include "halo/semantics/rules/collective_groups.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

// Copies of at least this many bytes are reported.
constexpr int64_t kLargeCopy = int64_t{64} << 20;
// f64 is suspicious if it is the exception: at most one value in this many.
constexpr size_t kFewDoubles = 10;

void FindLoneGroups(ModuleContext& context, InstId id, const Inst& inst) {
  if (!HasTrait(inst.opcode, kCollective) || HasTrait(inst.opcode, kAsyncDone)) return;
  const RuleContext op = context.op(id);
  const auto groups = WrittenGroups(op);
  if (!groups || groups->empty()) return;
  for (const auto& group : *groups) {
    if (group.size() != 1) return;
  }
  if (WrittenGroupMode(op) == GroupMode::kCrossReplicaAndPartition &&
      context.facts().num_partitions() != 1) {
    return;
  }
  context.Report(Rule::kGroupOfOne, id, "each of the ", groups->size(),
                 groups->size() == 1 ? " group" : " groups", " has one member");
}

bool IsDouble(ElementType type) { return type == ElementType::kF64 || type == ElementType::kC128; }

bool IsSingle(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kF16;
}

void FindDoubles(ModuleContext& context) {
  const Module& module = context.module();
  size_t doubles = 0;
  size_t singles = 0;
  InstId first;
  context.ForEachInst([&](InstId id, const Inst& inst) {
    const ElementType type = module.shapes.type(inst.shape);
    if (IsSingle(type)) ++singles;
    if (!IsDouble(type)) return;
    if (doubles++ == 0) first = id;
  });
  if (doubles == 0 || doubles * kFewDoubles > singles) return;
  context.Report(Rule::kLoneF64, first, "the first of ", doubles, " f64 values among ", singles,
                 " of lower precision");
}

void FindUnknownLoops(ModuleContext& context, InstId id, const Inst& inst) {
  if (inst.opcode != Opcode::kWhile || !context.module().is_scheduled()) return;
  const std::string_view config = context.module().TextOr(inst.attrs, AttrKey::k_backend_config);
  if (config.find("known_trip_count") != std::string_view::npos) return;
  context.Report(Rule::kLoopTripCount, id, "backend_config has no known_trip_count");
}

void FindLargeCopies(ModuleContext& context, InstId id, const Inst& inst) {
  if (inst.opcode != Opcode::kCopy || !context.module().is_scheduled()) return;
  if (context.facts().comp(inst.parent).is_fused) return;
  const auto bytes = context.shapes().ByteSize(inst.shape);
  if (!bytes || *bytes < kLargeCopy) return;
  context.Report(Rule::kLargeCopy, id, "copies ", HumanBytes(*bytes));
}

// Reports each shape once.
void FindWideElements(ModuleContext& context) {
  const ShapeTable& shapes = context.shapes();
  if (context.facts().tiled_layouts()) return;
  std::vector<bool> seen(shapes.size());
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (!shapes.is_array(inst.shape) || seen[inst.shape.index()]) return;
    seen[inst.shape.index()] = true;
    const Layout* layout = shapes.layout(inst.shape);
    if (layout == nullptr || layout->element_bits == 0) return;
    const ElementType type = shapes.type(inst.shape);
    if (InfoOf(type).bits < 8) return;
    context.Report(Rule::kLayoutElementBits, id, shapes.Text(inst.shape), " stores ", TextOf(type),
                   " in ", layout->element_bits, " bits");
  });
}

// Returns the sizes of outputs that do not share a parameter's buffer, and how many have each size.
std::map<int64_t, int64_t> FreeOutputs(const ModuleContext& context, ShapeId result,
                                       std::span<const AliasEntry> aliases) {
  const Module& module = context.module();
  std::map<int64_t, int64_t> sizes;
  const auto add = [&](ShapeId shape) {
    if (const auto bytes = module.shapes.ByteSize(shape)) ++sizes[context.SizeOnDevices(*bytes)];
  };
  if (module.shapes.is_tuple(result)) {
    for (const ShapeId each : module.shapes.elements(result)) add(each);
  } else {
    add(result);
  }
  for (const AliasEntry& alias : aliases) {
    const auto shape = Subshape(module.shapes, result, alias.output_index);
    if (!shape) continue;
    if (const auto bytes = module.shapes.ByteSize(*shape)) --sizes[context.SizeOnDevices(*bytes)];
  }
  return sizes;
}

void FindUnusedDonations(ModuleContext& context) {
  const Module& module = context.module();
  const auto donors = DecodeDonors(module.IntsOf(module.attrs, AttrKey::k_buffer_donor));
  if (donors.empty() || !context.facts().usable(module.entry)) return;
  const auto aliases = DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias));
  const ShapeId result = module.inst(module.comp(module.entry).root).shape;
  const std::map<int64_t, int64_t> free_outputs = FreeOutputs(context, result, aliases);
  const auto& parameters = context.facts().comp(module.entry).parameters;
  for (const DonorEntry& donor : donors) {
    if (donor.number < 0 || donor.number >= static_cast<int64_t>(parameters.size())) continue;
    const InstId parameter = parameters[static_cast<size_t>(donor.number)];
    const auto shape = Subshape(module.shapes, module.inst(parameter).shape, donor.index);
    const auto bytes = shape ? module.shapes.ByteSize(*shape) : std::nullopt;
    if (!bytes) continue;
    const auto it = free_outputs.find(context.SizeOnDevices(*bytes));
    if (it != free_outputs.end() && it->second > 0) continue;
    context.Report(Rule::kUnusedDonation, parameter, "parameter ", donor.number,
                   " is donated, but no output of ", *bytes, " bytes is left to take its buffer");
  }
}

}  // namespace

void FindSuspicious(ModuleContext& context) {
  context.ForEachInst([&](InstId id, const Inst& inst) {
    FindLoneGroups(context, id, inst);
    FindUnknownLoops(context, id, inst);
    FindLargeCopies(context, id, inst);
  });
  FindWideElements(context);
  FindDoubles(context);
  FindUnusedDonations(context);
}

}  // namespace halo
