// Interns, prints and sizes shapes. The readers limit how deeply shapes nest, so these functions
// may recurse.
#include "halo/ir/types/shape.h"

#include <algorithm>
#include <array>

namespace halo {
namespace {

std::optional<int64_t> Multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

void AppendInts(std::span<const int64_t> values, TextBuffer& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out << ',';
    out << values[i];
  }
}

}  // namespace

ShapeId ShapeTable::Intern(uint32_t head, uint32_t body, uint32_t layout) {
  const std::array<uint32_t, 3> record = {head, body, layout};
  return ShapeId(records_.Intern(record));
}

ShapeId ShapeTable::Array(ElementType type, std::span<const int64_t> dims,
                          std::span<const uint8_t> dynamic, LayoutId layout) {
  auto head = static_cast<uint32_t>(type);
  if (std::any_of(dynamic.begin(), dynamic.end(), [](uint8_t d) { return d != 0; })) {
    std::vector<int64_t> both(dims.begin(), dims.end());
    both.insert(both.end(), dynamic.begin(), dynamic.end());
    head |= kDynamicBit;
    return Intern(head, dims_.Intern(both), layout.value);
  }
  return Intern(head, dims_.Intern(dims), layout.value);
}

ShapeId ShapeTable::Tuple(std::span<const ShapeId> elements) {
  auto head = static_cast<uint32_t>(ElementType::kTuple);
  for (const ShapeId element : elements) head |= records_[element.value][0] & kUnknownBit;
  return Intern(head, elements_.Intern(elements), LayoutId::kNoneValue);
}

ShapeId ShapeTable::Buffer(ShapeId inner) {
  const uint32_t unknown = records_[inner.value][0] & kUnknownBit;
  return Intern(static_cast<uint32_t>(ElementType::kBuffer) | unknown, inner.value,
                LayoutId::kNoneValue);
}

ShapeId ShapeTable::Unknown(std::string_view text, LayoutId layout) {
  return Intern(static_cast<uint32_t>(ElementType::kOpaque) | kUnknownBit,
                unknown_texts_.Intern({text.data(), text.size()}), layout.value);
}

LayoutId ShapeTable::InternLayout(Layout layout) {
  const std::string text = PrintLayout(layout);
  const uint32_t id = layout_texts_.Intern(text);
  if (id == layouts_.size()) layouts_.push_back(std::move(layout));
  return LayoutId(id);
}

std::span<const int64_t> ShapeTable::dims(ShapeId id) const {
  if (!is_array(id)) return {};
  const std::span<const int64_t> all = dims_[records_[id.value][1]];
  return has_dynamic(id) ? all.first(all.size() / 2) : all;
}

bool ShapeTable::is_dynamic(ShapeId id, size_t dimension) const {
  if (!has_dynamic(id)) return false;
  const std::span<const int64_t> all = dims_[records_[id.value][1]];
  return all[all.size() / 2 + dimension] != 0;
}

LayoutId ShapeTable::layout_id(ShapeId id) const { return LayoutId(records_[id.value][2]); }

const Layout* ShapeTable::layout(ShapeId id) const {
  const LayoutId layout = layout_id(id);
  return layout.valid() ? &layouts_[layout.index()] : nullptr;
}

std::span<const ShapeId> ShapeTable::elements(ShapeId id) const {
  if (!is_tuple(id)) return {};
  return elements_[records_[id.value][1]];
}

std::string_view ShapeTable::layout_text(LayoutId id) const {
  const std::span<const char> text = layout_texts_[id.value];
  const std::string_view whole(text.data(), text.size());
  return layouts_[id.index()].is_verbatim ? whole.substr(0, whole.find('\0')) : whole;
}

