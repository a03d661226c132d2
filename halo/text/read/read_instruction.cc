// Reads one instruction: [ROOT] name = shape opcode(operands), attributes. Operands may also have
// their shapes, or be written as %tuple#index for an element that has no separate instruction.
#include <algorithm>

#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/op_properties.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr int64_t kMaxParameters = 1 << 24;

struct Suffix {
  std::string_view text;
  Opcode opcode;
};
constexpr Suffix kAsyncSuffixes[] = {{"-start", Opcode::kAsyncStart},
                                     {"-update", Opcode::kAsyncUpdate},
                                     {"-done", Opcode::kAsyncDone}};

}  // namespace

bool Reader::ReadInstruction() {
  const char* start = cursor.at();
  const bool is_root = cursor.TakeWord("ROOT");
  if (is_root && !Skip()) return false;
  const char* name_start = cursor.at();
  const bool percent = cursor.Take('%');
  const std::string_view name = cursor.TakeName();
  if (name.empty()) return Expected("an instruction: name = shape opcode(operands)");
  if (!style_known) {
    module.style.percent = percent;
    style_known = true;
  }
  if (!Expect('=') || !Skip()) return false;

  Inst inst;
  inst.parent = comp;
  if (AtShape() && (!ReadShape(inst.shape) || !Skip())) return false;
  const char* opcode_start = cursor.at();
  if (!ReadOpcode(inst)) return false;
  if (!inst.shape.valid() &&
      (inst.opcode == Opcode::kParameter || inst.opcode == Opcode::kConstant)) {
    return InferShape(inst, opcode_start);
  }
  if (inst.opcode == Opcode::kParameter) {
    if (!ReadParameterNumber(inst)) return false;
    operand_scratch_.clear();
    operand_pending_.clear();
  } else if (inst.opcode == Opcode::kConstant) {
    LiteralId literal;
    operand_scratch_.clear();
    operand_pending_.clear();
    if (!ReadConstant(inst.shape, literal)) return false;
    inst.extra = literal.value;
  } else if (!ReadOperands()) {
    return false;
  }
  if (!inst.shape.valid() && !InferShape(inst, opcode_start)) return false;
  name_ = name;
  if (!ReadAttributes(inst)) return false;
  if (meaning_unknown_ && inst.opcode != Opcode::kParameter) MakeUnknown(inst, opcode_start);
  CheckInstruction(inst, opcode_start);

  const uint32_t hash = NameMap::Hash(name);
  if (names.Find(name, hash) != InstId::kNoneValue) {
    return Error(
        diag::kDuplicateInstruction, name_start,
        "'" + std::string(name.substr(0, 80)) + "' is already defined in this computation");
  }
  if (module.insts.size() >= max_insts ||
      module.operands.size() + operand_scratch_.size() >= UINT32_MAX || module.strings.full() ||
      module.attr_lists.full() || module.ints.full()) {
    Error(diag::kTooLarge, start, "this module is too large");
    cursor.MoveTo(cursor.end());
    return false;
  }
  inst.operands_begin = static_cast<uint32_t>(module.operands.size());
  inst.operand_count = static_cast<uint32_t>(operand_scratch_.size());
  module.operands.append(operand_scratch_.data(), operand_scratch_.size());
  for (Pending waiting : operand_pending_) {
    waiting.operand += inst.operands_begin;
    if (inst.opcode == Opcode::kGetTupleElement) {
      waiting.element = module.IntOr(inst.attrs, AttrKey::k_index, -1);
    }
    pending.push_back(waiting);
  }
  const auto id = static_cast<uint32_t>(module.insts.size());
  inst.name = module.AddName(name);
  module.insts.push_back(inst);
  names.Add(id, hash);
  if (is_root) {
    if (root_marked) {
      Error(diag::kMultipleRoots, start, "this computation already has a ROOT");
    } else if (comp.valid()) {
      module.comps[comp.index()].root = InstId(id);
      root_marked = true;
    }
  }
  return true;
}

// An instruction with an attribute that is not understood is like one with an unknown opcode.
void Reader::MakeUnknown(Inst& inst, const char* opcode) {
  Cursor ahead = cursor;
  ahead.MoveTo(opcode);
  inst.extra = module.Str(ahead.TakeName()).value;
  inst.opcode = Opcode::kUnknown;
  inst.wrapped = Opcode::kUnknown;
  inst.flags &= static_cast<uint8_t>(~kInstSugar);
}

bool Reader::HasMalformedOperand() const {
  return std::any_of(operand_pending_.begin(), operand_pending_.end(), [this](const Pending& each) {
    return malformed_insts.contains({comp, each.name});
  });
}

