// Orders instructions and finds last uses. Text that XLA printed is already in order; protos need
// not be.
#include "halo/semantics/facts/execution_order.h"

#include <algorithm>

namespace halo {
namespace {

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Adds up the elements and bytes of a shape, over all leaves of a tuple.
void Measure(const Module& module, ShapeId shape, int64_t& elements, int64_t& bytes) {
  if (module.shapes.is_array(shape)) {
    const int64_t count = module.shapes.ElementCount(shape).value_or(INT64_MAX);
    int64_t size = 0;
    if (__builtin_mul_overflow(count, static_cast<int64_t>(StoredBytes(module.shapes.type(shape))),
                               &size)) {
      size = INT64_MAX;
    }
    elements = SaturatingAdd(elements, count);
    bytes = SaturatingAdd(bytes, size);
    return;
  }
  if (!module.shapes.is_tuple(shape)) return;
  for (const ShapeId element : module.shapes.elements(shape)) {
    Measure(module, element, elements, bytes);
  }
}

// Returns an order with operands before users that otherwise keeps the original order.
std::vector<uint32_t> OrderOf(const Module& module, const Computation& computation) {
  std::vector<uint32_t> order;
  order.reserve(computation.count);
  std::vector<uint8_t> state(computation.count, 0);  // 1: visiting, 2: placed
  std::vector<uint32_t> stack;
  for (uint32_t start = 0; start < computation.count; ++start) {
    stack.push_back(start);
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      if (state[at] == 2) {
        stack.pop_back();
        continue;
      }
      const bool again = state[at] == 1;
      state[at] = 1;
      size_t before = stack.size();
      if (!again) {
        for (const InstId operand :
             module.operands_of(module.inst(InstId(computation.first + at)))) {
          const uint32_t local = operand.value - computation.first;
          if (local < computation.count && state[local] == 0) stack.push_back(local);
        }
      }
      if (stack.size() != before) continue;
      state[at] = 2;
      order.push_back(at);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

ExecutionOrder OrderForExecution(const Module& module, CompId comp) {
  const Computation& computation = module.comp(comp);
  ExecutionOrder plan;
  plan.comp = comp;
  plan.first = computation.first;
  plan.count = computation.count;
  plan.root = computation.root;
  for (const uint32_t local : OrderOf(module, computation)) {
    const Inst& inst = module.inst(InstId(computation.first + local));
    ExecutionOrder::Entry entry;
    entry.inst = InstId(computation.first + local);
    entry.first_operand = static_cast<uint32_t>(plan.last_use.size());
    Measure(module, inst.shape, entry.result_elements, entry.result_bytes);
    plan.last_use.resize(plan.last_use.size() + inst.operand_count, 0);
    plan.order.push_back(entry);
  }
  std::vector<uint8_t> needed(computation.count, 0);
  if (computation.root.valid()) needed[computation.root.value - computation.first] = 1;
  for (size_t at = plan.order.size(); at-- > 0;) {
    ExecutionOrder::Entry& entry = plan.order[at];
    entry.unused = needed[entry.inst.value - plan.first] == 0;
    const std::span<const InstId> operands = module.operands_of(module.inst(entry.inst));
    for (size_t i = operands.size(); i-- > 0;) {
      const uint32_t local = operands[i].value - plan.first;
      if (local >= computation.count || needed[local] != 0) continue;
      needed[local] = 1;
      plan.last_use[entry.first_operand + i] = 1;
    }
  }
  return plan;
}

}  // namespace halo
