// `run` and `compare`: programs executed by the command in a separate process, which has limits
// of time and memory and a sandbox. This code writes the command line and reads the result.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "halo/api/run/compare_document.h"
#include "halo/api/run/sandbox_report.h"
#include "halo/base/strings/human_size.h"
#include "halo/describe/check_request.h"
#include "halo/describe/read_json.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

constexpr int64_t kSecondsByDefault = 60;
constexpr int64_t kMostSeconds = 3600;

// What tools do not offer of the request: they answer with what was computed, on one program.
constexpr std::initializer_list<std::string_view> kNotOffered = {
    "module", "replicas", "partitions", "repeat",    "feed_back",     "without",
    "join",   "join_by",  "compare",    "rtol",      "atol",          "ulp",
    "worst",  "trace",    "profile",    "decisions", "ulp_of_largest"};

std::vector<Field> RunArguments() {
  return JoinFields({{ProgramField()},
                     ArgumentsOf<v0::RunRequest>(kNotOffered),
                     {{"timeout", FieldType::kInteger, "Seconds, at most 3600 (default: 60)"}}});
}

// The options of the command that state a request. Each is one word, so that no value is read as
// another option.
class CommandWords : public v0::FieldVisitor<CommandWords> {
 public:
  explicit CommandWords(std::vector<std::string>& words) : words_(words) {}

  template <class T>
  void Field(const v0::FieldInfo& field, const T& value) {
    if (std::find(kNotOffered.begin(), kNotOffered.end(), field.name) != kNotOffered.end()) return;
    if constexpr (describe::kIsOptional<T>) {
      if (value) Add(field.name, std::to_string(*value));
    } else if constexpr (describe::kIsList<T>) {
      for (const std::string& each : value) Add(field.name, each);
    } else if constexpr (std::same_as<T, bool>) {
      if (value) words_.push_back(OptionOf(field.name));
    } else if constexpr (describe::IsText<T>) {
      Add(field.name, value);
    }
  }

 private:
  static std::string OptionOf(std::string_view name) {
    std::string option = "--" + std::string(name);
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
  }
  // An option without a value would take the next word.
  void Add(std::string_view name, const std::string& value) {
    if (!value.empty()) words_.push_back(OptionOf(name) + "=" + value);
  }

  std::vector<std::string>& words_;
};

// Why a value cannot be a word of a command line; empty if it can.
std::string WhyNoWord(const v0::RunRequest& asked) {
  for (const auto* list : {&asked.input_files, &asked.custom_call}) {
    for (const std::string& each : *list) {
      const auto is_bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == ','; };
      if (std::any_of(each.begin(), each.end(), is_bad)) {
        return "names with commas or control characters are not supported";
      }
    }
  }
  return {};
}

// The request of a call, with paths that the server may read; a refusal if it cannot be used.
v0::RunRequest AskedRun(const ToolCall& call, ToolReply& refusal) {
  constexpr std::array<std::string_view, 3> kOthers = {"program", "cursor", "timeout"};
  v0::RunRequest asked;
  asked.engine = "compiled";
  asked.random = 1;
  std::string problem = describe::ReadRequest(call.arguments, kOthers, asked);
  if (problem.empty()) problem = describe::CheckRequest(asked, ChoicesNamed);
  for (std::string& each : asked.input_files) {
    if (!problem.empty()) break;
    Result<std::string> file = call.workspace.roots().Resolve(each);
    if (file) {
      each = *std::move(file);
    } else {
      problem = file.error().message;
    }
  }
  if (problem.empty()) problem = WhyNoWord(asked);
  if (!problem.empty()) refusal = Refuse(problem, "the schema of the tool lists its arguments");
  return asked;
}

// The command line; a refusal if an argument cannot be used.
std::vector<std::string> CommandLine(const ToolCall& call, std::string_view command,
                                     ToolReply& refusal) {
  const Result<std::string> path = call.workspace.roots().Resolve(call.Text("program"));
  if (!path) {
    refusal = Refuse(path.error());
    return {};
  }
  const v0::RunRequest asked = AskedRun(call, refusal);
  if (!refusal.problem.empty()) return {};
  std::vector<std::string> words = {std::string(command), *path, "--json"};
  if (command == "compare") {
    words.emplace_back("--ranks");
  } else {
    words.emplace_back("--cache=none");
  }
  CommandWords options(words);
  Fields(options, describe::Readable(asked));
  const int64_t seconds =
      std::clamp<int64_t>(call.Int("timeout", kSecondsByDefault), 1, kMostSeconds);
  words.push_back("--timeout=" + std::to_string(seconds));
  return words;
}