// Hand-written text may omit shapes that follow directly from the operands.
bool Reader::InferShape(Inst& inst, const char* start) {
  const bool known = std::all_of(operand_scratch_.begin(), operand_scratch_.end(),
                                 [](InstId operand) { return operand.valid(); });
  if (known && inst.opcode == Opcode::kTuple) {
    shape_scratch_.clear();
    for (const InstId operand : operand_scratch_)
      shape_scratch_.push_back(module.inst(operand).shape);
    inst.shape = module.shapes.Tuple(shape_scratch_);
    shape_scratch_.clear();
    return true;
  }
  if (known && !operand_scratch_.empty() && HasTrait(inst.opcode, kElementwise)) {
    switch (PropertiesOf(inst.opcode).result) {
      case ResultType::kFirstOperand:
      case ResultType::kMagnitude: inst.shape = module.inst(operand_scratch_[0]).shape; return true;
      case ResultType::kSecondOperand:
        if (operand_scratch_.size() < 2) break;
        inst.shape = module.inst(operand_scratch_[1]).shape;
        return true;
      // The op changes the element type.
      case ResultType::kPred:
      case ResultType::kComponent:
      case ResultType::kComplex:
      case ResultType::kDeclared: break;
    }
  }
  // What follows from another mistake is not a mistake.
  if (HasMalformedOperand()) return false;
  return Error(diag::kMissingShape, start,
               "the shape of this " + std::string(module.opcode_text(inst)) + " is not written");
}

bool Reader::ReadOpcode(Inst& inst) {
  const char* start = cursor.at();
  const std::string_view word = cursor.TakeName();
  if (word.empty()) return Expected("an opcode");
  if (const auto known = OpcodeFromText(word)) {
    inst.opcode = *known;
    return true;
  }
  for (const Suffix& suffix : kAsyncSuffixes) {
    if (!word.ends_with(suffix.text)) continue;
    const auto wrapped = OpcodeFromText(word.substr(0, word.size() - suffix.text.size()));
    if (!wrapped || HasOwnAsyncForm(*wrapped)) continue;
    inst.opcode = suffix.opcode;
    inst.wrapped = *wrapped;
    inst.flags |= kInstSugar;
    return true;
  }
  if (cursor.peek() != '(' && (!Skip() || cursor.peek() != '(')) {
    return Expected("'(' and the operands after the opcode '" + std::string(word.substr(0, 40)) +
                    "'");
  }
  Warn(diag::kUnknownOpcode, start,
       "opcode '" + std::string(word.substr(0, 80)) + "' is unknown to this version");
  inst.opcode = Opcode::kUnknown;
  inst.extra = module.Str(word).value;
  return true;
}

bool Reader::ReadParameterNumber(Inst& inst) {
  int64_t number = 0;
  if (!Expect('(') || !Skip()) return false;
  const char* start = cursor.at();
  if (!ReadInt(number)) return false;
  if (number < 0 || number > kMaxParameters) {
    return Error(diag::kBadParameterNumber, start,
                 "a parameter cannot have the number " + std::to_string(number));
  }
  inst.extra = static_cast<uint32_t>(number);
  return Expect(')');
}

bool Reader::ReadOperands() {
  operand_scratch_.clear();
  operand_pending_.clear();
  if (!Expect('(')) return false;
  if (TakeAfterBlanks(')')) return true;
  for (;;) {
    if (operand_scratch_.size() == 5 && !comment_style_known) {
      module.style.operand_comments = cursor.peek() == '/';
      comment_style_known = true;
    }
    if (!ReadOperand()) return false;
    if (cursor.Take(')')) return true;
    if (cursor.Take(',')) {
      // The usual ", ", without checking for comments.
      if (cursor.peek() == ' ') cursor.Step();
      continue;
    }
    if (TakeAfterBlanks(')')) return true;
    if (!TakeAfterBlanks(',')) return Expected("',' or ')' after an operand");
  }
}

bool Reader::ReadOperand() {
  if (cursor.peek() != '%') {
    if (!Skip()) return false;
  }
  const char* start = cursor.at();
  ShapeId written;
  if (*start != '%' && AtShape()) {
    if (!operand_style_known) {
      module.style.operand_shapes = true;
      operand_style_known = true;
    }
    if (!ReadShape(written) || !Skip()) return false;
  } else {
    operand_style_known = true;
  }
  if (!ReadOperandName(cursor.at())) return false;
  if (written.valid() && operand_scratch_.back().valid()) {
    CheckWrittenShape(written, module.inst(operand_scratch_.back()).shape, start);
  } else if (written.valid()) {
    operand_pending_.back().written = written;
  }
  return true;
}

void Reader::CheckWrittenShape(ShapeId written, ShapeId defined, const char* where) {
  if (written == defined) return;
  if (module.shapes.WithoutLayouts(written) == module.shapes.WithoutLayouts(defined)) return;
  Warn(diag::kOperandShapeMismatch, where,
       "this operand is written as " + module.shapes.Text(written).substr(0, 200) +
           " but was defined as " + module.shapes.Text(defined).substr(0, 200));
}

