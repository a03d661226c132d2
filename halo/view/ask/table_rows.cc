// Defines the tables, with their rows and columns.
#include <array>
#include <utility>

#include "halo/api/info/collective_info.h"
#include "halo/view/ask/table.h"
#include "halo/view/model/storage.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

using Text = std::string_view;

// The columns that every table of instructions begins with.
void InstColumns(ModuleView& view, Table& table) {
  const Module& module = view.module();
  table.rows_are_insts = true;
  const auto inst = [&module](uint32_t row) -> const Inst& { return module.insts[row]; };
  table.columns.push_back({"inst", ColumnKind::kInst, [](uint32_t row) { return double(row); }});
  table.columns.push_back({.name = "name", .text = [&module, inst](uint32_t row, std::string&) {
                             return module.name_of(inst(row));
                           }});
  table.columns.push_back(
      {.name = "opcode", .text = [&module, inst](uint32_t row, std::string& scratch) -> Text {
         return scratch = OpcodeName(module, inst(row));
       }});
  table.columns.push_back(
      {.name = "shape", .text = [&module, inst](uint32_t row, std::string& scratch) -> Text {
         return scratch = module.shapes.Text(inst(row).shape);
       }});
  table.columns.push_back({"bytes", ColumnKind::kBytes, [&module, inst](uint32_t row) {
                             const ShapeId shape = ResultShape(module, inst(row));
                             return double(module.shapes.ByteSize(shape).value_or(0));
                           }});
}

void StorageColumn(ModuleView& view, Table& table) {
  table.columns.push_back({.name = "storage", .text = [&view](uint32_t row, std::string&) {
                             return StorageText(StorageOf(view, InstId(row)));
                           }});
}

void ComputationColumn(ModuleView& view, Table& table) {
  const Module& module = view.module();
  table.columns.push_back({.name = "computation", .text = [&module](uint32_t row, std::string&) {
                             return module.text(module.comp(module.insts[row].parent).name);
                           }});
}

void LastInstColumns(ModuleView& view, Table& table) {
  const Module& module = view.module();
  table.columns.push_back({.name = "op_name", .text = [&module](uint32_t row, std::string&) {
                             return OriginOf(module, InstId(row)).op_name;
                           }});
  table.columns.push_back(
      {.name = "source", .text = [&module](uint32_t row, std::string& scratch) -> Text {
         return scratch = SourceText(OriginOf(module, InstId(row)));
       }});
}

void Runs(ModuleView& view, Table& table) {
  const std::vector<RunCount>& runs = view.runs();
  const Module& module = view.module();
  table.columns.push_back({"runs", ColumnKind::kNumber, [&](uint32_t row) {
                             return double(runs[module.insts[row].parent.index()].runs);
                           }});
}

template <class Wanted>
void AddRows(const Module& module, const Wanted& wanted, Table& table) {
  for (size_t i = 0; i < module.insts.size(); ++i) {
    if (wanted(module.insts[i])) table.rows.push_back(static_cast<uint32_t>(i));
  }
}

void Attribute(ModuleView& view, Text name, AttrKey key, Table& table) {
  const Module& module = view.module();
  table.columns.push_back({.name = name, .text = [&module, key](uint32_t row, std::string&) {
                             return module.TextOr(module.insts[row].attrs, key);
                           }});
}

void Instructions(ModuleView& view, Table& table) {
  AddRows(view.module(), [](const Inst&) { return true; }, table);
  InstColumns(view, table);
  StorageColumn(view, table);
  ComputationColumn(view, table);
  const Users& users = view.users();
  table.columns.push_back({"users", ColumnKind::kNumber, [&users](uint32_t row) {
                             return double(users.of(InstId(row)).size());
                           }});
  LastInstColumns(view, table);
}

