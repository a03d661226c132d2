// `time`: how long a step takes on a device, what limits it and which collectives are exposed.
#include <algorithm>
#include <array>

#include "halo/api/time/time_document.h"
#include "halo/api/time/time_request.h"
#include "halo/describe/read_json.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

// Arguments of the tool that are not part of the request.
constexpr std::array<std::string_view, 3> kRowArguments = {"program", "rows", "cursor"};

// Why kernels wait for a collective, as the advice found by moving it.
std::string_view WhyExposed(const TimeResult& result, const std::string& name) {
  for (const TimeAdvice& advice : result.advice) {
    if (std::find(advice.names.begin(), advice.names.end(), name) == advice.names.end()) continue;
    if (advice.kind == TimeAdviceKind::kOverlap) {
      return "kernels that do not depend on it could run beside it, but the schedule has none "
             "there";
    }
    if (advice.kind == TimeAdviceKind::kIndependent) {
      return "no independent kernels can run beside it, wherever it starts";
    }
  }
  return "kernels beside it end before it does";
}

// Of all runs, unlike the row of an instruction.
JsonValue ExposedRow(const TimeResult& result, const TimedOp& op) {
  JsonValue row = RowOf(ExposedOpOf(op));
  Put(row, "runs", op.runs);
  Put(row, "payload_bytes", op.payload);
  Put(row, "group_size", op.group_size);
  Put(row, "why", WhyExposed(result, op.name));
  PutIfAny(row, "op_name", op.op_name);
  return row;
}

JsonValue TimeGroupRow(const TimeGroup& group, double all) {
  JsonValue row = RowOf(TimeGroupOf(group));
  if (all > 0) Put(row, "percent", group.seconds / all * 100);
  return row;
}

void PutRows(const TimeResult& result, std::string_view list, ToolReply& reply) {
  if (list == "exposed") {
    const std::vector<const TimedOp*> exposed = ExposedOps(result);
    reply.total = exposed.size();
    reply.row = [&result, exposed](size_t i) { return ExposedRow(result, *exposed[i]); };
    return;
  }
  const std::vector<TimeGroup>* groups = list == "scopes"    ? &result.scopes
                                         : list == "kinds"   ? &result.kinds
                                         : list == "sources" ? &result.sources
                                         : list == "bounds"  ? &result.bounds
                                                             : nullptr;
  if (groups != nullptr) {
    reply.total = groups->size();
    reply.row = [groups, all = result.step.serial](size_t i) {
      return TimeGroupRow((*groups)[i], all);
    };
    return;
  }
  reply.total = result.ops.size();
  reply.row = [&result](size_t i) { return RowOf(TimeOpOf(result.ops[i])); };
}

std::string WhyNoTime(const TimeResult& result) {
  for (const Diagnostics* list : {&result.diagnostics, &result.inputs.diagnostics}) {
    for (const Diagnostic& each : list->all()) {
      if (each.severity == Severity::kError) return each.message;
    }
  }
  return "the time of this program cannot be predicted";
}

// Files are those of the program: the others of the request are not for agents.
std::vector<Field> SettingArguments() {
  return ArgumentsOf<v0::TimeRequest>({"advice", "device_json", "autotune_results", "target_config",
                                       "profiles", "profile_step", "calibration"});
}

ToolReply ReplyTime(const ToolCall& call) {
  v0::TimeRequest asked;
  const std::string problem = describe::ReadRequest(call.arguments, kRowArguments, asked);
  if (!problem.empty()) return Refuse(problem, "the schema of `time` lists its arguments");
  const Result<TimeRequest> request = RequestOf(asked);
  if (!request.ok()) return Refuse(request.error(), "the schema of `time` lists its arguments");
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  call.progress("predicting the time of " + program->id());
  const TimeResult& result = program->Time(RequestKey(call), *request);
  if (!result.succeeded) {
    return Refuse(WhyNoTime(result),
                  "`check` shows what is wrong with the program; `list` shows its other stages");
  }
  reply.conclusion = result.verdict;
  Put(reply.figures, "program", std::string_view(program->id()));
  PutFigures(TimeDocument(result, 0), reply.figures);
  Put(reply.figures, "exposed_collectives", ExposedOps(result).size());
  PutRows(result, call.Text("rows", "instructions"), reply);
  reply.next = {
      "time with rows: \"exposed\", for collectives that kernels wait for; advice, for "
      "what would help"};
  return reply;
}

}  // namespace

Tool TimeTool() {
  return {"time",
          "Is it fast?",
          "Predicts how long a step takes on a device, what limits it, and which collectives are "
          "exposed and why. Lists instructions, exposed collectives, or groups by scope, kind of "
          "kernel, source of the figure or limit.",
          JoinFields({{ProgramField(),
                       {"rows",
                        FieldType::kText,
                        "Which list, the longest first (default: instructions)",
                        false,
                        {"instructions", "exposed", "scopes", "kinds", "sources", "bounds"}}},
                      SettingArguments()}),
          JoinFields({{ProgramIdField()},
                      FiguresOf<v0::TimeResult>(),
                      {{"exposed_collectives", FieldType::kInteger, "That kernels wait for"}}}),
          JoinFields({{{"seconds", FieldType::kNumber, "Of one run; of a group, of all runs"},
                       {"exposed_seconds", FieldType::kNumber,
                        "Of one run; of a group and of rows \"exposed\", of all runs"}},
                      FiguresOf<v0::TimeOp>(),
                      {{"why", FieldType::kText, "Why it is exposed"}},
                      FiguresOf<v0::TimeGroup>(),
                      {{"percent", FieldType::kNumber, "Of the time if nothing overlaps"}}}),
          ReplyTime};
}

}  // namespace halo::mcp
