// Translates CLI11's words: types become placeholders, validators become choices, and a footer is
// split into paragraphs and examples.
#include "tools/halo/help/command_model.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace halo::tool {
namespace {

// Choices are shown instead of a placeholder if they are this short.
constexpr size_t kShortChoices = 36;

void AddNew(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// CLI11 writes a type and its validators as INT:INT in [1 - 256], TEXT:{a,b} or TEXT:SIZE.
void DescribeValue(const std::string& type, OptionModel& option) {
  const size_t open = type.find('{');
  const size_t close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos) {
    option.choices = Split(type.substr(open + 1, close - open - 1), ',');
    option.kind = ValueKind::kChoice;
    option.value = fmt::format("{}", fmt::join(option.choices, "|"));
    if (option.value.size() > kShortChoices) option.value = "NAME";
    return;
  }
  const std::vector<std::string> parts = Split(type, ':');
  const bool is_own = parts.size() > 1 && parts[1].find(' ') == std::string::npos &&
                      !parts[1].ends_with("POSITIVE") && !parts[1].ends_with("NEGATIVE");
  option.value = is_own ? parts[1] : parts[0];
  if (option.value == "INT" || option.value == "UINT") option.value = "N";
  if (option.value == "FLOAT") option.value = "NUMBER";
  const bool is_path = option.value.find("FILE") != std::string::npos ||
                       option.value.find("DIR") != std::string::npos;
  option.kind = is_path ? ValueKind::kPath : ValueKind::kOther;
}

std::string NamesOf(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* each : options) names.push_back(each->get_name());
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

OptionModel DescribeOption(const CLI::Option& from) {
  OptionModel option;
  option.group = from.get_group();
  option.about = from.get_description();
  option.repeats = from.get_expected_max() > 1;
  if (from.get_type_size() != 0) DescribeValue(from.get_type_name(), option);
  if (from.get_positional()) {
    option.names = {from.get_name(true)};
    option.usage = option.names[0] + (option.repeats ? "..." : "");
    if (!from.get_required()) option.usage = "[" + option.usage + "]";
    if (option.kind != ValueKind::kChoice) {
      option.kind = option.names[0] == "COMMAND"                            ? ValueKind::kCommand
                    : option.names[0] == "FILE" || option.names[0] == "DIR" ? ValueKind::kPath
                                                                            : ValueKind::kOther;
    }
  } else {
    for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
    for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
  }
  std::vector<std::string> more;
  if (option.value == "NAME" && option.about.find(option.choices[0]) == std::string::npos) {
    more.push_back(fmt::format("one of {}", fmt::join(option.choices, ", ")));
  }
  const std::string& usual = from.get_default_str();
  if (!usual.empty() && option.about.find("(default") == std::string::npos) {
    more.push_back("default: " + (usual == "-" ? "standard output" : usual));
  }
  if (from.get_required() && !from.get_positional()) more.emplace_back("required");
  if (!from.get_needs().empty()) more.push_back("needs " + NamesOf(from.get_needs()));
  if (!from.get_excludes().empty()) more.push_back("not with " + NamesOf(from.get_excludes()));
  if (!more.empty()) option.about += fmt::format(" ({})", fmt::join(more, "; "));
  return option;
}

// Examples are the indented lines after a line "Example:" or "Examples:".
void DescribeFooter(const std::string& footer, CommandModel& command) {
  bool in_examples = false;
  bool is_new = true;
  for (const std::string& line : Split(footer, '\n')) {
    if (line == "Example:" || line == "Examples:") {
      in_examples = true;
    } else if (in_examples && line.starts_with("  ")) {
      command.examples.push_back(line.substr(2));
    } else if (line.empty()) {
      is_new = true;
    } else if (is_new || command.notes.empty()) {
      command.notes.push_back(line);
      is_new = false;
    } else {
      command.notes.back() += " " + line;
    }
  }
}

CommandModel Describe(const CLI::App& app, const std::string& parent) {
  CommandModel command;
  command.name = parent.empty() ? "" : app.get_name();
  command.title = parent.empty() ? app.get_name() : parent + " " + app.get_name();
  command.about = app.get_description();
  command.group = parent.empty() ? "" : app.get_group();
  std::vector<OptionModel> general;  // what every command has comes last
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionModel model = DescribeOption(*option);
    (option->get_positional()   ? command.arguments
     : model.group == "General" ? general
                                : command.options)
        .push_back(std::move(model));
  }
  command.options.insert(command.options.end(), general.begin(), general.end());
  DescribeFooter(app.get_footer(), command);
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.commands.push_back(Describe(*each, command.title));
  }
  return command;
}

}  // namespace

std::vector<std::string> CommandModel::option_groups() const {
  std::vector<std::string> groups;
  for (const OptionModel& each : options) AddNew(groups, each.group);
  return groups;
}

std::vector<std::string> CommandModel::command_groups() const {
  std::vector<std::string> groups;
  for (const CommandModel& each : commands) {
    if (!each.group.empty()) AddNew(groups, each.group);
  }
  return groups;
}

std::string CommandModel::usage() const {
  std::string text = title + " [OPTIONS]";
  for (const OptionModel& each : arguments) text += " " + each.usage;
  return commands.empty() ? text : text + " COMMAND";
}

CommandModel DescribeApp(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return Describe(app, parent == nullptr ? "" : parent->get_name());
}

}  // namespace halo::tool
