// Tries the evidence in order of reliability. Each piece proposes a number of positions along an
// axis, and the first one that matches an axis of the collectives decides.
#include "halo/shrink/recover_tables.h"

#include <algorithm>
#include <optional>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

struct Evidence {
  int64_t positions = 0;  // along the axis
  int64_t unit = 1;       // an entry is the position times this
  std::string text;
};

class Recovery {
 public:
  Recovery(const Module& module, const DimSpace& space, const DimTable& dims,
           const DeviceAxes& devices, const Relations& relations, const Quantities& quantities)
      : module_(module),
        space_(space),
        dims_(dims),
        devices_(devices),
        relations_(relations),
        quantities_(quantities) {}

  // The sizes that a table's entries are multiplied by, and the instructions that do so.
  [[nodiscard]] std::vector<std::pair<int64_t, InstId>> Factors(InstId constant) const {
    std::vector<std::pair<int64_t, InstId>> factors;
    for (const Quantities::IndexUse& use : quantities_.index_uses()) {
      if (!ReadsTable(use, constant)) continue;
      const uint32_t quantity = quantities_.of(use.inst);
      for (const Quantities::ConstantUse& each : quantities_.constant_uses()) {
        const auto value = each.stride ? Scalar(each.constant) : std::nullopt;
        if (value && *value > 1 && Multiplies(each, quantity)) {
          factors.emplace_back(*value, each.user);
        }
      }
    }
    return factors;
  }

  std::optional<std::vector<int64_t>> Recover(InstId constant, std::string& how) const {
    const ShapeId shape = module_.inst(constant).shape;
    if (!module_.shapes.is_array(shape) || !IsIntegerType(module_.shapes.type(shape)) ||
        module_.shapes.ElementCount(shape) != devices_.count() || devices_.count() <= 1) {
      how = "it is not a table of integers with an entry for each device";
      return std::nullopt;
    }
    std::vector<Evidence> all;
    for (const Quantities::IndexUse& use : quantities_.index_uses()) {
      if (ReadsTable(use, constant)) Collect(quantities_.of(use.inst), all);
    }
    std::sort(all.begin(), all.end(),
              [](const Evidence& a, const Evidence& b) { return a.text < b.text; });
    for (const Evidence& each : all) {
      const auto axis = devices_.AxisOf(each.positions);
      if (!axis) continue;
      std::vector<int64_t> values;
      for (int64_t device = 0; device < devices_.count(); ++device) {
        values.push_back(device / axis->stride % axis->count * each.unit);
      }
      how = "recovered: the position of the device along an axis of " +
            std::to_string(axis->count) + " devices " + std::to_string(axis->stride) +
            " apart, because " + each.text.substr(1);
      return values;
    }
    how = all.empty() ? "the use of its entries is unknown"
                      : "no collective's groups have the axis its use asks for";
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool ReadsTable(const Quantities::IndexUse& use, InstId constant) const {
    const Inst& inst = module_.inst(use.inst);
    return inst.opcode == Opcode::kDynamicSlice && quantities_.IsDeviceNumber(use.quantity) &&
           quantities_.ConstantOf(module_.operands_of(inst)[0]) == constant;
  }
  [[nodiscard]] bool Multiplies(const Quantities::ConstantUse& use, uint32_t quantity) const {
    const Inst& product = module_.inst(use.user);
    if (product.opcode != Opcode::kMultiply) return false;
    const auto operands = module_.operands_of(product);
    return quantities_.of(operands[0]) == quantity || quantities_.of(operands[1]) == quantity;
  }
  // The first letter of each text is its rank.
  void Collect(uint32_t quantity, std::vector<Evidence>& all) const {
    int64_t compared = 0;
    std::string comparison;
    for (const Quantities::ConstantUse& use : quantities_.constant_uses()) {
      const Inst& user = module_.inst(use.user);
      const std::string name(module_.name_of(user));
      const auto value = Scalar(use.constant);
      if (!value) continue;
      if (use.stride) {
        Scaled(quantity, use, *value, all);
      } else if (use.quantity == quantity && user.opcode == Opcode::kClamp &&
                 quantities_.ConstantOf(module_.operands_of(user)[2]) == use.constant) {
        all.push_back({*value + 1, 1, "a" + name + " clamps it to " + std::to_string(*value)});
      } else if (use.quantity == quantity && user.opcode == Opcode::kCompare &&
                 *value + 1 > compared) {
        compared = *value + 1;
        comparison = name + " compares it with " + std::to_string(*value);
      }
    }
    for (const Quantities::IndexUse& use : quantities_.index_uses()) {
      if (use.quantity != quantity) continue;
      const int64_t part = PartSize(use);
      if (part <= 0) continue;
      all.push_back({Whole(use) / part, part,
                     "c" + std::string(module_.name_of(module_.inst(use.inst))) + " takes " +
                         std::to_string(part) + " of " + std::to_string(Whole(use)) +
                         " from it on"});
    }
    if (compared > 1) all.push_back({compared, 1, "d" + comparison});
  }

  // An entry times `size` is an offset in units of `size`: the start of a slice, or added to an
  // iota of that size whose dimension is one of several pieces elsewhere.
  void Scaled(uint32_t quantity, const Quantities::ConstantUse& use, int64_t size,
              std::vector<Evidence>& all) const {
    if (!Multiplies(use, quantity)) return;
    const std::string name(module_.name_of(module_.inst(use.user)));
    for (const Quantities::IndexUse& index : quantities_.index_uses()) {
      if (index.quantity != use.quantity) continue;
      if (PartSize(index) == size) {
        all.push_back({Whole(index) / size, 1,
                       "b" + name + " makes it a start in steps of " + std::to_string(size)});
      }
      if (module_.inst(index.inst).opcode != Opcode::kIota) continue;
      const DimId local = dims_.of(index.inst)[index.dim];
      if (space_.size(local) != size) continue;
      for (const Relations::Pieces& pieces : relations_.pieces()) {
        if (space_.Find(pieces.part) != space_.Find(local)) continue;
        all.push_back({space_.size(pieces.count), 1,
                       "b" + name + " counts pieces of " + std::to_string(size) + " as " +
                           std::string(module_.name_of(module_.inst(pieces.inst))) + " does"});
      }
    }
  }

  [[nodiscard]] int64_t Whole(const Quantities::IndexUse& use) const {
    const InstId holder = module_.operands_of(module_.inst(use.inst))[use.operand];
    return space_.size(dims_.of(holder)[use.dim]);
  }
  // The size taken along the dimension; 0 for an iota.
  [[nodiscard]] int64_t PartSize(const Quantities::IndexUse& use) const {
    const Inst& inst = module_.inst(use.inst);
    if (inst.opcode == Opcode::kDynamicSlice) return space_.size(dims_.of(use.inst)[use.dim]);
    if (inst.opcode == Opcode::kDynamicUpdateSlice) {
      return space_.size(dims_.of(module_.operands_of(inst)[1])[use.dim]);
    }
    return 0;
  }
  [[nodiscard]] std::optional<int64_t> Scalar(InstId constant) const {
    const LiteralId literal(module_.inst(constant).extra);
    const ShapeId shape = module_.literals.shape(literal);
    if (module_.literals.is_elided(literal) || !module_.shapes.is_array(shape) ||
        !IsIntegerType(module_.shapes.type(shape)) || module_.shapes.ElementCount(shape) != 1) {
      return std::nullopt;
    }
    return LoadInt(module_.shapes.type(shape), module_.literals.bits(literal).data());
  }

  const Module& module_;
  const DimSpace& space_;
  const DimTable& dims_;
  const DeviceAxes& devices_;
  const Relations& relations_;
  const Quantities& quantities_;
};

}  // namespace

