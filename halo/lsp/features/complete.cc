// What can be written at the cursor: opcodes after the shape, values of the computation as
// operands, attributes that the op takes, computations where an attribute names them, and words
// that an attribute's value may be.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "halo/ir/attributes/attr.h"
#include "halo/ir/opcode.h"
#include "halo/lsp/document/find_instruction.h"
#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostItems = 200;
constexpr int kFunctionItem = 3;
constexpr int kVariableItem = 6;
constexpr int kClassItem = 7;
constexpr int kPropertyItem = 10;
constexpr int kValueItem = 12;
constexpr int kKeywordItem = 14;

bool IsNameByteOf(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// Where the cursor is within an instruction.
struct CompletionPoint {
  std::string_view typed;    // the beginning of the word
  bool has_percent = false;  // before it
  enum class At : uint8_t {
    kNothing,
    kStatement,
    kResult,
    kOperand,
    kAttribute,
    kValue
  } at = At::kNothing;
  std::optional<AttrKey> key;  // whose value it is
};

class ItemWriter {
 public:
  ItemWriter(const CompletionPoint& cursor, JsonWriter& json) : cursor_(cursor), json_(json) {
    json_.BeginObject().Key("items").BeginArray();
  }
  ~ItemWriter() { json_.EndArray().Field("isIncomplete", count_ >= kMostItems).EndObject(); }
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;

  void Add(std::string_view label, int kind, std::string_view detail,
           std::string_view inserted = {}) {
    if (count_ >= kMostItems || !label.starts_with(cursor_.typed)) return;
    ++count_;
    json_.BeginObject().Field("label", label).Field("kind", kind);
    if (!detail.empty()) json_.Field("detail", detail);
    if (!inserted.empty()) json_.Field("insertText", inserted);
    json_.EndObject();
  }

 private:
  const CompletionPoint& cursor_;
  JsonWriter& json_;
  size_t count_ = 0;
};

// Follows the brackets of an instruction up to the cursor.
CompletionPoint CursorIn(std::string_view text, size_t byte, const InstructionSyntax* inst) {
  CompletionPoint cursor;
  size_t begin = byte;
  while (begin > 0 && IsNameByteOf(text[begin - 1])) --begin;
  cursor.typed = text.substr(begin, byte - begin);
  cursor.has_percent = begin > 0 && text[begin - 1] == '%';
  if (inst == nullptr) {
    cursor.at = CompletionPoint::At::kStatement;
    return cursor;
  }
  const size_t equals = text.find('=', inst->begin);
  if (equals == std::string_view::npos || equals >= begin) return cursor;
  if (inst->operands == 0 || begin < inst->operands) {
    cursor.at = CompletionPoint::At::kResult;
    return cursor;
  }
  if (inst->operands_end == 0 || begin <= inst->operands_end) {
    cursor.at = CompletionPoint::At::kOperand;
    return cursor;
  }
  // Back to the comma or the = that the word follows, over one list in braces.
  size_t at = begin - (cursor.has_percent ? 1 : 0);
  while (at > inst->operands_end && text[at - 1] != '=' && text[at - 1] != '(' &&
         text[at - 1] != '"' && text[at - 1] != '}' && !(text[at - 1] == ',' && [&] {
           // A comma within braces separates values.
           const size_t brace = text.rfind('{', at - 1);
           const size_t close = text.rfind('}', at - 1);
           return brace == std::string_view::npos || brace < inst->operands_end ||
                  (close != std::string_view::npos && close > brace);
         }())) {
    --at;
  }
  if (at > inst->operands_end && text[at - 1] == '=') {
    size_t end = at - 1;
    size_t start = end;
    while (start > 0 && IsNameByteOf(text[start - 1])) --start;
    cursor.key = AttrKeyFromText(text.substr(start, end - start));
    cursor.at = CompletionPoint::At::kValue;
  } else {
    cursor.at = CompletionPoint::At::kAttribute;
  }
  return cursor;
}

void AddOpcodes(ItemWriter& items) {
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (HasTrait(opcode, kRemoved)) continue;
    const OpInfo& info = InfoOf(opcode);
    const std::string detail =
        info.operands < 0
            ? "any number of operands"
            : std::to_string(info.operands) + (info.operands == 1 ? " operand" : " operands");
    items.Add(info.text, kFunctionItem, detail, std::string(info.text) + "(");
  }
}

void AddOperands(const Target& target, ItemWriter& items) {
  if (target.computation == nullptr) return;
  const PieceModel& model = *target.model;
  const Module& module = model.read->module;
  InstId last;
  const std::string_view comp = model.NameOf(*target.computation);
  // The nearest first: most operands are.
  std::vector<const InstructionSyntax*> before;
  for (uint32_t i = 0; i < target.computation->count; ++i) {
    const InstructionSyntax& inst = model.syntax.instructions[target.computation->first + i];
    if (inst.begin >= target.byte || &inst == target.instruction) break;
    before.push_back(&inst);
  }
  std::reverse(before.begin(), before.end());
  if (before.size() > 20 * kMostItems) before.resize(20 * kMostItems);
  for (const InstructionSyntax* inst : before) {
    const std::string_view name = model.NameOf(*inst);
    const InstId id = FindInstruction(module, comp, name, last);
    // One position earlier, the next name is the one before.
    if (id.valid() && id.value >= 2) last = InstId(id.value - 2);
    items.Add(name, kVariableItem, id.valid() ? ShortShape(module, module.inst(id).shape) : "");
  }
}

