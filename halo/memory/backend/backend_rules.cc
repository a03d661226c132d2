// Settings measured on dumps of each backend.
#include "halo/memory/backend/backend_rules.h"

#include <algorithm>
#include <numeric>

#include "halo/base/round_up.h"

namespace halo {
namespace {

struct Named {
  std::string_view name;
  Backend backend;
};
constexpr Named kNames[] = {{"cpu", Backend::kCpu}, {"gpu", Backend::kGpu}, {"tpu", Backend::kTpu}};

}  // namespace

std::string_view BackendName(Backend backend) {
  for (const Named& named : kNames) {
    if (named.backend == backend) return named.name;
  }
  return "";
}

std::optional<Backend> BackendFromName(std::string_view name) {
  for (const Named& named : kNames) {
    if (named.name == name) return named.backend;
  }
  return std::nullopt;
}

BackendRules RulesOf(Backend backend) {
  BackendRules rules;
  rules.backend = backend;
  switch (backend) {
    case Backend::kCpu: break;
    case Backend::kGpu:
      rules.alignment = 256;
      rules.reuses_across_colors = true;
      break;
    case Backend::kTpu:
      rules.alignment = 16384;
      rules.pointer_bytes = 4;
      rules.table_rounding = 32;
      break;
  }
  return rules;
}

int64_t AlignmentOf(const BackendRules& rules, int64_t color) {
  if (rules.backend != Backend::kTpu || color == 0) return rules.alignment;
  // Semaphores are words; scalar and other small memories have their own grain.
  if (color == 2) return 4;
  return color == 6 ? 512 : 4096;
}

BackendRules DetectRules(const Module& module, Backend backend) {
  BackendRules rules = RulesOf(backend);
  if (backend != Backend::kTpu) return rules;
  for (const Inst& inst : module.insts) {
    if (inst.opcode != Opcode::kAsyncStart) continue;
    const std::string_view config = module.TextOr(inst.attrs, AttrKey::k_backend_config);
    if (config.find("dma_priority") == std::string_view::npos) continue;
    rules.live_ranges.async_results_begin_at_start = true;
    rules.assigns_by_time = true;
    break;
  }
  return rules;
}

void RefineRules(const Assignment& assignment, BackendRules& rules) {
  int64_t common = 0;
  int64_t smallest_table = 0;
  for (const Allocation& allocation : assignment.allocations) {
    if (allocation.page >= 0 && rules.backend == Backend::kTpu) {
      rules.assigns_by_time = true;
      rules.live_ranges.async_results_begin_at_start = true;
    }
    for (const ValueId id : assignment.values_of(allocation)) {
      const AssignedValue& value = assignment.value(id);
      if (allocation.is_preallocated_temp && allocation.color == 0) {
        common = std::gcd(common, value.offset);
      }
      const bool is_table = assignment.text(value.shape).starts_with('(');
      if (is_table && value.size > 0 && (smallest_table == 0 || value.size < smallest_table)) {
        smallest_table = value.size;
      }
    }
  }
  // A finer grain than the backend's shows an older generation; a coarser one may be chance.
  if (common > 0 && common % rules.alignment != 0)
    rules.alignment = std::gcd(common, rules.alignment);
  if (rules.backend == Backend::kTpu && smallest_table == 512) rules.table_rounding = 512;
}

int64_t BufferBytes(const Module& module, ShapeId shape, const BackendRules& rules) {
  const ShapeTable& shapes = module.shapes;
  if (shapes.is_tuple(shape)) {
    const auto entries = static_cast<int64_t>(shapes.elements(shape).size());
    return RoundUp(entries * rules.pointer_bytes, rules.table_rounding);
  }
  if (!shapes.is_array(shape)) {
    return shapes.type(shape) == ElementType::kOpaque ? rules.pointer_bytes : 0;
  }
  const Layout* layout = shapes.layout(shape);
  int64_t bytes = shapes.ByteSize(shape).value_or(0);
  const int bits = InfoOf(shapes.type(shape)).bits;
  // Without a stated width, small elements stand one to a byte.
  if (bits < 8 && (layout == nullptr || layout->element_bits == 0)) {
    bytes = shapes.ElementCount(shape).value_or(0);
  }
  // On TPU what has no tiles of its own takes whole ones of 8 by 128 in the memories that have
  // them.
  const int64_t space = layout == nullptr ? 0 : layout->memory_space;
  if (rules.backend == Backend::kTpu && (layout == nullptr || layout->tiles.empty()) &&
      (space == 0 || space == 6 || (space == 4 && !shapes.dims(shape).empty()))) {
    bytes = RoundUp(shapes.ElementCount(shape).value_or(0), 1024) * std::max(bits / 8, 1);
  }
  if (shapes.has_dynamic(shape) && rules.backend != Backend::kTpu) {
    bytes += 4 * static_cast<int64_t>(shapes.dims(shape).size());
  }
  return bytes;
}

}  // namespace halo
