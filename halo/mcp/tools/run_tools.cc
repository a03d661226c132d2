// `run` and `compare`: programs executed by the command in a separate process, which has limits
// of time and memory and a sandbox. This code writes the command line and reads the result.
#include <algorithm>

#include "halo/api/run/sandbox_report.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

constexpr int64_t kSecondsByDefault = 60;
constexpr int64_t kMostSeconds = 3600;

std::vector<Field> RunArguments() {
  return {ProgramField(),
          {"seed", FieldType::kInteger, "Of generated inputs (default: 1)"},
          {"inputs", FieldType::kText,
           "Arrays for the parameters: an .npz, .npy or safetensors "
           "file that the server may read"},
          {"devices", FieldType::kInteger, "Default: as many as the program is compiled for"},
          {"engine", FieldType::kText, "Default: compiled", false, {"compiled", "reference"}},
          {"fill_elided",
           FieldType::kText,
           "Value of constants that the dump elides",
           false,
           {"zeros", "ones", "iota"}},
          {"timeout", FieldType::kInteger, "Seconds, at most 3600 (default: 60)"}};
}

// The command line; a refusal if an argument cannot be used.
std::vector<std::string> CommandLine(const ToolCall& call, std::string_view command,
                                     ToolReply& refusal) {
  const Result<std::string> path = call.workspace.roots().Resolve(call.Text("program"));
  if (!path) {
    refusal = Refuse(path.error());
    return {};
  }
  std::vector<std::string> words = {std::string(command), *path, "--json", "--cache", "none"};
  if (command == "compare") words = {std::string(command), *path, "--json", "--ranks"};
  const auto add = [&](std::string name, std::string value) {
    words.push_back(std::move(name));
    words.push_back(std::move(value));
  };
  add("--random", std::to_string(std::max<int64_t>(0, call.Int("seed", 1))));
  if (const std::string_view inputs = call.Text("inputs"); !inputs.empty()) {
    const Result<std::string> file = call.workspace.roots().Resolve(inputs);
    if (!file) {
      refusal = Refuse(file.error());
      return {};
    }
    add("--inputs", *file);
  }
  if (!call.arguments["devices"].is_null()) {
    add("--devices", std::to_string(std::clamp<int64_t>(call.Int("devices", 1), 1, 4096)));
  }
  if (!call.Text("engine").empty()) add("--engine", std::string(call.Text("engine")));
  if (!call.Text("fill_elided").empty()) {
    add("--fill-elided", std::string(call.Text("fill_elided")));
  }
  add("--timeout",
      std::to_string(std::clamp<int64_t>(call.Int("timeout", kSecondsByDefault), 1, kMostSeconds)));
  return words;
}

// The first error of a document that the command printed.
ToolReply RefusedRun(const JsonValue& document, const RunOutcome& outcome) {
  for (const JsonValue& each : document["diagnostics"].items) {
    if (each["severity"].AsString() != "error") continue;
    if (each["code"].AsString() == "no-sandbox") {
      return Refuse("it cannot run in a sandbox here: " + std::string(each["help"].AsString()),
                    "`halo mcp --allow-run --allow-unconfined` starts a server that runs programs "
                    "without one");
    }
    return Refuse(each["message"].AsString(), each["help"].AsString());
  }
  return Refuse("the run ended with exit code " + std::to_string(outcome.exit_code),
                "`check` shows what is wrong with the program");
}

// Runs the command and parses its document; a refusal if there is none.
JsonValue Execute(const ToolCall& call, std::string_view command, const std::string& more,
                  ToolReply& refusal) {
  if (!call.runner) {
    refusal = Refuse("this server does not run programs",
                     "memory, time and check answer without running; `halo mcp --allow-run` starts "
                     "a server that runs programs");
    return {};
  }
  std::vector<std::string> words = CommandLine(call, command, refusal);
  if (words.empty()) return {};
  if (!more.empty()) words.push_back(more);
  call.progress("running " + std::string(call.Text("program")));
  const RunOutcome outcome = call.runner(words, call.progress);
  if (!outcome.problem.empty()) {
    refusal = Refuse(outcome.problem, "a larger `timeout`, fewer `devices` or a smaller program");
    return {};
  }
  std::optional<JsonValue> document = ParseJson(outcome.output);
  if (!document) document = JsonValue();
  if (outcome.exit_code > 1 || !document->is_object()) {
    refusal = RefusedRun(*document, outcome);
    return {};
  }
  return *std::move(document);
}

