// `halo fmt`: prints modules in a style, checks that files use it, or rewrites them.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/api/document/format.h"
#include "halo/describe/write_json.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct FmtFlags {
  std::string style = "as-read";
  std::string out;
  bool check = false;
  bool in_place = false;
  bool no_metadata = false;
  bool no_backend_config = false;
  bool elide_constants = false;
};

FormatOptions FormatOf(const FmtFlags& options) {
  FormatOptions format;
  format.style = StyleChoiceFromText(options.style).value_or(StyleChoice::kAsRead);
  format.metadata = !options.no_metadata;
  format.backend_config = !options.no_backend_config;
  format.large_constants = !options.elide_constants;
  return format;
}

// Why rewriting a file with its formatted module would lose something; empty if it would not.
std::string_view NotInPlace(const std::string& path, const Document& document) {
  if (path == "-") return "standard input cannot be rewritten";
  if (document.kind == FileKind::kHloCapture)
    return "it contains more than one module, or other text";
  if (document.kind != FileKind::kHloText && !document.memory) return "it is not text";
  if (document.compression == Compression::kZstd) return "it is compressed with zstd";
  if (document.compression == Compression::kGzip && !path.ends_with(".gz")) {
    return "it is compressed, but its name does not end in .gz";
  }
  return {};
}

struct Formatted {
  Document document;  // without its contents
  bool readable = false;
  bool changed = false;
};

// Formats the file. If that is not possible, sets the exit code and leaves `readable` false.
Formatted Format(const std::string& path, const FmtFlags& options, TextBuffer& out,
                 Session& session) {
  OpenOptions open = session.open_options();
  open.keep_source = true;
  Document document = Open(path, open, session);
  // Styles apply to modules; anything else can only be printed as it was read.
  if (options.style == "as-read") {
    RequireContents(document);
  } else {
    RequireModules(document);
  }
  Formatted result;
  result.document = DescriptionOf(document);
  if (document.errors() != 0) {
    // Printing a file that was only partly read would lose the rest.
    Complain(document, session);
    session.console.Err(Phrase("{}: not formatted because it has errors\n", document.path));
    session.Worsen(kExitUnusable);
    return result;
  }
  if (const std::string_view why = NotInPlace(path, document); options.in_place && !why.empty()) {
    session.console.Err(Phrase("{}: not rewritten: {}; use -o\n", document.path, why));
    session.Worsen(kExitUnusable);
    result.document.diagnostics.Add(
        MakeBinaryDiagnostic(kCannotWrite, 0, "not rewritten: " + std::string(why)));
    return result;
  }
  FormatDocument(FormatOf(options), document, out);
  result.readable = true;
  result.changed = document.source->bytes() != out.view();
  return result;
}

std::string FmtJson(const std::vector<Formatted>& files, const std::string& style) {
  documents::FmtResult result;
  result.style = style;
  for (const Formatted& file : files) {
    result.inputs.push_back(InputOf(file.document));
    result.files.push_back({file.document.path, file.readable, file.changed});
    AppendReadingDiagnostics(file.document, result.diagnostics);
  }
  return describe::DocumentJson(result);
}

void RunFmt(const FmtFlags& options, Session& session) {
  std::vector<Formatted> done;
  TextBuffer all;
  for (const std::string& path : session.files) {
    TextBuffer text;
    done.push_back(Format(path, options, text, session));
    const Formatted& file = done.back();
    if (!file.readable) continue;
    if (options.check) {
      if (!file.changed) continue;
      session.Worsen(kExitFindings);
      if (!session.json)
        session.console.Print(Phrase("{}: not in style {}\n", file.document.path, options.style));
    } else if (options.in_place) {
      if (file.changed && !WriteFile(path, text.view(), session)) return;
    } else if (!options.out.empty()) {
      all << text.view();
    } else if (!session.json) {
      session.console.Out(text.view());
    }
  }
  if (!options.out.empty() && session.exit_code == kExitOk &&
      !WriteFile(options.out, all.view(), session)) {
    return;
  }
  if (session.json) PrintJson(FmtJson(done, options.style), session);
}

}  // namespace

void AddFmtCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<FmtFlags>();
  CLI::App* command = app.add_subcommand("fmt", "Format modules as HLO text in a chosen style");
  AddCommonOptions(*command, session);
  command->option_defaults()->group("Style");
  const std::span<const std::string_view> texts = StyleChoiceTexts();
  command
      ->add_option(
          "--style", options->style,
          "as-read: as in the file. canonical: as XLA prints it after parsing. long, short: with "
          "or without %, signatures and comments. g1 ... g6: as that generation of XLA prints it")
      ->check(CLI::IsMember(std::vector<std::string>(texts.begin(), texts.end())))
      ->capture_default_str();
  command->option_defaults()->group(kOutputOptions);
  CLI::Option* check = command->add_flag("--check", options->check,
                                         "List files that are not in the style; write nothing");
  CLI::Option* in_place =
      command->add_flag("-i,--in-place", options->in_place, "Rewrite the files in place");
  CLI::Option* out =
      command->add_option("-o,--output", options->out, "File to write (default: standard output)")
          ->type_name("FILE");
  command->option_defaults()->group("Style");
  command->add_flag("--no-metadata", options->no_metadata, "Omit metadata");
  command->add_flag("--no-backend-config", options->no_backend_config, "Omit backend_config");
  command->add_flag("--elide-constants", options->elide_constants,
                    "Print large constants as {...}");
  check->excludes(in_place)->excludes(out);
  in_place->excludes(out);
  command->footer(
      "With --json only a report is printed; use -o or -i to write the text. The exit code is 1 if "
      "--check finds a file in another style.\n\n"
      "Examples:\n"
      "  halo fmt --style=short module_0000.jit_step.before_optimizations.txt\n"
      "  halo fmt --style=canonical --check *.txt");
  command->callback([options, &session] { RunFmt(*options, session); });
}

}  // namespace halo::tool
