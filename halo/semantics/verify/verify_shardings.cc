// Checks that shardings match what they shard: one tile dimension for each dimension of the value,
// each device once, one sharding for each leaf of a tuple, and the same sharding throughout a loop
// or conditional.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "halo/ir/sharding/sharding.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

constexpr size_t kMaxLeaves = 1 << 20;

// Collects the leaves of a shape in order, up to the limit.
void AddLeaves(const ShapeTable& shapes, ShapeId shape, std::vector<ShapeId>& out) {
  if (out.size() > kMaxLeaves) return;
  if (!shapes.is_tuple(shape)) {
    out.push_back(shape);
    return;
  }
  for (const ShapeId each : shapes.elements(shape)) AddLeaves(shapes, each, out);
}

class ShardingVerifier {
 public:
  explicit ShardingVerifier(ModuleContext& context) : context_(context) {}

  void Verify(InstId id, const Inst& inst) {
    const Attr* attr = context_.module().Find(inst, AttrKey::k_sharding);
    if (attr == nullptr) return;
    const std::optional<Sharding>& sharding = Parsed(StrId(attr->value));
    if (!sharding) return;
    const ShapeTable& shapes = context_.shapes();
    if (shapes.type(inst.shape) == ElementType::kToken) return;
    if (sharding->kind != ShardingKind::kTuple) {
      // A single sharding for a tuple applies to all its leaves.
      std::vector<ShapeId> leaves;
      AddLeaves(shapes, inst.shape, leaves);
      for (const ShapeId leaf : leaves) {
        if (!VerifyLeaf(id, leaf, *sharding)) return;
      }
      return;
    }
    if (!shapes.is_tuple(inst.shape)) {
      context_.Report(Rule::kShardingTuple, id, "a tuple of ", sharding->elements.size(),
                      " shardings for ", shapes.Text(inst.shape, false));
      return;
    }
    std::vector<ShapeId> leaves;
    AddLeaves(shapes, inst.shape, leaves);
    if (leaves.empty() && sharding->elements.size() == 1) return;
    if (leaves.size() != sharding->elements.size()) {
      context_.Report(Rule::kShardingTuple, id, sharding->elements.size(), " shardings for ",
                      leaves.size(), " leaves");
      return;
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!VerifyLeaf(id, leaves[i], sharding->elements[i])) return;
    }
  }

  // Reports the first two of `insts` that have different shardings, at `id`.
  void VerifyAlike(InstId id, std::span<const InstId> insts) {
    std::optional<std::string> common;
    for (const InstId each : insts) {
      const Attr* attr = context_.module().Find(context_.module().inst(each), AttrKey::k_sharding);
      if (attr == nullptr) continue;
      const std::string& text = Canonical(StrId(attr->value), context_.module().inst(each).shape);
      if (!common) {
        common = text;
      } else if (*common != text) {
        context_.Report(Rule::kShardingConsistent, id, "sharding ", *common, " here, ", text,
                        " at ", context_.NameOf(each));
        return;
      }
    }
  }

 private:
  const std::optional<Sharding>& Parsed(StrId text) {
    const auto [it, is_new] = parsed_.try_emplace(text);
    if (is_new) it->second = ParseSharding(context_.module().text(text));
    return it->second;
  }

  const std::string& Canonical(StrId text, ShapeId shape) {
    const auto [it, is_new] = canonical_.try_emplace({text, shape});
    if (is_new) {
      std::vector<ShapeId> leaves;
      if (context_.shapes().is_tuple(shape)) AddLeaves(context_.shapes(), shape, leaves);
      it->second = CanonicalShardingText(context_.module().text(text), leaves.size());
    }
    return it->second;
  }

  bool VerifyLeaf(InstId id, ShapeId shape, const Sharding& sharding) {
    const ShapeTable& shapes = context_.shapes();
    const size_t rank = shapes.is_array(shape) ? shapes.dims(shape).size() : 0;
    if (sharding.kind == ShardingKind::kTiled) return VerifyTiles(id, shape, rank, sharding);
    if (sharding.kind == ShardingKind::kMaximal && has_devices() &&
        sharding.device >= context_.facts().num_partitions()) {
      context_.Report(Rule::kShardingDevices, id, "device ", sharding.device, " of ",
                      context_.facts().num_partitions());
      return false;
    }
    if (sharding.kind == ShardingKind::kNamed && sharding.form == NamedForm::kDimensions &&
        !sharding.dimensions.empty() && sharding.dimensions.size() != rank) {
      context_.Report(Rule::kShardingRank, id, "shards ", sharding.dimensions.size(),
                      " dimensions of ", shapes.Text(shape, false));
      return false;
    }
    return true;
  }

  bool VerifyTiles(InstId id, ShapeId shape, size_t rank, const Sharding& sharding) {
    const size_t tiled =
        sharding.tile_dims.size() - std::min(sharding.tile_dims.size(), sharding.subgroups.size());
    if (tiled != rank) {
      context_.Report(Rule::kShardingRank, id, "shards ", tiled, " dimensions of ",
                      context_.shapes().Text(shape, false));
      return false;
    }
    const auto devices = CheckedProduct(sharding.tile_dims);
    if (has_devices() && devices != context_.facts().num_partitions()) {
      context_.Report(Rule::kShardingDevices, id, "shards over ", devices.value_or(0),
                      " devices, the module has ", context_.facts().num_partitions());
      return false;
    }
    if (!sharding.order.is_list()) return true;
    const std::set<int64_t> distinct(sharding.order.devices.begin(), sharding.order.devices.end());
    if (distinct.size() != sharding.order.devices.size() || *distinct.begin() < 0 ||
        (has_devices() && *distinct.rbegin() >= context_.facts().num_partitions())) {
      context_.Report(Rule::kShardingDevices, id, "devices ", ListText(sharding.order.devices),
                      " are not each named once");
      return false;
    }
    return true;
  }

  // A module with one partition may have been written for any number.
  [[nodiscard]] bool has_devices() const { return context_.facts().num_partitions() > 1; }

  ModuleContext& context_;
  std::map<StrId, std::optional<Sharding>> parsed_;
  std::map<std::pair<StrId, ShapeId>, std::string> canonical_;
};

