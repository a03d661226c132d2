// Shapes and layouts, interned: equal shapes have the same ShapeId. A shape is an array (element
// type, dimensions, optional layout), a tuple of shapes, a buffer of a shape, or a bare type
// (token, opaque). Sizes in bytes account for the layout's tiles, if any. An array whose element
// type or dimensions this version does not know is opaque to every analysis and keeps its text.
#ifndef HALO_IR_TYPES_SHAPE_H_
#define HALO_IR_TYPES_SHAPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/containers/span_pool.h"
#include "halo/base/ids.h"
#include "halo/base/strings/text_buffer.h"
#include "halo/ir/types/element_type.h"

namespace halo {

using ShapeId = Id<struct ShapeTag>;
using LayoutId = Id<struct LayoutTag>;

inline constexpr int64_t kUnboundedDimension = INT64_MIN;
inline constexpr int64_t kCombineDimension = INT64_MIN;  // '*' in a tile

struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> indices;
};

struct Layout {
  std::vector<int64_t> minor_to_major;
  std::string dim_levels;  // original text of D(...), without the D; empty if absent
  std::vector<std::vector<int64_t>> tiles;
  int64_t tail_padding_alignment = 1;
  std::optional<ElementType> index_type;
  std::optional<ElementType> pointer_type;
  int64_t element_bits = 0;
  int64_t memory_space = 0;
  std::vector<SplitConfig> splits;
  std::optional<ShapeId> physical_shape;
  int64_t dynamic_metadata_bytes = 0;
  std::string unknown;  // original text of parts that this version does not know
  // `unknown` is the text of the whole layout. minor_to_major is then row-major, an assumption.
  bool is_verbatim = false;
};

class ShapeTable {
 public:
  ShapeId Array(ElementType type, std::span<const int64_t> dims,
                std::span<const uint8_t> dynamic = {}, LayoutId layout = {});
  ShapeId Tuple(std::span<const ShapeId> elements);
  ShapeId Buffer(ShapeId inner);
  // An array that this version does not understand: its text up to the layout.
  ShapeId Unknown(std::string_view text, LayoutId layout = {});
  LayoutId InternLayout(Layout layout);

  [[nodiscard]] size_t size() const { return records_.size(); }
  [[nodiscard]] ElementType type(ShapeId id) const {
    return static_cast<ElementType>(records_[id.value][0] & 0xFF);
  }
  [[nodiscard]] bool is_tuple(ShapeId id) const { return type(id) == ElementType::kTuple; }
  [[nodiscard]] bool is_array(ShapeId id) const { return IsArrayType(type(id)); }
  [[nodiscard]] bool is_buffer(ShapeId id) const { return type(id) == ElementType::kBuffer; }
  // True if the shape is such an array, or has one in it.
  [[nodiscard]] bool has_unknown(ShapeId id) const {
    return (records_[id.value][0] & kUnknownBit) != 0;
  }
  [[nodiscard]] std::span<const int64_t> dims(ShapeId id) const;
  [[nodiscard]] bool is_dynamic(ShapeId id, size_t dimension) const;
  [[nodiscard]] bool has_dynamic(ShapeId id) const {
    return (records_[id.value][0] & kDynamicBit) != 0;
  }
  [[nodiscard]] LayoutId layout_id(ShapeId id) const;
  [[nodiscard]] const Layout* layout(ShapeId id) const;
  [[nodiscard]] std::span<const ShapeId> elements(ShapeId id) const;
  [[nodiscard]] ShapeId buffer_inner(ShapeId id) const { return ShapeId(records_[id.value][1]); }
  [[nodiscard]] std::string_view layout_text(LayoutId id) const;

  // Number of elements; nullopt if unbounded or beyond int64.
  [[nodiscard]] std::optional<int64_t> ElementCount(ShapeId id) const;
  // Bytes of all leaves, including tiles and padding; nullopt if unknown or beyond int64.
  [[nodiscard]] std::optional<int64_t> ByteSize(ShapeId id) const;

  // The same shape with another layout (none: removes it).
  ShapeId WithLayout(ShapeId id, LayoutId layout);
  // Gives every array in the shape that lacks a layout the row-major one.
  ShapeId WithDefaultLayouts(ShapeId id);
  ShapeId WithoutLayouts(ShapeId id);

  // Text as XLA prints it. Tuples carry /*index=5*/ comments.
  void Print(ShapeId id, bool with_layout, TextBuffer& out) const;
  [[nodiscard]] std::string Text(ShapeId id, bool with_layout = true) const;

  // Interns a shape from another table.
  ShapeId Import(const ShapeTable& from, ShapeId id);
  // Interns all shapes of another table, in its order; returns the new id of each.
  std::vector<ShapeId> ImportAll(const ShapeTable& from);

  void Clear();
  void Shrink();
  [[nodiscard]] size_t bytes() const;

 private:
  static constexpr uint32_t kDynamicBit = 0x100, kUnknownBit = 0x200;

  [[nodiscard]] bool is_unknown_array(ShapeId id) const {
    return type(id) == ElementType::kOpaque && has_unknown(id);
  }
  ShapeId Intern(uint32_t head, uint32_t body, uint32_t layout);
  uint32_t ImportBody(const ShapeTable& from, ShapeId id);
  LayoutId ImportLayout(const ShapeTable& from, LayoutId id);
  std::string PrintLayout(const Layout& layout) const;
  template <class Change>
  ShapeId Rebuild(ShapeId id, const Change& change);

  // [type | bits, dims or elements or inner or text, layout]
  SpanPool<uint32_t> records_;
  SpanPool<int64_t> dims_;  // dimensions, then one 0/1 each if any is dynamic
  SpanPool<ShapeId> elements_;
  // A verbatim layout is interned as its text, a zero byte and its rank: equal texts of different
  // ranks may denote distinct orders.
  SpanPool<char> layout_texts_;
  SpanPool<char> unknown_texts_;
  std::vector<Layout> layouts_;
};

}  // namespace halo

#endif  // HALO_IR_TYPES_SHAPE_H_
