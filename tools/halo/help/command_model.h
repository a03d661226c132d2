// What a command accepts, read from its definition in CLI11. Help, man pages and completions are
// all made from this, so none of them can disagree with the command.
#ifndef TOOLS_HALO_HELP_COMMAND_MODEL_H_
#define TOOLS_HALO_HELP_COMMAND_MODEL_H_

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// What may follow an option, for completions.
enum class ValueKind { kNone, kChoice, kPath, kCommand, kOther };

struct OptionModel {
  std::vector<std::string> names;  // -o, --output; one name without dashes for an argument
  std::string value;               // FILE, N, scope|source; empty for a flag
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;
  std::string group;
  std::string about;     // with its default, and the options it needs or excludes
  std::string usage;     // of an argument: FILE..., [DIR]
  bool repeats = false;  // takes any number of values
};

struct CommandModel {
  std::string name;   // info; empty for halo itself
  std::string title;  // halo info
  std::string about;
  std::string group;  // empty: hidden
  std::vector<OptionModel> arguments;
  std::vector<OptionModel> options;
  std::vector<CommandModel> commands;
  std::vector<std::string> notes;  // paragraphs
  std::vector<std::string> examples;

  // The groups of the options, in order of first use.
  [[nodiscard]] std::vector<std::string> option_groups() const;
  [[nodiscard]] std::vector<std::string> command_groups() const;
  // halo info [OPTIONS] FILE...
  [[nodiscard]] std::string usage() const;
};

CommandModel DescribeApp(const CLI::App& app);

}  // namespace halo::tool

#endif  // TOOLS_HALO_HELP_COMMAND_MODEL_H_
