// The reader's state, shared by the files that each read one part of the grammar: read_module,
// read_computation, read_instruction, read_attribute, read_shape, read_literal. One Reader reads a
// whole text, or, when several threads share a large one, a chunk of lines that merge.h merges.
#ifndef HALO_TEXT_READ_READER_H_
#define HALO_TEXT_READ_READER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"
#include "halo/text/read/cursor.h"
#include "halo/text/read/name_map.h"

namespace halo {

class Reader {
 public:
  enum class State : uint8_t { kOutside, kInside };

  // `text` is followed by zero bytes; see SourceBuffer.
  Reader(std::string_view text, Module& module, Diagnostics& diagnostics);

  // Reads the HloModule line and the stack tables, if present.
  void ReadHeader();
  // Reads computations up to `stop`, starting outside a computation or inside one that began
  // earlier.
  State ReadBody(const char* stop, State state);
  // Starts in the middle of a computation, which has number 0 here.
  void BeginContinued();
  // At the end of the text: closes a snippet, or reports an unclosed computation.
  void CloseAtEnd(State state);
  // Performs the checks that must wait until everything is read.
  void Finish();
  // The same for a part of a text, whose other computations are elsewhere.
  void FinishPart() { ResolveControlRefs(); }

  // An operand whose definition has not been seen yet.
  struct Pending {
    uint32_t operand;       // index into Module::operands
    uint32_t hash;          // of the name
    std::string_view name;  // points into the text
    ShapeId written;        // if the text gives its shape
    int64_t element = -1;   // if a get-tuple-element reads one
  };
  // An instruction whose control predecessors are still names. Until they are resolved, the
  // attribute's value is the index of this struct.
  struct ControlRef {
    InstId inst;
    std::vector<std::string_view> names;
  };
  // The first mention of a computation.
  struct CompRef {
    CompId comp;
    uint64_t offset;
  };

  Cursor cursor;
  Module& module;
  Diagnostics& diagnostics;

  // The computation being read.
  CompId comp;
  uint32_t comp_first = 0;
  bool root_marked = false;
  bool continued = false;  // another reader read its beginning
  std::vector<Pending> pending;
  // For a continued computation that ended here: its instruction count and unresolved operands.
  uint32_t continued_count = 0;
  bool continued_closed = false;
  bool continued_root_marked = false;
  std::vector<Pending> continued_pending;
  NameMap continued_names;
  NameMap names;  // of the computation being read
  // The names of its earlier parts, if other readers read them, and a Bloom filter over their
  // hashes.
  std::vector<NameMap> earlier_names;
  std::vector<uint64_t> earlier_bloom_filter;
  std::vector<uint32_t> comp_of;  // by StrId
  std::vector<ControlRef> control_refs;
  std::vector<CompRef> comp_refs;  // the first mention of each computation
  // Names whose definition was malformed: their uses are not reported as separate mistakes.
  // Instructions belong to one computation; another one may use the same name.
  std::unordered_set<std::string_view> malformed_comps;
  std::set<std::pair<CompId, std::string_view>> malformed_insts;
  bool damaged = false;           // an instruction of the computation being read was malformed
  int64_t stack_frame_limit = 0;  // rows in the module's StackFrames table
  std::string_view signature;     // of the computation being read
  bool saw_compact = false;       // %x#0 occurred
  bool snippet = false;           // instructions without an enclosing computation
  size_t max_insts = InstId::kNoneValue - 1;  // beyond this a module is too large
  bool needs_one_thread = false;              // found a construct that merging chunks cannot handle
  bool style_known = false;
  bool program_style_known = false;
  bool operand_style_known = false;
  bool comment_style_known = false;

  CompId CompNamed(StrId name, uint64_t offset);
  // The instruction with that name in this computation; kNoneValue if there is none.
  [[nodiscard]] uint32_t InstNamed(std::string_view name, uint32_t hash) const;
  // Takes over the names from the part of this computation that another reader read. False if a
  // name is defined twice.
  bool AddEarlierNames(NameMap part);
  // Closes the computation: root, parameters, operands that were used before their definition.
  void CloseComputation(const char* close);

