// The program: one Module owns flat tables indexed by typed ids. Instructions are 32-byte records;
// names, shapes, integer lists and attribute lists are interned. The users of a value, possible
// execution orders and the lifetimes of values are analyses, computed elsewhere and never stored
// here.
#ifndef HALO_IR_MODULE_H_
#define HALO_IR_MODULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halo/base/containers/flat_vector.h"
#include "halo/base/containers/span_pool.h"
#include "halo/base/ids.h"
#include "halo/ir/attributes/attr.h"
#include "halo/ir/opcode.h"
#include "halo/ir/style.h"
#include "halo/ir/types/literal.h"
#include "halo/ir/types/shape.h"

namespace halo {

using StrId = Id<struct StrTag>;
using IntsId = Id<struct IntsTag>;
using AttrListId = Id<struct AttrListTag>;
using InstId = Id<struct InstTag>;
using CompId = Id<struct CompTag>;

enum InstFlags : uint8_t {
  kInstImplicit = 1 << 0,     // a get-tuple-element that the text only implied (%x#0)
  kInstSugar = 1 << 1,        // an async op written as X-start, X-update or X-done; see `wrapped`
  kInstBadOperands = 1 << 2,  // read with errors; an operand may be missing
};

struct Inst {
  StrId name;
  ShapeId shape;
  uint32_t operands_begin = 0;
  uint32_t operand_count = 0;
  AttrListId attrs;
  uint32_t extra = 0;  // parameter: its number; constant: a LiteralId; unknown opcode: its StrId
  CompId parent;
  Opcode opcode = Opcode::kUnknown;
  uint8_t flags = 0;
  Opcode wrapped = Opcode::kUnknown;  // with kInstSugar: X
  uint8_t unused = 0;
};
static_assert(sizeof(Inst) == 32 && std::is_trivially_copyable_v<Inst>);

struct Computation {
  StrId name;
  uint32_t first = 0;  // its instructions are first, first + 1, ... in text order
  uint32_t count = 0;
  InstId root;
  StrId execution_thread;
  StrId tail;  // what this version does not understand after the closing brace, verbatim
  bool is_entry = false;
  bool defined = false;
  bool hidden = false;  // an async wrapper whose instruction is written on its async-start
};

// One row of each of the tables that stack_frame_id points into; 1-based ids, 0 is none.
struct FileLocation {
  int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0,
          end_column = 0;
  friend bool operator==(const FileLocation&, const FileLocation&) = default;
};
struct StackFrame {
  int64_t file_location_id = 0, parent_frame_id = 0;
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};
// The text of a row that this version does not understand, or of a whole table (row 0), which
// follows the first `table` tables.
struct StackText {
  uint32_t table = 0;  // FileNames is 0
  size_t row = 0;
  StrId text;
};
struct StackTables {
  std::vector<StrId> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  std::vector<StackText> verbatim;  // in the order of the text
  [[nodiscard]] bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() &&
           stack_frames.empty() && verbatim.empty();
  }
};

class Module {
 public:
  StrId name;
  AttrListId attrs;  // of the module header
  CompId entry;
  StackTables stack;
  Style style;
  std::vector<CompId> order;  // computations in the order of the text

  SpanPool<char> strings;
  SpanPool<int64_t> ints;
  SpanPool<Attr> attr_lists;
  ShapeTable shapes;
  LiteralTable literals;
  FlatVector<Inst> insts;
  FlatVector<InstId> operands;
  std::vector<Computation> comps;

  Module();

  // Instruction names are stored individually, not interned: compare their texts, not their ids.
  StrId AddName(std::string_view text) { return StrId(strings.Append({text.data(), text.size()})); }
  StrId Str(std::string_view text) { return StrId(strings.Intern({text.data(), text.size()})); }
  [[nodiscard]] std::string_view text(StrId id) const {
    const std::span<const char> chars = strings[id.value];
    return {chars.data(), chars.size()};
  }
  IntsId Ints(std::span<const int64_t> values) { return IntsId(ints.Intern(values)); }
  [[nodiscard]] std::span<const int64_t> list(uint32_t id) const { return ints[id]; }
  AttrListId Attrs(std::span<const Attr> list) { return AttrListId(attr_lists.Intern(list)); }
  [[nodiscard]] std::span<const Attr> attrs_of(AttrListId id) const { return attr_lists[id.value]; }
  [[nodiscard]] std::span<const Attr> attrs_of(const Inst& inst) const {
    return attr_lists[inst.attrs.value];
  }

  [[nodiscard]] const Inst& inst(InstId id) const { return insts[id.index()]; }
  [[nodiscard]] const Computation& comp(CompId id) const { return comps[id.index()]; }
  [[nodiscard]] std::span<const InstId> operands_of(const Inst& inst) const {
    return {operands.data() + inst.operands_begin, inst.operand_count};
  }
  [[nodiscard]] std::string_view name_of(const Inst& inst) const { return text(inst.name); }
  [[nodiscard]] std::string_view opcode_text(const Inst& inst) const;

  // One attribute of an instruction, of the header or of metadata; null if it is absent.
  [[nodiscard]] const Attr* Find(AttrListId list, AttrKey key) const;
  [[nodiscard]] const Attr* Find(const Inst& inst, AttrKey key) const {
    return Find(inst.attrs, key);
  }
  // Values by kind. Each returns its fallback when the attribute is missing.
  [[nodiscard]] int64_t IntValue(const Attr& attr) const;
  [[nodiscard]] int64_t IntOr(AttrListId list, AttrKey key, int64_t fallback) const;
  [[nodiscard]] bool BoolOr(AttrListId list, AttrKey key, bool fallback) const;
  [[nodiscard]] std::string_view TextOr(AttrListId list, AttrKey key,
                                        std::string_view fallback = {}) const;
  [[nodiscard]] std::span<const int64_t> IntsOf(AttrListId list, AttrKey key) const;
  // The metadata list of an instruction; the empty list if it has none.
  [[nodiscard]] AttrListId MetadataOf(const Inst& inst) const;
  // A metadata string. scheduling_name may be stored as "the instruction's own name".
  [[nodiscard]] std::string_view MetadataText(const Inst& inst, AttrKey key) const;
  // Every computation an instruction calls, in attribute order.
  void CalledBy(const Inst& inst, std::vector<CompId>& out) const;

  // Appends an integer attribute in its storage form.
  Attr MakeInt(AttrKey key, int64_t value);
  Attr MakeText(AttrKey key, std::string_view value, AttrForm form = AttrForm::kPlain) {
    return Attr{key, form, 0, Str(value).value};
  }
  Attr MakeInts(AttrKey key, std::span<const int64_t> values, AttrForm form = AttrForm::kPlain) {
    return Attr{key, form, 0, Ints(values).value};
  }

  [[nodiscard]] bool is_scheduled() const { return BoolOr(attrs, AttrKey::k_is_scheduled, false); }
  [[nodiscard]] size_t instruction_count() const { return insts.size(); }

  // Empties the module but keeps its memory for the next one.
  void Clear();
  // Frees what only reading needs.
  void Shrink();
  [[nodiscard]] size_t bytes() const;
};

}  // namespace halo

#endif  // HALO_IR_MODULE_H_
