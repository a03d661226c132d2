// Finds commands and options that do not exist, before relying on what CLI11 concludes from them.
#include "tools/halo/session/usage_error.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace halo::tool {
namespace {

// Counts insertions, deletions and replacements.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string Missing(std::string_view kind, const std::string& word, const std::string& near) {
  return fmt::format("there is no {} {}{}", kind, word,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

// CLI11 counts values: "--device: 1 required DEVICE missing".
std::string MissingValue(std::string_view refused) {
  constexpr std::string_view kBefore = ": 1 required ", kAfter = " missing";
  const size_t at = refused.find(kBefore);
  if (at == std::string_view::npos || !refused.ends_with(kAfter)) return "";
  const size_t begin = at + kBefore.size();
  return fmt::format("{} needs a value: {}", refused.substr(0, at),
                     refused.substr(begin, refused.size() - kAfter.size() - begin));
}

// The message for a file or folder given in place of a command; empty if the word is neither.
std::string ForgottenCommand(const std::string& word) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(word, ignored);
  if (!std::filesystem::exists(status)) return "";
  if (std::filesystem::is_directory(status)) {
    return fmt::format("a command is missing; try: halo ls {}", word);
  }
  return fmt::format("a command is missing; try: halo info {}", word);
}

// The folder of a file; any other path as it is.
std::filesystem::path FolderOf(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return path;
  return path.has_parent_path() ? path.parent_path() : ".";
}

// The message for a file given to a command that takes none; empty for any other message.
std::string UnwantedFile(const CLI::App& command, std::string_view refused) {
  constexpr std::string_view kSaid = " was not expected: ";
  const size_t at = refused.find(kSaid);
  const auto options =
      command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (at == std::string_view::npos || !options.empty()) return "";
  const std::string_view word = refused.substr(at + kSaid.size());
  if (command.get_name() == "lsp") {
    return fmt::format(
        "takes no files: editors start it and send it the texts that are open; docs/lsp.md has the "
        "settings for VS Code, Neovim, Emacs and Helix. To see the problems of a file here, run: "
        "halo check {}",
        word);
  }
  if (command.get_name() == "mcp") {
    return fmt::format("takes no files, only folders that it may read; try: halo mcp --root {}",
                       FolderOf(std::filesystem::path(word)).string());
  }
  return "";
}

// What CLI11 says if an argument is given too often, in our words; empty for any other message.
std::string TooMany(const CLI::App& command, std::span<const std::string> arguments,
                    std::string_view refused) {
  constexpr std::string_view kSaid = ": At Most ";
  constexpr std::string_view kGiven = " required but received ";
  const size_t at = refused.find(kSaid);
  const size_t given = refused.find(kGiven);
  if (at == std::string_view::npos || given == std::string_view::npos) return "";
  const std::string_view most = refused.substr(at + kSaid.size(), given - at - kSaid.size());
  std::string text = fmt::format("takes {} {}, not {}", most == "1" ? "one" : most,
                                 refused.substr(0, at), refused.substr(given + kGiven.size()));
  std::vector<std::string> files;
  for (const std::string& word : arguments.subspan(std::min<size_t>(1, arguments.size()))) {
    if (!word.starts_with('-')) files.push_back(word);
  }
  if (command.get_name() == "compare" && files.size() == 2) {
    text += fmt::format("; to compare two programs, run: halo diff {} {}", files[0], files[1]);
  }
  return text;
}

// What CLI11 says if a value is not a number, in our words; empty for any other message.
std::string WrongNumber(const CLI::App& command, std::string_view refused) {
  constexpr std::string_view kSaid = "Could not convert: ";
  const size_t equals = refused.find(" = ");
  if (!refused.starts_with(kSaid) || equals == std::string_view::npos) return "";
  const std::string name(refused.substr(kSaid.size(), equals - kSaid.size()));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return "";
  const std::string type = option->get_type_name();
  const std::string_view wanted = type.find("FLOAT") != std::string::npos  ? "a number"
                                  : type.find("UINT") != std::string::npos ? "a whole number from 0"
                                  : type.find("INT") != std::string::npos  ? "a whole number"
                                                                           : "another value";
  return fmt::format("{} takes {}, not {}", name, wanted, refused.substr(equals + 3));
}

}  // namespace

std::string Nearest(std::string_view word, std::span<const std::string> names) {
  const auto begins = [&](const std::string& name) { return name.starts_with(word); };
  const auto found = std::ranges::find_if(names, begins);
  if (found != names.end()) return std::ranges::count_if(names, begins) == 1 ? *found : "";
  const size_t allowed = std::max<size_t>(1, word.size() / 3);
  std::string best;
  size_t least = allowed + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(word, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string NoSuchCommand(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return Missing("command", name, Nearest(name, names));
}

std::string NoSuchDevice(const std::string& name, std::span<const std::string> known) {
  std::string word = name;
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::ranges::find(known, word) != known.end()) return "";
  std::string near = Nearest(word, known);
  if (near.empty()) {  // as in "TPU v5p"
    for (const std::string& each : known) {
      if (each.size() > near.size() && word.find(each) != std::string::npos) near = each;
    }
  }
  return fmt::format("{}; known are {}", Missing("device", name, near), fmt::join(known, ", "));
}

std::string UsageError(const CLI::App& app, std::span<const std::string> arguments,
                       std::string_view refused) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  std::vector<std::string> names;
  if (chosen.empty()) {
    if (arguments.empty()) return "a command is missing";
    if (!arguments[0].starts_with('-')) {
      if (std::string forgotten = ForgottenCommand(arguments[0]); !forgotten.empty()) {
        return forgotten;
      }
      return NoSuchCommand(app, arguments[0]);
    }
  }
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--") && std::ranges::find(names, name) == names.end()) {
      return Missing("option", name, Nearest(name, names));
    }
  }
  if (const std::string number = WrongNumber(command, refused); !number.empty()) return number;
  if (std::string unwanted = UnwantedFile(command, refused); !unwanted.empty()) return unwanted;
  if (std::string many = TooMany(command, arguments, refused); !many.empty()) return many;
  const std::string missing = MissingValue(refused);
  return missing.empty() ? std::string(refused) : missing;
}

}  // namespace halo::tool
