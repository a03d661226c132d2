// What is under the cursor, in Markdown: for an instruction its shape and bytes, who reads it, when
// it is live, what it costs and where it comes from.
#include <algorithm>
#include <vector>

#include "halo/api/time/time.h"
#include "halo/base/strings/human_size.h"
#include "halo/ir/opcode.h"
#include "halo/lsp/features/features.h"
#include "halo/lsp/features/names.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostListed = 8;

std::string WithCommas(int64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

// `names` may be shorter than `count`.
std::string ListOf(const std::vector<std::string_view>& names, size_t count) {
  std::string list;
  for (const std::string_view each : names) list += (list.empty() ? "" : ", ") + Code(each);
  if (count > names.size()) list += " and " + std::to_string(count - names.size()) + " more";
  return list;
}

void AddUsers(const Module& module, InstId id, std::string& out) {
  const Computation& comp = module.comp(module.inst(id).parent);
  std::vector<std::string_view> names;
  size_t count = 0;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const auto operands = module.operands_of(module.insts[i]);
    if (std::find(operands.begin(), operands.end(), id) == operands.end()) continue;
    if (++count <= kMostListed) names.push_back(module.name_of(module.insts[i]));
  }
  if (comp.root == id) out += "- the result of its computation\n";
  out += count == 0 ? "- no instruction reads it\n" : "- read by " + ListOf(names, count) + "\n";
}

void AddFacts(const WholeProgram& whole, const InstructionFacts& facts, bool is_old,
              std::string& out) {
  const std::string_view when = is_old ? " (before the last edit)" : "";
  if (facts.live.known()) {
    out += "- live from " + std::to_string(facts.live.start) + " to " +
           std::to_string(facts.live.end) + " of the schedule";
    if (whole.peak_time >= 0 && facts.live.start <= whole.peak_time &&
        whole.peak_time <= facts.live.end) {
      out += ", at the peak of " + HumanBytes(whole.peak_bytes);
    }
    out += std::string(when) + "\n";
  }
  if (facts.seconds >= 0) {
    out += "- " + HumanSeconds(static_cast<double>(facts.seconds)) + " on " + whole.device;
    if (facts.flops > 0) {
      out += ", " + WithCommas(static_cast<int64_t>(facts.flops)) + " flops";
    }
    if (facts.runs > 1) {
      out += ", run " + std::to_string(static_cast<int64_t>(facts.runs)) + " times";
    }
    out += std::string(when) + "\n";
  }
}

void DescribeInstruction(const Asked& asked, const PieceModel& model,
                         const InstructionSyntax& syntax, std::string& out) {
  const InstId id = model.FindInst(syntax);
  const std::string name(model.NameOf(syntax));
  if (!id.valid()) {
    out = "**" + name +
          (model.is_read_old ? "** is read when typing pauses\n" : "** could not be read\n");
    return;
  }
  const Module& module = model.read->module;
  const Inst& inst = module.inst(id);
  out = "**" + name + "** · " + std::string(module.opcode_text(inst)) + "\n\n```hlo\n" +
        ShortShape(module, inst.shape, 400) + "\n```\n";
  if (const auto bytes = module.shapes.ByteSize(inst.shape)) {
    out += "- " + HumanBytes(*bytes) + "\n";
  }
  AddUsers(module, id, out);
  const WholeProgram* whole = asked.text.whole();
  if (const ComputationSyntax* comp = model.ComputationOf(syntax);
      comp != nullptr && whole != nullptr) {
    if (const InstructionFacts* facts = whole->Find(model.NameOf(*comp), name)) {
      AddFacts(*whole, *facts, asked.text.NeedsWhole(), out);
    }
  }
  if (const auto op_name = module.MetadataText(inst, AttrKey::k_op_name); !op_name.empty()) {
    out += "- " + Code(op_name.substr(0, 300)) + "\n";
  }
  if (const std::string source = asked.text.SourceOf(module, inst); !source.empty()) {
    out += "- from " + Code(source) + "\n";
  }
}