 private:
  // The first mistake in a value that may be a form this version does not know.
  struct Doubt {
    std::optional<DiagCode> code;
    const char* where = nullptr;
    std::string message;
    bool is_wrong = false;  // the form is known, so what is wrong with it is a mistake
  };

  // ---- Reporting; each returns false so that callers can return it.
  bool Error(DiagCode code, const char* where, std::string message);
  bool Error(DiagCode code, std::string message) {
    return Error(code, cursor.at(), std::move(message));
  }
  void Warn(DiagCode code, const char* where, std::string message) {
    Report(code, where, std::move(message));
  }
  // For a value whose form is known and whose parts do not fit together.
  bool Wrong(DiagCode code, const char* where, std::string message);
  void Report(DiagCode code, const char* where, std::string message);
  bool Expected(std::string_view what);
  std::string Quote(const char* at) const;
  // The start of a name in the text, including its percent sign.
  static const char* LocationOfName(std::string_view name) {
    return *(name.data() - 1) == '%' ? name.data() - 1 : name.data();
  }

  // ---- Helpers
  // Skips blanks and comments.
  bool Skip() { return cursor.SkipBlanks() || UnterminatedComment(); }
  bool UnterminatedComment();
  // Skips blanks first.
  bool Expect(char c) { return TakeAfterBlanks(c) || ExpectedChar(c); }
  bool ExpectedChar(char c);
  // Skips blanks; consumes c and returns true if it follows.
  bool TakeAfterBlanks(char c) { return cursor.Take(c) || (Skip() && cursor.Take(c)); }
  // Skips blanks first.
  bool ReadInt(int64_t& value) {
    return Skip() && (cursor.TakeInt(value) == Cursor::IntStatus::kOk || ExpectedInt());
  }
  bool ExpectedInt();
  bool ReadBool(bool& value);
  bool ReadString(std::string_view& value);  // quoted, unescaped; valid until the next call
  bool ReadStrId(StrId& id);
  // {item,item}: calls read_item for each item; false as soon as that returns false.
  template <class ReadItem>
  bool ReadBraced(const ReadItem& read_item) {
    if (!Expect('{')) return false;
    if (TakeAfterBlanks('}')) return true;
    for (;;) {
      if (!read_item()) return false;
      if (TakeAfterBlanks('}')) return true;
      if (!Expect(',')) return false;
    }
  }
  bool ReadBracedInts(std::vector<int64_t>& values);  // {1,2,3}
  bool SkipBalanced(std::string_view& text);          // one value of any form, verbatim

  // ---- unknown_forms.cc
  // Reads a value with `read` and puts off its first mistake. False if there was one.
  template <class Read>
  bool Try(Doubt& doubt, const Read& read) {
    Doubt* const outer = doubt_;
    doubt_ = &doubt;
    const bool good = read();
    doubt_ = outer;
    return good;
  }
  static Doubt& Cleared(Doubt& doubt) {
    if (doubt.code) doubt = {};
    return doubt;
  }
  // After a failed Try: reports the mistake; returns false.
  bool ReportDoubt(Doubt& doubt);
  // True if the mistake may be a form that this version does not know.
  static bool MayKeep(const Doubt& doubt);
  // After a failed Try of a value from `start` to `stop`: moves past it and warns. If it cannot be
  // kept, or `stop` is null, reports the mistake and returns false.
  bool KeepUnknown(Doubt& doubt, const char* start, const char* stop, std::string_view what);
  // The attribute k_unknown with the text from `start` to here.
  Attr VerbatimAttribute(std::string_view name, const char* start);
  // The end of a value of any form that begins at `start`: balanced, on one line. Null if it has no
  // such end.
  [[nodiscard]] const char* EndOfUnknown(const char* start, bool in_metadata) const;
  // The position after the bracket that closes the one at `open`, on the same line, or null.
  [[nodiscard]] const char* EndOfBrackets(const char* open) const;
  // True if nothing is left of a value that was read up to here.
  [[nodiscard]] bool AtEndOfValue() const;
  // Reads the value of a known attribute, or keeps it under k_unknown.
  bool ReadKnownAttribute(AttrKey key, std::string_view name, const Inst* inst, Attr& attr);
  bool DuplicateAttribute(std::string_view name);
  // Forgets what a value mentioned before it failed: keeps that many of each.
  void ForgetMentions(size_t comps, size_t inlined, size_t controls);
  bool SkipJsonDict(std::string_view& text);

