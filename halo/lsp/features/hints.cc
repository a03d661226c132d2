// Figures beside the text: bytes and time of each instruction, and the peak of memory above the
// computation it is in.
#include <string>

#include "halo/api/time/time.h"
#include "halo/base/strings/human_size.h"
#include "halo/lsp/document/find_instruction.h"
#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

constexpr int64_t kFewestBytes = 1024;  // smaller results are not worth a hint
constexpr uint32_t kMostHints = 2000;

// Hints of instructions whose first lines are in [first, last].
void WriteHints(const Asked& asked, size_t piece, uint32_t first, uint32_t last, uint32_t& count,
                JsonWriter& json) {
  const std::shared_ptr<const PieceModel> model = asked.text.Model(piece);
  const Module& module = model->read->module;
  const WholeProgram* whole = asked.text.whole();
  PositionCounter counter(model->text(), asked.text.text().line(piece), asked.encoding,
                          asked.text.text()[piece].line_marks());
  for (const ComputationSyntax& comp : model->syntax.computations) {
    const std::string_view comp_name = model->NameOf(comp);
    InstId last_found;
    InstId last_known;
    for (uint32_t i = comp.first; i < comp.first + comp.count && count < kMostHints; ++i) {
      const InstructionSyntax& inst = model->syntax.instructions[i];
      if (inst.opcode >= model->syntax.words.size()) continue;
      const uint32_t line = counter.At(inst.begin).line;
      if (line < first) continue;
      if (line > last) return;
      const std::string_view name = model->NameOf(inst);
      const InstId id = FindInstruction(module, comp_name, name, last_found);
      if (!id.valid()) continue;
      last_found = id;
      std::string label;
      const auto bytes = module.shapes.ByteSize(module.inst(id).shape);
      if (bytes && *bytes >= kFewestBytes) label = HumanBytes(*bytes);
      if (whole != nullptr) {
        const InstructionFacts* facts = whole->Find(comp_name, name, last_known);
        if (facts != nullptr) last_known = InstId(static_cast<size_t>(facts - whole->facts.data()));
        if (facts != nullptr && facts->seconds > 0) {
          label += (label.empty() ? "" : ", ") + HumanSeconds(static_cast<double>(facts->seconds));
        }
      }
      if (label.empty()) continue;
      ++count;
      json.BeginObject().Key("position");
      WritePosition(counter.At(model->syntax.words[inst.opcode].begin), json);
      json.Field("label", label).Field("paddingRight", true).EndObject();
    }
  }
}

void WriteLens(const Asked& asked, const Span& span, std::string_view title, JsonWriter& json) {
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginObject().Key("range");
  spans.Write(span, json);
  json.Key("command").BeginObject().Field("title", title).Field("command", "").EndObject();
  json.EndObject();
}

}  // namespace

Refusal InlayHints(const Asked& asked, JsonWriter& json) {
  const PieceText& text = asked.text.text();
  const std::optional<Range> range = ReadRange(asked.params["range"]);
  if (!range) return "the request has no valid range";
  json.BeginArray();
  if (text.size() > 0) {
    uint32_t count = 0;
    size_t piece = text.PointAt(range->begin, asked.encoding).piece;
    for (; piece < text.size() && text.line(piece) <= range->end.line && count < kMostHints;
         ++piece) {
      WriteHints(asked, piece, range->begin.line, range->end.line, count, json);
    }
  }
  json.EndArray();
  return {};
}

Refusal CodeLenses(const Asked& asked, JsonWriter& json) {
  const WholeProgram* whole = asked.text.whole();
  json.BeginArray();
  if (whole != nullptr && whole->has_memory) {
    const std::string when = asked.text.NeedsWhole() ? " (before the last edit)" : "";
    const PieceText& text = asked.text.text();
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i].kind != PieceKind::kEntry) continue;
      std::string title = HumanBytes(whole->device_bytes) + " of memory";
      if (whole->has_time) {
        title += ", " + HumanSeconds(whole->step_seconds) + " a step on " + whole->device;
      }
      WriteLens(asked, {i, 0, 0}, title + when, json);
    }
    const std::optional<size_t> piece = whole->peak_computation.empty()
                                            ? std::nullopt
                                            : asked.text.FindComputation(whole->peak_computation);
    if (piece) {
      const std::shared_ptr<const PieceModel> model = asked.text.Model(*piece);
      for (const ComputationSyntax& comp : model->syntax.computations) {
        if (model->NameOf(comp) != whole->peak_computation) continue;
        const InstructionSyntax* inst = model->Find(comp, whole->peak_instruction);
        if (inst == nullptr) break;
        WriteLens(asked, {*piece, inst->begin, inst->begin},
                  "peak of memory here: " + HumanBytes(whole->peak_bytes) + when, json);
      }
    }
  }
  json.EndArray();
  return {};
}

}  // namespace halo::lsp
