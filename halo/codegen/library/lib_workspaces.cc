// Only get-tuple-elements of the known results are recognized as not reading the workspaces.
#include "halo/codegen/library/lib_workspaces.h"

#include <algorithm>
#include <cstring>

#include "halo/codegen/library/lib_shapes.h"

namespace halo {
namespace {

bool IsLookedAt(const Module& module, InstId call, size_t known) {
  const Computation& comp = module.comp(module.inst(call).parent);
  if (comp.root == call) return true;
  for (uint32_t i = 0; i < comp.count; ++i) {
    const Inst& user = module.inst(InstId(comp.first + i));
    if (std::ranges::find(module.operands_of(user), call) == module.operands_of(user).end()) {
      continue;
    }
    if (user.opcode != Opcode::kGetTupleElement) return true;
    if (module.IntOr(user.attrs, AttrKey::k_index, 0) >= static_cast<int64_t>(known)) return true;
  }
  return false;
}

}  // namespace

Workspaces::Workspaces(const Module& module, InstId call, size_t known) {
  const Inst& inst = module.inst(call);
  const auto results = PlacedResults(module, inst);
  if (!results || results->size() <= known || !IsLookedAt(module, call, known)) return;
  for (size_t i = known; i < results->size(); ++i) {
    buffers_.emplace_back(inst.operand_count + i, (*results)[i].bytes());
  }
}

void Workspaces::Clear(std::span<void* const> buffers) const {
  for (const auto& [buffer, bytes] : buffers_) {
    std::memset(buffers[buffer], 0, static_cast<size_t>(bytes));
  }
}

}  // namespace halo
