// `time`: how long a step takes on a device, what limits it and which collectives are exposed.
#include <algorithm>

#include "halo/api/time/time.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

JsonValue TimedRow(const TimedOp& op) {
  JsonValue row = MakeObject();
  Put(row, "name", std::string_view(op.name));
  Put(row, "seconds", op.total());
  if (op.runs > 1) Put(row, "runs", op.runs);
  Put(row, "kind", KernelKindText(op.kind));
  Put(row, "bound", TimeBoundText(op.time.bound));
  Put(row, "confidence", TimeConfidenceText(op.time.confidence));
  if (op.exposed > 0) Put(row, "exposed_seconds", op.exposed * op.runs);
  Put(row, "shape", std::string_view(op.shape));
  PutIfAny(row, "op_name", op.op_name);
  PutIfAny(row, "source", op.source);
  return row;
}

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

JsonValue ExposedRow(const TimeResult& result, const TimedOp& op) {
  JsonValue row = MakeObject();
  Put(row, "name", std::string_view(op.name));
  Put(row, "exposed_seconds", op.exposed * op.runs);
  Put(row, "seconds", op.total());
  if (op.runs > 1) Put(row, "runs", op.runs);
  Put(row, "payload_bytes", static_cast<int64_t>(op.payload));
  Put(row, "group_size", op.group_size);
  Put(row, "why", WhyExposed(result, op.name));
  PutIfAny(row, "op_name", op.op_name);
  PutIfAny(row, "source", op.source);
  return row;
}

JsonValue TimeGroupRow(const TimeGroup& group, double all) {
  JsonValue row = MakeObject();
  Put(row, "name", std::string_view(group.name));
  Put(row, "seconds", group.seconds);
  Put(row, "count", group.count);
  if (all > 0) Put(row, "percent", group.seconds / all * 100);
  if (group.exposed > 0) Put(row, "exposed_seconds", group.exposed);
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
  reply.row = [&result](size_t i) { return TimedRow(result.ops[i]); };
}

std::string WhyNoTime(const TimeResult& result) {
  for (const Diagnostics* list : {&result.diagnostics, &result.inputs.diagnostics}) {
    for (const Diagnostic& each : list->all()) {
      if (each.severity == Severity::kError) return each.message;
    }
  }
  return "the time of this program cannot be predicted";
}

ToolReply ReplyTime(const ToolCall& call) {
  TimeRequest request;
  request.device = call.Text("device");
  if (!request.device.empty() && !FindTimeDevice(request.device)) {
    return Refuse("no times of a device " + request.device + " are known",
                  "known devices: " + JoinNames(TimeDeviceNames()));
  }
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  call.progress("predicting the time of " + program->id());
  const TimeResult& result = program->Time(RequestKey(call), request);
  if (!result.succeeded) {
    return Refuse(WhyNoTime(result),
                  "`check` shows what is wrong with the program; `list` shows its other stages");
  }
  reply.conclusion = result.verdict;
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "device", std::string_view(result.device.name));
  Put(reply.figures, "device_why", std::string_view(result.device_why));
  Put(reply.figures, "step_seconds", result.step.estimate);
  Put(reply.figures, "kernel_seconds", result.step.compute);
  Put(reply.figures, "exposed_seconds", result.step.exposed);
  Put(reply.figures, "hidden_seconds", result.step.hidden);
  Put(reply.figures, "stalled_seconds", result.step.stalled);
  Put(reply.figures, "floor_seconds", result.step.floor);
  Put(reply.figures, "flops", result.cost.work.flops);
  Put(reply.figures, "bytes_moved", result.cost.traffic.read + result.cost.traffic.written);
  Put(reply.figures, "exposed_collectives", ExposedOps(result).size());
  Put(reply.figures, "scheduled", result.is_scheduled);
  Put(reply.figures, "trips_known", result.trips_known);
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
          {ProgramField(),
           {"rows",
            FieldType::kText,
            "Which list, the longest first (default: instructions)",
            false,
            {"instructions", "exposed", "scopes", "kinds", "sources", "bounds"}},
           {"device", FieldType::kText, "Such as h100 (default: the one compiled for)"}},
          {ProgramIdField(),
           {"device", FieldType::kText, ""},
           {"device_why", FieldType::kText, "Why this device"},
           {"step_seconds", FieldType::kNumber, "As scheduled"},
           {"kernel_seconds", FieldType::kNumber, ""},
           {"exposed_seconds", FieldType::kNumber, "Kernels wait for collectives"},
           {"hidden_seconds", FieldType::kNumber, "Collectives beside kernels"},
           {"stalled_seconds", FieldType::kNumber, "Kernels wait for copies and the like"},
           {"floor_seconds", FieldType::kNumber, "At least"},
           {"flops", FieldType::kNumber, ""},
           {"bytes_moved", FieldType::kNumber, ""},
           {"exposed_collectives", FieldType::kInteger, ""},
           {"scheduled", FieldType::kBool, ""},
           {"trips_known", FieldType::kBool, "False: a loop counts as one iteration"}},
          {{"name", FieldType::kText, ""},
           {"seconds", FieldType::kNumber, "Of all runs in a step"},
           {"runs", FieldType::kNumber, ""},
           {"kind", FieldType::kText, ""},
           {"bound", FieldType::kText, "What limits it"},
           {"confidence", FieldType::kText, ""},
           {"exposed_seconds", FieldType::kNumber, ""},
           {"payload_bytes", FieldType::kInteger, ""},
           {"group_size", FieldType::kInteger, ""},
           {"why", FieldType::kText, "Why it is exposed"},
           {"count", FieldType::kInteger, ""},
           {"percent", FieldType::kNumber, "Of the time if nothing overlaps"},
           {"shape", FieldType::kText, ""},
           {"op_name", FieldType::kText, ""},
           {"source", FieldType::kText, ""}},
          ReplyTime};
}

}  // namespace halo::mcp
