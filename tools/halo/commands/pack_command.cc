// `halo pack`: packs buffers with live ranges into as little memory as possible, and gives a lower
// bound.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/memory/pack_document.h"
#include "halo/base/strings/human_size.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct PackFlags {
  documents::PackRequest asked;
  std::string out;
};

std::string Bytes(int64_t bytes) {
  return Phrase("{} bytes ({})", GroupedDigits(bytes), HumanBytes(bytes));
}

void Describe(const PackedHeap& heap, Session& session) {
  std::string text;
  if (heap.allocation >= 0) text = Phrase("allocation {}, ", heap.allocation);
  text += Phrase("{} buffers, alignment {}\n", heap.buffers, heap.alignment);
  if (!heap.unusable.empty()) {
    text += Phrase("  unchanged: {}\n", heap.unusable);
  } else {
    text += Phrase("  height       {}, {}\n", Bytes(heap.height), heap.method);
    if (heap.old_height >= 0) text += Phrase("  before       {}\n", Bytes(heap.old_height));
    const double gap = heap.lower_bound == 0
                           ? 0
                           : 100.0 * static_cast<double>(heap.height - heap.lower_bound) /
                                 static_cast<double>(heap.lower_bound);
    text += Phrase("  lower bound  {}, {}\n", Bytes(heap.lower_bound),
                   heap.optimal() ? "reached: optimal" : Phrase("at most {:.2f} % lower", gap));
    if (heap.xla_height >= 0) text += Phrase("  XLA's rule   {}\n", Bytes(heap.xla_height));
  }
  session.console.Print(text);
}

std::string FitsText(const PackResult& result) {
  switch (result.fits) {
    case Fits::kNotAsked: return "";
    case Fits::kYes: return Phrase("fits in {}\n", Bytes(result.capacity));
    case Fits::kNever: return Phrase("cannot fit in {}\n", Bytes(result.capacity));
    case Fits::kNotFound:
      return Phrase("no packing into {} was found in the time limit; one may exist\n",
                    Bytes(result.capacity));
  }
  return "";
}

void RunPack(const PackFlags& options, Session& session) {
  Result<PackRequest> request = halo::RequestOf(options.asked);
  if (!request.ok()) return Refuse(request.error(), "", session);
  request->progress = [&session](std::string_view text) { session.console.Status(text); };
  const PackResult result = PackFiles(session.files, *request);
  session.console.Status("");
  if (!result.readable()) session.Worsen(kExitUnusable);
  if (result.fits == Fits::kNever || result.fits == Fits::kNotFound) session.Worsen(kExitFindings);
  if (!session.json) {
    for (const auto& [path, diagnostics] : result.files) {
      for (const Diagnostic& each : diagnostics.all()) {
        session.console.Err(RenderDiagnostic(each, path, session.console.err_color()));
      }
    }
  }
  const bool writes = result.readable() && !options.out.empty();
  if (session.json) {
    if (!writes || WriteFile(options.out, result.output, session)) {
      PrintJson(PackJson(result), session);
    }
    return;
  }
  if (!result.readable()) return;
  if (options.out != "-") {
    for (const PackedHeap& heap : result.heaps) Describe(heap, session);
    if (result.heaps.empty()) session.console.Print("nothing to pack: there is no heap\n");
    session.console.Print(FitsText(result));
  }
  if (writes) WriteFile(options.out, result.output, session);
}

}  // namespace

void AddPackCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<PackFlags>();
  CLI::App* command = app.add_subcommand(
      "pack", "Pack buffers with given live ranges into as little memory as possible");
  command
      ->add_option("FILE", session.files,
                   "A CSV, the files of one buffer assignment, or a dump directory")
      ->required();
  AddDumpOptions(*command, session, DumpWants::kAssignment, false);
  command->option_defaults()->group(kOutputOptions);
  command->add_flag("--json", session.json, "Print the result as JSON");
  AddRequestOptions(*command, options->asked);
  command
      ->add_option("-o,--output", options->out,
                   "Write the first file with its new offsets to this file")
      ->type_name("FILE")
      ->group(kOutputOptions);
  command->footer(
      "FILE is a CSV with columns id,lower,upper,size (optional: alignment, gaps, offset), or the "
      "files of\n"
      "one buffer assignment, whose temporary heaps are packed again.\n"
      "The exit code is 1 if a heap does not fit in the capacity.\n\n"
      "Examples:\n"
      "  halo pack buffers.csv --capacity 1048576 -o placed.csv\n"
      "  halo pack step-buffer-assignment.txt step-live-range.txt --time 2");
  command->callback([options, &session] { RunPack(*options, session); });
}

}  // namespace halo::tool
