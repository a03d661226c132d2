// Each script is complete in itself: it never runs the command. Hidden commands are not offered.
#include "tools/halo/help/completions.h"

#include <algorithm>

#include <fmt/format.h>

namespace halo::tool {
namespace {

std::vector<std::string> CommandNames(const CommandModel& halo) {
  std::vector<std::string> names;
  for (const CommandModel& each : halo.commands) {
    if (!each.group.empty()) names.push_back(each.name);
  }
  return names;
}

std::string OptionNames(const CommandModel& command) {
  std::vector<std::string> names;
  for (const OptionModel& each : command.options) {
    names.insert(names.end(), each.names.begin(), each.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string Replaced(std::string text, std::string_view of, std::string_view before) {
  std::string out;
  for (const char c : text) {
    if (of.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

// 'text' for a shell; the shells of this file differ in how a quote inside is written.
std::string Quoted(const std::string& text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

// --- bash

void BashValues(const CommandModel& command, const CommandModel& halo, std::string& out) {
  std::string cases;
  for (const OptionModel& each : command.options) {
    if (each.kind == ValueKind::kNone) continue;
    std::string action = "compopt +o default";  // a number or a name: nothing to offer
    if (each.kind == ValueKind::kChoice) {
      action = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                           fmt::join(each.choices, " "));
    }
    if (each.kind == ValueKind::kPath) action = ":";
    cases += fmt::format("        {}) {}; return ;;\n", fmt::join(each.names, "|"), action);
  }
  if (!cases.empty()) out += "      case $previous in\n" + cases + "      esac\n";
  for (const OptionModel& each : command.arguments) {
    if (each.kind != ValueKind::kChoice && each.kind != ValueKind::kCommand) continue;
    const std::vector<std::string> words =
        each.kind == ValueKind::kChoice ? each.choices : CommandNames(halo);
    out += fmt::format("      words='{}'\n", fmt::join(words, " "));
  }
}

// --- zsh

std::string ZshAction(const OptionModel& option, const CommandModel& halo) {
  switch (option.kind) {
    case ValueKind::kChoice: return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::kCommand: return fmt::format("({})", fmt::join(CommandNames(halo), " "));
    case ValueKind::kPath: return "_files";
    case ValueKind::kNone:
    case ValueKind::kOther: return " ";
  }
  return " ";
}

void ZshSpecs(const CommandModel& command, const CommandModel& halo, std::string& out) {
  for (const OptionModel& each : command.options) {
    const std::string about = Replaced(each.about, "[]:\\", "\\");
    const std::string value =
        each.kind == ValueKind::kNone
            ? ""
            : fmt::format(":{}:{}", Replaced(each.value, ":\\", "\\"), ZshAction(each, halo));
    for (const std::string& name : each.names) {
      // An option that takes many values may be repeated; the names of another exclude each other.
      const std::string front =
          each.repeats ? "*" : fmt::format("({})", fmt::join(each.names, " "));
      const std::string_view form = value.empty() ? "" : name.starts_with("--") ? "=" : "+";
      out += fmt::format(
          " \\\n        {}",
          Quoted(fmt::format("{}{}{}[{}]{}", front, name, form, about, value), "'\\''"));
    }
  }
  for (const OptionModel& each : command.arguments) {
    out += fmt::format(" \\\n        {}", Quoted(fmt::format("{}:{}:{}", each.repeats ? "*" : "",
                                                             each.names[0], ZshAction(each, halo)),
                                                 "'\\''"));
  }
  out += "\n";
}

// --- fish

void FishOptions(const CommandModel& command, const std::string& condition, std::string& out) {
  for (const OptionModel& each : command.options) {
    std::string line = "complete -c halo " + condition;
    for (const std::string& name : each.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (each.kind == ValueKind::kPath) line += " -r -F";
    if (each.kind == ValueKind::kOther) line += " -x";
    if (each.kind == ValueKind::kChoice) {
      line +=
          fmt::format(" -x -a {}", Quoted(fmt::format("{}", fmt::join(each.choices, " ")), "\\'"));
    }
    out += fmt::format("{} -d {}\n", line, Quoted(Replaced(each.about, "\\", "\\"), "\\'"));
  }
}

}  // namespace

std::string BashCompletion(const CommandModel& halo) {
  const std::vector<std::string> commands = CommandNames(halo);
  std::string out =
      "# Completion of halo in bash, written by `halo completion bash`.\n"
      "_halo() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command= options= words= i\n"
      "  COMPREPLY=()\n"
      "  # --option=value arrives as three words.\n"
      "  if [[ $current == = ]]; then\n"
      "    current=\n"
      "  elif [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      -*|=) ;;\n";
  out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n", fmt::join(commands, "|"));
  out +=
      "    esac\n"
      "  done\n"
      "  case $command in\n";
  for (const CommandModel& each : halo.commands) {
    if (each.group.empty()) continue;
    out += fmt::format("    {})\n", each.name);
    BashValues(each, halo, out);
    out += fmt::format("      options='{}' ;;\n", OptionNames(each));
  }
  out += "    *)\n";
  BashValues(halo, halo, out);
  out += fmt::format("      options='{}'\n      words='{}' ;;\n", OptionNames(halo),
                     fmt::join(commands, " "));
  out +=
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
      "  elif [[ -n $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _halo halo\n";
  return out;
}

std::string ZshCompletion(const CommandModel& halo) {
  std::string out =
      "#compdef halo\n"
      "# Completion of halo in zsh, written by `halo completion zsh`.\n"
      "_halo() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -a commands=(\n";
  for (const CommandModel& each : halo.commands) {
    if (each.group.empty()) continue;
    out += fmt::format(
        "    {}\n",
        Quoted(fmt::format("{}:{}", each.name, Replaced(each.about, ":\\", "\\")), "'\\''"));
  }
  out += "  )\n  _arguments -C";
  CommandModel top = halo;
  top.arguments.clear();
  std::string specs;
  ZshSpecs(top, halo, specs);
  specs.pop_back();
  out += specs +
         " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
         "  case $state in\n"
         "    command) _describe -t commands 'halo command' commands ;;\n"
         "    argument)\n"
         "      case $line[1] in\n";
  for (const CommandModel& each : halo.commands) {
    if (each.group.empty()) continue;
    out += fmt::format("        {}) _arguments -s", each.name);
    ZshSpecs(each, halo, out);
    out += "          ;;\n";
  }
  out +=
      "      esac ;;\n"
      "  esac\n"
      "}\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
      "  _halo \"$@\"\n"
      "else\n"
      "  compdef _halo halo\n"
      "fi\n";
  return out;
}

std::string FishCompletion(const CommandModel& halo) {
  const std::string commands = fmt::format("{}", fmt::join(CommandNames(halo), " "));
  std::string out = "# Completion of halo in fish, written by `halo completion fish`.\n";
  const std::string none = fmt::format("-n 'not __fish_seen_subcommand_from {}'", commands);
  for (const CommandModel& each : halo.commands) {
    if (each.group.empty()) continue;
    out += fmt::format("complete -c halo {} -f -a {} -d {}\n", none, each.name,
                       Quoted(Replaced(each.about, "\\", "\\"), "\\'"));
  }
  FishOptions(halo, none, out);
  for (const CommandModel& each : halo.commands) {
    if (each.group.empty()) continue;
    const std::string here = fmt::format("-n '__fish_seen_subcommand_from {}'", each.name);
    for (const OptionModel& argument : each.arguments) {
      if (argument.kind == ValueKind::kCommand) {
        out += fmt::format("complete -c halo {} -f -a '{}'\n", here, commands);
      }
    }
    FishOptions(each, here, out);
  }
  return out;
}

}  // namespace halo::tool
