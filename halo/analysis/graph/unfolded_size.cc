// One sum for each computation, callees first.
#include "halo/analysis/graph/unfolded_size.h"

#include <algorithm>
#include <vector>

#include "halo/base/capped.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// Arrays of each tuple shape; other shapes have none. Elements are interned before their tuples.
std::vector<int64_t> ArraysOfTuples(const ShapeTable& shapes) {
  std::vector<int64_t> arrays(shapes.size(), 0);
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    if (!shapes.is_tuple(ShapeId(i))) continue;
    for (const ShapeId part : shapes.elements(ShapeId(i))) {
      arrays[i] = AddCapped(arrays[i], shapes.is_tuple(part) ? arrays[part.index()] : 1);
    }
  }
  return arrays;
}

struct Sizes {
  int64_t instructions = 0, arrays = 0;
  void Add(const Sizes& other) {
    instructions = AddCapped(instructions, other.instructions);
    arrays = AddCapped(arrays, other.arrays);
  }
};

}  // namespace

bool OwnsItsComputations(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kCall:
    case OpFlow::kConditional:
    case OpFlow::kWhile:
    case OpFlow::kFusion: return true;
    default: return false;
  }
}

int64_t UnfoldedSize(const Module& module, const CallGraph& calls) {
  if (!module.entry.valid()) return 0;
  const std::vector<int64_t> arrays_of = ArraysOfTuples(module.shapes);
  std::vector<Sizes> sizes(module.comps.size());
  int64_t present = 0;  // arrays without unfolding
  std::vector<CompId> called;
  for (const CompId id : calls.post_order()) {
    const Computation& comp = module.comp(id);
    Sizes& size = sizes[id.index()];
    size.instructions = comp.count;
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module.insts[comp.first + i];
      if (inst.shape.valid()) size.arrays = AddCapped(size.arrays, arrays_of[inst.shape.index()]);
    }
    present = AddCapped(present, size.arrays);
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module.insts[comp.first + i];
      if (!OwnsItsComputations(inst.opcode)) continue;
      called.clear();
      module.CalledBy(inst, called);
      for (const CompId callee : called) size.Add(sizes[callee.index()]);
    }
  }
  const Sizes& whole = sizes[module.entry.index()];
  return AddCapped(whole.instructions, std::max<int64_t>(0, whole.arrays - present));
}

}  // namespace halo
