// Converts ShapeProto and LayoutProto to interned shapes.
#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/parts/unknown_array.h"
#include "halo/proto/read/read_context.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMaxRank = 256;
constexpr size_t kMaxLayoutParts = 256;  // tiles, or split dimensions

bool IsPermutation(const std::vector<int64_t>& dims, size_t rank) {
  if (dims.size() != rank) return false;
  std::vector<bool> seen(rank);
  for (const int64_t dim : dims) {
    if (dim < 0 || static_cast<size_t>(dim) >= rank || seen[static_cast<size_t>(dim)]) return false;
    seen[static_cast<size_t>(dim)] = true;
  }
  return true;
}

}  // namespace

bool ProtoContext::ReadShape(std::string_view proto, ShapeId& shape, int depth) {
  const auto known = shapes_.find(proto);
  if (known != shapes_.end()) {
    shape = known->second;
    return true;
  }
  if (depth > kMaxNesting) {
    return Report(diag::kTooNested, proto, "this shape is nested too deeply");
  }
  if (!ReadShapeFields(proto, shape, depth)) return false;
  shapes_.emplace(proto, shape);
  return true;
}

bool ProtoContext::ReadShapeFields(std::string_view proto, ShapeId& shape, int depth) {
  using pb::ShapeProto;
  int64_t type_number = 0;
  std::vector<int64_t> dims, dynamic_flags;
  std::vector<std::string_view> elements;
  std::string_view layout_proto;
  WireReader reader(proto);
  while (reader.Next()) {
    switch (reader.field()) {
      case ShapeProto::k_element_type: reader.Get(type_number); break;
      case ShapeProto::k_dimensions: reader.Append(dims); break;
      case ShapeProto::k_tuple_shapes: reader.Append(elements); break;
      case ShapeProto::k_layout: reader.Get(layout_proto); break;
      case ShapeProto::k_is_dynamic_dimension: reader.Append(dynamic_flags); break;
      default: Unknown("ShapeProto", reader); break;
    }
  }
  if (!Check(reader, proto)) return false;
  const auto type = ElementTypeFromProto(type_number);
  if (!type && type_number <= 0) {
    return Report(diag::kProtoBadValue, proto,
                  "element type number " + std::to_string(type_number) + " is not one");
  }
  if (type && (*type == ElementType::kTuple || *type == ElementType::kBuffer)) {
    std::vector<ShapeId> parts(elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!ReadShape(elements[i], parts[i], depth + 1)) return false;
    }
    if (*type == ElementType::kTuple) {
      shape = module.shapes.Tuple(parts);
      return true;
    }
    if (parts.size() != 1) {
      return Report(diag::kBadShape, proto, "a buffer holds exactly one shape");
    }
    shape = module.shapes.Buffer(parts[0]);
    return true;
  }
  if (dims.size() > kMaxRank) {
    return Report(diag::kRankTooLarge, proto, "this shape has more than 256 dimensions");
  }
  std::vector<uint8_t> dynamic;
  if (!dynamic_flags.empty()) dynamic.resize(dims.size());
  bool any_dynamic = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i < dynamic_flags.size() && dynamic_flags[i] != 0) dynamic[i] = 1;
    const bool is_dynamic = !dynamic.empty() && dynamic[i] != 0;
    any_dynamic |= is_dynamic;
    if (dims[i] < 0 && !(is_dynamic && dims[i] == kUnboundedDimension)) {
      return Report(diag::kDimensionTooLarge, proto, "a dimension cannot be negative");
    }
  }
  LayoutId layout;
  if (layout_proto.data() != nullptr && (!type || IsArrayType(*type)) &&
      !ReadLayout(layout_proto, dims.size(), layout, depth)) {
    return false;
  }
  if (!type) {
    const std::string name = "element type number " + std::to_string(type_number);
    if (warned_.insert(name).second) {
      Report(diag::kUnknownElementType, proto, name + " is unknown to this version");
    }
    shape = module.shapes.Unknown(UnknownArrayText(type_number, dims, dynamic), layout);
    return true;
  }
  const ShapeId plain = module.shapes.Array(*type, dims, dynamic);
  if (IsArrayType(*type) && !any_dynamic && !module.shapes.ByteSize(plain)) {
    return Report(diag::kDimensionTooLarge, proto, "this shape's size does not fit in 64 bits");
  }
  shape = layout.valid() ? module.shapes.WithLayout(plain, layout) : plain;
  return true;
}