// Returns the instructions that hold the inputs and outputs of a loop or conditional.
std::optional<std::vector<InstId>> AlikeAround(const ModuleContext& context, InstId id,
                                               const Inst& inst) {
  const Module& module = context.module();
  std::vector<InstId> alike = {id};
  for (const Attr& attr : module.attrs_of(inst)) {
    std::vector<CompId> called;
    if (InfoOf(attr.key).kind == AttrKind::kComp) called.emplace_back(attr.value);
    if (InfoOf(attr.key).kind == AttrKind::kCompList) {
      for (const int64_t comp : module.list(attr.value)) {
        called.emplace_back(static_cast<uint32_t>(comp));
      }
    }
    for (const CompId comp : called) {
      if (!context.facts().usable(comp)) return std::nullopt;
      if (attr.key != AttrKey::k_condition) alike.push_back(module.comp(comp).root);
      const auto& parameters = context.facts().comp(comp).parameters;
      if (inst.opcode == Opcode::kWhile && parameters.size() == 1) alike.push_back(parameters[0]);
    }
  }
  return alike;
}

}  // namespace

void VerifyShardings(ModuleContext& context) {
  ShardingVerifier shardings(context);
  context.ForEachInst([&](InstId id, const Inst& inst) {
    shardings.Verify(id, inst);
    if (inst.opcode != Opcode::kWhile && inst.opcode != Opcode::kConditional) return;
    if (const auto alike = AlikeAround(context, id, inst)) shardings.VerifyAlike(id, *alike);
  });
}

}  // namespace halo
