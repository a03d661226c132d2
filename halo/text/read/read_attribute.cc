// Attributes: `, key=value` after the operands. attrs.def gives the kind of value of each key; this
// file has one function per kind. Unknown keys keep their text.
#include <algorithm>

#include "halo/base/strings/escape.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/sharding/replica_groups.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/ir/unknown_attribute.h"
#include "halo/text/read/known_forms.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMaxWindowRank = 256;

// Notations that a module keeps as text.
constexpr uint8_t kSharding = 1;
constexpr uint8_t kReplicaGroups = 2;

bool IsDimLabelText(std::string_view text) {
  const size_t arrow = text.find("->");
  const size_t underscore = text.find('_');
  return arrow != std::string_view::npos && underscore < arrow && underscore > 0 &&
         arrow > underscore + 1 && arrow + 2 < text.size();
}

// True if an instruction cannot be understood without this attribute.
bool DecidesMeaning(const Inst& inst, AttrKey key) {
  if (key == AttrKey::k_backend_config) return inst.opcode == Opcode::kCustomCall;
  if (InfoOf(key).scope != AttrScope::kOp) return false;
  return MayHave((inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode, key) ||
         MayHave(inst.opcode, key);
}

}  // namespace

bool Reader::ReadAttributes(Inst& inst) {
  attr_scratch_.clear();
  kept_keys_.clear();
  meaning_unknown_ = false;
  for (;;) {
    if (!cursor.Take(',')) {
      if (cursor.peek() == '\n') break;
      if (!Skip()) return false;
      if (!cursor.Take(',')) break;
    }
    if (!ReadAttribute(inst)) return false;
  }
  inst.attrs = module.Attrs(attr_scratch_);
  return true;
}

bool Reader::ReadAttribute(const Inst& inst) {
  if (cursor.peek() == ' ') cursor.Step();
  const char* start = cursor.at();
  std::string_view name = cursor.TakeName();
  if (name.empty()) {
    if (!Skip()) return false;
    start = cursor.at();
    name = cursor.TakeName();
    if (name.empty()) return Expected("an attribute: name=value");
  }
  if (!cursor.Take('=') && !Expect('=')) return false;
  const auto key = AttrKeyFromText(name);
  if (!key) {
    return ReadUnknownAttribute(diag::kUnknownAttribute, name, start, attr_scratch_);
  }
  for (const Attr& other : attr_scratch_) {
    if (other.key == *key) return DuplicateAttribute(name);
  }
  if (!MayHave(inst.opcode, *key) && inst.opcode != Opcode::kUnknown &&
      InfoOf(*key).scope != AttrScope::kRemoved &&
      !((inst.flags & kInstSugar) != 0 && MayHave(inst.wrapped, *key))) {
    Warn(diag::kUnexpectedAttribute, start,
         "attribute '" + std::string(name) + "' does not belong on " +
             std::string(module.opcode_text(inst)));
  }
  Attr attr{*key};
  if (!ReadKnownAttribute(*key, name, &inst, attr)) return false;
  attr_scratch_.push_back(attr);
  if (attr.key == AttrKey::k_unknown && DecidesMeaning(inst, *key)) meaning_unknown_ = true;
  return true;
}

bool Reader::ReadUnknownAttribute(DiagCode code, std::string_view name, const char* where,
                                  std::vector<Attr>& attrs) {
  std::string_view text;
  if (!SkipBalanced(text)) return false;
  Warn(code, where,
       "attribute '" + std::string(name.substr(0, 80)) + "' is unknown to this version");
  attrs.push_back(MakeUnknownAttribute(module, module.Str(name), module.Str(text)));
  return true;
}

