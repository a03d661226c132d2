// Writes the module's lines: header, stack tables, computations, instructions. Each shape is
// formatted once and copied afterwards.
#include "halo/text/write/write_text.h"

#include <unordered_map>
#include <unordered_set>

#include "halo/base/strings/escape.h"
#include "halo/text/write/write_attribute.h"
#include "halo/text/write/write_literal.h"
#include "halo/text/write/write_name.h"

namespace halo {
namespace {

constexpr int64_t kSmallConstant = 10;
constexpr uint32_t kClosingNameAbove = 5;

class TextWriter {
 public:
  TextWriter(const Module& module, const Style& style, TextBuffer& out)
      : module_(module), style_(style), out_(out) {}

  void WriteModule() {
    if (style_.header) WriteHeader();
    for (size_t i = 0; i < module_.order.size(); ++i) {
      WriteComputation(module_.order[i]);
      if (i + 1 != module_.order.size()) out_ << "\n\n";
    }
    for (int i = 0; i < style_.final_newlines; ++i) out_ << '\n';
  }

  void WriteInstruction(const Inst& inst) {
    Name(NameOf(inst));
    out_ << " = ";
    WriteShape(inst.shape, true);
    out_ << ' ';
    if ((inst.flags & kInstSugar) != 0) {
      out_ << TextOf(inst.wrapped)
           << (inst.opcode == Opcode::kAsyncStart    ? "-start("
               : inst.opcode == Opcode::kAsyncUpdate ? "-update("
                                                     : "-done(");
    } else {
      WriteName(module_.opcode_text(inst), out_);
      out_ << '(';
    }
    if (inst.opcode == Opcode::kParameter) {
      out_ << inst.extra;
    } else if (inst.opcode == Opcode::kConstant) {
      WriteConstant(LiteralId(inst.extra));
    } else {
      WriteOperands(inst);
    }
    out_ << ')';
    for (const Attr& attr : module_.attrs_of(inst)) {
      if (attr.key == AttrKey::k_metadata && !style_.metadata) continue;
      if (attr.key == AttrKey::k_backend_config && !style_.backend_config) continue;
      out_ << ", ";
      WriteAttribute(module_, style_, attr, &inst, out_);
    }
  }

 private:
  void WriteHeader() {
    out_ << "HloModule ";
    WriteName(module_.text(module_.name), out_);
    for (const Attr& attr : module_.attrs_of(module_.attrs)) {
      out_ << ", ";
      WriteAttribute(module_, style_, attr, nullptr, out_);
    }
    if (style_.stack_tables && style_.metadata && !module_.stack.empty()) WriteStackTables();
    out_ << "\n\n";
  }

  // Rows and tables that the reader did not understand are printed as they were.
  bool WroteVerbatimRow(uint32_t table, size_t row) {
    const std::vector<StackText>& texts = module_.stack.verbatim;
    if (next_text_ >= texts.size() || texts[next_text_].table != table ||
        texts[next_text_].row != row) {
      return false;
    }
    out_ << module_.text(texts[next_text_++].text);
    return true;
  }

  void BeginTable(uint32_t table, std::string_view title) {
    for (;; out_ << '\n') {
      out_ << '\n';
      if (!WroteVerbatimRow(table, 0)) break;
    }
    out_ << title;
  }