std::optional<int64_t> ShapeTable::ElementCount(ShapeId id) const {
  int64_t count = 1;
  for (const int64_t dim : dims(id)) {
    if (dim < 0) return std::nullopt;
    const auto product = Multiply(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<int64_t> ShapeTable::ByteSize(ShapeId id) const {
  if (is_tuple(id)) {
    int64_t total = 0;
    for (const ShapeId element : elements(id)) {
      const auto size = ByteSize(element);
      if (!size || __builtin_add_overflow(total, *size, &total)) return std::nullopt;
    }
    return total;
  }
  if (is_buffer(id)) return ByteSize(buffer_inner(id));
  if (is_unknown_array(id)) return std::nullopt;
  if (!is_array(id)) return 0;
  const Layout* layout_info = layout(id);
  int64_t bits = InfoOf(type(id)).bits;
  if (layout_info != nullptr && layout_info->element_bits != 0) bits = layout_info->element_bits;
  auto count = ElementCount(id);
  if (!count) return std::nullopt;
  const bool permuted =
      layout_info != nullptr && layout_info->minor_to_major.size() == dims(id).size();
  if (layout_info != nullptr && !layout_info->tiles.empty() && permuted) {
    // The first tile pads the minor dimensions; later tiles only reorder elements within it.
    const std::vector<int64_t>& tile = layout_info->tiles.front();
    std::vector<int64_t> physical;
    for (auto it = layout_info->minor_to_major.rbegin(); it != layout_info->minor_to_major.rend();
         ++it) {
      if (*it < 0 || static_cast<size_t>(*it) >= dims(id).size()) return std::nullopt;
      physical.push_back(dims(id)[static_cast<size_t>(*it)]);
    }
    if (physical.size() < tile.size()) {
      physical.insert(physical.begin(), tile.size() - physical.size(), 1);
    }
    int64_t padded = 1;
    for (size_t i = 0; i < physical.size(); ++i) {
      int64_t dim = physical[i];
      if (i + tile.size() >= physical.size()) {
        const int64_t unit = tile[i + tile.size() - physical.size()];
        if (unit > 0) {
          const auto rounded = Multiply(CeilDiv(dim, unit), unit);
          if (!rounded) return std::nullopt;
          dim = *rounded;
        }
      }
      const auto product = Multiply(padded, dim);
      if (!product) return std::nullopt;
      padded = *product;
    }
    count = padded;
  }
  const auto total_bits = Multiply(*count, bits);
  if (!total_bits) return std::nullopt;
  return CeilDiv(*total_bits, 8);
}

ShapeId ShapeTable::WithLayout(ShapeId id, LayoutId layout) {
  const std::span<const uint32_t> record = records_[id.value];
  return Intern(record[0], record[1], layout.value);
}

template <class Change>
ShapeId ShapeTable::Rebuild(ShapeId id, const Change& change) {
  if (is_tuple(id)) {
    std::vector<ShapeId> parts(elements(id).begin(), elements(id).end());
    for (ShapeId& part : parts) part = Rebuild(part, change);
    return Tuple(parts);
  }
  if (is_buffer(id)) return Buffer(Rebuild(buffer_inner(id), change));
  return is_array(id) || is_unknown_array(id) ? change(id) : id;
}

ShapeId ShapeTable::WithDefaultLayouts(ShapeId id) {
  return Rebuild(id, [this](ShapeId array) {
    if (layout_id(array).valid() || !is_array(array)) return array;
    Layout row_major;
    for (size_t i = dims(array).size(); i-- > 0;) {
      row_major.minor_to_major.push_back(static_cast<int64_t>(i));
    }
    return WithLayout(array, InternLayout(std::move(row_major)));
  });
}

ShapeId ShapeTable::WithoutLayouts(ShapeId id) {
  return Rebuild(id, [this](ShapeId array) { return WithLayout(array, LayoutId{}); });
}

std::string ShapeTable::PrintLayout(const Layout& layout) const {
  if (layout.is_verbatim) {
    return layout.unknown + '\0' + std::to_string(layout.minor_to_major.size());
  }
  TextBuffer out;
  AppendInts(layout.minor_to_major, out);
  const size_t before = out.size();
  out << ':';
  if (!layout.dim_levels.empty()) out << 'D' << layout.dim_levels;
  if (!layout.tiles.empty()) {
    out << 'T';
    for (const auto& tile : layout.tiles) {
      out << '(';
      for (size_t i = 0; i < tile.size(); ++i) {
        if (i != 0) out << ',';
        if (tile[i] == kCombineDimension) {
          out << '*';
        } else {
          out << tile[i];
        }
      }
      out << ')';
    }
  }
  if (layout.tail_padding_alignment != 1) out << "L(" << layout.tail_padding_alignment << ')';
  if (layout.index_type) out << "#(" << TextOf(*layout.index_type) << ')';
  if (layout.pointer_type) out << "*(" << TextOf(*layout.pointer_type) << ')';
  if (layout.element_bits != 0) out << "E(" << layout.element_bits << ')';
  if (layout.memory_space != 0) out << "S(" << layout.memory_space << ')';
  if (!layout.splits.empty()) {
    out << "SC";
    for (const SplitConfig& split : layout.splits) {
      out << '(' << split.dimension << ':';
      AppendInts(split.indices, out);
      out << ')';
    }
  }
  if (layout.physical_shape) {
    out << "P(";
    Print(*layout.physical_shape, true, out);
    out << ')';
  }
  if (layout.dynamic_metadata_bytes != 0) out << "M(" << layout.dynamic_metadata_bytes << ')';
  out << layout.unknown;
  if (out.size() == before + 1) out.Truncate(before);
  return out.str();
}

void ShapeTable::Print(ShapeId id, bool with_layout, TextBuffer& out) const {
  if (is_tuple(id)) {
    out << '(';
    const std::span<const ShapeId> parts = elements(id);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i != 0) {
        out << ", ";
        if (i % 5 == 0) out << "/*index=" << i << "*/";
      }
      Print(parts[i], with_layout, out);
    }
    out << ')';
    return;
  }
  if (is_buffer(id)) {
    out << "b(";
    Print(buffer_inner(id), with_layout, out);
    out << ')';
    return;
  }
  const LayoutId layout = layout_id(id);
  if (is_unknown_array(id)) {
    const std::span<const char> text = unknown_texts_[records_[id.value][1]];
    out << std::string_view(text.data(), text.size());
    if (with_layout && layout.valid()) out << '{' << layout_text(layout) << '}';
    return;
  }
  out << TextOf(type(id)) << '[';
  const std::span<const int64_t> extents = dims(id);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (i != 0) out << ',';
    if (extents[i] == kUnboundedDimension) {
      out << '?';
    } else {
      if (is_dynamic(id, i)) out << "<=";
      out << extents[i];
    }
  }
  out << ']';
  if (!with_layout || !layout.valid()) return;
  const std::string_view text = layout_text(layout);
  if (extents.empty() && text.empty()) return;
  out << '{' << text << '}';
}

