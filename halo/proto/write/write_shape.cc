// Writes shapes and constant values as protos. Arrays without a layout get the row-major one, as in
// XLA's reader.
#include "halo/proto/parts/unknown_array.h"
#include "halo/proto/wire/element_order.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/literal_fields.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

std::vector<int64_t> RowMajor(size_t rank) {
  std::vector<int64_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  return order;
}

uint64_t LoadLittle(const uint8_t* at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
}

}  // namespace

void ProtoWriter::WriteShape(uint32_t field, ShapeId shape, WireWriter& out) {
  auto [known, fresh] = shapes_.try_emplace(shape.value);
  if (fresh) {
    WireWriter encoded;
    WriteShapeFields(shape, encoded);
    // Nested shapes may have been added to the table in the meantime.
    known = shapes_.find(shape.value);
    known->second = encoded.Take();
  }
  out.Bytes(field, known->second);
}

void ProtoWriter::WriteShapeFields(ShapeId shape, WireWriter& out) {
  using pb::ShapeProto;
  const ShapeTable& shapes = module_.shapes;
  const bool is_nested = shapes.is_tuple(shape) || shapes.is_buffer(shape);
  if (shapes.has_unknown(shape) && !is_nested) return WriteUnknownArray(shape, out);
  out.Int(ShapeProto::k_element_type, InfoOf(shapes.type(shape)).proto_number);
  if (shapes.is_tuple(shape)) {
    for (const ShapeId part : shapes.elements(shape)) {
      WriteShape(ShapeProto::k_tuple_shapes, part, out);
    }
    return;
  }
  if (shapes.is_buffer(shape)) {
    return WriteShape(ShapeProto::k_tuple_shapes, shapes.buffer_inner(shape), out);
  }
  if (!shapes.is_array(shape)) return;
  const auto dims = shapes.dims(shape);
  out.PackedInts(ShapeProto::k_dimensions, dims);
  const size_t mark = out.Begin(ShapeProto::k_layout);
  Layout plain;
  plain.minor_to_major = RowMajor(dims.size());
  const Layout* layout = shapes.layout(shape);
  WriteLayout(layout == nullptr ? plain : *layout, out);
  out.End(mark);
  std::vector<int64_t> dynamic(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) dynamic[i] = shapes.is_dynamic(shape, i) ? 1 : 0;
  out.PackedInts(ShapeProto::k_is_dynamic_dimension, dynamic);
}

// An array of an element type that this version knows by its number only; see UnknownArrayText.
void ProtoWriter::WriteUnknownArray(ShapeId shape, WireWriter& out) {
  using pb::ShapeProto;
  const std::string text = module_.shapes.Text(shape, false);
  const auto array = ParseUnknownArray(text);
  if (!array) {
    out.Int(ShapeProto::k_element_type, InfoOf(ElementType::kOpaque).proto_number);
    return Omit("element type of " + text.substr(0, 80));
  }
  out.Int(ShapeProto::k_element_type, array->type_number);
  out.PackedInts(ShapeProto::k_dimensions, array->dims);
  if (const Layout* layout = module_.shapes.layout(shape); layout != nullptr) {
    const size_t mark = out.Begin(ShapeProto::k_layout);
    WriteLayout(*layout, out);
    out.End(mark);
  }
  out.PackedInts(ShapeProto::k_is_dynamic_dimension, array->dynamic);
}

void ProtoWriter::WriteLayout(const Layout& layout, WireWriter& out) {
  using pb::LayoutProto;
  out.PackedInts(LayoutProto::k_minor_to_major, layout.minor_to_major);
  for (const auto& tile : layout.tiles) {
    const size_t mark = out.Begin(LayoutProto::k_tiles);
    out.PackedInts(pb::TileProto::k_dimensions, tile);
    out.End(mark);
  }
  out.IntIf(LayoutProto::k_element_size_in_bits, layout.element_bits);
  out.IntIf(LayoutProto::k_memory_space, layout.memory_space);
  if (layout.physical_shape) WriteShape(LayoutProto::k_physical_shape, *layout.physical_shape, out);
  if (layout.index_type) {
    out.Int(LayoutProto::k_index_primitive_type, InfoOf(*layout.index_type).proto_number);
  }
  if (layout.pointer_type) {
    out.Int(LayoutProto::k_pointer_primitive_type, InfoOf(*layout.pointer_type).proto_number);
  }
  out.IntIf(LayoutProto::k_dynamic_shape_metadata_prefix_bytes, layout.dynamic_metadata_bytes);
  out.IntIf(LayoutProto::k_tail_padding_alignment_in_elements, layout.tail_padding_alignment);
  for (const SplitConfig& split : layout.splits) {
    const size_t mark = out.Begin(LayoutProto::k_split_configs);
    out.IntIf(pb::SplitConfigProto::k_dimension, split.dimension);
    out.PackedInts(pb::SplitConfigProto::k_split_indices, split.indices);
    out.End(mark);
  }
  if (!layout.dim_levels.empty()) Omit("layout part D(...)");
  if (!layout.unknown.empty()) Omit("layout part " + layout.unknown.substr(0, 80));
}