bool Reader::ReadAttributeValue(AttrKey key, const Inst* inst, Attr& attr) {
  switch (InfoOf(key).kind) {
    case AttrKind::kInt: {
      int64_t value = 0;
      if (!ReadInt(value)) return false;
      attr = module.MakeInt(key, value);
      return true;
    }
    case AttrKind::kBool: {
      bool value = false;
      if (!ReadBool(value)) return false;
      attr.value = value ? 1 : 0;
      return true;
    }
    case AttrKind::kNumber: {
      std::string_view text;
      if (!SkipBalanced(text)) return false;
      attr.value = module.Str(text).value;
      return true;
    }
    case AttrKind::kString: {
      StrId id;
      if (!ReadStrId(id)) return false;
      attr.value = id.value;
      return true;
    }
    case AttrKind::kVerbatim: return ReadVerbatim(attr);
    case AttrKind::kShape: {
      ShapeId shape;
      if (!ReadShape(shape)) return false;
      attr.value = shape.value;
      return true;
    }
    case AttrKind::kWord: return ReadWord(attr);
    case AttrKind::kWords: return ReadWords(attr);
    case AttrKind::kInts: return ReadInts(attr);
    case AttrKind::kBools: return ReadBools(attr);
    case AttrKind::kConfig: return ReadConfig(attr);
    case AttrKind::kComp: return ReadComp(attr);
    case AttrKind::kCompList: return ReadCompList(attr);
    case AttrKind::kInsts: return ReadInsts(attr);
    case AttrKind::kWindow: return ReadWindow(attr);
    case AttrKind::kSlices: return ReadSlices(attr);
    case AttrKind::kPadding: return ReadPadding(attr);
    case AttrKind::kDimLabels: return ReadDimLabels(attr);
    case AttrKind::kSharding: return ReadSharding(attr);
    case AttrKind::kGroups: return ReadGroups(attr);
    case AttrKind::kMetadata: return ReadMetadata(inst, attr);
    case AttrKind::kShapes: return ReadShapes(attr);
    case AttrKind::kProgramLayout: return ReadProgramLayout(attr);
    case AttrKind::kLiteral: return ReadLiteralAttribute(attr);
    case AttrKind::kAliasing: return ReadAliasing(attr);
    case AttrKind::kDonors: return ReadDonors(attr);
    case AttrKind::kDict: return ReadDict(attr);
  }
  return false;
}

bool Reader::ReadVerbatim(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  std::string_view text;
  if (!SkipBalanced(text)) return false;
  attr.value = module.Str(text).value;
  switch (CheckForm(attr.key, text)) {
    case FormFault::kNone: break;
    case FormFault::kUnknown:
      return Error(diag::kBadAttributeValue, start, "this form is unknown to this version");
    case FormFault::kContradiction:
      return Wrong(diag::kBadSharding, start, "one of the shardings contradicts itself");
  }
  return true;
}

bool Reader::ReadWord(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  while (IsClass(cursor.peek(), kNameChar)) cursor.Step();
  const std::string_view word(start, static_cast<size_t>(cursor.at() - start));
  if (word.empty()) return Expected("a word");
  attr.value = module.Str(word).value;
  return true;
}

bool Reader::ReadWords(Attr& attr) {
  std::vector<int64_t> words;
  const bool good = ReadBraced([&] {
    Attr word{attr.key};
    if (!ReadWord(word)) return false;
    words.push_back(word.value);
    return true;
  });
  if (!good) return false;
  attr.value = module.Ints(words).value;
  return true;
}

bool Reader::ReadInts(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  if (cursor.peek() == '{') {
    cursor.Step();
    if (!Skip()) return false;
    if (cursor.peek() != '{') {
      cursor.MoveTo(start);
      if (!ReadBracedInts(int_scratch_)) return false;
      attr.value = module.Ints(int_scratch_).value;
      return true;
    }
    // {{1,2},{3}}
    std::vector<int64_t> nested = {0};
    for (;;) {
      if (!ReadBracedInts(int_scratch_)) return false;
      nested[0] += 1;
      nested.push_back(static_cast<int64_t>(int_scratch_.size()));
      nested.insert(nested.end(), int_scratch_.begin(), int_scratch_.end());
      if (TakeAfterBlanks('}')) break;
      if (!Expect(',')) return false;
    }
    attr = module.MakeInts(attr.key, nested, AttrForm::kNested);
    return true;
  }
  // Hand-written text may omit the braces around a single integer.
  int64_t value = 0;
  if (!ReadInt(value)) return false;
  attr = module.MakeInts(attr.key, {&value, 1});
  return true;
}

