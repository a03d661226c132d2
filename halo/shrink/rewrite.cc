// Rewrites the shapes, attributes and constants of every instruction, and the header.
#include "halo/shrink/rewrite.h"

#include <algorithm>

#include "halo/eval/lanes/lanes.h"
#include "halo/ir/attributes/window.h"

namespace halo {

SizeRewriter::SizeRewriter(Module& module, const DimSpace& space, const DimTable& dims,
                           const DeviceAxes& devices, const Relations& relations,
                           const NewSizes& sizes)
    : module_(module), space_(space), dims_(dims), devices_(devices), sizes_(sizes) {
  for (const ConfigSize& config : relations.config_sizes()) {
    configs_[config.inst.value].push_back(&config);
  }
}

void SizeRewriter::Refuse(InstId id, const std::string& why) {
  if (!refused_) refused_ = std::string(module_.name_of(module_.inst(id))) + ": " + why;
}

std::optional<std::string> SizeRewriter::Run() {
  PrepareDevices();
  // Attributes refer to the operands' old shapes, so shapes come last.
  std::vector<ShapeId> shapes(module_.insts.size());
  for (uint32_t i = 0; i < module_.insts.size() && !refused_; ++i) {
    const InstId id(i);
    shapes[i] = NewShape(module_.insts[i].shape, of(id));
    if (module_.insts[i].opcode == Opcode::kConstant) Constant(id);
    Rewrite(id);
  }
  if (refused_) return refused_;
  for (uint32_t i = 0; i < module_.insts.size(); ++i) module_.insts[i].shape = shapes[i];
  Header();
  return refused_;
}

ShapeId SizeRewriter::NewShape(ShapeId shape, Dims dims) {
  ShapeTable& shapes = module_.shapes;
  if (std::none_of(dims.begin(), dims.end(), [&](DimId dim) { return sizes_.Changes(dim); })) {
    return shape;
  }
  if (shapes.is_tuple(shape)) {
    std::vector<ShapeId> parts(shapes.elements(shape).begin(), shapes.elements(shape).end());
    for (ShapeId& part : parts) {
      const size_t count = dims_.count(part);
      part = NewShape(part, dims.first(count));
      dims = dims.subspan(count);
    }
    return shapes.Tuple(parts);
  }
  if (shapes.is_buffer(shape)) return shapes.Buffer(NewShape(shapes.buffer_inner(shape), dims));
  std::vector<int64_t> sizes;
  std::vector<uint8_t> dynamic;
  for (size_t i = 0; i < dims.size(); ++i) {
    sizes.push_back(sizes_.of(dims[i]));
    if (shapes.has_dynamic(shape)) dynamic.push_back(shapes.is_dynamic(shape, i) ? 1 : 0);
  }
  return shapes.Array(shapes.type(shape), sizes, dynamic, shapes.layout_id(shape));
}

void SizeRewriter::Rewrite(InstId id) {
  const std::span<const Attr> old = module_.attrs_of(module_.inst(id));
  std::vector<Attr> attrs(old.begin(), old.end());
  bool changed = false;
  for (Attr& attr : attrs) {
    const Attr now = NewAttr(id, attr);
    changed = changed || !(now == attr);
    attr = now;
  }
  if (changed) module_.insts[id.index()].attrs = module_.Attrs(attrs);
}

Attr SizeRewriter::NewAttr(InstId id, const Attr& attr) {
  switch (attr.key) {
    case AttrKey::k_slice: return Slices(id, attr);
    case AttrKey::k_dynamic_slice_sizes: {
      std::vector<int64_t> sizes;
      for (const DimId dim : of(id)) sizes.push_back(sizes_.of(dim));
      return module_.MakeInts(attr.key, sizes, attr.form);
    }
    case AttrKey::k_slice_sizes: return GatherSizes(id, attr);
    case AttrKey::k_padding: return Padding(id, attr);
    case AttrKey::k_window: return Windows(id, attr);
    case AttrKey::k_operand_layout_constraints: return Constraints(id, attr);
    case AttrKey::k_outfeed_shape: {
      Attr now = attr;
      now.value = NewShape(ShapeId(attr.value), operand_dims(id, 0)).value;
      return now;
    }
    case AttrKey::k_backend_config: return Config(id, attr);
    case AttrKey::k_replica_groups: return Groups(id, attr);
    case AttrKey::k_source_target_pairs: return Pairs(id, attr);
    case AttrKey::k_sharding: return Sharding(id, attr);
    default: return attr;
  }
}

Attr SizeRewriter::Slices(InstId id, const Attr& attr) {
  const auto old = module_.list(attr.value);
  std::vector<int64_t> slices(old.begin(), old.end());
  const Dims from = operand_dims(id, 0), to = of(id);
  if (slices.size() != 3 * from.size() || from.size() != to.size()) return attr;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!sizes_.Changes(from[i]) && !sizes_.Changes(to[i])) continue;
    const int64_t whole = sizes_.of(from[i]), taken = sizes_.of(to[i]);
    const int64_t stride = std::max<int64_t>(slices[3 * i + 2], 1);
    const int64_t start = slices[3 * i], limit = slices[3 * i + 1];
    int64_t& new_start = slices[3 * i];
    int64_t& new_limit = slices[3 * i + 1];
    if (stride > 1 && taken > 1) {  // the start and the remainder at the end stay
      new_limit = whole - (space_.size(from[i]) - limit);
      continue;
    }
    if (taken > whole) {
      Refuse(id, "takes " + std::to_string(taken) + " elements of " + std::to_string(whole));
      return attr;
    }
    new_start = std::min(sizes_.Position(from[i], start), whole - taken);
    new_limit = new_start + taken;
  }
  return module_.MakeInts(attr.key, slices, attr.form);
}