std::string_view ValueForm(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt: return "=n";
    case AttrKind::kBool: return "=true or false";
    case AttrKind::kNumber: return "=number";
    case AttrKind::kInts:
    case AttrKind::kBools: return "={n,n}";
    case AttrKind::kString:
    case AttrKind::kConfig: return "=\"text\"";
    case AttrKind::kComp: return "=computation";
    case AttrKind::kCompList: return "={computations}";
    case AttrKind::kInsts: return "={instructions}";
    case AttrKind::kSlices: return "={[start:limit]}";
    case AttrKind::kWindow: return "={size=n stride=n}";
    case AttrKind::kMetadata: return "={op_name=\"\"}";
    default: return "=value";
  }
}

void AddAttributes(std::string_view opcode_text, ItemWriter& items) {
  const std::optional<Opcode> opcode = OpcodeFromText(opcode_text);
  if (opcode) {
    for (const AttrKey key : OwnAttrsOf(*opcode)) {
      items.Add(TextOf(key), kPropertyItem, ValueForm(InfoOf(key).kind),
                std::string(TextOf(key)) + "=");
    }
  }
  for (size_t i = 0; i < AttrKeyCount(); ++i) {
    const auto key = static_cast<AttrKey>(i);
    if (InfoOf(key).scope != AttrScope::kAny) continue;
    items.Add(TextOf(key), kPropertyItem, ValueForm(InfoOf(key).kind),
              std::string(TextOf(key)) + "=");
  }
}

void AddValues(const Asked& asked, const Target& target, AttrKey key, ItemWriter& items) {
  if (NamesComputations(key)) {
    for (const Piece& piece : asked.text.text().pieces()) {
      if (piece.kind == PieceKind::kComputation) items.Add(piece.name, kClassItem, "computation");
    }
    return;
  }
  if (InfoOf(key).kind == AttrKind::kInsts) return AddOperands(target, items);
  if (InfoOf(key).kind == AttrKind::kBool) {
    for (const std::string_view each : {"true", "false"}) items.Add(each, kValueItem, "");
    return;
  }
  struct Choice {
    AttrKey key;
    std::string_view value;
  };
  constexpr std::array kChoices = {Choice{AttrKey::k_direction, "EQ"},
                                   Choice{AttrKey::k_direction, "NE"},
                                   Choice{AttrKey::k_direction, "GE"},
                                   Choice{AttrKey::k_direction, "GT"},
                                   Choice{AttrKey::k_direction, "LE"},
                                   Choice{AttrKey::k_direction, "LT"},
                                   Choice{AttrKey::k_type, "FLOAT"},
                                   Choice{AttrKey::k_type, "TOTALORDER"},
                                   Choice{AttrKey::k_type, "SIGNED"},
                                   Choice{AttrKey::k_type, "UNSIGNED"},
                                   Choice{AttrKey::k_kind, "kLoop"},
                                   Choice{AttrKey::k_kind, "kInput"},
                                   Choice{AttrKey::k_kind, "kOutput"},
                                   Choice{AttrKey::k_kind, "kCustom"},
                                   Choice{AttrKey::k_fft_type, "FFT"},
                                   Choice{AttrKey::k_fft_type, "IFFT"},
                                   Choice{AttrKey::k_fft_type, "RFFT"},
                                   Choice{AttrKey::k_fft_type, "IRFFT"},
                                   Choice{AttrKey::k_distribution, "rng_uniform"},
                                   Choice{AttrKey::k_distribution, "rng_normal"}};
  for (const Choice& each : kChoices) {
    if (each.key == key) items.Add(each.value, kValueItem, "");
  }
}

}  // namespace

Refusal Completion(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  CompletionPoint cursor;
  if (target.model != nullptr) {
    cursor = CursorIn(target.model->text(), target.byte, target.instruction);
  }
  ItemWriter items(cursor, json);
  switch (cursor.at) {
    case CompletionPoint::At::kNothing: break;
    case CompletionPoint::At::kStatement:
      for (const std::string_view each : {"ROOT", "ENTRY", "HloModule"}) {
        items.Add(each, kKeywordItem, "");
      }
      break;
    case CompletionPoint::At::kResult: AddOpcodes(items); break;
    case CompletionPoint::At::kOperand: AddOperands(target, items); break;
    case CompletionPoint::At::kAttribute: {
      const Syntax& syntax = target.model->syntax;
      if (target.instruction->opcode < syntax.words.size()) {
        AddAttributes(TextOf(target.model->text(), syntax.words[target.instruction->opcode]),
                      items);
      }
      break;
    }
    case CompletionPoint::At::kValue:
      if (cursor.key) AddValues(asked, target, *cursor.key, items);
      break;
  }
  return {};
}

}  // namespace halo::lsp
