// The command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "halo/api/document.h"
#include "halo/text/write_text.h"

int main(int argc, char** argv) {
  CLI::App app{"halo"};
  app.require_subcommand(1);
  std::vector<std::string> files;
  int threads = 1;
  int code = 0;
  auto* fmt = app.add_subcommand("fmt");
  auto* check = app.add_subcommand("check");
  for (auto* sub : {fmt, check}) {
    sub->add_option("files", files)->required();
    sub->add_option("--threads", threads);
  }
  fmt->callback([&] {
    for (const auto& file : files) {
      halo::Document doc = halo::OpenDocument(file, {.threads = threads});
      for (const auto& m : doc.modules) {
        const std::string text = halo::HloText(m.module);
        std::fwrite(text.data(), 1, text.size(), stdout);
      }
    }
  });
  check->callback([&] {
    for (const auto& file : files) {
      halo::Document doc = halo::OpenDocument(file, {.threads = threads});
      for (const auto& m : doc.modules) doc.diagnostics.Append(m.diagnostics);
      for (const auto& d : doc.diagnostics.all())
        std::fputs(halo::RenderDiagnostic(d, file, false).c_str(), stdout);
      if (!doc.diagnostics.ok()) code = 1;
    }
  });
  CLI11_PARSE(app, argc, argv);
  return code;
}
