// `halo convert`: converts a module from one form to another.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/api/document/convert_document.h"
#include "halo/describe/write_json.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct ConvertFlags {
  std::string out = "-";
  std::string to;
  std::string style = "as-read";
};

std::string ConvertJson(const Document& document, const ConvertFlags& options, ConvertTarget target,
                        size_t bytes, const Diagnostics& diagnostics) {
  documents::ConvertResult result;
  result.inputs.push_back(InputOf(document));
  AppendReadingDiagnostics(document, result.diagnostics);
  AppendDiagnostics(diagnostics, options.out, result.diagnostics);
  result.output = options.out;
  result.to = ConvertTargetTexts()[static_cast<size_t>(target)];
  result.bytes = bytes;
  return describe::DocumentJson(result);
}

// From --to, else from the name of the output. Standard output has no name and gets the other form
// of the input.
std::optional<ConvertTarget> TargetOf(const ConvertFlags& options, const Document& document) {
  const std::optional<ConvertTarget> target = ConvertTargetFromText(options.to);
  if (target) return target;
  if (options.out != "-") return ConvertTargetOfName(options.out);
  return document.from_proto() ? ConvertTarget::kText : ConvertTarget::kProto;
}

void RunConvert(const ConvertFlags& options, Session& session) {
  const bool is_named = options.out == "-" || !options.to.empty();
  if (!is_named && !ConvertTargetOfName(options.out)) {
    return Refuse(
        kWrongUsage,
        fmt::format(
            "halo convert: {} has no known extension; end it in .txt, .hlo or .pb, or use --to",
            options.out),
        session);
  }
  Document document = Open(session.files.front(), session.open_options(), session);
  RequireModules(document);
  const std::optional<ConvertTarget> target = TargetOf(options, document);
  const bool is_binary = target != ConvertTarget::kText;
  if (options.out == "-" && is_binary && !session.json && session.console.out_terminal() &&
      document.errors() == 0) {
    return Refuse(kCannotWrite,
                  "halo convert: an HloProto is binary, and standard output is a terminal; use -o "
                  "FILE.pb, a pipe, or --to text",
                  session);
  }
  if (!session.json) Complain(document, session);
  ConvertResult converted;
  const bool readable = document.errors() == 0;
  if (readable) {
    FormatOptions format;
    format.style = StyleChoiceFromText(options.style).value_or(StyleChoice::kAsRead);
    converted = ConvertDocument(*target, format, document);
    if (!session.json) {
      for (const Diagnostic& each : converted.diagnostics.all()) {
        session.console.Err(RenderDiagnostic(each, document.path, session.console.err_color()));
      }
    }
  }
  if (!readable || !converted.diagnostics.ok()) {
    session.Worsen(kExitUnusable);
    if (!session.json)
      session.console.Err(Phrase("{}: not converted because it has errors\n", document.path));
  } else if (!WriteFile(options.out, converted.bytes, session)) {
    return;
  }
  if (session.json) {
    PrintJson(
        ConvertJson(document, options, *target, converted.bytes.size(), converted.diagnostics),
        session);
  }
}

}  // namespace

void AddConvertCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<ConvertFlags>();
  CLI::App* command =
      app.add_subcommand("convert", "Convert modules between HLO text and HloProto");
  AddCommonOptions(*command, session, false);
  command->option_defaults()->group(kOutputOptions);
  command
      ->add_option("-o,--output", options->out,
                   "File to write; its extension selects the format, .gz compresses. - is standard "
                   "output, which gets text for an HloProto and an HloProto for text")
      ->type_name("FILE")
      ->capture_default_str();
  const std::span<const std::string_view> targets = ConvertTargetTexts();
  command
      ->add_option("--to", options->to,
                   "Format of the output (default: from the extension of the output file)")
      ->check(CLI::IsMember(std::vector<std::string>(targets.begin(), targets.end())));
  const std::span<const std::string_view> styles = StyleChoiceTexts();
  command->add_option("--style", options->style, "Style of HLO text, as for `halo fmt`")
      ->check(CLI::IsMember(std::vector<std::string>(styles.begin(), styles.end())))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  halo convert module_0000.jit_step.before_optimizations.txt -o step.hlo.pb\n"
      "  halo convert step.hlo.pb.gz -o step.txt --style=canonical\n"
      "  halo convert step.hlo.pb | less");
  command->callback([options, &session] { RunConvert(*options, session); });
}

}  // namespace halo::tool
