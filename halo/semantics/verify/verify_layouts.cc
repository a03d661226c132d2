// Layouts: minor_to_major lists each dimension once, and tiles and splits are valid. A shape is
// checked once, at the first instruction that has it.
#include <vector>

#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

std::string FaultyOrder(const Layout& layout, size_t rank) {
  if (layout.minor_to_major.size() != rank) {
    return Cat("lists ", layout.minor_to_major.size(), " of ", rank, " dimensions");
  }
  std::vector<bool> seen(rank);
  for (const int64_t dim : layout.minor_to_major) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank)) return Cat("lists dimension ", dim);
    if (seen[static_cast<size_t>(dim)]) return Cat("lists dimension ", dim, " twice");
    seen[static_cast<size_t>(dim)] = true;
  }
  return {};
}

std::string FaultyTile(const Layout& layout) {
  for (const auto& tile : layout.tiles) {
    if (tile.empty()) return "has an empty tile";
    for (const int64_t size : tile) {
      if (size <= 0 && size != kCombineDimension) return Cat("has a tile of ", size);
    }
  }
  if (layout.tail_padding_alignment <= 0) {
    return Cat("pads to multiples of ", layout.tail_padding_alignment);
  }
  return {};
}

std::string FaultySplit(const Layout& layout, std::span<const int64_t> dims) {
  for (const SplitConfig& split : layout.splits) {
    if (split.dimension < 0 || split.dimension >= static_cast<int64_t>(dims.size())) {
      return Cat("splits dimension ", split.dimension);
    }
    int64_t last = 0;
    for (const int64_t index : split.indices) {
      if (index <= last) return Cat("splits at ", index, " after ", last);
      last = index;
    }
  }
  return {};
}

class LayoutVerifier {
 public:
  explicit LayoutVerifier(ModuleContext& context)
      : context_(context), checked_(context.shapes().size()) {}

  void Verify(InstId inst, ShapeId shape) {
    if (shape.index() >= checked_.size() || checked_[shape.index()]) return;
    checked_[shape.index()] = true;
    const ShapeTable& shapes = context_.shapes();
    if (shapes.is_tuple(shape)) {
      for (const ShapeId each : shapes.elements(shape)) Verify(inst, each);
      return;
    }
    if (shapes.is_buffer(shape)) {
      Verify(inst, shapes.buffer_inner(shape));
      return;
    }
    if (shapes.is_array(shape)) VerifyArray(inst, shape);
  }

 private:
  void VerifyArray(InstId inst, ShapeId shape) {
    const ShapeTable& shapes = context_.shapes();
    for (const int64_t dim : shapes.dims(shape)) {
      if (dim != kUnboundedDimension) continue;
      context_.Report(Rule::kUnboundedDimension, inst, shapes.Text(shape, false),
                      " has a dimension without a bound");
      break;
    }
    const Layout* layout = shapes.layout(shape);
    if (layout == nullptr) return;
    if (const std::string fault = FaultyOrder(*layout, shapes.dims(shape).size()); !fault.empty()) {
      context_.Report(Rule::kLayoutOrder, inst, "the layout of ", shapes.Text(shape), " ", fault);
      return;
    }
    if (layout->index_type || layout->pointer_type || layout->physical_shape) {
      context_.Report(Rule::kLayoutSparse, inst, "the layout of ", shapes.Text(shape),
                      " is that of a sparse array");
    }
    if (const std::string fault = FaultyTile(*layout); !fault.empty()) {
      context_.Report(Rule::kLayoutTiles, inst, "the layout of ", shapes.Text(shape), " ", fault);
    }
    if (const std::string fault = FaultySplit(*layout, shapes.dims(shape)); !fault.empty()) {
      context_.Report(Rule::kLayoutSplits, inst, "the layout of ", shapes.Text(shape), " ", fault);
    }
  }

  ModuleContext& context_;
  std::vector<bool> checked_;
};

}  // namespace

void VerifyLayouts(ModuleContext& context) {
  LayoutVerifier layouts(context);
  context.ForEachInst([&](InstId id, const Inst& inst) { layouts.Verify(id, inst.shape); });
}

void VerifyEntryLayout(ModuleContext& context) {
  const Module& module = context.module();
  const Attr* attr = module.Find(module.attrs, AttrKey::k_entry_computation_layout);
  if (attr == nullptr || !context.facts().usable(module.entry)) return;
  const auto layout = module.list(attr->value);
  const auto& parameters = context.facts().comp(module.entry).parameters;
  if (layout.empty() || layout.size() - 1 != parameters.size()) {
    context.ReportHeader(Rule::kEntryLayoutCount, "entry_computation_layout has ",
                         layout.empty() ? 0 : layout.size() - 1,
                         " parameters, the entry computation ", parameters.size());
    return;
  }
  const auto compare = [&](ShapeId declared, InstId inst, std::string_view what) {
    if (SameShape(module.shapes, declared, module.inst(inst).shape)) return;
    context.Report(Rule::kEntryLayoutShape, inst, "entry_computation_layout gives the ", what, " ",
                   module.shapes.Text(declared, false), ", here it is ",
                   module.shapes.Text(module.inst(inst).shape, false));
  };
  compare(ShapeId(static_cast<uint32_t>(layout[0])), module.comp(module.entry).root, "result");
  for (size_t i = 0; i < parameters.size(); ++i) {
    compare(ShapeId(static_cast<uint32_t>(layout[i + 1])), parameters[i], "parameter");
  }
}

}  // namespace halo
