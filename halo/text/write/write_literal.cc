// Braces, blanks and /*i0=1*/ comments follow XLA's printer; numbers follow numeric.h.
#include "halo/text/write/write_literal.h"

#include <cstring>

#include "halo/ir/types/numeric.h"

namespace halo {
namespace {

class LiteralWriter {
 public:
  LiteralWriter(const Module& module, std::span<const uint8_t> bits, TextBuffer& out)
      : module_(module), bits_(bits), out_(out) {}

  void Leaf(ShapeId shape) {
    const ShapeTable& shapes = module_.shapes;
    if (shapes.is_tuple(shape)) {
      out_ << "( ";
      bool first = true;
      for (const ShapeId element : shapes.elements(shape)) {
        if (!first) out_ << ", ";
        first = false;
        Leaf(element);
      }
      out_ << " )";
      return;
    }
    if (!shapes.is_array(shape)) {
      out_ << TextOf(shapes.type(shape));
      return;
    }
    type_ = shapes.type(shape);
    bytes_ = StoredBytes(type_);
    dims_ = shapes.dims(shape);
    Level(0, 0);
  }

 private:
  void Level(size_t level, int64_t index) {
    const size_t rank = dims_.size();
    if (level == rank) {
      Element();
      return;
    }
    const bool innermost = level + 1 == rank;
    const int64_t size = dims_[level];
    if (rank == 1) {
      out_ << '{';
    } else if (innermost) {
      out_ << (size <= 1 ? "{" : "{ ");
    } else if (rank > 3 && level > 0) {
      out_ << "{ /*i" << (level - 1) << '=' << index << "*/";
      if (size > 0) out_ << ' ';
    } else {
      out_ << "{ ";
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i != 0) out_ << ", ";
      Level(level + 1, i);
    }
    out_ << (rank == 1 || (innermost && size <= 1) ? "}" : " }");
  }

  uint64_t Take(size_t bytes) {
    uint64_t bits = 0;
    if (bits_.size() >= bytes) {
      std::memcpy(&bits, bits_.data(), bytes);
      bits_ = bits_.subspan(bytes);
    }
    return bits;
  }

  void Element() {
    const ElementTypeInfo& info = InfoOf(type_);
    switch (info.klass) {
      case ElementClass::kPred: {
        const bool value = Take(1) != 0;
        if (dims_.empty()) {
          out_ << (value ? "true" : "false");
        } else {
          out_ << (value ? '1' : '0');
        }
        break;
      }
      case ElementClass::kSigned: {
        const uint64_t raw = Take(bytes_) << (64 - bytes_ * 8);
        out_ << (static_cast<int64_t>(raw) >> (64 - bytes_ * 8));
        break;
      }
      case ElementClass::kUnsigned: out_ << Take(bytes_); break;
      case ElementClass::kFloat: AppendFloat(type_, Take(bytes_), out_); break;
      case ElementClass::kComplex: {
        const ElementType part = bytes_ == 8 ? ElementType::kF32 : ElementType::kF64;
        out_ << '(';
        AppendFloat(part, Take(bytes_ / 2), out_);
        out_ << ", ";
        AppendFloat(part, Take(bytes_ / 2), out_);
        out_ << ')';
        break;
      }
      case ElementClass::kOther: break;
    }
  }

  const Module& module_;
  std::span<const uint8_t> bits_;
  TextBuffer& out_;
  ElementType type_ = ElementType::kPred;
  size_t bytes_ = 1;
  std::span<const int64_t> dims_;
};

}  // namespace

void WriteLiteral(const Module& module, LiteralId literal, TextBuffer& out) {
  if (module.literals.is_verbatim(literal)) {
    out << module.literals.verbatim_text(literal);
    return;
  }
  if (module.literals.is_elided(literal)) {
    out << "{...}";
    return;
  }
  LiteralWriter(module, module.literals.bits(literal), out).Leaf(module.literals.shape(literal));
}

}  // namespace halo