Attr SizeRewriter::GatherSizes(InstId id, const Attr& attr) {
  const Inst& inst = module_.inst(id);
  if (inst.opcode != Opcode::kGather) return attr;
  const auto old = module_.list(attr.value);
  std::vector<int64_t> sizes(old.begin(), old.end());
  const auto offsets = module_.IntsOf(inst.attrs, AttrKey::k_offset_dims);
  const auto collapsed = module_.IntsOf(inst.attrs, AttrKey::k_collapsed_slice_dims);
  const auto batching = module_.IntsOf(inst.attrs, AttrKey::k_operand_batching_dims);
  size_t next = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    if (std::find(collapsed.begin(), collapsed.end(), n) != collapsed.end() ||
        std::find(batching.begin(), batching.end(), n) != batching.end()) {
      continue;
    }
    if (next < offsets.size()) sizes[i] = sizes_.of(of(id)[static_cast<size_t>(offsets[next])]);
    ++next;
  }
  return module_.MakeInts(attr.key, sizes, attr.form);
}

Attr SizeRewriter::Padding(InstId id, const Attr& attr) {
  const auto old = module_.list(attr.value);
  std::vector<int64_t> padding(old.begin(), old.end());
  const Dims from = operand_dims(id, 0), to = of(id);
  if (padding.size() != 3 * from.size() || from.size() != to.size()) return attr;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!sizes_.Changes(from[i]) && !sizes_.Changes(to[i])) continue;
    int64_t& low = padding[3 * i];
    int64_t& high = padding[3 * i + 1];
    const int64_t inside = sizes_.of(from[i]), whole = sizes_.of(to[i]);
    if (low < 0) {
      low = -sizes_.Position(from[i], -low);
    } else if (high >= 0) {
      low =
          std::clamp<int64_t>(sizes_.Position(to[i], low), 0, std::max<int64_t>(whole - inside, 0));
    }
    high = whole - inside - low;
  }
  return module_.MakeInts(attr.key, padding, attr.form);
}

