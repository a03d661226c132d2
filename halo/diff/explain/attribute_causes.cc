// Attributes that do not change a value: layouts, shardings, configurations; and the module's
// header. The schedule is compared by the longest common order of kernels.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/diff/explain/config_change.h"
#include "halo/diff/explain/describe.h"
#include "halo/diff/explain/placement_causes.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {
namespace {

std::string_view ConfigOf(const Module& module, const Inst& inst) {
  return module.TextOr(inst.attrs, AttrKey::k_backend_config);
}

// True if every device holds the whole value.
bool IsReplicated(const Sharding& sharding) {
  if (sharding.kind == ShardingKind::kReplicated) return true;
  if (sharding.kind != ShardingKind::kNamed || !sharding.manual_axes.empty() ||
      !sharding.unreduced_axes.empty() || sharding.mesh.only_device) {
    return false;
  }
  if (sharding.form != NamedForm::kDimensions) return sharding.form == NamedForm::kReplicated;
  const auto splits = [&](const AxisRef& ref) {
    const auto axis = static_cast<size_t>(ref.axis);
    return ref.is_part() || axis >= sharding.mesh.axes.size() || sharding.mesh.axes[axis].size != 1;
  };
  return std::none_of(sharding.dimensions.begin(), sharding.dimensions.end(), [&](const auto& dim) {
    return std::any_of(dim.axes.begin(), dim.axes.end(), splits);
  });
}

// What happened to a sharding; empty if it is the same, perhaps in another notation.
std::string ShardingChange(std::string_view before, std::string_view after) {
  if (before == after) return "";
  if (before.empty()) return "sharding added";
  if (after.empty()) return "sharding removed";
  const std::optional<Sharding> old_sharding = ParseSharding(before);
  const std::optional<Sharding> new_sharding = ParseSharding(after);
  const bool is_same =
      old_sharding && new_sharding && IsReplicated(*old_sharding) && IsReplicated(*new_sharding);
  return is_same ? "" : "other sharding";
}

// The memory order that an array is stored in; empty for row-major, which need not be printed.
std::string LayoutText(const Module& module, ShapeId shape) {
  if (!module.shapes.is_array(shape)) return "";
  const Layout* layout = module.shapes.layout(shape);
  if (layout == nullptr) return "";
  const auto& order = layout->minor_to_major;
  const bool plain = std::is_sorted(order.rbegin(), order.rend()) && layout->tiles.empty() &&
                     layout->memory_space == 0 && layout->element_bits == 0;
  return plain ? "" : std::string(module.shapes.layout_text(module.shapes.layout_id(shape)));
}

std::vector<std::string> AliasTexts(const Module& module) {
  std::vector<std::string> out;
  const auto index = [](const std::vector<int64_t>& steps) {
    std::string text = "{";
    for (size_t i = 0; i < steps.size(); ++i)
      text += (i == 0 ? "" : ",") + std::to_string(steps[i]);
    return text + "}";
  };
  for (const AliasEntry& entry :
       DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias))) {
    out.push_back("parameter " + std::to_string(entry.number) + index(entry.input_index) +
                  " for result " + index(entry.output_index));
  }
  for (const DonorEntry& entry :
       DecodeDonors(module.IntsOf(module.attrs, AttrKey::k_buffer_donor))) {
    out.push_back("parameter " + std::to_string(entry.number) + index(entry.index));
  }
  std::sort(out.begin(), out.end());
  return out;
}

void AddDonations(const MatchedPrograms& programs, CauseList& causes) {
  const std::vector<std::string> before = AliasTexts(programs.a);
  const std::vector<std::string> after = AliasTexts(programs.b);
  for (const std::string& each : before) {
    if (std::binary_search(after.begin(), after.end(), each)) continue;
    causes.Add(CauseKind::kDonation, "no longer donated", 0, {.before = each, .after = {}});
  }
  for (const std::string& each : after) {
    if (std::binary_search(before.begin(), before.end(), each)) continue;
    causes.Add(CauseKind::kDonation, "newly donated", 0, {.before = {}, .after = each});
  }
}

void AddHeader(const MatchedPrograms& programs, CauseList& causes) {
  for (const AttrKey key : {AttrKey::k_replica_count, AttrKey::k_num_partitions}) {
    const int64_t before = programs.a.IntOr(programs.a.attrs, key, 1);
    const int64_t after = programs.b.IntOr(programs.b.attrs, key, 1);
    if (before == after) continue;
    causes.Add(CauseKind::kModule,
               std::string(TextOf(key)) + ": " + std::to_string(before) + " became " +
                   std::to_string(after),
               0, {});
  }
  if (programs.a.is_scheduled() != programs.b.is_scheduled()) {
    causes.Add(CauseKind::kModule,
               programs.b.is_scheduled() ? "the program is scheduled now"
                                         : "the program is no longer scheduled",
               0, {});
  }
}

void AddCollectives(const MatchedPrograms& programs, CauseList& causes) {
  std::map<std::string, std::pair<std::vector<InstId>, std::vector<InstId>>> found;
  const auto find = [&](const Module& module, bool is_before) {
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      const Inst& inst = module.insts[i];
      const OpProperties& properties = PropertiesOf(inst.opcode);
      const bool is_done =
          properties.partner != Opcode::kUnknown && properties.sync == Opcode::kUnknown;
      if (properties.group == CollectiveFamily::kNone || is_done) continue;
      auto& both = found[std::string(module.opcode_text(inst))];
      (is_before ? both.first : both.second).push_back(InstId(i));
    }
  };
  find(programs.a, true);
  find(programs.b, false);
  for (const auto& [op, both] : found) {
    const auto& [before, after] = both;
    if (before.size() == after.size()) continue;
    DiffCause& cause = causes.Add(
        CauseKind::kCollective,
        op + ": " + std::to_string(before.size()) + " became " + std::to_string(after.size()), 0,
        {});
    cause.kernels_before = before;
    cause.kernels_after = after;
  }
}

