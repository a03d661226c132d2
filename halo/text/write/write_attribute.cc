// Writes attribute values in the form in which they were read.
#include "halo/text/write/write_attribute.h"

#include "halo/base/strings/escape.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/unknown_attribute.h"
#include "halo/text/write/write_literal.h"
#include "halo/text/write/write_name.h"

namespace halo {
namespace {

void Join(std::span<const int64_t> values, std::string_view separator, TextBuffer& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out << separator;
    out << values[i];
  }
}

void WriteIndex(std::span<const int64_t> index, TextBuffer& out) {
  out << '{';
  Join(index, ",", out);
  out << '}';
}

void WriteWindow(std::span<const int64_t> encoded, TextBuffer& out) {
  const Window window = DecodeWindow(encoded);
  bool first_field = true;
  const auto field = [&](WindowField bit, std::string_view name, auto&& write) {
    if ((window.fields & bit) == 0) return;
    if (!first_field) out << ' ';
    first_field = false;
    out << name << '=';
    for (size_t i = 0; i < window.dims.size(); ++i) {
      if (i != 0) out << 'x';
      write(window.dims[i]);
    }
  };
  out << '{';
  field(kWindowSize, "size", [&](const WindowDim& d) { out << d.size; });
  field(kWindowStride, "stride", [&](const WindowDim& d) { out << d.stride; });
  field(kWindowPad, "pad", [&](const WindowDim& d) { out << d.pad_low << '_' << d.pad_high; });
  field(kWindowLhsDilate, "lhs_dilate", [&](const WindowDim& d) { out << d.lhs_dilate; });
  field(kWindowRhsDilate, "rhs_dilate", [&](const WindowDim& d) { out << d.rhs_dilate; });
  field(kWindowRhsReversal, "rhs_reversal",
        [&](const WindowDim& d) { out << (d.reversal ? 1 : 0); });
  out << '}';
}

void WriteSlices(std::span<const int64_t> slices, TextBuffer& out) {
  out << '{';
  for (size_t i = 0; i + 2 < slices.size(); i += 3) {
    if (i != 0) out << ", ";
    out << '[' << slices[i] << ':' << slices[i + 1];
    if (slices[i + 2] != 0) out << ':' << slices[i + 2];
    out << ']';
  }
  out << '}';
}

void WritePadding(std::span<const int64_t> padding, bool interior, TextBuffer& out) {
  for (size_t i = 0; i + 2 < padding.size(); i += 3) {
    if (i != 0) out << 'x';
    out << padding[i] << '_' << padding[i + 1];
    if (interior) out << '_' << padding[i + 2];
  }
}

void WriteNested(std::span<const int64_t> nested, TextBuffer& out) {
  out << '{';
  size_t at = 1;
  for (int64_t list = 0; list < nested[0]; ++list) {
    if (list != 0) out << ',';
    const auto length = static_cast<size_t>(nested[at]);
    WriteIndex(nested.subspan(at + 1, length), out);
    at += 1 + length;
  }
  out << '}';
}

void WriteAliasing(std::span<const int64_t> encoded, bool header, TextBuffer& out) {
  out << (header ? "{ " : "{");
  bool first = true;
  for (const AliasEntry& entry : DecodeAliases(encoded)) {
    if (!first) out << ", ";
    first = false;
    WriteIndex(entry.output_index, out);
    out << ": (" << entry.number << ", ";
    WriteIndex(entry.input_index, out);
    if (entry.kind != AliasKind::kUnspecified) {
      out << (entry.kind == AliasKind::kMay ? ", may-alias" : ", must-alias");
    }
    out << ')';
  }
  out << (header ? " }" : "}");
}

void WriteDonors(std::span<const int64_t> encoded, TextBuffer& out) {
  out << "{ ";
  bool first = true;
  for (const DonorEntry& entry : DecodeDonors(encoded)) {
    if (!first) out << ", ";
    first = false;
    out << '(' << entry.number << ", ";
    WriteIndex(entry.index, out);
    out << ')';
  }
  out << " }";
}

class AttributeWriter {
 public:
  AttributeWriter(const Module& module, const Style& style, const Inst* inst, TextBuffer& out)
      : module_(module), style_(style), inst_(inst), out_(out) {}

  void Write(const Attr& attr) {
    if (attr.key == AttrKey::k_unknown) {
      const UnknownAttribute unknown = UnknownAttributeOf(module_, attr);
      WriteName(unknown.name, out_);
      out_ << '=' << unknown.text;
      return;
    }
    out_ << TextOf(attr.key) << '=';
    Value(attr);
  }

 private:
  [[nodiscard]] std::string_view String(int64_t id) const {
    return module_.text(StrId(static_cast<uint32_t>(id)));
  }

  void Quoted(std::string_view text) {
    out_ << '"';
    AppendCEscaped(text, out_);
    out_ << '"';
  }

  void Config(uint32_t value, AttrForm form) {
    if (form == AttrForm::kBare) {
      out_ << String(value);
    } else {
      Quoted(String(value));
    }
  }

  void Name(std::string_view name) {
    if (style_.percent) out_ << '%';
    WriteName(name, out_);
  }

  void Comps(const Attr& attr) {
    const bool bare = attr.form == AttrForm::kBare;
    if (!bare) out_ << '{';
    bool first = true;
    for (const int64_t comp : module_.list(attr.value)) {
      if (!first) out_ << ", ";
      first = false;
      Name(module_.text(module_.comps[static_cast<size_t>(comp)].name));
    }
    if (!bare) out_ << '}';
  }

