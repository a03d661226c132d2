// One sweep over each computation, callees first.
#include "halo/shrink/estimate.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

int64_t Add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

}  // namespace

Estimate::Estimate(const Module& module, const DimTable& dims) : module_(module), dims_(dims) {
  const CallGraph calls(module);
  if (!calls.cyclic().valid()) order_ = calls.post_order();
  last_use_.resize(module.insts.size());
  called_.resize(module.insts.size());
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    last_use_[i] = i;
    for (const InstId operand : module.operands_of(inst)) last_use_[operand.index()] = i;
    if (RunsItsComputations(inst.opcode)) CalledComputations(module, inst, called_[i]);
  }
}

bool Estimate::HoldsMemory(const Inst& inst) const {
  if (PassesValuesOn(inst.opcode)) return false;
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kWhile:  // in the memory of its operand
    case OpFlow::kAsyncDone:
    case OpFlow::kStartedResult:
    case OpFlow::kReduceDone:
    case OpFlow::kCopyDone: return false;
    case OpFlow::kParameter: return module_.comp(inst.parent).is_entry;
    default: return true;
  }
}

int64_t Estimate::InstBytes(InstId id, const NewSizes& sizes) const {
  const ShapeTable& shapes = module_.shapes;
  std::vector<ShapeId> stack = {module_.inst(id).shape};
  const std::span<const DimId> dims = dims_.of(id);
  size_t at = 0;
  int64_t total = 0;
  while (!stack.empty()) {
    const ShapeId shape = stack.back();
    stack.pop_back();
    if (shapes.is_tuple(shape)) {
      const auto parts = shapes.elements(shape);
      stack.insert(stack.end(), parts.rbegin(), parts.rend());
      continue;
    }
    double elements = 1;
    for (uint32_t i = 0; i < dims_.count(shape); ++i, ++at) {
      elements *= static_cast<double>(sizes.of(dims[at]));
    }
    if (!shapes.is_array(shape)) continue;
    const double bytes = elements * std::max(InfoOf(shapes.type(shape)).bits, 8) / 8;
    total = Add(total, bytes > 9e18 ? INT64_MAX : static_cast<int64_t>(bytes));
  }
  return total;
}

int64_t Estimate::PeakBytes(const NewSizes& sizes) const {
  std::vector<int64_t> bytes(module_.insts.size());
  for (uint32_t i = 0; i < bytes.size(); ++i) bytes[i] = InstBytes(InstId(i), sizes);
  return PeakBytes(bytes);
}

int64_t Estimate::PeakBytes(const std::vector<int64_t>& bytes_of) const {
  std::vector<int64_t> peaks(module_.comps.size(), 0);
  std::vector<int64_t> ending;
  for (const CompId comp : order_) {
    const Computation& at = module_.comp(comp);
    ending.assign(at.count, 0);
    int64_t live = 0, peak = 0;
    for (uint32_t i = 0; i < at.count; ++i) {
      const InstId id(at.first + i);
      const Inst& inst = module_.inst(id);
      const int64_t bytes = HoldsMemory(inst) ? bytes_of[id.index()] : 0;
      live = Add(live, bytes);
      int64_t inner = 0;
      for (const CompId called : called_[id.index()])
        inner = std::max(inner, peaks[called.index()]);
      peak = std::max(peak, Add(live, inner));
      // Arguments stay; views keep what they look into, which counting by names cannot see.
      if (inst.opcode != Opcode::kParameter) {
        const size_t last = last_use_[id.index()] - at.first;
        if (last < ending.size()) ending[last] = Add(ending[last], bytes);
      }
      live = std::max<int64_t>(live - ending[i], 0);
    }
    peaks[comp.index()] = peak;
  }
  return module_.entry.valid() ? peaks[module_.entry.index()] : 0;
}

}  // namespace halo