Attr SizeRewriter::Windows(InstId id, const Attr& attr) {
  const Opcode opcode = module_.inst(id).opcode;
  if (opcode != Opcode::kReduceWindow) return attr;
  Window window = DecodeWindow(module_.list(attr.value));
  const Dims from = operand_dims(id, 0);
  if (window.dims.size() != from.size()) return attr;
  for (size_t i = 0; i < from.size(); ++i) {
    WindowDim& dim = window.dims[i];
    if (!sizes_.Changes(from[i]) || dim.size == 1) continue;
    dim.size = sizes_.of(from[i]);
    (dim.pad_low != 0 ? dim.pad_low : dim.pad_high) = dim.size - 1;
  }
  return module_.MakeInts(attr.key, EncodeWindow(window), attr.form);
}

Attr SizeRewriter::Constraints(InstId id, const Attr& attr) {
  const auto old = module_.list(attr.value);
  std::vector<int64_t> shapes(old.begin(), old.end());
  const size_t count = std::min<size_t>(shapes.size(), module_.inst(id).operand_count);
  for (size_t i = 0; i < count; ++i) {
    const ShapeId shape(static_cast<uint32_t>(shapes[i]));
    if (dims_.count(shape) != operand_dims(id, i).size()) continue;
    shapes[i] = NewShape(shape, operand_dims(id, i)).value;
  }
  return module_.MakeInts(attr.key, shapes, attr.form);
}

