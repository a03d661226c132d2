// `memory`: how much memory a program needs, when and for what.
#include <algorithm>

#include "halo/api/memory/memory.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::mcp {
namespace {

std::vector<std::string_view> MemoryDeviceNames() {
  std::vector<std::string_view> names;
  for (const MemoryDevice& device : MemoryDevices()) names.push_back(device.name);
  return names;
}

std::vector<std::string> TextsOf(const JsonValue& list) {
  std::vector<std::string> texts;
  for (const JsonValue& each : list.items) texts.emplace_back(each.AsString());
  return texts;
}

// What the call asks for; the problem if an argument cannot be used.
std::string ReadMemoryRequest(const ToolCall& call, MemoryRequest& request) {
  request.advice = AdviceDepth::kNone;
  request.plan = call.Flag("plan");
  request.explain.by = GroupByFromText(call.Text("by"));
  if (!call.arguments["at"].is_null()) request.explain.at = call.Int("at", 0);
  request.explain.around = call.Text("around");
  if (request.explain.around.starts_with('%')) request.explain.around.erase(0, 1);
  request.change.donate = call.arguments["donate"].AsInts();
  request.change.recompute = TextsOf(call.arguments["recompute"]);
  request.change.bf16 = TextsOf(call.arguments["bf16"]);
  request.device = call.Text("device");
  if (!request.device.empty() && FindMemoryDevice(request.device) == nullptr) {
    return "there is no device " + request.device;
  }
  if (const std::string_view capacity = call.Text("capacity"); !capacity.empty()) {
    request.capacity = BytesFromText(capacity);
    if (!request.capacity) return "`capacity` is written as 80GiB, 16GB or 4096";
  }
  return {};
}

JsonValue GroupRow(const LiveGroup& group, int64_t all) {
  JsonValue row = MakeObject();
  Put(row, "name", std::string_view(group.name));
  Put(row, "bytes", group.bytes);
  Put(row, "count", group.count);
  if (all > 0) {
    Put(row, "percent", static_cast<double>(group.bytes) * 100 / static_cast<double>(all));
  }
  return row;
}

JsonValue EntryRow(const LiveEntry& entry) {
  JsonValue row = MakeObject();
  Put(row, "name", std::string_view(entry.name));
  Put(row, "bytes", entry.bytes);
  Put(row, "shape", std::string_view(entry.shape));
  Put(row, "kind", ValueRoleText(entry.role));
  if (entry.start >= 0) {
    Put(row, "from", entry.start);
    Put(row, "to", entry.end);
  }
  PutIfAny(row, "op_name", entry.op_name);
  PutIfAny(row, "source", entry.source);
  PutIfAny(row, "needed_by", entry.needed_by);
  return row;
}

void PutFigures(const MemoryResult& result, JsonValue& figures) {
  const MemoryExplanation& all = result.explanation;
  Put(figures, "device_bytes", all.device_bytes);
  Put(figures, "temporary_bytes", result.verdict.temporary_bytes);
  if (result.bytes_before) Put(figures, "device_bytes_before", *result.bytes_before);
  if (all.has_times) {
    Put(figures, "peak_bytes", all.peak_bytes);
    Put(figures, "peak_position", all.peak_time);
    Put(figures, "peak_instruction", std::string_view(all.peak_instruction));
    PutIfAny(figures, "peak_op_name", all.peak_op_name);
    PutIfAny(figures, "peak_source", all.peak_source);
    Put(figures, "last_position", all.last_time);
    Put(figures, "at", all.at);
    Put(figures, "at_bytes", all.at_bytes);
  }
  if (result.verdict.capacity) {
    Put(figures, "capacity", *result.verdict.capacity);
    Put(figures, "fits", result.verdict.fits());
  }
  Put(figures, "parameters_donated", all.donated);
  Put(figures, "parameters", all.parameters);
  Put(figures, "planned_by", result.is_planned ? "halo" : "xla");
  std::string kinds;
  for (size_t kind = 0; kind < kMemoryKinds; ++kind) {
    if (all.by_kind[kind] == 0) continue;
    kinds += (kinds.empty() ? "" : ", ") +
             std::string(MemoryKindText(static_cast<MemoryKind>(kind))) + " " +
             std::to_string(all.by_kind[kind]);
  }
  Put(figures, "device_bytes_by_kind", std::string_view(kinds));
}

ToolReply ReplyMemory(const ToolCall& call) {
  MemoryRequest request;
  if (const std::string problem = ReadMemoryRequest(call, request); !problem.empty()) {
    return Refuse(problem, "known devices: " + JoinNames(MemoryDeviceNames()));
  }
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenNamed(call, reply);
  if (program == nullptr) return reply;
  call.progress("analyzing the memory of " + program->id());
  const MemoryResult& result = program->Memory(RequestKey(call), request);
  if (!result.succeeded) {
    return Refuse(view::WhyNoResult(result),
                  request.explain.around.empty()
                      ? "`check` shows what is wrong with the file; `list` shows other stages of "
                        "the module, of which the last has a schedule"
                      : "`around` takes the name of an instruction that is scheduled; `search` "
                        "finds names");
  }
  const MemoryExplanation& all = result.explanation;
  reply.conclusion = result.verdict.text;
  Put(reply.figures, "program", std::string_view(program->id()));
  PutFigures(result, reply.figures);
  const std::string_view list = call.Text("rows", "groups");
  if (!all.has_times) {
    reply.next = {"the dump has no live ranges: `plan`: true plans the memory again"};
  }
  const bool temporary = call.Text("only") == "temporary";
  std::vector<LiveEntry> entries = all.entries;
  if (temporary) {
    std::erase_if(entries, [](const LiveEntry& each) { return each.kind != MemoryKind::kTemp; });
  }
  if (list == "values") {
    reply.total = entries.size();
    reply.row = [entries = std::move(entries)](size_t i) { return EntryRow(entries[i]); };
    return reply;
  }
  std::vector<LiveGroup> groups =
      temporary         ? GroupEntries(entries, list == "kinds" ? GroupBy::kRole : all.by)
      : list == "kinds" ? all.roles
                        : all.groups;
  if (list == "groups") {
    Put(reply.figures, "by", GroupByText(all.by));
    reply.next.emplace_back(
        "memory with rows: \"values\", for single values; advice, for what would help");
  }
  reply.total = groups.size();
  reply.row = [groups = std::move(groups), bytes = all.at_bytes](size_t i) {
    return GroupRow(groups[i], bytes);
  };
  return reply;
}

}  // namespace