  // Calls write(row) for the rows of a table that are not verbatim.
  template <class Row, class Write>
  void WriteRows(uint32_t table, const std::vector<Row>& rows, const Write& write) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!WroteVerbatimRow(table, i + 1)) {
        out_ << (i + 1) << ' ';
        write(rows[i]);
      }
      out_ << '\n';
    }
  }

  void WriteStackTables() {
    const StackTables& stack = module_.stack;
    const auto quoted = [this](StrId name) {
      out_ << '"';
      AppendCEscaped(module_.text(name), out_);
      out_ << '"';
    };
    out_ << '\n';
    BeginTable(0, "FileNames\n");
    WriteRows(0, stack.file_names, quoted);
    BeginTable(1, "FunctionNames\n");
    WriteRows(1, stack.function_names, quoted);
    BeginTable(2, "FileLocations\n");
    WriteRows(2, stack.file_locations, [this](const FileLocation& at) {
      out_ << "{file_name_id=" << at.file_name_id << " function_name_id=" << at.function_name_id
           << " line=" << at.line << " end_line=" << at.end_line << " column=" << at.column
           << " end_column=" << at.end_column << '}';
    });
    BeginTable(3, "StackFrames\n");
    WriteRows(3, stack.stack_frames, [this](const StackFrame& frame) {
      out_ << "{file_location_id=" << frame.file_location_id
           << " parent_frame_id=" << frame.parent_frame_id << '}';
    });
    while (next_text_ < stack.verbatim.size() && stack.verbatim[next_text_].row == 0) {
      out_ << '\n' << module_.text(stack.verbatim[next_text_++].text) << '\n';
    }
  }

  void WriteComputation(CompId id) {
    const Computation& comp = module_.comp(id);
    if (comp.is_entry) out_ << "ENTRY ";
    Name(module_.text(comp.name));
    out_ << ' ';
    if (style_.program_shapes) WriteSignature(comp);
    out_ << "{\n";
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module_.insts[i];
      const bool is_root = comp.root == InstId(i);
      if (style_.compact_gte && inst.opcode == Opcode::kGetTupleElement && !is_root) continue;
      out_ << (is_root ? "  ROOT " : "  ");
      WriteInstruction(inst);
      out_ << '\n';
    }
    out_ << '}';
    if (comp.execution_thread.valid()) {
      out_ << (style_.thread_name ? ", thread_name=\"" : ", execution_thread=\"")
           << module_.text(comp.execution_thread) << '"';
    }
    if (comp.tail.valid()) out_ << module_.text(comp.tail);
    if (style_.closing_names && comp.count > kClosingNameAbove) {
      out_ << " // ";
      WriteName(module_.text(comp.name), out_);
    }
  }

  void WriteSignature(const Computation& comp) {
    std::vector<const Inst*> parameters;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module_.insts[i];
      if (inst.opcode != Opcode::kParameter || inst.extra > comp.count) continue;
      if (inst.extra >= parameters.size()) parameters.resize(inst.extra + 1);
      parameters[inst.extra] = &inst;
    }
    out_ << '(';
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i] == nullptr) continue;
      if (i != 0) out_ << ", ";
      WriteName(module_.name_of(*parameters[i]), out_);
      out_ << ": ";
      WriteShape(parameters[i]->shape, false);
    }
    out_ << ") -> ";
    if (comp.root.valid()) WriteShape(module_.inst(comp.root).shape, false);
    out_ << ' ';
  }

  void WriteConstant(LiteralId literal) {
    const auto count = module_.shapes.ElementCount(module_.literals.shape(literal));
    const bool small = module_.shapes.is_array(module_.literals.shape(literal)) &&
                       count.has_value() && *count <= kSmallConstant;
    if (!style_.large_constants && (!small || module_.literals.is_verbatim(literal))) {
      out_ << "{...}";
    } else {
      WriteLiteral(module_, literal, out_);
    }
  }

  void WriteOperands(const Inst& inst) {
    const std::span<const InstId> operands = module_.operands_of(inst);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i != 0) {
        out_ << ", ";
        if (style_.operand_comments && i % 5 == 0) out_ << "/*index=" << i << "*/";
      }
      if (!operands[i].valid()) {
        out_ << "null";
        continue;
      }
      const Inst& operand = module_.inst(operands[i]);
      if (style_.operand_shapes) {
        WriteShape(operand.shape, true);
        out_ << ' ';
      }
      if (style_.compact_gte && operand.opcode == Opcode::kGetTupleElement) {
        WriteCompact(operand);
      } else {
        Name(NameOf(operand));
      }
    }
  }

  void WriteCompact(const Inst& element) {
    std::vector<int64_t> steps;
    const Inst* inst = &element;
    while (inst->opcode == Opcode::kGetTupleElement && inst->operand_count == 1 &&
           module_.operands_of(*inst)[0].valid()) {
      steps.push_back(module_.IntOr(inst->attrs, AttrKey::k_index, 0));
      inst = &module_.inst(module_.operands_of(*inst)[0]);
    }
    Name(NameOf(*inst));
    while (!steps.empty()) {
      out_ << '#' << steps.back();
      steps.pop_back();
    }
  }

  void Name(std::string_view name) {
    if (style_.percent) out_ << '%';
    WriteName(name, out_);
  }

  // Elements that the text only implied have no name, but other styles need one.
  std::string_view NameOf(const Inst& inst) {
    if ((inst.flags & kInstImplicit) == 0) return module_.name_of(inst);
    std::string& made = made_names_[&inst];
    if (made.empty()) {
      const Inst& tuple = module_.inst(module_.operands_of(inst)[0]);
      made = "get-tuple-element." + std::string(NameOf(tuple)) + "." +
             std::to_string(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
      while (IsTaken(made)) made += "_";
    }
    return made;
  }

  bool IsTaken(const std::string& name) {
    if (taken_.empty()) {
      for (const Inst& inst : module_.insts) taken_.insert(module_.name_of(inst));
    }
    return taken_.contains(name);
  }

  void WriteShape(ShapeId shape, bool with_layout) {
    std::vector<Spelled>& spelled = with_layout ? with_layout_ : without_layout_;
    if (spelled.empty()) spelled.resize(module_.shapes.size());
    Spelled& entry = spelled[shape.index()];
    if (entry.length == 0) {
      entry.begin = spelling_.size();
      module_.shapes.Print(shape, with_layout, spelling_);
      entry.length = spelling_.size() - entry.begin;
    }
    out_ << spelling_.view().substr(entry.begin, entry.length);
  }

  struct Spelled {
    size_t begin = 0;
    size_t length = 0;
  };

  const Module& module_;
  const Style& style_;
  TextBuffer& out_;
  size_t next_text_ = 0;  // in StackTables::verbatim
  TextBuffer spelling_;
  std::vector<Spelled> with_layout_;
  std::vector<Spelled> without_layout_;
  std::unordered_map<const Inst*, std::string> made_names_;
  std::unordered_set<std::string_view> taken_;  // filled only when names must be generated
};

}  // namespace

void WriteHloText(const Module& module, const Style& style, TextBuffer& out) {
  TextWriter(module, style, out).WriteModule();
}

std::string HloText(const Module& module, const Style& style) {
  TextBuffer out;
  WriteHloText(module, style, out);
  return out.str();
}

std::string InstructionText(const Module& module, InstId inst, const Style& style) {
  TextBuffer out;
  TextWriter(module, style, out).WriteInstruction(module.inst(inst));
  return out.str();
}

}  // namespace halo
