// The options and steps that commands share.
#include "tools/halo/session/session.h"

#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
#include "tools/halo/session/dump_inputs.h"

namespace halo::tool {
namespace {

// Opening files this large takes long enough to show a status.
constexpr uint64_t kWorthMentioning = uint64_t{64} << 20;

}  // namespace

void AddCommonOptions(CLI::App& command, Session& session, bool many_files, bool prefer_proto) {
  CLI::Option* files =
      command.add_option("FILE", session.files,
                         "HLO text or HloProto, also compressed (.gz, .zst); a dump directory or a "
                         ".tar archive of one; - for standard input");
  files->required();
  if (!many_files) files->expected(1);
  command.add_flag("--json", session.json, "Print the result as JSON")->group(kOutputOptions);
  command
      .add_option("--threads", session.threads,
                  "Number of threads (default: 1 for analysis, all cores for `run`)")
      ->check(CLI::Range(1, 256))
      ->group(kGeneralOptions);
  AddDumpOptions(command, session, prefer_proto ? DumpWants::kProto : DumpWants::kModule,
                 many_files);
}

void AddColorOption(CLI::App& command, Session& session) {
  command
      .add_option_function<std::string>(
          "--color",
          [&session](const std::string& when) {
            if (when == "always") session.console.SetColor(ColorMode::kAlways);
            if (when == "never") session.console.SetColor(ColorMode::kNever);
          },
          "Color the output (default: auto, on a terminal if NO_COLOR is not set)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group(kGeneralOptions);
}

Document Open(const std::string& path, const OpenOptions& options, Session& session) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size >= kWorthMentioning) {
    session.console.Status(
        fmt::format("reading {} ({})", path, HumanBytes(static_cast<int64_t>(size))));
  }
  Document document = OpenDocument(path, options);
  session.console.Status("");
  return document;
}

void Refuse(const Diagnostic& why, const std::string& path, Session& session) {
  session.console.Err(RenderDiagnostic(why, path, session.console.err_color()));
  session.Worsen(kExitUnusable);
}

void Complain(const Document& document, Session& session) {
  for (const Diagnostic* each : document.AllDiagnostics()) {
    session.console.Err(RenderDiagnostic(*each, document.path, session.console.err_color()));
  }
}

}  // namespace halo::tool