void ProtoWriter::WriteLiteral(LiteralId literal, ShapeId shape, WireWriter& out) {
  std::span<const uint8_t> bits = module_.literals.bits(literal);
  WriteLiteralFields(shape, bits, out);
}

void ProtoWriter::WriteLiteralFields(ShapeId shape, std::span<const uint8_t>& bits,
                                     WireWriter& out) {
  const size_t mark = out.Begin(pb::LiteralProto::k_shape);
  WriteLiteralShape(shape, out);
  out.End(mark);
  if (module_.shapes.is_array(shape)) return WriteLeaf(shape, bits, out);
  for (const ShapeId part : module_.shapes.elements(shape)) {
    const size_t element = out.Begin(pb::LiteralProto::k_tuple_literals);
    WriteLiteralFields(part, bits, out);
    out.End(element);
  }
}

// The shape of a literal gives the order of its elements; tiles and memory spaces do not apply.
void ProtoWriter::WriteLiteralShape(ShapeId shape, WireWriter& out) {
  using pb::ShapeProto;
  const ShapeTable& shapes = module_.shapes;
  out.Int(ShapeProto::k_element_type, InfoOf(shapes.type(shape)).proto_number);
  for (const ShapeId part : shapes.elements(shape)) {
    const size_t mark = out.Begin(ShapeProto::k_tuple_shapes);
    WriteLiteralShape(part, out);
    out.End(mark);
  }
  if (!shapes.is_array(shape)) return;
  const auto dims = shapes.dims(shape);
  out.PackedInts(ShapeProto::k_dimensions, dims);
  const size_t mark = out.Begin(ShapeProto::k_layout);
  Layout order;
  const Layout* layout = shapes.layout(shape);
  order.minor_to_major = layout == nullptr ? RowMajor(dims.size()) : layout->minor_to_major;
  WriteLayout(order, out);
  out.End(mark);
  std::vector<int64_t> dynamic(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) dynamic[i] = shapes.is_dynamic(shape, i) ? 1 : 0;
  out.PackedInts(ShapeProto::k_is_dynamic_dimension, dynamic);
}

void ProtoWriter::WriteLeaf(ShapeId shape, std::span<const uint8_t>& bits, WireWriter& out) {
  const ShapeTable& shapes = module_.shapes;
  const ElementType type = shapes.type(shape);
  const size_t width = StoredBytes(type);
  const auto count = shapes.ElementCount(shape);
  if (!count || static_cast<uint64_t>(*count) > bits.size() / width) return;
  std::span<const uint8_t> mine = bits.first(static_cast<size_t>(*count) * width);
  bits = bits.subspan(mine.size());
  const auto dims = shapes.dims(shape);
  if (shapes.has_dynamic(shape)) out.PackedInts(pb::LiteralProto::k_dynamic_sizes, dims);
  const Layout* layout = shapes.layout(shape);
  std::vector<uint8_t> ordered;
  if (layout != nullptr && *count > 1 && !IsRowMajor(layout->minor_to_major)) {
    ordered = FromRowMajor(mine, width, dims, layout->minor_to_major);
    mine = ordered;
  }
  const LiteralField field = LiteralFieldOf(type);
  const std::string_view raw(reinterpret_cast<const char*>(mine.data()), mine.size());
  if (field.coding != LiteralCoding::kVarint) {
    if (!mine.empty()) out.Bytes(field.number, raw);
    return;
  }
  if (mine.empty()) return;
  const size_t mark = out.Begin(field.number);
  for (size_t i = 0; i < mine.size(); i += width) {
    uint64_t value = LoadLittle(mine.data() + i, width);
    // Negative 32-bit numbers are encoded as 64 bits.
    if (type == ElementType::kS32) {
      value = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
    }
    out.Varint(value);
  }
  out.End(mark);
}

}  // namespace halo