bool Reader::CheckElement(ShapeId tuple, int64_t index, const char* where) {
  if (!module.shapes.is_tuple(tuple)) {
    return Error(diag::kNotATuple, where,
                 "get-tuple-element of " + module.shapes.Text(tuple).substr(0, 200));
  }
  const size_t size = module.shapes.elements(tuple).size();
  if (index >= 0 && static_cast<size_t>(index) < size) return true;
  return Error(diag::kTupleIndexOutOfRange, where,
               "element " + std::to_string(index) + " of a tuple of " + std::to_string(size));
}

bool Reader::ReadOperandName(const char* start) {
  cursor.Take('%');
  const std::string_view name = cursor.TakeName();
  if (name.empty()) return Expected("an operand's name");
  const uint32_t hash = NameMap::Hash(name);
  uint32_t value = names.Find(name, hash);
  if (value == InstId::kNoneValue) {
    if (cursor.peek() == '#') {
      if (malformed_insts.contains({comp, name})) return false;
      return Error(diag::kUnknownOperand, start,
                   "'" + std::string(name.substr(0, 80)) + "' is not defined before its use here");
    }
    operand_pending_.push_back({static_cast<uint32_t>(operand_scratch_.size()), hash, name, {}});
  } else if (cursor.peek() == '#' && !ReadTupleSteps(value)) {
    return false;
  }
  operand_scratch_.emplace_back(value);
  return true;
}

bool Reader::ReadTupleSteps(uint32_t& value) {
  saw_compact = true;
  module.style.compact_gte = true;
  while (cursor.peek() == '#' && IsClass(cursor.peek(1), kDigit)) {
    const char* start = cursor.at();
    cursor.Step();
    int64_t index = 0;
    if (!ReadInt(index)) return false;
    const ShapeId tuple = module.insts[value].shape;
    if (!module.shapes.is_tuple(tuple)) {
      return Error(
          diag::kNotATuple, start,
          "'#' selects an element, but the value is " + module.shapes.Text(tuple).substr(0, 200));
    }
    const size_t size = module.shapes.elements(tuple).size();
    if (index < 0 || static_cast<size_t>(index) >= size) {
      return Error(diag::kTupleIndexOutOfRange, start,
                   "element " + std::to_string(index) + " of a tuple of " + std::to_string(size));
    }
    value = ImplicitElement(value, index);
  }
  return true;
}

uint32_t Reader::ImplicitElement(uint32_t tuple, int64_t index) {
  const uint64_t key = static_cast<uint64_t>(tuple) << 32 | static_cast<uint32_t>(index);
  const auto [entry, fresh] = implicit_.try_emplace(key, 0);
  if (!fresh) return entry->second;
  Inst inst;
  inst.name = StrId(0u);
  inst.shape = module.shapes.elements(module.insts[tuple].shape)[static_cast<size_t>(index)];
  inst.opcode = Opcode::kGetTupleElement;
  inst.flags = kInstImplicit;
  inst.parent = comp;
  const Attr attr = module.MakeInt(AttrKey::k_index, index);
  inst.attrs = module.Attrs({&attr, 1});
  inst.operands_begin = static_cast<uint32_t>(module.operands.size());
  inst.operand_count = 1;
  module.operands.emplace_back(tuple);
  entry->second = static_cast<uint32_t>(module.insts.size());
  module.insts.push_back(inst);
  return entry->second;
}

bool Reader::CheckInstruction(const Inst& inst, const char* start) {
  const OpInfo& info = InfoOf(inst.opcode);
  const bool counted = info.operands >= 0 && inst.opcode != Opcode::kUnknown &&
                       inst.opcode != Opcode::kParameter && inst.opcode != Opcode::kConstant;
  // While dot supported sparsity, the metadata of its sparse sides were operands too.
  const bool sparse = inst.opcode == Opcode::kDot && operand_scratch_.size() > 2 &&
                      module.Find(inst, AttrKey::k_sparsity) != nullptr;
  if (counted && !sparse && static_cast<size_t>(info.operands) != operand_scratch_.size()) {
    return Error(diag::kWrongOperandCount, start,
                 std::string(info.text) + " takes " + std::to_string(info.operands) +
                     (info.operands == 1 ? " operand, not " : " operands, not ") +
                     std::to_string(operand_scratch_.size()));
  }
  if (inst.opcode == Opcode::kGetTupleElement) {
    const Attr* index = module.Find(inst, AttrKey::k_index);
    if (index == nullptr) {
      return Error(diag::kMissingAttribute, start, "get-tuple-element needs index=n");
    }
    if (operand_scratch_.size() == 1 && operand_scratch_[0].valid()) {
      return CheckElement(module.inst(operand_scratch_[0]).shape, module.IntValue(*index), start);
    }
  }
  return true;
}

}  // namespace halo