// How many kernels of the entry computation run earlier or later than others that they followed.
void AddSchedule(const MatchedPrograms& programs, CauseList& causes) {
  if (!programs.a.is_scheduled() || !programs.b.is_scheduled()) return;
  const CompId entry = programs.a.entry;
  std::vector<std::pair<uint32_t, uint32_t>> order;  // position in A, in B
  for (uint32_t x = 0; x < programs.classes_a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    if (y == kUnmatched || programs.classes_a.members(x).size() != 1 ||
        programs.classes_b.members(y).size() != 1) {
      continue;
    }
    const ValueNode& old_node = programs.classes_a.node(x);
    const ValueNode& new_node = programs.classes_b.node(y);
    if (old_node.kind != ValueKind::kOp || new_node.kind != ValueKind::kOp) continue;
    if (old_node.kernel != old_node.inst || new_node.kernel != new_node.inst) continue;
    if (programs.a.inst(old_node.inst).parent != entry) continue;
    if (programs.b.inst(new_node.inst).parent != programs.b.entry) continue;
    order.emplace_back(old_node.inst.value, new_node.inst.value);
  }
  std::sort(order.begin(), order.end());
  // The longest increasing run of positions in B stays in place; the rest moved.
  std::vector<uint32_t> tails;
  for (const auto& [before, after] : order) {
    const auto at = std::lower_bound(tails.begin(), tails.end(), after);
    if (at == tails.end()) {
      tails.push_back(after);
    } else {
      *at = after;
    }
  }
  if (tails.size() == order.size()) return;
  DiffCause& cause =
      causes.Add(CauseKind::kSchedule, "ops of the entry computation run at another time", 0, {});
  cause.count = static_cast<int64_t>(order.size() - tails.size());
  cause.places.clear();
}

}  // namespace

void AddAttributeCauses(const MatchedPrograms& programs, CauseList& causes) {
  std::vector<bool> is_seen(programs.a.insts.size(), false);
  for (uint32_t x = 0; x < programs.classes_a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    if (y == kUnmatched) continue;
    // Of several that compute one value, it is unknown which correspond.
    if (programs.classes_a.members(x).size() != 1 || programs.classes_b.members(y).size() != 1) {
      continue;
    }
    const ValueNode& old_node = programs.classes_a.node(x);
    const ValueNode& new_node = programs.classes_b.node(y);
    if (old_node.kind == ValueKind::kState || old_node.kind == ValueKind::kBranch) continue;
    const Inst& old_inst = programs.a.inst(old_node.inst);
    const Inst& new_inst = programs.b.inst(new_node.inst);
    const auto place = [&] {
      return DiffPlace{.before = Describer::NameOf(programs.a, old_node.inst),
                       .after = Describer::NameOf(programs.b, new_node.inst)};
    };
    const auto add_kernels = [&](DiffCause& cause) {
      cause.kernels_before.push_back(old_node.kernel);
      cause.kernels_after.push_back(new_node.kernel);
    };
    const auto bytes = [&] { return Describer::BytesOf(programs.b, new_node.inst); };
    // Inside a kernel a value is not stored.
    const bool is_stored = old_node.kernel == old_node.inst && new_node.kernel == new_node.inst;
    const std::string before = is_stored ? LayoutText(programs.a, old_inst.shape) : "";
    const std::string after = is_stored ? LayoutText(programs.b, new_inst.shape) : "";
    if (before != after) {
      add_kernels(causes.Add(CauseKind::kLayout,
                             std::string(programs.a.opcode_text(old_inst)) + ": layout " +
                                 (before.empty() ? "row-major" : before) + " became " +
                                 (after.empty() ? "row-major" : after),
                             bytes(), place()));
    }
    const std::string sharding =
        ShardingChange(programs.a.TextOr(old_inst.attrs, AttrKey::k_sharding),
                       programs.b.TextOr(new_inst.attrs, AttrKey::k_sharding));
    if (!sharding.empty()) {
      add_kernels(causes.Add(CauseKind::kSharding,
                             std::string(programs.a.opcode_text(old_inst)) + ": " + sharding,
                             bytes(), place()));
    }
    // The configuration of a kernel is that of its outermost instruction.
    const InstId kernel = old_node.kernel;
    if (is_seen[kernel.index()]) continue;
    is_seen[kernel.index()] = true;
    const Inst& old_kernel = programs.a.inst(kernel);
    const Inst& new_kernel = programs.b.inst(new_node.kernel);
    if (old_kernel.opcode != new_kernel.opcode) continue;
    if (!IsSameConfig(ConfigOf(programs.a, old_kernel), ConfigOf(programs.b, new_kernel))) {
      add_kernels(
          causes.Add(CauseKind::kConfig,
                     std::string(programs.a.opcode_text(old_kernel)) + ": other backend_config",
                     Describer::BytesOf(programs.b, new_node.kernel),
                     {.before = Describer::NameOf(programs.a, kernel),
                      .after = Describer::NameOf(programs.b, new_node.kernel)}));
    }
  }
}

void AddModuleCauses(const MatchedPrograms& programs, CauseList& causes) {
  AddCollectives(programs, causes);
  AddSchedule(programs, causes);
  AddDonations(programs, causes);
  AddHeader(programs, causes);
}

}  // namespace halo
