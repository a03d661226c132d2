// `inst` and `names`: everything known about one instruction.
#include <algorithm>

#include "halo/api/info/collective_info.h"
#include "halo/text/write/write_attribute.h"
#include "halo/text/write/write_text.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// At most this many operands and users of an instruction are listed by name.
constexpr size_t kListed = 200;
constexpr size_t kLongestText = size_t{64} << 10;

void Neighbours(std::string_view key, const Module& module, std::span<const InstId> insts,
                Response& response) {
  std::vector<uint32_t> ids;
  std::vector<double> bytes;
  StringColumn names(300), opcodes, shapes(300);
  for (const InstId id : insts.first(std::min(insts.size(), kListed))) {
    ids.push_back(id.value);
    const Inst* inst = id.valid() ? &module.inst(id) : nullptr;
    names.Add(inst != nullptr ? module.name_of(*inst) : "?");
    opcodes.Add(inst != nullptr ? OpcodeName(module, *inst) : "?");
    shapes.Add(inst != nullptr ? module.shapes.Text(inst->shape, false) : "?");
    bytes.push_back(
        inst != nullptr ? static_cast<double>(module.shapes.ByteSize(inst->shape).value_or(0)) : 0);
  }
  response.json().Key(key).BeginObject().Field("total", insts.size());
  response.Array("insts", ids);
  response.Array("bytes", bytes);
  response.Strings("names", names);
  response.Strings("opcodes", opcodes);
  response.Strings("shapes", shapes);
  response.json().EndObject();
}

void AttributesJson(std::string_view key, const Module& module, const Inst* inst, AttrListId list,
                    JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const Attr& attr : module.attrs_of(list)) {
    if (attr.key == AttrKey::k_metadata) continue;
    TextBuffer text;
    WriteAttribute(module, module.style, attr, inst, text);
    std::string_view value = text.view();
    const size_t equals = value.find('=');
    std::string_view name = TextOf(attr.key);
    if (equals < 64) {  // otherwise there is none
      name = value.substr(0, equals);
      value.remove_prefix(equals + 1);
    }
    json.BeginObject().Field("key", name).Field("value", Shortened(value, kLongestText));
    json.EndObject();
  }
  json.EndArray();
}

void CalledJson(ModuleView& view, const Inst& inst, JsonWriter& json) {
  const Module& module = view.module();
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  json.Key("calls").BeginArray();
  for (size_t i = 0; i < std::min(called.size(), kListed); ++i) {
    const Computation& comp = module.comp(called[i]);
    json.BeginObject()
        .Field("comp", called[i].value)
        .Field("name", Shortened(module.text(comp.name), kLongestText))
        .Field("instructions", comp.count)
        .EndObject();
  }
  json.EndArray();
}

// Where its results are stored, according to the dump's own assignment or the requested plan.
void ValuesJson(const ViewRequest& request, InstId inst, JsonWriter& json) {
  std::string why;
  const bool known = request.view.has_assignment() || !request.parameters["plan"].is_null();
  const ShownAssignment* plan =
      known ? request.view.Shown(request.Text("plan", "dumped"), why) : nullptr;
  if (plan == nullptr) return;
  const Assignment& assignment = plan->assignment();
  json.Key("values").BeginArray();
  for (size_t i = 0; i < assignment.values.size(); ++i) {
    const AssignedValue& value = assignment.values[i];
    if (plan->bound.value(ValueId(i)).inst != inst) continue;
    json.BeginObject()
        .Field("value", i)
        .Field("name", Shortened(assignment.NameOf(value), 300))
        .Field("bytes", value.size)
        .Field("from", value.live.start)
        .Field("to", value.live.end)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

void AskInst(ViewRequest& request) {
  const InstId id = request.Instruction("inst");
  if (!id.valid()) return;
  ModuleView& view = *request.module;
  const Module& module = view.module();
  const Inst& inst = module.inst(id);
  const Computation& comp = module.comp(inst.parent);
  const Origin origin = OriginOf(module, id);
  JsonWriter& json = request.json();
  json.Field("inst", id.value)
      .Field("name", module.name_of(inst))
      .Field("opcode", OpcodeName(module, inst))
      .Field("shape", Shortened(module.shapes.Text(inst.shape), kLongestText))
      .Field("bytes", module.shapes.ByteSize(inst.shape).value_or(-1))
      .Field("result_bytes", module.shapes.ByteSize(ResultShape(module, inst)).value_or(-1))
      .Field("is_root", comp.root == id);
  json.Key("computation")
      .BeginObject()
      .Field("comp", inst.parent.value)
      .Field("name", module.text(comp.name))
      .Field("is_entry", comp.is_entry)
      .Field("instructions", comp.count)
      .Field("position", id.value - comp.first);
  const RunCount& runs = view.runs()[inst.parent.index()];
  json.Field("runs", runs.runs).Field("runs_at_least", runs.at_least);
  const InstId caller = view.CallerOf(inst.parent);
  if (caller.valid()) {
    json.Field("caller", caller.value).Field("caller_name", module.name_of(module.inst(caller)));
  }
  json.EndObject();
  json.Field("op_name", origin.op_name)
      .Field("scope", ScopeOf(origin.op_name))
      .Field("source_file", origin.file)
      .Field("source_line", origin.line);
  CalledJson(view, inst, json);
  AttributesJson("attributes", module, &inst, inst.attrs, json);
  AttributesJson("metadata", module, &inst, module.MetadataOf(inst), json);
  Neighbours("operands", module, module.operands_of(inst), request.response);
  Neighbours("users", module, view.users().of(id), request.response);
  ValuesJson(request, id, json);
  json.Field("line", static_cast<int64_t>(static_cast<int32_t>(view.text().line_of(id))));
  json.Field("text", Shortened(InstructionText(module, id, module.style), kLongestText));
}

void AskNames(ViewRequest& request) {
  const Module& module = request.module->module();
  StringColumn names(300);
  for (const int64_t id : request.parameters["ids"].AsInts()) {
    const bool known = id >= 0 && static_cast<uint64_t>(id) < module.insts.size();
    names.Add(known ? module.name_of(module.insts[static_cast<size_t>(id)]) : std::string_view());
  }
  request.response.Strings("names", names);
}

}  // namespace halo::view
