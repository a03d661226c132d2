// Converts a LiteralProto to the bits of a Literal. Too many elements are rejected before
// anything is allocated for them; in the end there must be exactly as many as the shape has.
#include <bit>
#include <cstring>

#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/read/read_context.h"
#include "halo/proto/wire/element_order.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/literal_fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

void AppendLittle(uint64_t bits, size_t bytes, std::vector<uint8_t>& out) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

// Sub-byte elements take a byte each: signed ones are sign-extended, others zero-extended.
void NormalizeNarrow(ElementType type, std::span<uint8_t> bits) {
  const ElementTypeInfo& info = InfoOf(type);
  if (info.bits >= 8) return;
  const int shift = 8 - info.bits;
  for (uint8_t& byte : bits) {
    const auto high = static_cast<uint8_t>(byte << shift);
    byte = info.klass == ElementClass::kSigned
               ? static_cast<uint8_t>(static_cast<int8_t>(high) >> shift)
               : static_cast<uint8_t>(high >> shift);
  }
}

}  // namespace

bool ProtoContext::ReadLiteralShape(std::string_view proto, ShapeId& shape) {
  WireReader reader(proto);
  std::string_view shape_proto;
  while (reader.Next()) {
    if (reader.field() == pb::LiteralProto::k_shape) reader.Get(shape_proto);
  }
  if (!Check(reader, proto)) return false;
  if (shape_proto.data() == nullptr) {
    return Report(diag::kProtoMissingField, proto, "a literal without a shape");
  }
  return ReadShape(shape_proto, shape);
}

bool ProtoContext::ReadLiteral(std::string_view proto, ShapeId shape, LiteralId& literal) {
  bits_.clear();
  if (!ReadLiteralLeaves(proto, shape, 0)) return false;
  literal = module.literals.Add(shape, bits_);
  return true;
}

bool ProtoContext::ReadLiteralLeaves(std::string_view proto, ShapeId shape, int depth) {
  if (depth > kMaxNesting) {
    return Report(diag::kTooNested, proto, "this value is nested too deeply");
  }
  if (module.shapes.is_array(shape)) return ReadLeaf(proto, shape);
  if (!module.shapes.is_tuple(shape)) {
    return module.shapes.type(shape) == ElementType::kToken ||
           Report(diag::kBadLiteral, proto, "a value of this shape cannot be stored");
  }
  std::vector<std::string_view> parts;
  WireReader reader(proto);
  while (reader.Next()) {
    if (reader.field() == pb::LiteralProto::k_tuple_literals) reader.Append(parts);
  }
  if (!Check(reader, proto)) return false;
  const std::vector<ShapeId> shapes(module.shapes.elements(shape).begin(),
                                    module.shapes.elements(shape).end());
  if (parts.size() != shapes.size()) {
    return Report(diag::kLiteralWrongCount, proto,
                  "a tuple of " + std::to_string(shapes.size()) + " has " +
                      std::to_string(parts.size()) + " values");
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!ReadLiteralLeaves(parts[i], shapes[i], depth + 1)) return false;
  }
  return true;
}

bool ProtoContext::ReadLeaf(std::string_view proto, ShapeId shape) {
  const ElementType type = module.shapes.type(shape);
  const LiteralField field = LiteralFieldOf(type);
  const size_t element_bytes = StoredBytes(type);
  const auto count = module.shapes.ElementCount(shape);
  std::string_view shape_proto;
  std::vector<std::string_view> chunks;
  std::vector<int64_t> loose;  // numbers that were not packed
  WireReader reader(proto);
  while (reader.Next()) {
    if (reader.field() == pb::LiteralProto::k_shape) reader.Get(shape_proto);
    if (reader.field() != field.number || field.coding == LiteralCoding::kNone) continue;
    int64_t number = 0;
    float single = 0;
    double wide = 0;
    if (reader.type() == WireType::kBytes) {
      if (field.coding == LiteralCoding::kBytes) chunks.clear();
      reader.Append(chunks);
    } else if (reader.Get(number)) {
      loose.push_back(number);
    } else if (reader.GetFloat(single)) {
      loose.push_back(std::bit_cast<int32_t>(single));
    } else if (reader.GetDouble(wide)) {
      loose.push_back(std::bit_cast<int64_t>(wide));
    }
  }
  if (!Check(reader, proto)) return false;
  if (field.coding == LiteralCoding::kNone || !count) {
    return Report(diag::kBadLiteral, proto, "a value of this shape cannot be stored");
  }

  const size_t before = bits_.size();
  size_t stored = 0;
  for (const std::string_view chunk : chunks) stored += chunk.size();
  const auto wrong_count = [&] {
    return Report(diag::kLiteralWrongCount, proto,
                  "the elements do not fill a shape of " + std::to_string(*count));
  };
  if (field.coding == LiteralCoding::kVarint) {
    // Each encoded element takes at least one byte.
    if (static_cast<uint64_t>(*count) > stored + loose.size()) return wrong_count();
    bits_.reserve(before + static_cast<size_t>(*count) * element_bytes);
    const bool is_pred = type == ElementType::kPred;
    const auto append = [&](uint64_t value) {
      AppendLittle(is_pred ? (value != 0 ? 1 : 0) : value, element_bytes, bits_);
    };
    uint64_t value = 0;
    for (const int64_t number : loose) append(static_cast<uint64_t>(number));
    for (std::string_view chunk : chunks) {
      while (TakeVarint(chunk, value)) append(value);
      if (!chunk.empty()) {
        return Report(diag::kProtoMalformed, chunk, "these bytes are not packed numbers");
      }
    }
  } else {
    const size_t width = field.fixed_bytes;
    if (static_cast<uint64_t>(*count) > (stored + loose.size() * width) / element_bytes) {
      return wrong_count();
    }
    for (const int64_t number : loose) AppendLittle(static_cast<uint64_t>(number), width, bits_);
    for (const std::string_view chunk : chunks)
      bits_.insert(bits_.end(), chunk.begin(), chunk.end());
  }
  if ((bits_.size() - before) != static_cast<uint64_t>(*count) * element_bytes)
    return wrong_count();
  const std::span<uint8_t> mine = std::span(bits_).subspan(before);
  NormalizeNarrow(type, mine);

  // The layout of the literal gives the order of its elements.
  ShapeId own = shape;
  if (shape_proto.data() != nullptr && !ReadShape(shape_proto, own)) return false;
  const Layout* layout = module.shapes.layout(own);
  const auto dims = module.shapes.dims(shape);
  if (module.shapes.dims(own).size() != dims.size()) {
    return Report(diag::kBadLiteral, proto, "the value's shape is not the instruction's");
  }
  if (layout == nullptr || IsRowMajor(layout->minor_to_major) || *count <= 1) return true;
  const std::vector<uint8_t> ordered =
      ToRowMajor(mine, element_bytes, dims, layout->minor_to_major);
  std::memcpy(mine.data(), ordered.data(), ordered.size());
  return true;
}

}  // namespace halo
