// Prompts for the four questions: which tools to call in which order, and what a good answer says.
#include <array>

#include "halo/mcp/server/server.h"

namespace halo::mcp {
namespace {

struct Prompt {
  std::string_view name, title;
  std::string_view before;  // of the program's name
  std::string_view after;
  bool has_second = false;  // a second program
};

constexpr std::array<Prompt, 4> kPrompts = {{
    {"does_it_fit", "Does it fit?", "Does the XLA program ",
     " fit into its device's memory? Call `memory` with it (and with `device` if one is known), "
     "then `memory` with by: \"source\", then `advice` with about: \"memory\". Say how much it "
     "needs, which source lines hold most at the peak, and which change saves most, with figures."},
    {"is_it_right", "Is it right?", "Is the XLA program ",
     " right? Call `check`; for each error read the `text` around its line. If programs may be "
     "run, call `run` with find_nan: true, and `compare` if it has several devices. Say what is "
     "wrong, where, and how to mend it; if nothing is, say what was checked."},
    {"is_it_fast", "Is it fast?", "What limits the speed of the XLA program ",
     "? Call `time`, then `time` with rows: \"exposed\", then `advice` with about: \"time\". Say "
     "how long a step takes on which device and how certain that is, what dominates it, which "
     "collectives are exposed and why, and what would save most."},
    {"what_changed", "What changed?", "What changed between the XLA program ",
     "? Call `diff`; if memory changed, call it again with rows: \"memory\". Say whether the "
     "results can differ, what changed by cause, the largest first, and why memory differs.",
     true},
}};

JsonValue PromptArgument(std::string_view name, std::string_view what) {
  JsonValue argument = MakeObject();
  Put(argument, "name", name);
  Put(argument, "description", what);
  Put(argument, "required", true);
  return argument;
}

}  // namespace

std::string PromptsJson() {
  JsonValue list = MakeArray();
  for (const Prompt& prompt : kPrompts) {
    JsonValue arguments = MakeArray();
    arguments.items.push_back(PromptArgument(prompt.has_second ? "before" : "program",
                                             "Path of a program or of a dump folder"));
    if (prompt.has_second) {
      arguments.items.push_back(PromptArgument("after", "Path of the program to compare with"));
    }
    JsonValue entry = MakeObject();
    Put(entry, "name", prompt.name);
    Put(entry, "title", prompt.title);
    Put(entry, "description", prompt.title);
    Put(entry, "arguments", std::move(arguments));
    list.items.push_back(std::move(entry));
  }
  JsonValue result = MakeObject();
  Put(result, "prompts", std::move(list));
  return CompactJson(result);
}

std::string PromptJson(const JsonValue& params, std::string& problem) {
  const std::string_view name = params["name"].AsString();
  for (const Prompt& prompt : kPrompts) {
    if (prompt.name != name) continue;
    const JsonValue& arguments = params["arguments"];
    constexpr size_t kLongestPath = 1000;
    const auto path = [&](std::string_view key) {
      return std::string(arguments[key].AsString().substr(0, kLongestPath));
    };
    const std::string first = path(prompt.has_second ? "before" : "program");
    const std::string second = path("after");
    if (first.empty() || (prompt.has_second && second.empty())) {
      problem = prompt.has_second ? "this prompt needs `before` and `after`"
                                  : "this prompt needs `program`";
      return {};
    }
    std::string text = std::string(prompt.before) + first;
    if (prompt.has_second) text += " and the program " + second;
    text += prompt.after;
    JsonValue content = MakeObject();
    Put(content, "type", "text");
    Put(content, "text", std::string_view(text));
    JsonValue said = MakeObject();
    Put(said, "role", "user");
    Put(said, "content", std::move(content));
    JsonValue messages = MakeArray();
    messages.items.push_back(std::move(said));
    JsonValue result = MakeObject();
    Put(result, "description", prompt.title);
    Put(result, "messages", std::move(messages));
    return CompactJson(result);
  }
  problem =
      "there is no such prompt; there are does_it_fit, is_it_right, is_it_fast and "
      "what_changed";
  return {};
}

}  // namespace halo::mcp