void Collectives(ModuleView& view, Table& table) {
  const Module& module = view.module();
  AddRows(
      module,
      [](const Inst& inst) {
        const Opcode opcode = (inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode;
        return HasTrait(opcode, kCollective) && !HasTrait(inst.opcode, kAsyncDone) &&
               !HasTrait(inst.opcode, kAsyncUpdate);
      },
      table);
  InstColumns(view, table);
  ComputationColumn(view, table);
  Runs(view, table);
  Attribute(view, "groups", AttrKey::k_replica_groups, table);
  table.columns.push_back({"channel", ColumnKind::kNumber, [&module](uint32_t row) {
                             return double(
                                 module.IntOr(module.insts[row].attrs, AttrKey::k_channel_id, 0));
                           }});
  LastInstColumns(view, table);
}

void CustomCalls(ModuleView& view, Table& table) {
  AddRows(
      view.module(), [](const Inst& inst) { return inst.opcode == Opcode::kCustomCall; }, table);
  InstColumns(view, table);
  ComputationColumn(view, table);
  Attribute(view, "target", AttrKey::k_custom_call_target, table);
  Runs(view, table);
  LastInstColumns(view, table);
}

void Computations(ModuleView& view, Table& table) {
  const Module& module = view.module();
  for (const CompId id : module.order) table.rows.push_back(id.value);
  table.columns.push_back({"comp", ColumnKind::kComp, [](uint32_t row) { return double(row); }});
  table.columns.push_back({.name = "name", .text = [&module](uint32_t row, std::string&) {
                             return module.text(module.comps[row].name);
                           }});
  table.columns.push_back({"instructions", ColumnKind::kNumber,
                           [&module](uint32_t row) { return double(module.comps[row].count); }});
  const std::vector<RunCount>& runs = view.runs();
  table.columns.push_back(
      {"runs", ColumnKind::kNumber, [&runs](uint32_t row) { return double(runs[row].runs); }});
  const CallGraph& calls = view.calls();
  table.columns.push_back({"callers", ColumnKind::kNumber, [&calls](uint32_t row) {
                             return double(calls.callers(CompId(row)).size());
                           }});
  table.columns.push_back(
      {.name = "called_by", .text = [&module, &calls](uint32_t row, std::string& scratch) -> Text {
         const std::span<const InstId> callers = calls.callers(CompId(row));
         if (callers.empty()) return module.comps[row].is_entry ? "entry" : "";
         const Inst& first = module.inst(callers.front());
         return scratch = OpcodeName(module, first) + " " + std::string(module.name_of(first));
       }});
}

void Values(const ShownAssignment& plan, Table& table) {
  const Assignment& all = plan.assignment();
  for (size_t i = 0; i < all.values.size(); ++i) table.rows.push_back(static_cast<uint32_t>(i));
  const auto value = [&all](uint32_t row) -> const AssignedValue& { return all.values[row]; };
  const auto number = [&](Text name, ColumnKind kind, auto get) {
    table.columns.push_back(
        {name, kind, [value, get](uint32_t row) { return double(get(value(row))); }});
  };
  table.columns.push_back({"value", ColumnKind::kValue, [](uint32_t row) { return double(row); }});
  table.columns.push_back(
      {.name = "name", .text = [&all, value](uint32_t row, std::string& scratch) -> Text {
         return scratch = all.NameOf(value(row));
       }});
  table.columns.push_back({.name = "shape", .text = [&all, value](uint32_t row, std::string&) {
                             return all.text(value(row).shape);
                           }});
  number("bytes", ColumnKind::kBytes, [](const AssignedValue& each) { return each.size; });
  table.columns.push_back({.name = "role", .text = [&plan](uint32_t row, std::string&) {
                             return ValueRoleText(plan.roles.Of(ValueId(row)));
                           }});
  number("allocation", ColumnKind::kNumber, [](const AssignedValue& each) {
    return each.allocation.valid() ? double(each.allocation.value) : -1.0;
  });
  number("offset", ColumnKind::kNumber, [](const AssignedValue& each) { return each.offset; });
  number("from", ColumnKind::kNumber, [](const AssignedValue& each) { return each.live.start; });
  number("to", ColumnKind::kNumber, [](const AssignedValue& each) { return each.live.end; });
  number("color", ColumnKind::kNumber, [](const AssignedValue& each) { return each.color; });
  table.columns.push_back({.name = "op_name", .text = [&plan](uint32_t row, std::string&) {
                             return plan.roles.OriginOf(ValueId(row)).op_name;
                           }});
  table.columns.push_back(
      {.name = "source", .text = [&plan](uint32_t row, std::string& scratch) -> Text {
         return scratch = SourceText(plan.roles.OriginOf(ValueId(row)));
       }});
}

struct ModuleTable {
  Text name;
  void (*fill)(ModuleView&, Table&);
};
constexpr std::array kModuleTables = {
    ModuleTable{"instructions", Instructions}, ModuleTable{"collectives", Collectives},
    ModuleTable{"custom_calls", CustomCalls}, ModuleTable{"computations", Computations}};

}  // namespace

bool MakeTable(std::string_view of, View& view, ModuleView* module, const JsonValue& request,
               Table& table, std::string& why) {
  if (of == "values") {
    const ShownAssignment* plan =
        view.Shown(request["plan"].AsString(view.has_assignment() ? "dumped" : "planned"), why);
    if (plan == nullptr) return false;
    Values(*plan, table);
    return true;
  }
  for (const ModuleTable& each : kModuleTables) {
    if (each.name != of) continue;
    why = "this document holds no module";
    if (module == nullptr) return false;
    each.fill(*module, table);
    return true;
  }
  why = "no such table";
  return false;
}

}  // namespace halo::view