// The first error of a document that the command printed.
ToolReply RefusedRun(const v0::ResultParts& document, const RunOutcome& outcome) {
  for (const v0::Diagnostic& each : document.diagnostics) {
    if (each.severity != v0::Severity::kError) continue;
    if (each.code == "no-sandbox") {
      return Refuse("it cannot run in a sandbox here: " + each.help,
                    "`halo mcp --allow-run --allow-unconfined` starts a server that runs programs "
                    "without one");
    }
    return Refuse(each.message, each.help);
  }
  return Refuse("the run ended with exit code " + std::to_string(outcome.exit_code),
                "`check` shows what is wrong with the program");
}

// Runs the command and reads its document; a refusal if there is none.
template <describe::IsDocument Document>
Document Execute(const ToolCall& call, std::string_view command, ToolReply& refusal) {
  if (!call.runner) {
    refusal = Refuse("this server does not run programs",
                     "memory, time and check answer without running; `halo mcp --allow-run` starts "
                     "a server that runs programs");
    return {};
  }
  const std::vector<std::string> words = CommandLine(call, command, refusal);
  if (words.empty()) return {};
  call.progress("running " + std::string(call.Text("program")));
  const RunOutcome outcome = call.runner(words, call.progress);
  if (!outcome.problem.empty()) {
    refusal = Refuse(outcome.problem, "a larger `timeout`, fewer `devices` or a smaller program");
    return {};
  }
  const std::optional<JsonValue> json = ParseJson(outcome.output);
  Document document;
  const bool is_read = json && describe::ReadDocument(*json, document);
  if (outcome.exit_code > 1 || !is_read) refusal = RefusedRun(document, outcome);
  return document;
}

std::string DimsText(std::string_view type, const std::vector<int64_t>& dims) {
  std::string text = std::string(type) + "[";
  for (const int64_t each : dims) text += (text.ends_with('[') ? "" : ",") + std::to_string(each);
  return text + "]";
}

// What held the run, and why it was not compiled if that was why.
void PutConfinement(ToolReply& reply, const std::optional<SandboxReport>& sandbox,
                    const std::string& not_compiled_because) {
  const SandboxReport report = sandbox.value_or(SandboxReport{.why_not = "unknown"});
  Put(reply.figures, "confinement", std::string_view(SandboxText(report)));
  PutIfAny(reply.figures, "not_compiled_because", not_compiled_because);
}

Field ConfinementField() {
  return {"confinement", FieldType::kText, "What the process that ran it could not reach"};
}
Field NotCompiledField() {
  return {"not_compiled_because", FieldType::kText, "Why it was evaluated"};
}
Field ShapeField() { return {"shape", FieldType::kText, ""}; }

void PutOrigin(const v0::RunResult& run, bool has_others, ToolReply& reply) {
  if (run.first_non_finite && *run.first_non_finite) {
    const v0::NonFiniteValue& origin = **run.first_non_finite;
    reply.conclusion += " The first " + origin.is + " is produced by " + origin.instruction + ".";
    Put(reply.figures, "first_non_finite", std::string_view(origin.instruction));
    PutIfAny(reply.figures, "source", origin.source);
  } else if (has_others) {
    reply.next = {"run with find_nan: true, for the first instruction that produces one"};
  }
}

ToolReply ReplyRun(const ToolCall& call) {
  ToolReply reply;
  const v0::RunResult run = Execute<v0::RunResult>(call, "run", reply);
  if (!reply.problem.empty()) return reply;
  const auto rows = std::make_shared<const std::vector<v0::RunOutput>>(
      run.outputs.value_or(std::vector<v0::RunOutput>()));
  int64_t nans = 0;
  for (const v0::RunOutput& each : *rows) nans += each.figures.nans + each.figures.infinities;
  reply.conclusion =
      (run.program.empty() ? "the program" : run.program) +
      " ran: " + Counted(static_cast<int64_t>(rows->size()), "result") +
      (nans == 0 ? ", all finite." : ", " + Counted(nans, "element") + " of them not finite.");
  Put(reply.figures, "program", call.Text("program"));
  Put(reply.figures, "non_finite", nans);
  PutIfAny(reply.figures, "engine", run.engine);
  Put(reply.figures, "seconds", run.seconds);
  PutConfinement(reply, run.sandbox, run.not_compiled_because);
  PutOrigin(run, nans != 0, reply);
  reply.total = rows->size();
  reply.row = [rows](size_t i) {
    const v0::RunOutput& output = (*rows)[i];
    JsonValue row = RowOf(output);
    const std::string shape = DimsText(output.figures.type, output.figures.dims);
    Put(row, "shape", std::string_view(shape));
    return row;
  };
  return reply;
}

