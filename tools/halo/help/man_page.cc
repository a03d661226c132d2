// Writes one page: the same parts as the help, under the usual headings.
#include "tools/halo/help/man_page.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace halo::tool {
namespace {

// Text as roff shows it: backslashes and hyphens as they are, no line that looks like a request.
std::string Escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string PageTitle(const CommandModel& command) {
  return command.name.empty() ? "halo" : "halo-" + command.name;
}

class PageWriter {
 public:
  PageWriter(const CommandModel& command, std::string_view version)
      : command_(command), version_(version) {}

  std::string Write() {
    std::string title = PageTitle(command_);
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out_ += fmt::format(
        ".\\\" Written by `halo man`; do not edit.\n.TH {} 1 \"\" \"halo {}\" \"Haloscope\"\n",
        Escaped(title), version_);
    Head("NAME");
    out_ += fmt::format("{} \\- {}\n", Escaped(PageTitle(command_)), Escaped(command_.about));
    Head("SYNOPSIS");
    Synopsis();
    if (!command_.notes.empty()) Head("DESCRIPTION");
    for (size_t i = 0; i < command_.notes.size(); ++i) {
      if (i != 0) out_ += ".PP\n";
      out_ += Escaped(command_.notes[i]) + "\n";
    }
    if (!command_.arguments.empty()) Head("ARGUMENTS");
    for (const OptionModel& each : command_.arguments) {
      Entry(fmt::format("\\fI{}\\fR", Escaped(each.usage)), each.about);
    }
    Commands();
    Head("OPTIONS");
    for (const std::string& group : command_.option_groups()) Options(group);
    Head("EXIT STATUS");
    Entry("0", "Success.");
    Entry("1", "Errors were found, or a check failed.");
    Entry("2", "Wrong usage, or input that cannot be read.");
    Head("ENVIRONMENT");
    Entry("\\fBCOLUMNS\\fR", "Width of the output, instead of the terminal's.");
    Entry("\\fBNO_COLOR\\fR", "If set and not empty, the output has no colors.");
    Examples();
    SeeAlso();
    return std::move(out_);
  }

 private:
  void Head(std::string_view title) { out_ += fmt::format(".SH {}\n", title); }

  void Entry(const std::string& name, const std::string& about) {
    out_ += fmt::format(".TP\n{}\n{}\n", name, Escaped(about));
  }

  void Synopsis() {
    out_ += fmt::format(".B {}\n[\\fIOPTIONS\\fR]", Escaped(command_.title));
    for (const OptionModel& each : command_.arguments) {
      out_ += fmt::format(" \\fI{}\\fR", Escaped(each.usage));
    }
    out_ += command_.commands.empty() ? "\n" : " \\fICOMMAND\\fR\n";
  }

  void Commands() {
    if (command_.commands.empty()) return;
    Head("COMMANDS");
    for (const std::string& group : command_.command_groups()) {
      out_ += fmt::format(".SS {}\n", Escaped(group));
      for (const CommandModel& each : command_.commands) {
        if (each.group != group) continue;
        Entry(fmt::format("\\fB{}\\fR(1)", Escaped(PageTitle(each))), each.about);
      }
    }
  }

  void Options(const std::string& group) {
    out_ += fmt::format(".SS {}\n", Escaped(group));
    for (const OptionModel& each : command_.options) {
      if (each.group != group) continue;
      std::string name;
      for (const std::string& one : each.names) {
        name += fmt::format("{}\\fB{}\\fR", name.empty() ? "" : ", ", Escaped(one));
      }
      if (!each.value.empty()) {
        name += fmt::format(" \\fI{}\\fR{}", Escaped(each.value), each.repeats ? "..." : "");
      }
      Entry(name, each.about);
    }
  }

  void Examples() {
    if (command_.examples.empty()) return;
    Head("EXAMPLES");
    out_ += ".nf\n";
    for (const std::string& each : command_.examples) out_ += Escaped(each) + "\n";
    out_ += ".fi\n";
  }

  void SeeAlso() {
    if (command_.name.empty()) return;
    Head("SEE ALSO");
    out_ += ".BR halo (1)\n";
  }

  const CommandModel& command_;
  std::string_view version_;
  std::string out_;
};

}  // namespace

std::string ManPageName(const CommandModel& command) { return PageTitle(command) + ".1"; }

std::string ManPage(const CommandModel& command, std::string_view version) {
  return PageWriter(command, version).Write();
}

}  // namespace halo::tool
