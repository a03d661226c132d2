// Reduces layouts to those of this machine's memory: an order of dimensions and nothing else.
// Arrays without a layout are row-major. So are all arrays of a module that no compiler has laid
// out yet: there a printed layout is only a preference of the module's author, and may differ
// between the two sides of a tuple or a loop. A bitcast reads elements in the order of its
// operand's dimensions, tiled or not (halo/eval/ops/structure.cc), so it keeps its meaning.
#include <algorithm>
#include <vector>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/host/layouts_agree.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

class Stripper {
 public:
  Stripper(ShapeTable& shapes, bool keeps_order) : shapes_(shapes), keeps_order_(keeps_order) {}

  ShapeId Host(ShapeId id) {
    if (id.index() >= known_.size()) known_.resize(id.index() + 1);
    if (known_[id.index()].valid()) return known_[id.index()];
    const ShapeId host = Make(id);
    if (id.index() >= known_.size()) known_.resize(id.index() + 1);
    return known_[id.index()] = host;
  }

 private:
  ShapeId Make(ShapeId id) {
    if (shapes_.is_tuple(id)) {
      const std::span<const ShapeId> stored = shapes_.elements(id);
      std::vector<ShapeId> elements(stored.begin(), stored.end());
      for (ShapeId& each : elements) each = Host(each);
      return shapes_.Tuple(elements);
    }
    if (shapes_.is_buffer(id)) return shapes_.Buffer(Host(shapes_.buffer_inner(id)));
    if (!shapes_.is_array(id)) return id;
    std::vector<int64_t> order = MinorToMajor(shapes_, id);
    if (!keeps_order_) {
      for (size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<int64_t>(order.size() - 1 - i);
      }
    }
    return DenseShape(shapes_, shapes_.type(id), shapes_.dims(id), order);
  }

  ShapeTable& shapes_;
  bool keeps_order_;
  std::vector<ShapeId> known_;
};

// Only a compiler that has laid out a module fuses, bitcasts and schedules.
bool IsLaidOut(const Module& module) {
  if (!LayoutsAgree(module)) return false;
  return module.is_scheduled() || std::ranges::any_of(module.insts, [](const Inst& inst) {
           return inst.opcode == Opcode::kFusion || inst.opcode == Opcode::kBitcast;
         });
}

// Shapes in attributes: the program's interface, and the requirements of custom calls.
AttrListId HostAttrs(Module& module, Stripper& stripper, AttrListId list) {
  const std::span<const Attr> stored = module.attrs_of(list);
  std::vector<Attr> attrs(stored.begin(), stored.end());
  bool changed = false;
  for (Attr& attr : attrs) {
    const AttrKind kind = InfoOf(attr.key).kind;
    if (kind == AttrKind::kShape) {
      attr.value = stripper.Host(ShapeId(attr.value)).value;
      changed = true;
    }
    if (kind != AttrKind::kShapes && kind != AttrKind::kProgramLayout) continue;
    std::vector<int64_t> shapes;
    for (const int64_t each : module.list(attr.value)) {
      shapes.push_back(stripper.Host(ShapeId(static_cast<uint32_t>(each))).value);
    }
    attr.value = module.Ints(shapes).value;
    changed = true;
  }
  return changed ? module.Attrs(attrs) : list;
}

}  // namespace

bool HostLayouts(Module& module, PassLog& /*log*/) {
  Stripper stripper(module.shapes, IsLaidOut(module));
  bool changed = false;
  for (Inst& inst : module.insts) {
    const ShapeId shape = stripper.Host(inst.shape);
    const AttrListId attrs = HostAttrs(module, stripper, inst.attrs);
    changed = changed || shape != inst.shape || attrs != inst.attrs;
    inst.shape = shape;
    inst.attrs = attrs;
  }
  module.attrs = HostAttrs(module, stripper, module.attrs);
  return changed;
}

}  // namespace halo