std::unordered_map<uint32_t, std::vector<int64_t>> RecoverTables(
    const Module& module, const DimSpace& space, const DimTable& dims, const DeviceAxes& devices,
    const Relations& relations, const Quantities& quantities,
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& given,
    std::vector<RecoveredConstant>& told) {
  std::unordered_map<uint32_t, std::vector<int64_t>> values;
  const Recovery recovery(module, space, dims, devices, relations, quantities);
  std::vector<InstId> elided;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    if (inst.opcode != Opcode::kConstant || !module.literals.is_elided(LiteralId(inst.extra))) {
      continue;
    }
    RecoveredConstant row;
    row.name = module.name_of(inst);
    const auto by_hand = std::find_if(given.begin(), given.end(),
                                      [&](const auto& each) { return each.first == row.name; });
    const auto count = module.shapes.ElementCount(inst.shape);
    if (by_hand != given.end() && static_cast<int64_t>(by_hand->second.size()) != count) {
      row.how = "specified with --constant, but not all of its elements";
    } else if (by_hand != given.end()) {
      row.how = "specified with --constant";
      row.values = by_hand->second;
    } else if (auto found = recovery.Recover(InstId(i), row.how)) {
      row.values = *std::move(found);
    }
    if (!row.values.empty()) values[i] = row.values;
    told.push_back(std::move(row));
    elided.emplace_back(i);
  }
  // A table multiplied by the same large size as a known table counts the same thing.
  for (size_t n = 0; n < elided.size(); ++n) {
    if (!told[n].values.empty()) continue;
    for (const auto& [factor, user] : recovery.Factors(elided[n])) {
      for (size_t k = 0; k < elided.size() && told[n].values.empty(); ++k) {
        if (!values.contains(elided[k].value)) continue;
        const auto theirs = recovery.Factors(elided[k]);
        const bool same = std::any_of(theirs.begin(), theirs.end(),
                                      [&](const auto& each) { return each.first == factor; });
        if (!same || values[elided[k].value].size() != static_cast<size_t>(devices.count())) {
          continue;
        }
        told[n].values = values[elided[k].value];
        told[n].how = "recovered: as " + told[k].name + ", because " +
                      std::string(module.name_of(module.inst(user))) + " multiplies it by " +
                      std::to_string(factor) + ", too";
      }
    }
    if (!told[n].values.empty()) values[elided[n].value] = told[n].values;
  }
  return values;
}

}  // namespace halo