JsonValue Copied(const JsonValue& from, std::initializer_list<std::string_view> keys) {
  JsonValue row = MakeObject();
  for (const std::string_view key : keys) {
    if (!from[key].is_null()) Put(row, key, from[key]);
  }
  return row;
}

std::string DimsText(const JsonValue& value) {
  std::string text = std::string(value["type"].AsString()) + "[";
  for (const JsonValue& each : value["dims"].items) {
    text += (text.ends_with('[') ? "" : ",") + each.text;
  }
  return text + "]";
}

// What held the run, and why it was not compiled if that was why.
void PutConfinement(ToolReply& reply, const JsonValue& document) {
  const JsonValue& sandbox = document["sandbox"];
  const SandboxReport report = {.files = sandbox["files"].AsBool(false),
                                .network = sandbox["network"].AsBool(false),
                                .why_not = std::string(sandbox["why_not"].AsString("unknown"))};
  Put(reply.figures, "confinement", std::string_view(SandboxText(report)));
  PutIfAny(reply.figures, "not_compiled_because", document["not_compiled_because"].AsString());
}

Field ConfinementField() {
  return {"confinement", FieldType::kText, "What the process that ran it could not reach"};
}
Field NotCompiledField() {
  return {"not_compiled_because", FieldType::kText, "Why it was evaluated"};
}

// Infinities and NaN are strings in the document, and figures are read as text.
std::string NumberText(const JsonValue& value) { return value.text; }

ToolReply ReplyRun(const ToolCall& call) {
  ToolReply reply;
  const JsonValue document = Execute(call, "run", call.Flag("find_nan") ? "--find-nan" : "", reply);
  if (!reply.problem.empty()) return reply;
  const JsonValue& outputs = document["outputs"];
  int64_t nans = 0;
  for (const JsonValue& each : outputs.items) {
    nans += each["nans"].AsInt(0) + each["infinities"].AsInt(0);
  }
  const JsonValue& origin = document["first_non_finite"];
  reply.conclusion =
      std::string(document["program"].AsString("the program")) +
      " ran: " + Counted(static_cast<int64_t>(outputs.items.size()), "result") +
      (nans == 0 ? ", all finite." : ", " + Counted(nans, "element") + " of them not finite.");
  Put(reply.figures, "program", call.Text("program"));
  Put(reply.figures, "non_finite", nans);
  PutIfAny(reply.figures, "engine", document["engine"].AsString());
  if (document["seconds"].kind == JsonValue::Kind::kNumber) {
    Put(reply.figures, "seconds", document["seconds"].AsDouble(0));
  }
  PutConfinement(reply, document);
  if (origin.is_object()) {
    reply.conclusion += " The first " + std::string(origin["is"].AsString()) + " is produced by " +
                        std::string(origin["instruction"].AsString()) + ".";
    Put(reply.figures, "first_non_finite", origin["instruction"].AsString());
    PutIfAny(reply.figures, "source", origin["source"].AsString());
  } else if (nans != 0) {
    reply.next = {"run with find_nan: true, for the first instruction that produces one"};
  }
  const auto rows = std::make_shared<const JsonValue>(outputs);
  reply.total = rows->items.size();
  reply.row = [rows](size_t i) {
    const JsonValue& output = rows->items[i];
    JsonValue row = MakeObject();
    Put(row, "name", output["name"].AsString());
    Put(row, "device", output["device"].AsInt(0));
    Put(row, "shape", std::string_view(DimsText(output)));
    for (const std::string_view key : {"min", "max", "mean"}) {
      PutIfAny(row, key, NumberText(output[key]));
    }
    Put(row, "nans", output["nans"].AsInt(0));
    Put(row, "infinities", output["infinities"].AsInt(0));
    Put(row, "digest", output["digest"].AsString());
    PutIfAny(row, "literal", output["literal"].AsString());
    return row;
  };
  return reply;
}

