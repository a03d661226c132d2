// Parameters come from the entry computation, outputs from the leaves of its root.
#include "halo/api/info/interface_info.h"

#include <algorithm>
#include <map>
#include <set>

#include "halo/ir/attributes/aliasing.h"

namespace halo {
namespace {

class OutputLister {
 public:
  OutputLister(const Module& module, const std::vector<AliasEntry>& aliases, v0::InfoModule& info)
      : module_(module), info_(info) {
    for (const AliasEntry& alias : aliases) aliased_[alias.output_index] = alias.number;
  }

  // Recursion is safe: the readers limit how deep shapes nest.
  void List(const Inst& maker, ShapeId shape) {
    const ShapeTable& shapes = module_.shapes;
    if (!shapes.is_tuple(shape)) {
      Add(maker, shape);
      return;
    }
    const std::span<const InstId> operands = module_.operands_of(maker);
    for (size_t i = 0; i < shapes.elements(shape).size(); ++i) {
      const bool known =
          maker.opcode == Opcode::kTuple && i < operands.size() && operands[i].valid();
      index_.push_back(static_cast<int64_t>(i));
      List(known ? module_.inst(operands[i]) : maker, shapes.elements(shape)[i]);
      index_.pop_back();
    }
  }

 private:
  void Add(const Inst& maker, ShapeId shape) {
    v0::InfoOutput output;
    output.index = index_;
    output.name = module_.name_of(maker);
    output.shape = module_.shapes.Text(shape);
    output.op_name = module_.MetadataText(maker, AttrKey::k_op_name);
    output.bytes = module_.shapes.ByteSize(shape);
    if (const auto alias = aliased_.find(index_); alias != aliased_.end()) {
      output.aliases_parameter = alias->second;
    }
    info_.output_bytes += output.bytes.value_or(0);
    if (output.aliases_parameter) info_.aliased_bytes += output.bytes.value_or(0);
    info_.outputs.push_back(std::move(output));
  }

  const Module& module_;
  v0::InfoModule& info_;
  std::map<std::vector<int64_t>, int64_t> aliased_;  // parameters by the output's index
  std::vector<int64_t> index_;
};

v0::InfoParameter Describe(const Module& module, const Inst& inst) {
  v0::InfoParameter parameter;
  parameter.number = inst.extra;
  parameter.name = module.name_of(inst);
  parameter.shape = module.shapes.Text(inst.shape);
  parameter.op_name = module.MetadataText(inst, AttrKey::k_op_name);
  parameter.sharding = module.TextOr(inst.attrs, AttrKey::k_sharding);
  parameter.bytes = module.shapes.ByteSize(inst.shape);
  return parameter;
}

}  // namespace

void DescribeInterface(const Module& module, v0::InfoModule& info) {
  if (!module.entry.valid()) return;
  const Computation& entry = module.comp(module.entry);
  const std::vector<AliasEntry> aliases =
      DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias));
  const std::vector<DonorEntry> donors =
      DecodeDonors(module.IntsOf(module.attrs, AttrKey::k_buffer_donor));
  std::set<int64_t> aliased, donated;
  for (const AliasEntry& alias : aliases) aliased.insert(alias.number);
  for (const DonorEntry& donor : donors) donated.insert(donor.number);
  for (uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
    const Inst& inst = module.insts[i];
    if (inst.opcode != Opcode::kParameter) continue;
    v0::InfoParameter parameter = Describe(module, inst);
    parameter.aliased = aliased.contains(parameter.number);
    parameter.donated = donated.contains(parameter.number);
    info.parameter_bytes += parameter.bytes.value_or(0);
    info.parameters.push_back(std::move(parameter));
  }
  std::sort(
      info.parameters.begin(), info.parameters.end(),
      [](const v0::InfoParameter& a, const v0::InfoParameter& b) { return a.number < b.number; });
  if (!entry.root.valid()) return;
  const Inst& root = module.inst(entry.root);
  OutputLister(module, aliases, info).List(root, root.shape);
}

}  // namespace halo