// Replaces numbers in place, so that the rest of the text stays unchanged.
Attr SizeRewriter::Config(InstId id, const Attr& attr) {
  const auto found = configs_.find(id.value);
  if (found == configs_.end()) return attr;
  std::string text(module_.text(StrId(attr.value)));
  for (const ConfigSize* config : found->second) {
    int64_t old_size = 1;
    for (const DimId factor : config->factors) old_size *= space_.size(factor);
    const std::string digits = std::to_string(old_size);
    size_t at = 0;
    while ((at = text.find(config->key, at)) != std::string::npos) {
      const bool begins =
          at == 0 || (!isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_');
      at += config->key.size();
      size_t number = at;
      while (number < text.size() &&
             std::string_view("\"\\ :=").find(text[number]) != std::string_view::npos) {
        ++number;
      }
      size_t end = number;
      while (end < text.size() && isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      if (!begins || number == at || text.compare(number, end - number, digits) != 0) continue;
      text.replace(number, end - number, std::to_string(sizes_.Product(config->factors)));
    }
  }
  return module_.MakeText(attr.key, text, attr.form);
}

void SizeRewriter::Constant(InstId id) {
  Inst& inst = module_.insts[id.index()];
  const LiteralId literal(inst.extra);
  const Dims dims = of(id);
  const bool is_sliced =
      std::any_of(dims.begin(), dims.end(), [&](DimId dim) { return sizes_.Changes(dim); });
  const auto values = new_values.find(id.value);
  if (!is_sliced && values == new_values.end()) return;
  const ShapeId shape = module_.literals.shape(literal);
  const ShapeId new_shape = NewShape(shape, dims);
  if (module_.literals.is_elided(literal) && values == new_values.end()) {
    inst.extra = module_.literals.AddElided(new_shape).value;
    return;
  }
  const auto old = module_.literals.bits(literal);
  std::vector<uint8_t> bits(old.begin(), old.end());
  if (values != new_values.end()) {
    const ElementType type = module_.shapes.type(shape);
    const size_t width = std::max(InfoOf(type).bits, 8) / 8;
    bits.resize(values->second.size() * width);
    for (size_t i = 0; i < values->second.size(); ++i) {
      StoreInt(type, values->second[i], bits.data() + i * width);
    }
  }
  if (is_sliced) bits = SliceLiteral(shape, dims, bits);
  inst.extra = module_.literals.Add(new_shape, bits).value;
}

// For each leaf and each new element, copies the element at its old position.
std::vector<uint8_t> SizeRewriter::SliceLiteral(ShapeId shape, Dims dims,
                                                std::span<const uint8_t> bits) {
  const ShapeTable& shapes = module_.shapes;
  std::vector<uint8_t> out;
  std::vector<ShapeId> stack = {shape};
  while (!stack.empty()) {
    const ShapeId leaf = stack.back();
    stack.pop_back();
    if (shapes.is_tuple(leaf)) {
      const auto parts = shapes.elements(leaf);
      stack.insert(stack.end(), parts.rbegin(), parts.rend());
      continue;
    }
    if (!shapes.is_array(leaf)) continue;
    const size_t width = static_cast<size_t>(std::max(InfoOf(shapes.type(leaf)).bits, 8)) / 8;
    const Dims mine = dims.first(dims_.count(leaf));
    dims = dims.subspan(mine.size());
    std::vector<std::vector<int64_t>> sources(mine.size());  // old index of each new one
    int64_t total = 1, old_total = 1;
    for (size_t i = 0; i < mine.size(); ++i) {
      total *= sizes_.of(mine[i]);
      old_total *= space_.size(mine[i]);
      for (int64_t k = 0; k < sizes_.of(mine[i]); ++k) {
        sources[i].push_back(sizes_.OldElement(mine[i], k));
      }
    }
    std::vector<size_t> index(mine.size(), 0);
    for (int64_t n = 0; n < total; ++n) {
      int64_t at = 0;
      for (size_t i = 0; i < mine.size(); ++i) {
        at = at * space_.size(mine[i]) + sources[i][index[i]];
      }
      const size_t offset = static_cast<size_t>(at) * width;
      if (offset + width <= bits.size()) {
        out.insert(out.end(), bits.begin() + static_cast<std::ptrdiff_t>(offset),
                   bits.begin() + static_cast<std::ptrdiff_t>(offset + width));
      }
      for (size_t i = mine.size(); i-- > 0;) {
        if (++index[i] < sources[i].size()) break;
        index[i] = 0;
      }
    }
    bits = bits.subspan(std::min(bits.size(), static_cast<size_t>(old_total) * width));
  }
  return out;
}

void SizeRewriter::Header() {
  std::vector<Attr> attrs(module_.attrs_of(module_.attrs).begin(),
                          module_.attrs_of(module_.attrs).end());
  bool has_count = false;
  for (Attr& attr : attrs) {
    if (attr.key == AttrKey::k_entry_computation_layout && module_.entry.valid()) {
      const auto old = module_.list(attr.value);
      std::vector<int64_t> shapes(old.begin(), old.end());
      const Computation& entry = module_.comp(module_.entry);
      const auto fill = [&](size_t at, InstId from) {
        if (at >= shapes.size()) return;
        const ShapeId shape(static_cast<uint32_t>(shapes[at]));
        if (dims_.count(shape) == of(from).size()) shapes[at] = NewShape(shape, of(from)).value;
      };
      fill(0, entry.root);
      for (uint32_t i = 0; i < entry.count; ++i) {
        const InstId id(entry.first + i);
        if (module_.inst(id).opcode == Opcode::kParameter) fill(1 + module_.inst(id).extra, id);
      }
      attr = module_.MakeInts(attr.key, shapes, attr.form);
    }
    const bool counts =
        attr.key == AttrKey::k_num_partitions || attr.key == AttrKey::k_replica_count;
    has_count = has_count || (counts && module_.IntValue(attr) > 1);
    if (fewer_devices_ && counts && module_.IntValue(attr) == devices_.count()) {
      attr = module_.MakeInt(attr.key, sizes_.of(devices_.node()));
    }
  }
  if ((fewer_devices_ || state_devices) && !has_count && sizes_.of(devices_.node()) > 1) {
    attrs.push_back(module_.MakeInt(AttrKey::k_num_partitions, sizes_.of(devices_.node())));
  }
  module_.attrs = module_.Attrs(attrs);
}

}  // namespace halo
