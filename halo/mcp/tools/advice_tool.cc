// `advice`: changes that would save memory or time, each with what it saves.
#include "halo/api/memory/memory_document.h"
#include "halo/api/time/time_document.h"
#include "halo/api/time/time_request.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::mcp {
namespace {

constexpr size_t kMostNames = 6;

JsonValue NameList(const std::vector<std::string>& names) {
  JsonValue list = MakeArray();
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    list.items.push_back(MakeText(names[i]));
  }
  return list;
}

JsonValue MemoryAdviceRow(const Advice& advice) {
  JsonValue row = MakeObject();
  Put(row, "about", "memory");
  PutFigures(MemoryAdviceOf(advice), row);
  if (!advice.instructions.empty()) Put(row, "instructions", NameList(advice.instructions));
  if (!advice.parameters.empty()) {
    JsonValue list = MakeArray();
    for (const int64_t each : advice.parameters) list.items.push_back(MakeInteger(each));
    Put(row, "parameters", std::move(list));
  }
  return row;
}

JsonValue TimeAdviceRow(const TimeAdvice& advice) {
  JsonValue row = MakeObject();
  Put(row, "about", "time");
  PutFigures(TimeAdviceOf(advice), row);
  if (!advice.names.empty()) Put(row, "instructions", NameList(advice.names));
  return row;
}

ToolReply ReplyAdvice(const ToolCall& call) {
  const std::string_view about = call.Text("about", "both");
  ToolReply reply;
  const std::shared_ptr<Program> program =
      about == "memory" ? OpenNamed(call, reply) : OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  std::vector<JsonValue> rows;
  std::string conclusion;
  if (about != "time") {
    call.progress("planning the memory of " + program->id() + " with changes");
    MemoryRequest request;
    if (call.Flag("thorough")) request.advice = AdviceDepth::kThorough;
    const MemoryResult& result = program->Memory("advice;" + RequestKey(call), request);
    if (result.succeeded) {
      conclusion = result.advice.empty()
                       ? "No change that was tried saves memory"
                       : "Saves most memory (" + HumanBytes(result.advice.front().bytes_saved) +
                             "): " + result.advice.front().what;
      if (result.advice_was_short) reply.next = {"advice with thorough: true, to try more plans"};
      for (const Advice& each : result.advice) rows.push_back(MemoryAdviceRow(each));
    } else {
      conclusion = "No advice about memory: " + view::WhyNoResult(result);
    }
    conclusion += ". ";
  }
  if (about != "memory") {
    call.progress("simulating steps of " + program->id() + " with changes");
    v0::TimeRequest asked;
    asked.device = call.Text("device");
    const Result<TimeRequest> request = RequestOf(asked);
    if (!request.ok()) return Refuse(request.error());
    const TimeResult& result = program->Time("advice;" + RequestKey(call), *request);
    if (result.succeeded && !result.advice.empty()) {
      conclusion += "Saves most time (" + HumanSeconds(result.advice.front().seconds) + " of " +
                    HumanSeconds(result.step.estimate) + "): " + result.advice.front().text;
    } else {
      conclusion += result.succeeded ? "No change that was tried saves time"
                                     : "The time of this program cannot be predicted";
    }
    conclusion += ".";
    for (const TimeAdvice& each : result.advice) rows.push_back(TimeAdviceRow(each));
  }
  reply.conclusion = conclusion;
  reply.longest_cell = 400;
  Put(reply.figures, "program", std::string_view(program->id()));
  reply.total = rows.size();
  reply.row = [rows = std::move(rows)](size_t i) { return rows[i]; };
  return reply;
}

}  // namespace

Tool AdviceTool() {
  return {"advice",
          "What would help",
          "Changes that would save memory or time. Each was tried by planning or simulating the "
          "changed program again; the largest saving comes first.",
          {ProgramField(),
           {"about", FieldType::kText, "Default: both", false, {"memory", "time", "both"}},
           {"thorough", FieldType::kBool, "Try all ways to save memory; takes longer"},
           {"device", FieldType::kText, "Predict times for this device"}},
          {ProgramIdField()},
          JoinFields({{{"about", FieldType::kText, "`memory` or `time`"}},
                      FiguresOf<v0::MemoryAdvice>(),
                      FiguresOf<v0::TimeAdvice>(),
                      {{"instructions", FieldType::kTexts, "The first of them"},
                       {"parameters", FieldType::kIntegers, ""}}}),
          ReplyAdvice};
}

}  // namespace halo::mcp
