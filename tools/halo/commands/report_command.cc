// `halo report`: writes one HTML file that contains the viewer and the data.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/api/report/report.h"
#include "halo/base/strings/byte_size.h"
#include "halo/base/strings/human_size.h"
#include "halo/describe/write_json.h"
#include "tools/halo/serve/viewer_page.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct ReportFlags {
  std::string input;
  std::string out = "report.html";
  std::string page;
  std::string against;
  std::string max_size = "6MiB";
  bool follow = false;
  ReportOptions report;
};

std::string ReportJson(const ReportFlags& options, const ReportData& data, uint64_t bytes) {
  documents::ReportResult result;
  result.inputs.push_back(InputOf(options.input));
  AppendDiagnostics(data.diagnostics, options.input, result.diagnostics);
  result.output = options.out;
  result.bytes = bytes;
  result.programs = data.programs;
  result.files = data.blocks.size();
  result.left_out = data.left_out;
  result.redacted = options.report.redact;
  return describe::DocumentJson(result);
}

void RunReport(ReportFlags& options, Session& session) {
  session.files = {options.input};
  DumpOptions how;
  how.walk.follow = options.follow;
  how.only_this_file = true;
  const Result<Dump> dump = IndexDump(options.input, how);
  if (!dump) return Refuse(dump.error(), options.input, session);
  std::optional<Dump> against;
  if (!options.against.empty()) {
    Result<Dump> other = IndexDump(options.against, how);
    if (!other) return Refuse(other.error(), options.against, session);
    against = std::move(*other);
    options.report.against = &*against;
  }
  if (!ProfilesAreReadable(options.report.profiles, session)) return;
  const std::optional<SourceBuffer> page = OpenViewerPage(options.page, session);
  if (!page) return;
  options.report.choice = session.choice;
  options.report.max_bytes =
      static_cast<uint64_t>(BytesFromText(options.max_size).value_or(int64_t{6} << 20));
  const ReportData data = MakeReport(*dump, options.report);
  for (const Diagnostic& each : data.diagnostics.all()) {
    session.console.Err(RenderDiagnostic(each, options.input, session.console.err_color()));
    Remember(each, options.input, session);
  }
  if (data.programs == 0) return session.Worsen(kExitUnusable);
  if (!data.diagnostics.ok()) session.Worsen(kExitFindings);
  uint64_t bytes = 0;
  const bool written = WriteFileInPieces(
      options.out,
      [&](const std::function<bool(std::string_view)>& take) {
        return WritePage(page->bytes(), data.manifest, data.blocks, [&](std::string_view part) {
          bytes += part.size();
          return take(part);
        });
      },
      session);
  if (!written) return session.Worsen(kExitUnusable);
  if (session.json) return PrintJson(ReportJson(options, data, bytes), session);
  if (options.out == "-") return;
  session.console.Print(Phrase("{}: {}, {} program{}\n", options.out,
                               HumanBytes(static_cast<int64_t>(bytes)), data.programs,
                               data.programs == 1 ? "" : "s"));
  if (data.left_out != 0) {
    session.console.Print(Phrase(
        "{} more omitted because of their size; see --max-size and --module\n", data.left_out));
  }
}

}  // namespace

void AddReportCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<ReportFlags>();
  CLI::App* command = app.add_subcommand(
      "report", "Write one self-contained HTML file that shows programs and their memory");
  command
      ->add_option("DIR", options->input,
                   "A dump directory, an archive of one, or one of its files")
      ->required();
  command->option_defaults()->group(kOutputOptions);
  command->add_option("-o,--output", options->out, "File to write")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--redact", options->report.redact,
                    "Remove names, paths, sources, strings and constants");
  command->add_flag("--all-stages", options->report.all_stages,
                    "Include the module after each pass");
  command->add_option("--view", options->report.view, "View that is shown first")
      ->check(CLI::IsMember({"overview", "memory", "time", "graph", "text", "table", "diff"}))
      ->capture_default_str();
  command
      ->add_option("--max-size", options->max_size,
                   "Limit of the data's size; the first program is always included")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return BytesFromText(text) ? std::string() : "a size is written as 20MiB or 4096";
          },
          "SIZE"))
      ->capture_default_str();
  command->option_defaults()->group(kInputOptions);
  command->add_option("--module", session.choice.module,
                      "Include only this module: its name, part of its name, or its number");
  command->add_option("--stage", session.choice.stage, "Include only this stage");
  command->add_option("--rank", session.choice.rank,
                      "Include only this rank: the folder's name or number");
  command
      ->add_option("--against", options->against,
                   "An earlier program to compare with: a dump directory or one of its files")
      ->type_name("DIR");
  command
      ->add_option("--profile", options->report.profiles,
                   "Show what this profile measured beside the predicted times; a file as of halo "
                   "time --profile; may be given several times")
      ->type_name("PROFILE")
      ->expected(1)
      ->take_all()
      ->excludes("--redact");
  command->add_flag("--follow", options->follow,
                    "Follow symbolic links that point outside the folder");
  command->option_defaults()->group(kOutputOptions);
  command
      ->add_option("--page", options->page, "HTML page of the viewer (default: the installed one)")
      ->type_name("FILE");
  command->add_flag("--json", session.json, "Print what was written as JSON");
  command->footer(
      "The file opens in any browser, without a server or network access.\n"
      "The exit code is 1 if a file is omitted because it cannot be read.\n\n"
      "Examples:\n"
      "  halo report dump -o step.html\n"
      "  halo report dump --profile host.xplane.pb --view time -o measured.html\n"
      "  halo report new --against old --view diff -o what-changed.html\n"
      "  halo report dump --module jit_step --redact -o for-the-issue.html");
  command->callback([options, &session] { RunReport(*options, session); });
}

}  // namespace halo::tool