void DescribeComputation(const Asked& asked, const std::string& name, std::string& out) {
  const std::optional<size_t> piece = asked.text.FindComputation(name);
  if (!piece) {
    out = "computation **" + name + "** is not defined\n";
    return;
  }
  const std::shared_ptr<const PieceModel> kept = asked.text.Model(*piece);
  const PieceModel& model = *kept;
  const Module& module = model.read->module;
  out = "computation **" + name + "**\n\n";
  for (const Computation& comp : module.comps) {
    if (!comp.defined || module.text(comp.name) != name) continue;
    std::vector<std::string> parameters;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module.insts[i];
      if (inst.opcode != Opcode::kParameter || inst.extra >= comp.count) continue;
      parameters.resize(std::max<size_t>(parameters.size(), inst.extra + 1));
      parameters[inst.extra] =
          std::string(module.name_of(inst)) + ": " + ShortShape(module, inst.shape, 100);
    }
    out += "```hlo\n(";
    for (size_t i = 0; i < std::min(parameters.size(), kMostListed); ++i) {
      out += (i == 0 ? "" : ", ") + parameters[i];
    }
    if (parameters.size() > kMostListed) out += ", …";
    out += ")";
    if (comp.root.valid()) out += " -> " + ShortShape(module, module.inst(comp.root).shape, 200);
    out += "\n```\n- " + std::to_string(comp.count) + " instructions\n";
    break;
  }
  const std::vector<Span> calls = CallsOf(asked.text.text(), name);
  if (!calls.empty()) {
    out += "- called " + std::to_string(calls.size()) + (calls.size() == 1 ? " time" : " times") +
           "\n";
  }
  if (const WholeProgram* whole = asked.text.whole();
      whole != nullptr && asked.text.text()[*piece].kind == PieceKind::kEntry) {
    if (!whole->memory_verdict.empty()) out += "- " + whole->memory_verdict + "\n";
    if (!whole->time_verdict.empty()) out += "- " + whole->time_verdict + "\n";
  }
}

void DescribeOpcode(std::string_view text, std::string& out) {
  const std::optional<Opcode> opcode = OpcodeFromText(text);
  if (!opcode) return;
  const OpInfo& info = InfoOf(*opcode);
  out += "\n---\n" + Code(text) + ": ";
  out += info.operands < 0
             ? "any number of operands"
             : std::to_string(info.operands) + (info.operands == 1 ? " operand" : " operands");
  std::string attributes;
  for (const AttrKey key : OwnAttrsOf(*opcode)) {
    attributes += (attributes.empty() ? "; attributes " : ", ") + Code(TextOf(key));
  }
  out += attributes + "\n";
}

}  // namespace

Refusal Hover(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  if (target.model == nullptr || target.word == nullptr) return json.Null(), Refusal();
  const Span word = SpanOf(target.piece, *target.word);
  const std::string text(TextOf(target.model->text(), *target.word));
  std::string out;
  switch (target.word->kind) {
    case WordKind::kInstruction:
      if (target.instruction != nullptr) {
        DescribeInstruction(asked, *target.model, *target.instruction, out);
      }
      break;
    case WordKind::kInstructionUse:
    case WordKind::kSignatureName: {
      const InstructionSyntax* defined =
          target.computation == nullptr ? nullptr : target.model->Find(*target.computation, text);
      if (defined != nullptr) DescribeInstruction(asked, *target.model, *defined, out);
      break;
    }
    case WordKind::kOpcode:
      if (target.instruction != nullptr) {
        DescribeInstruction(asked, *target.model, *target.instruction, out);
      }
      DescribeOpcode(text, out);
      break;
    case WordKind::kComputation:
    case WordKind::kComputationUse: DescribeComputation(asked, text, out); break;
    default: break;
  }
  if (out.empty()) return json.Null(), Refusal();
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginObject().Key("contents").BeginObject().Field("kind", "markdown").Field("value", out);
  json.EndObject().Key("range");
  spans.Write(word, json);
  json.EndObject();
  return {};
}

}  // namespace halo::lsp