  // ---- read_module.cc
  bool ReadModuleAttributes();
  bool ReadModuleAttribute(std::vector<Attr>& attrs);
  void ReadStackTables();
  bool ReadStackTable(size_t table);
  bool ReadStackRow(size_t table);
  bool EndLine();
  bool ReadStackFields(size_t table, FileLocation& location, StackFrame& frame);
  bool ReadUnknownStackTable(size_t tables_before);
  bool ReadProgramLayout(Attr& attr);
  bool ReadBools(Attr& attr);

  // ---- read_computation.cc
  bool ReadComputationHead();
  bool SkipSignature();
  void BeginComputation(StrId name, bool is_entry, const char* where);
  void ReadComputationTail(CompId closed);
  [[nodiscard]] bool LooksLikeInstruction() const { return StartsInstruction(cursor); }
  [[nodiscard]] bool LooksLikeComputation() const { return StartsComputation(cursor); }
  static bool StartsInstruction(Cursor ahead);
  static bool StartsComputation(Cursor ahead);
  bool ReadTailPart(CompId closed);
  void CheckParameters(const char* close);
  void CheckSignature();
  bool SignatureAgrees(const std::vector<InstId>& parameters, ShapeId result);
  bool SkipInlineComputation(CompId& inlined);
  void ReadInlineComputations();
  void Resync(bool inside);
  void ResolveControlRefs();

  // ---- read_instruction.cc
  bool ReadInstruction();
  bool ReadOpcode(Inst& inst);
  bool ReadOperands();
  bool ReadOperand();
  bool ReadOperandName(const char* start);
  bool ReadTupleSteps(uint32_t& value);
  bool ReadParameterNumber(Inst& inst);
  bool InferShape(Inst& inst, const char* start);
  [[nodiscard]] bool HasMalformedOperand() const;
  void MakeUnknown(Inst& inst, const char* opcode);
  bool CheckInstruction(const Inst& inst, const char* start);
  void CheckWrittenShape(ShapeId written, ShapeId defined, const char* where);
  bool CheckElement(ShapeId tuple, int64_t index, const char* where);
  uint32_t ImplicitElement(uint32_t tuple, int64_t index);

  // ---- read_attribute.cc
  bool ReadAttributes(Inst& inst);
  bool ReadAttribute(const Inst& inst);
  bool ReadAttributeValue(AttrKey key, const Inst* inst, Attr& attr);
  bool ReadMetadata(const Inst* inst, Attr& attr);
  bool ReadMetadataValue(const Inst* inst, Attr& field);
  bool ReadVerbatim(Attr& attr);
  bool ReadWord(Attr& attr);
  bool ReadWords(Attr& attr);
  bool ReadInts(Attr& attr);
  bool ReadComp(Attr& attr);
  bool ReadCompList(Attr& attr);
  bool ReadInsts(Attr& attr);
  bool ReadWindow(Attr& attr);
  bool ReadSlices(Attr& attr);
  bool ReadPadding(Attr& attr);
  bool ReadDimLabels(Attr& attr);
  bool ReadSharding(Attr& attr);
  bool IsKnown(uint32_t text, uint8_t notation);
  bool ReadGroups(Attr& attr);
  bool ReadShapes(Attr& attr);
  bool ReadLiteralAttribute(Attr& attr);
  bool ReadAliasing(Attr& attr);
  bool ReadDonors(Attr& attr);
  bool ReadShapeIndex(std::vector<int64_t>& index);
  bool ReadDict(Attr& attr);
  bool ReadConfig(Attr& attr);
  bool ReadUnknownAttribute(DiagCode code, std::string_view name, const char* where,
                            std::vector<Attr>& attrs);

