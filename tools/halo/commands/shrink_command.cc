// `halo shrink`: turns a module that is too large to run into a small one of the same structure.
#include <functional>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/shrink/shrink_document.h"
#include "halo/base/strings/human_size.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

struct ShrinkFlags {
  documents::ShrinkRequest asked;
  bool all = false;
  std::string out = "-";
  WorkLimits limits;
};

std::string ReportShrink(const ShrinkResult& result, bool all, size_t width) {
  std::string text = Phrase("peak memory of one device: {} -> {}\n", HumanBytes(result.bytes),
                            HumanBytes(result.new_bytes));
  if (result.devices > 1) {
    text += Phrase("devices: {} -> {}\n", result.devices, result.new_devices);
  }
  TextTable table("rrlrnt");
  table.Add({"size", "now", "meaning", "uses", "for example", "stays because"});
  size_t left_out = 0;
  // Equal rows, mostly workspaces, are listed once.
  std::map<std::string, std::pair<const FoundDim*, int>> equal;
  std::vector<std::string> order;
  for (const FoundDim& dim : result.dims) {
    if (!all && dim.size == dim.new_size && (dim.size < 8 || dim.uses == 0)) {
      ++left_out;
      continue;
    }
    const std::string key =
        Phrase("{} {} {} {}", dim.size, dim.new_size, dim.meaning, all ? dim.example : dim.pinned);
    auto& row = equal[key];
    if (row.second++ == 0) {
      row.first = &dim;
      order.push_back(key);
    }
  }
  for (const std::string& key : order) {
    const auto& [dim, count] = equal[key];
    std::string why;
    if (!dim->pinned.empty() && dim->size == dim->new_size) {
      why = dim->pinned_by.empty() ? dim->pinned : dim->pinned_by + ": " + dim->pinned;
    }
    if (count > 1) why = Phrase("({} alike) {}", count, why);
    table.Add({std::to_string(dim->size), std::to_string(dim->new_size), dim->meaning,
               std::to_string(dim->uses), width != 0 ? dim->example : Shortened(dim->example, 36),
               why});
  }
  text += "dimensions:\n" + table.Text(2, width);
  if (left_out != 0)
    text += Phrase("  and {} smaller dimensions that do not change (--all)\n", left_out);
  if (!result.constants.empty()) {
    TextTable constants("nrrt");
    size_t shown = 0;
    for (const ChangedConstant& each : result.constants) {
      if (!all && ++shown > 20) break;
      constants.Add(
          {each.name, std::to_string(each.before), std::to_string(each.after), each.because});
    }
    text += Phrase("constants that are sizes: {}\n", result.constants.size());
    text += constants.Text(2, width);
    if (!all && result.constants.size() > 20) text += "  ... (--all)\n";
  }
  for (const RecoveredConstant& each : result.recovered) {
    text += Phrase("{} was printed as {{...}}: {{{}}}, {}\n", each.name,
                   fmt::join(each.values, ", "), each.how);
  }
  return text;
}

void ShrinkAndShow(const ShrinkFlags& options, const ShrinkOptions& wanted,
                   const std::function<void()>& has_result, Session& session) {
  Document document = Open(session.files.front(), session.open_options(), session);
  RequireModules(document);
  if (!session.json) Complain(document, session);
  ShrinkResult result;
  if (document.errors() != 0 || document.modules.empty()) {
    session.Worsen(kExitUnusable);
  } else {
    result = Shrink(document.modules.front().module, wanted);
    has_result();
    if (!result.refused.empty()) {
      session.Worsen(kExitFindings);
      if (!session.json) {
        session.console.Err(Phrase("{}: not shrunk: {}\n", document.path, result.refused));
      }
    }
    const bool to_stdout = options.out == "-";
    if (result.refused.empty() && !(to_stdout && session.json)) {
      if (!session.json) {
        Console& console = session.console;
        if (to_stdout) {
          console.Err(ReportShrink(result, options.all, console.ErrWidth()));
        } else {
          console.Print(ReportShrink(result, options.all, console.Width()));
        }
      }
      if (!WriteFile(options.out, ShrunkText(result), session)) return;
    }
  }
  if (session.json) PrintJson(ShrinkJson(document, result), session);
}

void RunShrink(const ShrinkFlags& options, Session& session) {
  const Result<ShrinkOptions> wanted = halo::RequestOf(options.asked);
  if (!wanted.ok()) {
    return RefuseWithHint(kWrongUsage, "halo shrink: " + wanted.error().message,
                          "try: halo shrink --help", session);
  }
  GuardedWork guarded;
  guarded.name = "halo shrink";
  guarded.input = session.files.front();
  guarded.outputs = {options.out};
  guarded.work = [&](const std::function<void()>& has_result) {
    ShrinkAndShow(options, *wanted, has_result, session);
  };
  RunGuarded(options.limits, guarded, session);
}

}  // namespace

void AddShrinkCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<ShrinkFlags>();
  CLI::App* command =
      app.add_subcommand("shrink", "Rewrite a module into a smaller one of the same structure");
  AddCommonOptions(*command, session, false);
  AddRequestOptions(*command, options->asked, {"dim", "constant"});
  // May be given several times; commas are part of a value.
  command->option_defaults()->group("Size");
  command->add_option("--dim", options->asked.dim,
                      "OLD=NEW: change every dimension of size OLD to NEW");
  command->add_option("--constant", options->asked.constant,
                      "NAME=1,2,3: elements of a constant that the dump elides as {...}");
  command->option_defaults()->group(kOutputOptions);
  command->add_flag("--all", options->all, "Show every dimension and constant");
  command->add_option("-o,--output", options->out, "File to write the small module to")
      ->type_name("FILE")
      ->capture_default_str();
  AddLimitOptions(*command, options->limits);
  command->footer(
      "The report shows the dimensions that were found, and why a size cannot change.\n\n"
      "Examples:\n"
      "  halo shrink jit_train_step.txt --to 64MB -o small.txt\n"
      "  halo shrink jit_train_step.txt --dim 8192=64 --dim 6144=96 --devices 8 -o small.txt");
  command->callback([options, &session] { RunShrink(*options, session); });
}

}  // namespace halo::tool