  void Shapes(std::span<const int64_t> shapes) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (i != 0) out_ << ", ";
      module_.shapes.Print(ShapeId(static_cast<uint32_t>(shapes[i])), true, out_);
    }
  }

  void Metadata(const Attr& attr) {
    out_ << '{';
    bool first = true;
    for (const Attr& field : module_.attrs_of(AttrListId(attr.value))) {
      if (!first) out_ << ' ';
      first = false;
      Write(field);
    }
    out_ << '}';
  }

  void Dict(std::span<const int64_t> items) {
    out_ << '{';
    for (size_t i = 0; i + 2 < items.size(); i += 3) {
      if (i != 0) out_ << ',';
      WriteName(String(items[i]), out_);
      out_ << '=';
      Config(static_cast<uint32_t>(items[i + 1]), static_cast<AttrForm>(items[i + 2]));
    }
    out_ << '}';
  }

  void Value(const Attr& attr) {
    switch (InfoOf(attr.key).kind) {
      case AttrKind::kInt: out_ << module_.IntValue(attr); break;
      case AttrKind::kBool: out_ << (attr.value != 0 ? "true" : "false"); break;
      case AttrKind::kNumber:
      case AttrKind::kWord:
      case AttrKind::kDimLabels:
      case AttrKind::kSharding:
      case AttrKind::kGroups:
      case AttrKind::kVerbatim: out_ << String(attr.value); break;
      case AttrKind::kString:
        if (attr.form == AttrForm::kOwnName) {
          out_ << '"';
          if (inst_ != nullptr) WriteName(module_.name_of(*inst_), out_);
          out_ << '"';
        } else {
          Quoted(String(attr.value));
        }
        break;
      case AttrKind::kConfig: Config(attr.value, attr.form); break;
      case AttrKind::kWords: {
        out_ << '{';
        bool first = true;
        for (const int64_t word : module_.list(attr.value)) {
          if (!first) out_ << ',';
          first = false;
          out_ << String(word);
        }
        out_ << '}';
        break;
      }
      case AttrKind::kInts:
        if (attr.form == AttrForm::kNested) {
          WriteNested(module_.list(attr.value), out_);
        } else {
          WriteIndex(module_.list(attr.value), out_);
        }
        break;
      case AttrKind::kBools: {
        const bool bare = attr.form == AttrForm::kBare;
        if (!bare) out_ << '{';
        bool first = true;
        for (const int64_t value : module_.list(attr.value)) {
          if (!first) out_ << ',';
          first = false;
          out_ << (value != 0 ? "true" : "false");
        }
        if (!bare) out_ << '}';
        break;
      }
      case AttrKind::kComp: Name(module_.text(module_.comps[attr.value].name)); break;
      case AttrKind::kCompList: Comps(attr); break;
      case AttrKind::kInsts: {
        out_ << '{';
        bool first = true;
        for (const int64_t inst : module_.list(attr.value)) {
          if (!first) out_ << ", ";
          first = false;
          Name(module_.name_of(module_.insts[static_cast<size_t>(inst)]));
        }
        out_ << '}';
        break;
      }
      case AttrKind::kWindow: WriteWindow(module_.list(attr.value), out_); break;
      case AttrKind::kSlices: WriteSlices(module_.list(attr.value), out_); break;
      case AttrKind::kPadding:
        WritePadding(module_.list(attr.value), attr.form == AttrForm::kNested, out_);
        break;
      case AttrKind::kMetadata: Metadata(attr); break;
      case AttrKind::kShape: module_.shapes.Print(ShapeId(attr.value), true, out_); break;
      case AttrKind::kShapes:
        out_ << '{';
        Shapes(module_.list(attr.value));
        out_ << '}';
        break;
      case AttrKind::kProgramLayout: ProgramLayout(module_.list(attr.value)); break;
      case AttrKind::kLiteral:
        module_.shapes.Print(module_.literals.shape(LiteralId(attr.value)), true, out_);
        out_ << ' ';
        WriteLiteral(module_, LiteralId(attr.value), out_);
        break;
      case AttrKind::kAliasing:
        WriteAliasing(module_.list(attr.value), inst_ == nullptr, out_);
        break;
      case AttrKind::kDonors: WriteDonors(module_.list(attr.value), out_); break;
      case AttrKind::kDict: Dict(module_.list(attr.value)); break;
    }
  }

  // Parameters carry /*index=5*/ comments, like tuples.
  void ProgramLayout(std::span<const int64_t> shapes) {
    out_ << "{(";
    for (size_t i = 1; i < shapes.size(); ++i) {
      if (i != 1) out_ << ", ";
      if (i != 1 && (i - 1) % 5 == 0) out_ << "/*index=" << (i - 1) << "*/";
      module_.shapes.Print(ShapeId(static_cast<uint32_t>(shapes[i])), true, out_);
    }
    out_ << ")->";
    module_.shapes.Print(ShapeId(static_cast<uint32_t>(shapes[0])), true, out_);
    out_ << '}';
  }

  const Module& module_;
  const Style& style_;
  const Inst* inst_;
  TextBuffer& out_;
};

}  // namespace

void WriteAttribute(const Module& module, const Style& style, const Attr& attr, const Inst* inst,
                    TextBuffer& out) {
  AttributeWriter(module, style, inst, out).Write(attr);
}

}  // namespace halo
