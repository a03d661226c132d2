// `diff`: whether two programs are the same, what changed, and why their memory differs.
#include <array>

#include "halo/api/diff/diff_document.h"
#include "halo/base/strings/human_size.h"
#include "halo/describe/read_json.h"
#include "halo/diff/peak/peak_change.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

// Arguments of the tool that are not part of the request.
constexpr std::array<std::string_view, 4> kOtherArguments = {"before", "after", "rows", "cursor"};

// A few of the instructions concerned, as "before -> after".
template <class Instances>
std::string PlacesText(const Instances& places) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    text += text.empty() ? "" : ", ";
    text += places[i].before.empty()  ? "new " + places[i].after
            : places[i].after.empty() ? places[i].before + " gone"
                                      : places[i].before + " -> " + places[i].after;
  }
  return text;
}

JsonValue CauseRow(const DiffCause& cause) {
  JsonValue row = RowOf(DiffCauseOf(cause));
  PutIfAny(row, "instructions", PlacesText(cause.places));
  return row;
}

JsonValue PeakCauseRow(const PeakCause& cause) {
  JsonValue row = RowOf(DiffPeakCauseOf(cause));
  PutIfAny(row, "instructions", PlacesText(cause.places));
  return row;
}

ToolReply ReplyDiff(const ToolCall& call) {
  v0::DiffRequest asked;
  const std::string problem = describe::ReadRequest(call.arguments, kOtherArguments, asked);
  if (!problem.empty()) return Refuse(problem, "the schema of `diff` lists its arguments");
  const Result<std::string> device = DeviceOf(asked);
  if (!device.ok()) return Refuse(device.error(), "the schema of `diff` lists its arguments");
  ToolReply reply;
  const std::shared_ptr<Program> before = OpenWithModule(call, reply, "before");
  if (before == nullptr) return reply;
  const std::shared_ptr<Program> after = OpenWithModule(call, reply, "after");
  if (after == nullptr) return reply;
  call.progress("comparing " + before->id() + " with " + after->id());
  const auto diff = std::make_shared<const ProgramDiff>(
      DiffDocuments(before->module()->document(), after->module()->document(), *device));
  if (!diff->refused.empty()) {
    return Refuse(diff->refused, "`check` shows what is wrong with a file");
  }
  reply.conclusion = diff->verdict;
  Put(reply.figures, "before", std::string_view(before->id()));
  Put(reply.figures, "after", std::string_view(after->id()));
  PutFigures(DiffDocument(before->module()->document(), after->module()->document(), *diff, 0),
             reply.figures);
  if (diff->peak != nullptr) {
    const PeakChange& peak = *diff->peak;
    Put(reply.figures, "memory_before", peak.before.bytes);
    Put(reply.figures, "memory_after", peak.after.bytes);
    Put(reply.figures, "memory_change", peak.bytes());
    if (peak.bytes() != 0) {
      reply.conclusion += " Memory " + std::string(peak.bytes() > 0 ? "grows" : "shrinks") +
                          " by " + HumanBytes(std::abs(peak.bytes())) + ".";
    }
  } else {
    PutIfAny(reply.figures, "memory_not_compared", diff->no_peak);
  }
  reply.longest_cell = 300;
  if (call.Text("rows") == "memory") {
    if (diff->peak == nullptr) {
      return Refuse("the memory of these programs was not compared" +
                        (diff->no_peak.empty() ? std::string() : ": " + diff->no_peak),
                    "diff without `rows` compares values; both programs must be scheduled to "
                    "compare memory");
    }
    reply.total = diff->peak->causes.size();
    reply.row = [diff](size_t i) { return PeakCauseRow(diff->peak->causes[i]); };
    return reply;
  }
  reply.total = diff->causes.size();
  reply.row = [diff](size_t i) { return CauseRow(diff->causes[i]); };
  if (diff->peak != nullptr && diff->peak->bytes() != 0) {
    reply.next = {"diff with rows: \"memory\", for the causes of the change of memory"};
  }
  return reply;
}

}  // namespace

Tool DiffTool() {
  return {"diff",
          "What changed?",
          "Whether two programs compute the same values in the same way, what changed by cause, "
          "and why their memory differs, to the byte. Names, numbers and order do not count.",
          JoinFields({{ProgramField("before"),
                       ProgramField("after"),
                       {"rows",
                        FieldType::kText,
                        "Which causes (default: changes)",
                        false,
                        {"changes", "memory"}}},
                      ArgumentsOf<v0::DiffRequest>()}),
          JoinFields({{{"before", FieldType::kText, ""}, {"after", FieldType::kText, ""}},
                      FiguresOf<v0::DiffResult>(),
                      {{"memory_before", FieldType::kInteger, ""},
                       {"memory_after", FieldType::kInteger, ""},
                       {"memory_change", FieldType::kInteger, ""},
                       {"memory_not_compared", FieldType::kText, "Why not"}}}),
          JoinFields({FiguresOf<v0::DiffCause>(),
                      FiguresOf<v0::DiffPeakCause>(),
                      {{"instructions", FieldType::kText, "before -> after, the first of them"}}}),
          ReplyDiff};
}

}  // namespace halo::mcp