void PutDevices(const documents::DeviceDifference& found, JsonValue& row) {
  JsonValue devices = MakeArray();
  for (const int64_t each : found.devices) devices.items.push_back(MakeInteger(each));
  Put(row, "devices", std::move(devices));
  if (found.values) {
    JsonValue values = MakeArray();
    for (const std::string& each : *found.values) values.items.push_back(MakeText(each));
    Put(row, "values", std::move(values));
  }
  Put(row, "shape", std::string_view(DimsText(found.type, found.dims)));
}

ToolReply ReplyCompare(const ToolCall& call) {
  ToolReply reply;
  const auto document = Execute<documents::CompareResult>(call, "compare", reply);
  if (!reply.problem.empty()) return reply;
  const auto found = [](const auto& each) {
    return each && *each ? **each : documents::DeviceDifference();
  };
  const bool agree = document.agree.value_or(false);
  reply.conclusion = agree
                         ? "The devices agree wherever they must: " +
                               Counted(document.values_compared.value_or(0), "value") + " compared."
                         : "Devices that must agree differ; the first difference is at " +
                               found(document.first_difference).instruction + ".";
  Put(reply.figures, "program", call.Text("program"));
  Put(reply.figures, "agree", agree);
  Put(reply.figures, "values_compared", document.values_compared.value_or(0));
  Put(reply.figures, "instructions_that_must_agree",
      document.instructions_that_must_agree.value_or(0));
  PutConfinement(reply, document.sandbox, document.not_compiled_because);
  const auto rows = std::make_shared<std::vector<JsonValue>>();
  const auto add = [&](std::string_view what, const documents::DeviceDifference& each) {
    if (each.instruction.empty()) return;
    JsonValue row = MakeObject();
    Put(row, "what", what);
    PutFigures(each, row);
    PutDevices(each, row);
    rows->push_back(std::move(row));
  };
  add("must agree", found(document.first_difference));
  add("need not agree", found(document.first_divergence));
  reply.total = rows->size();
  reply.row = [rows](size_t i) { return (*rows)[i]; };
  return reply;
}

}  // namespace

Tool RunTool() {
  return {"run",
          "Run a program",
          "Runs a program on this machine's CPU with generated or given inputs and summarizes each "
          "result; finds where a NaN comes from. Only if the server was started with --allow-run.",
          RunArguments(),
          {ProgramIdField(),
           {"non_finite", FieldType::kInteger, "Elements of results"},
           {"engine", FieldType::kText, ""},
           {"seconds", FieldType::kNumber, ""},
           {"first_non_finite", FieldType::kText, "The instruction that produces it"},
           {"source", FieldType::kText, ""},
           ConfinementField(),
           NotCompiledField()},
          JoinFields({FiguresOf<v0::RunOutput>(), {ShapeField()}}),
          ReplyRun,
          true};
}

Tool CompareTool() {
  std::vector<Field> arguments = RunArguments();
  std::erase_if(arguments, [](const Field& each) { return each.name == "find_nan"; });
  return {"compare",
          "Compare devices",
          "Runs a program on several devices on this machine's CPU and finds the first instruction "
          "at which devices that must agree differ. Only if the server was started with "
          "--allow-run.",
          std::move(arguments),
          {ProgramIdField(),
           {"agree", FieldType::kBool, ""},
           {"values_compared", FieldType::kInteger, ""},
           {"instructions_that_must_agree", FieldType::kInteger, ""},
           ConfinementField(),
           NotCompiledField()},
          JoinFields({{{"what", FieldType::kText, ""}},
                      FiguresOf<documents::DeviceDifference>(),
                      {{"devices", FieldType::kIntegers, "That differ"},
                       {"values", FieldType::kTexts, "On these"},
                       ShapeField()}}),
          ReplyCompare,
          true};
}

}  // namespace halo::mcp