bool ProtoContext::ReadLayout(std::string_view proto, size_t rank, LayoutId& id, int depth) {
  using pb::LayoutProto;
  Layout layout;
  int64_t index_type = 0, pointer_type = 0;
  std::string_view physical;
  std::vector<std::string_view> tiles, splits;
  WireReader reader(proto);
  while (reader.Next()) {
    switch (reader.field()) {
      case LayoutProto::k_minor_to_major: reader.Append(layout.minor_to_major); break;
      case LayoutProto::k_tiles: reader.Append(tiles); break;
      case LayoutProto::k_element_size_in_bits: reader.Get(layout.element_bits); break;
      case LayoutProto::k_memory_space: reader.Get(layout.memory_space); break;
      case LayoutProto::k_physical_shape: reader.Get(physical); break;
      case LayoutProto::k_index_primitive_type: reader.Get(index_type); break;
      case LayoutProto::k_pointer_primitive_type: reader.Get(pointer_type); break;
      case LayoutProto::k_dynamic_shape_metadata_prefix_bytes:
        reader.Get(layout.dynamic_metadata_bytes);
        break;
      case LayoutProto::k_tail_padding_alignment_in_elements:
        reader.Get(layout.tail_padding_alignment);
        break;
      case LayoutProto::k_split_configs: reader.Append(splits); break;
      // HLO text no longer has sparse layouts, and these fields do not affect dense ones.
      case LayoutProto::k_dim_level_types:
      case LayoutProto::k_dim_unique:
      case LayoutProto::k_dim_ordered: break;
      default: Unknown("LayoutProto", reader); break;
    }
  }
  if (!Check(reader, proto)) return false;
  if (!IsPermutation(layout.minor_to_major, rank)) {
    return Report(diag::kLayoutRankMismatch, proto,
                  "this layout does not order the shape's " + std::to_string(rank) + " dimensions");
  }
  if (tiles.size() > kMaxLayoutParts || splits.size() > kMaxLayoutParts) {
    return Report(diag::kBadLayout, proto, "this layout has too many parts");
  }
  if (layout.tail_padding_alignment == 0) layout.tail_padding_alignment = 1;
  for (const std::string_view tile : tiles) {
    auto& dims = layout.tiles.emplace_back();
    WireReader inner(tile);
    while (inner.Next()) {
      if (inner.field() == pb::TileProto::k_dimensions) inner.Append(dims);
    }
    if (!Check(inner, tile)) return false;
  }
  for (const std::string_view split : splits) {
    SplitConfig& config = layout.splits.emplace_back();
    WireReader inner(split);
    while (inner.Next()) {
      if (inner.field() == pb::SplitConfigProto::k_dimension) inner.Get(config.dimension);
      if (inner.field() == pb::SplitConfigProto::k_split_indices) inner.Append(config.indices);
    }
    if (!Check(inner, split)) return false;
  }
  if (index_type != 0) layout.index_type = ElementTypeFromProto(index_type);
  if (pointer_type != 0) layout.pointer_type = ElementTypeFromProto(pointer_type);
  if (physical.data() != nullptr) {
    ShapeId shape;
    if (!ReadShape(physical, shape, depth + 1)) return false;
    layout.physical_shape = shape;
  }
  id = module.shapes.InternLayout(std::move(layout));
  // Text does not show a scalar's empty layout, so it is equivalent to none.
  if (rank == 0 && module.shapes.layout_text(id).empty()) id = LayoutId{};
  return true;
}

}  // namespace halo