bool Reader::ReadBools(Attr& attr) {
  if (!Skip()) return false;
  std::vector<int64_t> values;
  bool value = false;
  if (cursor.peek() != '{') {
    if (!ReadBool(value)) return false;
    values.push_back(value ? 1 : 0);
    attr = module.MakeInts(attr.key, values, AttrForm::kBare);
    return true;
  }
  const bool good = ReadBraced([&] {
    if (!ReadBool(value)) return false;
    values.push_back(value ? 1 : 0);
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, values);
  return true;
}

bool Reader::ReadComp(Attr& attr) {
  if (!Skip()) return false;
  if (cursor.peek() == '{') {
    CompId inlined;
    if (!SkipInlineComputation(inlined)) return false;
    attr.value = inlined.value;
    return true;
  }
  const uint64_t offset = cursor.offset();
  cursor.Take('%');
  const std::string_view name = cursor.TakeName();
  if (name.empty()) return Expected("a computation's name");
  attr.value = CompNamed(module.Str(name), offset).value;
  return true;
}

bool Reader::ReadCompList(Attr& attr) {
  if (!Skip()) return false;
  std::vector<int64_t> comps;
  Attr one{attr.key};
  if (cursor.peek() != '{') {
    if (!ReadComp(one)) return false;
    comps.push_back(one.value);
    attr = module.MakeInts(attr.key, comps, AttrForm::kBare);
    return true;
  }
  const bool good = ReadBraced([&] {
    if (!ReadComp(one)) return false;
    comps.push_back(one.value);
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, comps);
  return true;
}

bool Reader::ReadInsts(Attr& attr) {
  // Stores names for now; Finish resolves them to instructions, which may come later in the text.
  ControlRef ref{InstId(module.insts.size()), {}};
  const bool good = ReadBraced([&] {
    if (!Skip()) return false;
    cursor.Take('%');
    const std::string_view name = cursor.TakeName();
    if (name.empty()) return Expected("an instruction's name");
    ref.names.push_back(name);
    return true;
  });
  if (!good) return false;
  attr.value = static_cast<uint32_t>(control_refs.size());
  control_refs.push_back(std::move(ref));
  return true;
}

bool Reader::ReadWindow(Attr& attr) {
  Window window;
  if (!Expect('{')) return false;
  const char* start = cursor.at();
  const auto number = [this](int64_t& value) {
    return cursor.TakeInt(value) == Cursor::IntStatus::kOk;
  };
  while (!TakeAfterBlanks('}')) {
    const char* field_start = cursor.at();
    const std::string_view field = cursor.TakeName();
    if (field.empty()) return Expected("a window field");
    if (!Expect('=') || !Skip()) return false;
    uint8_t bit = 0;
    if (field == "size") bit = kWindowSize;
    if (field == "stride") bit = kWindowStride;
    if (field == "pad") bit = kWindowPad;
    if (field == "lhs_dilate") bit = kWindowLhsDilate;
    if (field == "rhs_dilate") bit = kWindowRhsDilate;
    if (field == "rhs_reversal") bit = kWindowRhsReversal;
    if (bit == 0) {
      return Error(diag::kBadWindow, field_start,
                   "'" + std::string(field.substr(0, 40)) + "' is not a window field");
    }
    if ((window.fields & bit) != 0) {
      return Wrong(diag::kBadWindow, field_start,
                   "'" + std::string(field) + "' is specified more than once");
    }
    const size_t known_rank = window.dims.size();
    window.fields |= bit;
    size_t rank = 0;
    for (;; ++rank) {
      if (window.dims.size() <= rank && rank < kMaxWindowRank) window.dims.resize(rank + 1);
      if (rank >= kMaxWindowRank)
        return Wrong(diag::kBadWindow, field_start, "this window has too many dimensions");
      WindowDim& dim = window.dims[rank];
      int64_t value = 0;
      if (!number(value))
        return Error(diag::kBadWindow, "expected a number, found " + Quote(cursor.at()));
      switch (bit) {
        case kWindowSize: dim.size = value; break;
        case kWindowStride: dim.stride = value; break;
        case kWindowPad: {
          dim.pad_low = value;
          if (!cursor.Take('_') || !number(dim.pad_high)) {
            return Error(diag::kBadWindow, field_start,
                         "padding is written low_high, as in 1_1x0_2");
          }
          break;
        }
        case kWindowLhsDilate: dim.lhs_dilate = value; break;
        case kWindowRhsDilate: dim.rhs_dilate = value; break;
        default: dim.reversal = value != 0; break;
      }
      if (!cursor.Take('x')) break;
    }
    if (known_rank != 0 && rank + 1 != known_rank) {
      return Wrong(diag::kBadWindow, field_start,
                   "'" + std::string(field) + "' has " + std::to_string(rank + 1) +
                       " entries, others have " + std::to_string(known_rank));
    }
  }
  if ((window.fields & kWindowSize) == 0 && window.fields != 0) {
    return Wrong(diag::kBadWindow, start, "this window has no size");
  }
  attr = module.MakeInts(attr.key, EncodeWindow(window));
  return true;
}

bool Reader::ReadSlices(Attr& attr) {
  std::vector<int64_t>& slices = int_scratch_;
  slices.clear();
  const bool good = ReadBraced([&] {
    int64_t start = 0;
    int64_t limit = 0;
    int64_t stride = 0;
    if (!Expect('[') || !ReadInt(start) || !Expect(':') || !ReadInt(limit)) return false;
    if (TakeAfterBlanks(':')) {
      if (!ReadInt(stride)) return false;
      // Zero encodes a stride that was not written.
      if (stride == 0)
        return Wrong(diag::kBadAttributeValue, cursor.at(), "a slice cannot step by 0");
    }
    if (!Expect(']')) return false;
    slices.insert(slices.end(), {start, limit, stride});
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, slices);
  return true;
}

bool Reader::ReadPadding(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  std::vector<int64_t>& padding = int_scratch_;
  padding.clear();
  bool interior_written = false;
  if (IsClass(cursor.peek(), kDigit) || cursor.peek() == '-') {
    for (;;) {
      int64_t low = 0;
      int64_t high = 0;
      int64_t interior = 0;
      bool good = cursor.TakeInt(low) == Cursor::IntStatus::kOk && cursor.Take('_') &&
                  cursor.TakeInt(high) == Cursor::IntStatus::kOk;
      if (good && cursor.Take('_')) {
        interior_written = true;
        good = cursor.TakeInt(interior) == Cursor::IntStatus::kOk;
      }
      if (!good) {
        return Error(diag::kBadAttributeValue, start,
                     "padding is written low_high_interior for each dimension, as in 0_1x2_2_1");
      }
      padding.insert(padding.end(), {low, high, interior});
      if (!cursor.Take('x')) break;
    }
  }
  attr =
      module.MakeInts(attr.key, padding, interior_written ? AttrForm::kNested : AttrForm::kPlain);
  return true;
}

bool Reader::ReadDimLabels(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  while (IsClass(cursor.peek(), kNameChar) || cursor.peek() == '>' || cursor.peek() == '?')
    cursor.Step();
  const std::string_view labels(start, static_cast<size_t>(cursor.at() - start));
  if (!IsDimLabelText(labels)) {
    // With one of the separators, the others are missing.
    const bool is_known = labels.find("->") != std::string_view::npos;
    const std::string message = "these are not dimension labels";
    return is_known ? Wrong(diag::kBadDimLabels, start, message)
                    : Error(diag::kBadDimLabels, start, message);
  }
  attr.value = module.Str(labels).value;
  return true;
}

bool Reader::ReadSharding(Attr& attr) {
  std::string_view text;
  if (!Skip()) return false;
  const char* start = cursor.at();
  if (!SkipBalanced(text)) return false;
  attr.value = module.Str(text).value;
  if (IsKnown(attr.value, kSharding)) return true;
  std::string why;
  bool contradicts = false;
  if (!ParseSharding(text, &why, &contradicts)) {
    return contradicts ? Wrong(diag::kBadSharding, start, "not a sharding: " + why)
                       : Error(diag::kBadSharding, start, std::move(why));
  }
  known_notations_[attr.value] |= kSharding;
  return true;
}

bool Reader::IsKnown(uint32_t text, uint8_t notation) {
  if (text >= known_notations_.size()) known_notations_.resize(module.strings.size());
  return (known_notations_[text] & notation) != 0;
}

bool Reader::ReadGroups(Attr& attr) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  std::string_view text;
  if (!SkipBalanced(text)) return false;
  // mesh['x'=2], device_ids=(1,0) {'x'}: the comma before device_ids does not end the value.
  if (text.starts_with("mesh[") && text.find('{') == std::string_view::npos && cursor.Take(',')) {
    std::string_view rest;
    if (!SkipBalanced(rest)) return false;
    text = {start, static_cast<size_t>(rest.data() + rest.size() - start)};
  }
  attr.value = module.Str(text).value;
  if (IsKnown(attr.value, kReplicaGroups)) return true;
  std::string why;
  bool contradicts = false;
  if (!ParseReplicaGroups(text, &why, &contradicts)) {
    return contradicts ? Wrong(diag::kBadReplicaGroups, start, "not replica groups: " + why)
                       : Error(diag::kBadReplicaGroups, start, std::move(why));
  }
  known_notations_[attr.value] |= kReplicaGroups;
  return true;
}

bool Reader::ReadShapes(Attr& attr) {
  std::vector<int64_t> shapes;
  const bool good = ReadBraced([&] {
    ShapeId shape;
    if (!ReadShape(shape)) return false;
    shapes.push_back(shape.value);
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, shapes);
  return true;
}

bool Reader::ReadLiteralAttribute(Attr& attr) {
  ShapeId shape;
  LiteralId literal;
  if (!ReadShape(shape) || !ReadLiteral(shape, literal)) return false;
  attr.value = literal.value;
  return true;
}

bool Reader::ReadShapeIndex(std::vector<int64_t>& index) { return ReadBracedInts(index); }

bool Reader::ReadAliasing(Attr& attr) {
  std::vector<AliasEntry> entries;
  const bool good = ReadBraced([&] {
    AliasEntry entry;
    if (!ReadShapeIndex(entry.output_index) || !Expect(':') || !Expect('(') ||
        !ReadInt(entry.number) || !Expect(',') || !ReadShapeIndex(entry.input_index)) {
      return false;
    }
    if (TakeAfterBlanks(',')) {
      if (!Skip()) return false;
      const char* start = cursor.at();
      const std::string_view kind = cursor.TakeName();
      if (kind == "may-alias") {
        entry.kind = AliasKind::kMay;
      } else if (kind == "must-alias") {
        entry.kind = AliasKind::kMust;
      } else {
        return Error(diag::kBadAttributeValue, start, "expected may-alias or must-alias");
      }
    }
    if (!Expect(')')) return false;
    entries.push_back(std::move(entry));
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, EncodeAliases(entries));
  return true;
}

bool Reader::ReadDonors(Attr& attr) {
  std::vector<DonorEntry> entries;
  const bool good = ReadBraced([&] {
    DonorEntry entry;
    if (!Expect('(') || !ReadInt(entry.number) || !Expect(',') || !ReadShapeIndex(entry.index) ||
        !Expect(')')) {
      return false;
    }
    entries.push_back(std::move(entry));
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, EncodeDonors(entries));
  return true;
}

bool Reader::ReadDict(Attr& attr) {
  std::vector<int64_t> items;
  const bool good = ReadBraced([&] {
    if (!Skip()) return false;
    std::string_view key;
    if (cursor.peek() == '"') {
      if (!ReadString(key)) return false;
    } else {
      key = cursor.TakeName();
      if (key.empty()) return Expected("a key");
    }
    items.push_back(module.Str(key).value);
    Attr value{attr.key};
    if (!Expect('=') || !ReadConfig(value)) return false;
    items.push_back(value.value);
    items.push_back(static_cast<int64_t>(value.form));
    return true;
  });
  if (!good) return false;
  attr = module.MakeInts(attr.key, items);
  return true;
}

bool Reader::ReadConfig(Attr& attr) {
  if (!Skip()) return false;
  if (cursor.peek() == '{') {
    std::string_view text;
    if (!SkipJsonDict(text)) return false;
    attr.value = module.Str(text).value;
    attr.form = AttrForm::kBare;
    return true;
  }
  StrId id;
  if (!ReadStrId(id)) return false;
  attr.value = id.value;
  attr.form = AttrForm::kQuoted;
  return true;
}

bool Reader::ReadMetadataValue(const Inst* inst, Attr& field) {
  if (field.key == AttrKey::k_scheduling_name && inst != nullptr) {
    std::string_view value;
    if (!ReadString(value)) return false;
    if (value == name_) {
      field.form = AttrForm::kOwnName;
    } else {
      field.value = module.Str(value).value;
    }
  } else if (!ReadAttributeValue(field.key, inst, field)) {
    return false;
  }
  const char next = cursor.peek();
  const bool ends = IsClass(next, kMayBeBlank) || next == '}' || next == ',' || cursor.at_end();
  return ends || Expected("a blank or '}'");
}

bool Reader::ReadMetadata(const Inst* inst, Attr& attr) {
  std::vector<Attr>& list = metadata_scratch_;
  list.clear();
  if (!cursor.Take('{') && !Expect('{')) return false;
  for (;;) {
    if (cursor.peek() == ' ') cursor.Step();
    if (cursor.Take('}') || TakeAfterBlanks('}')) break;
    // Hand-written text may separate fields with commas.
    if (!list.empty() && TakeAfterBlanks(',') && !Skip()) return false;
    const char* start = cursor.at();
    const std::string_view name = cursor.TakeName();
    if (name.empty()) return Expected("a metadata field");
    if (!cursor.Take('=') && !Expect('=')) return false;
    const auto key = AttrKeyFromText(name);
    if (!key || InfoOf(*key).scope != AttrScope::kMeta) {
      std::string_view text;
      const char* value = cursor.at();
      // Blanks separate fields, so an unknown value ends at the first blank.
      if (cursor.peek() == '"' || cursor.peek() == '{') {
        if (cursor.peek() == '{' ? !SkipBalanced(text) : !ReadString(text)) return false;
      } else {
        while (!IsClass(cursor.peek(), kBlank) && cursor.peek() != '}' && !cursor.at_end())
          cursor.Step();
      }
      text = {value, static_cast<size_t>(cursor.at() - value)};
      Warn(diag::kUnknownAttribute, start,
           "metadata field '" + std::string(name.substr(0, 80)) + "' is unknown to this version");
      list.push_back(MakeUnknownAttribute(module, module.Str(name), module.Str(text)));
      continue;
    }
    Attr field{*key};
    if (!Skip()) return false;
    const char* value = cursor.at();
    Doubt& doubt = Cleared(field_doubt_);
    if (!Try(doubt, [&] { return ReadMetadataValue(inst, field); })) {
      const std::string what = "the value of " + std::string(name);
      if (!KeepUnknown(doubt, value, EndOfUnknown(value, true), what)) return false;
      list.push_back(VerbatimAttribute(name, value));
      continue;
    }
    if (*key == AttrKey::k_stack_frame_id && stack_frame_limit != 0 &&
        module.IntValue(field) > stack_frame_limit) {
      Warn(diag::kStackFrameOutOfRange, start,
           "stack frame " + std::to_string(module.IntValue(field)) + " of " +
               std::to_string(stack_frame_limit));
    }
    list.push_back(field);
  }
  attr.value = module.Attrs(list).value;
  return true;
}

}  // namespace halo