  // ---- read_shape.cc
  bool ReadShape(ShapeId& shape) { return ReadShape(shape, 0); }
  bool ReadShape(ShapeId& shape, int depth);
  bool ReadArrayShape(ShapeId& shape, int depth);
  bool ReadTupleShape(ShapeId& shape, int depth);
  bool ReadLayout(size_t rank, LayoutId& layout, int depth);
  bool ReadLayoutBody(size_t rank, Layout& layout, int depth);
  bool ReadLayoutParts(Layout& layout, int depth);
  bool ReadDimensions(std::vector<int64_t>& dims, std::vector<uint8_t>& dynamic,
                      const char* shape_start);
  bool ReadUnknownArray(const char* start, std::optional<size_t> rank, int depth, ShapeId& shape);
  [[nodiscard]] bool AtLayout(size_t rank) const;
  bool AtShape() const;

  // ---- read_literal.cc
  bool ReadLiteral(ShapeId shape, LiteralId& literal);
  bool ReadConstant(ShapeId shape, LiteralId& literal);
  bool ReadLiteralLeaves(ShapeId shape, bool& elided, int depth);
  bool ReadDenseLiteral(ShapeId shape, bool& elided);
  bool ReadLoneElement(ShapeId shape);
  bool ReadElement(ElementType type);
  bool ReadFloatElement(ElementType type);
  bool ReadIntegerElement(ElementType type);

  // A shape text seen before, and its meaning.
  struct ShapeMemo {
    const char* text = nullptr;
    uint32_t length = 0;
    uint32_t hash = 0;
    ShapeId shape;
  };
  ShapeMemo& FindMemo(std::string_view text, uint32_t hash);
  void Remember(std::string_view text, uint32_t hash, ShapeId shape);

  std::vector<ShapeMemo> shape_memos_;
  size_t shape_memo_count_ = 0;

  // Scratch buffers, kept to avoid allocations for each instruction.
  std::vector<InstId> operand_scratch_;
  std::vector<Pending> operand_pending_;
  std::vector<Attr> attr_scratch_;
  std::vector<Attr> metadata_scratch_;
  std::vector<int64_t> int_scratch_;
  std::vector<uint8_t> literal_scratch_;
  std::vector<ShapeId> shape_scratch_;
  std::string string_scratch_;
  std::string_view name_;  // of the instruction being read
  // The instruction being read has an attribute of its opcode whose value is kept verbatim.
  bool meaning_unknown_ = false;
  std::vector<AttrKey> kept_keys_;  // the keys of its attributes whose values are kept verbatim
  Doubt* doubt_ = nullptr;
  Doubt attribute_doubt_, field_doubt_;  // kept to avoid making one for each attribute
  std::unordered_set<std::string_view> warned_types_;  // unknown element types
  LineCounter lines_;                                  // for diagnostics
  // Computations written inside an attribute, to_apply={...}: read after the outer one is closed,
  // so that each computation's instructions stay together.
  struct Inlined {
    CompId comp;
    const char* body;
    size_t order;  // index in Module::order
  };
  // By StrId: which notations the text has been found to be, so that each is parsed once.
  std::vector<uint8_t> known_notations_;
  std::vector<Inlined> inlined_;
  int inline_names_ = 0;  // the last number given to a computation without a name
  // Maps tuple << 32 | index to the implicit element instruction in this computation.
  std::unordered_map<uint64_t, uint32_t> implicit_;
};

}  // namespace halo

#endif  // HALO_TEXT_READ_READER_H_
