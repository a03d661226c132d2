// Lays out help: usage first, then arguments, options by purpose, remarks and examples.
#include "tools/halo/help/help_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/halo/terminal/fit_text.h"

namespace halo::tool {
namespace {

constexpr size_t kEasyWidth = 100;
// Below this width a description begins on the line after its option.
constexpr size_t kTwoColumns = 80;
constexpr size_t kAboutColumn = 28;
constexpr size_t kNarrowColumn = 8;
constexpr const char* kFirstCommands[] = {"info", "memory", "time", "check", "run", "diff", "view"};

class HelpWriter {
 public:
  HelpWriter(const CommandModel& command, const HelpTextOptions& options)
      : command_(command),
        color_(options.color),
        width_(options.width == 0 ? kEasyWidth : std::min(options.width, kEasyWidth)),
        column_(width_ < kTwoColumns ? kNarrowColumn : kAboutColumn) {}

  std::string Full() {
    Prose(command_.about);
    Head("Usage");
    out_.pop_back();
    out_ += " " + WrapText(command_.usage(), width_, 4) + "\n";
    if (!command_.arguments.empty()) Head("Arguments");
    for (const OptionModel& each : command_.arguments) Entry(each.usage, each.about);
    for (const std::string& group : command_.command_groups()) Commands(group);
    for (const std::string& group : command_.option_groups()) Options(group);
    for (const std::string& note : command_.notes) {
      out_ += "\n";
      Prose(note);
    }
    if (!command_.examples.empty()) Head(command_.examples.size() == 1 ? "Example" : "Examples");
    for (const std::string& each : command_.examples) Example(each);
    return std::move(out_);
  }

  std::string Start() {
    Prose(command_.about);
    Head("Start with");
    for (const char* name : kFirstCommands) {
      const auto found = std::ranges::find(command_.commands, name, &CommandModel::name);
      if (found == command_.commands.end()) continue;
      const std::string argument = found->arguments.empty() ? "" : found->arguments[0].usage;
      Entry(fmt::format("{} {}", found->title, argument), found->about);
    }
    out_ += "\n";
    Prose("`halo --help` shows all commands, `halo help COMMAND` the options of one.");
    return std::move(out_);
  }

 private:
  void Prose(const std::string& text) { out_ += WrapText(text, width_, 0) + "\n"; }

  void Head(const std::string& title) {
    out_ += "\n" + Painted(title + ":", Paint::kBold, color_) + "\n";
  }

  void Entry(const std::string& name, const std::string& about) {
    std::string line = "  " + name;
    if (DisplayWidth(line) + 2 > column_) {
      out_ += WrapText(line, width_, 4) + "\n";
      line.assign(column_, ' ');
    } else {
      line.append(column_ - DisplayWidth(line), ' ');
    }
    out_ += WrapText(line + about, width_, column_) + "\n";
  }

  void Commands(const std::string& group) {
    Head(group);
    for (const CommandModel& each : command_.commands) {
      if (each.group == group) Entry(each.name, each.about);
    }
  }

  void Options(const std::string& group) {
    Head(group);
    for (const OptionModel& each : command_.options) {
      if (each.group != group) continue;
      std::string name = fmt::format("{}", fmt::join(each.names, ", "));
      if (!each.value.empty()) name += " " + each.value + (each.repeats ? "..." : "");
      Entry(name, each.about);
    }
  }

  // A long command continues as a shell reads it.
  void Example(const std::string& text) {
    std::string line = "  ";
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, end - at);
      const bool is_first = line.find_first_not_of(' ') == std::string::npos;
      // Two columns remain for " \".
      if (!is_first && DisplayWidth(line) + 1 + DisplayWidth(word) + 2 > width_) {
        out_ += line + " \\\n";
        line = "      " + word;
      } else {
        line += (is_first ? "" : " ") + word;
      }
      at = end + 1;
    }
    out_ += line + "\n";
  }

  const CommandModel& command_;
  bool color_;
  size_t width_;
  size_t column_;
  std::string out_;
};

}  // namespace

std::string HelpText(const CommandModel& command, const HelpTextOptions& options) {
  return HelpWriter(command, options).Full();
}

std::string StartText(const CommandModel& halo, const HelpTextOptions& options) {
  return HelpWriter(halo, options).Start();
}

}  // namespace halo::tool