std::string ShapeTable::Text(ShapeId id, bool with_layout) const {
  TextBuffer out;
  Print(id, with_layout, out);
  return out.str();
}

LayoutId ShapeTable::ImportLayout(const ShapeTable& from, LayoutId id) {
  if (!id.valid()) return id;
  const std::span<const char> text = from.layout_texts_[id.value];
  const uint32_t known = layout_texts_.Find(text);
  if (known != SpanPool<char>::kEmpty) return LayoutId(known);
  Layout layout = from.layouts_[id.index()];
  if (layout.physical_shape) layout.physical_shape = Import(from, *layout.physical_shape);
  return InternLayout(std::move(layout));
}

uint32_t ShapeTable::ImportBody(const ShapeTable& from, ShapeId id) {
  const uint32_t body = from.records_[id.value][1];
  return from.is_unknown_array(id) ? unknown_texts_.Intern(from.unknown_texts_[body])
                                   : dims_.Intern(from.dims_[body]);
}

ShapeId ShapeTable::Import(const ShapeTable& from, ShapeId id) {
  if (from.is_tuple(id)) {
    std::vector<ShapeId> parts;
    parts.reserve(from.elements(id).size());
    for (const ShapeId part : from.elements(id)) parts.push_back(Import(from, part));
    return Tuple(parts);
  }
  if (from.is_buffer(id)) return Buffer(Import(from, from.buffer_inner(id)));
  const std::span<const uint32_t> record = from.records_[id.value];
  return Intern(record[0], ImportBody(from, id), ImportLayout(from, LayoutId(record[2])).value);
}

std::vector<ShapeId> ShapeTable::ImportAll(const ShapeTable& from) {
  std::vector<LayoutId> layouts;
  for (size_t i = 0; i < from.layouts_.size(); ++i)
    layouts.push_back(ImportLayout(from, LayoutId(i)));
  std::vector<ShapeId> imported;
  imported.reserve(from.size());
  std::vector<ShapeId> parts;
  // The parts of a shape always have smaller ids than the shape itself.
  for (uint32_t i = 0; i < from.size(); ++i) {
    const ShapeId id(i);
    if (from.is_tuple(id)) {
      parts.clear();
      for (const ShapeId part : from.elements(id)) parts.push_back(imported[part.index()]);
      imported.push_back(Tuple(parts));
    } else if (from.is_buffer(id)) {
      imported.push_back(Buffer(imported[from.buffer_inner(id).index()]));
    } else {
      const std::span<const uint32_t> record = from.records_[i];
      const LayoutId layout(record[2]);
      imported.push_back(Intern(record[0], ImportBody(from, id),
                                layout.valid() ? layouts[layout.index()].value : record[2]));
    }
  }
  return imported;
}

void ShapeTable::Clear() {
  records_.Clear();
  dims_.Clear();
  elements_.Clear();
  layout_texts_.Clear();
  unknown_texts_.Clear();
  layouts_.clear();
}

void ShapeTable::Shrink() {
  records_.Shrink();
  dims_.Shrink();
  elements_.Shrink();
  layout_texts_.Shrink();
  unknown_texts_.Shrink();
  layouts_.shrink_to_fit();
}

size_t ShapeTable::bytes() const {
  return records_.bytes() + dims_.bytes() + elements_.bytes() + layout_texts_.bytes() +
         unknown_texts_.bytes() + layouts_.capacity() * sizeof(Layout);
}

}  // namespace halo