Tool MemoryTool() {
  return {"memory",
          "Does it fit?",
          "How much memory a program needs, where its peak is, and what is in memory then: groups "
          "by scope, source line, opcode, element type, shape or kind, or single values. Can "
          "assume donations, recomputation, bf16, a device or a capacity.",
          {ProgramField(),
           {"rows",
            FieldType::kText,
            "What to list at the moment (default: groups)",
            false,
            {"groups", "values", "kinds"}},
           {"by",
            FieldType::kText,
            "Grouping (default: scope)",
            false,
            {"scope", "source", "opcode", "dtype", "shape", "kind"}},
           {"only", FieldType::kText, "Which values (default: all)", false, {"all", "temporary"}},
           {"at", FieldType::kInteger, "Position in the schedule (default: the peak)"},
           {"around", FieldType::kText, "Instead of `at`: while this instruction runs"},
           {"device", FieldType::kText, "Does it fit this device, such as h100"},
           {"capacity", FieldType::kText, "Does it fit so much memory, such as 80GiB"},
           {"donate", FieldType::kIntegers, "Assume that these parameters are donated"},
           {"recompute", FieldType::kTexts, "Assume that these instructions are computed again"},
           {"bf16", FieldType::kTexts, "Assume that these f32 values, or \"all\", are bf16"},
           {"plan", FieldType::kBool, "Plan again even if the dump has an assignment"}},
          {ProgramIdField(),
           {"device_bytes", FieldType::kInteger, "Of all allocations in main memory"},
           {"temporary_bytes", FieldType::kInteger, ""},
           {"device_bytes_before", FieldType::kInteger, "Without the assumptions"},
           {"peak_bytes", FieldType::kInteger, "Live at the peak"},
           {"peak_position", FieldType::kInteger, ""},
           {"peak_instruction", FieldType::kText, ""},
           {"peak_op_name", FieldType::kText, ""},
           {"peak_source", FieldType::kText, ""},
           {"last_position", FieldType::kInteger, ""},
           {"at", FieldType::kInteger, "The moment that the rows are about"},
           {"at_bytes", FieldType::kInteger, ""},
           {"capacity", FieldType::kInteger, ""},
           {"fits", FieldType::kBool, ""},
           {"parameters_donated", FieldType::kInteger, ""},
           {"parameters", FieldType::kInteger, ""},
           {"planned_by", FieldType::kText, "", false, {"xla", "halo"}},
           {"device_bytes_by_kind", FieldType::kText, ""},
           {"by", FieldType::kText, ""}},
          {{"name", FieldType::kText, ""},
           {"bytes", FieldType::kInteger, ""},
           {"count", FieldType::kInteger, ""},
           {"percent", FieldType::kNumber, "Of what is in memory then"},
           {"shape", FieldType::kText, ""},
           {"kind", FieldType::kText, ""},
           {"from", FieldType::kInteger, "First position of its live range"},
           {"to", FieldType::kInteger, "Last position"},
           {"op_name", FieldType::kText, ""},
           {"source", FieldType::kText, ""},
           {"needed_by", FieldType::kText, "Its last user"}},
          ReplyMemory};
}

}  // namespace halo::mcp