ToolReply ReplyCompare(const ToolCall& call) {
  ToolReply reply;
  const JsonValue document = Execute(call, "compare", "", reply);
  if (!reply.problem.empty()) return reply;
  const bool agree = document["agree"].AsBool(false);
  const JsonValue& difference = document["first_difference"];
  reply.conclusion = agree
                         ? "The devices agree wherever they must: " +
                               Counted(document["values_compared"].AsInt(0), "value") + " compared."
                         : "Devices that must agree differ; the first difference is at " +
                               std::string(difference["instruction"].AsString()) + ".";
  Put(reply.figures, "program", call.Text("program"));
  Put(reply.figures, "agree", agree);
  Put(reply.figures, "values_compared", document["values_compared"].AsInt(0));
  Put(reply.figures, "instructions_that_must_agree",
      document["instructions_that_must_agree"].AsInt(0));
  PutConfinement(reply, document);
  const auto rows = std::make_shared<std::vector<JsonValue>>();
  for (const std::string_view key : {"first_difference", "first_divergence"}) {
    const JsonValue& found = document[key];
    if (!found.is_object()) continue;
    JsonValue row = MakeObject();
    Put(row, "what", key == "first_difference" ? "must agree" : "need not agree");
    for (const JsonValue copied =
             Copied(found, {"instruction", "opcode", "devices", "different", "values", "source"});
         const std::string& name : copied.keys) {
      Put(row, name, copied[name]);
    }
    Put(row, "shape", std::string_view(DimsText(found)));
    rows->push_back(std::move(row));
  }
  reply.total = rows->size();
  reply.row = [rows](size_t i) { return (*rows)[i]; };
  return reply;
}

}  // namespace

Tool RunTool() {
  std::vector<Field> arguments = RunArguments();
  arguments.push_back({"find_nan", FieldType::kBool,
                       "Find the first instruction that produces a NaN or an infinity"});
  return {"run",
          "Run a program",
          "Runs a program on this machine's CPU with generated or given inputs and summarizes each "
          "result; finds where a NaN comes from. Only if the server was started with --allow-run.",
          std::move(arguments),
          {ProgramIdField(),
           {"non_finite", FieldType::kInteger, "Elements of results"},
           {"engine", FieldType::kText, ""},
           {"seconds", FieldType::kNumber, ""},
           {"first_non_finite", FieldType::kText, "The instruction that produces it"},
           {"source", FieldType::kText, ""},
           ConfinementField(),
           NotCompiledField()},
          {{"name", FieldType::kText, ""},
           {"device", FieldType::kInteger, ""},
           {"shape", FieldType::kText, ""},
           {"min", FieldType::kText, ""},
           {"max", FieldType::kText, ""},
           {"mean", FieldType::kText, ""},
           {"nans", FieldType::kInteger, ""},
           {"infinities", FieldType::kInteger, ""},
           {"digest", FieldType::kText, "Equal for equal bits"},
           {"literal", FieldType::kText, "If it is small"}},
          ReplyRun,
          true};
}

Tool CompareTool() {
  return {"compare",
          "Compare devices",
          "Runs a program on several devices on this machine's CPU and finds the first instruction "
          "at which devices that must agree differ. Only if the server was started with "
          "--allow-run.",
          RunArguments(),
          {ProgramIdField(),
           {"agree", FieldType::kBool, ""},
           {"values_compared", FieldType::kInteger, ""},
           {"instructions_that_must_agree", FieldType::kInteger, ""},
           ConfinementField(),
           NotCompiledField()},
          {{"what", FieldType::kText, ""},
           {"instruction", FieldType::kText, ""},
           {"opcode", FieldType::kText, ""},
           {"devices", FieldType::kIntegers, ""},
           {"different", FieldType::kInteger, "Elements"},
           {"values", FieldType::kTexts, ""},
           {"shape", FieldType::kText, ""},
           {"source", FieldType::kText, ""}},
          ReplyCompare,
          true};
}

}  // namespace halo::mcp
