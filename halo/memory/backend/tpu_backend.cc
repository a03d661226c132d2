// XLA's TPU backend. Its compiler is not public, so everything here was learnt from dumps: seed 003
// and the corpus (58 dumps for v4, v5e, v5p, v6e and 7x; one for v5e by jax 0.5.3). Memory spaces
// are named as in XLA's memory report, which numbers them differently from the TPU compiler;
// `meaning` states what a memory space is to the TPU compiler.
#include <algorithm>
#include <array>

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {
namespace {

constexpr std::array kTpuSpaces = {
    SpaceDescription{.number = kMainSpace,
                     .name = "device memory",
                     .meaning = "HBM",
                     .padding = UntiledPadding::kArraysAndScalars},
    SpaceDescription{.number = kTpuVmemSpace,
                     .name = "vmem",
                     .meaning = "vector memory (VMEM), filled by memory-space assignment",
                     .is_device = false,
                     .is_preset = true,
                     .alignment = 4096},
    SpaceDescription{.number = kTpuSemaphoreSpace,
                     .name = "smem",
                     .meaning = "semaphores of asynchronous operations, one word each",
                     .is_device = false,
                     .alignment = 4},
    SpaceDescription{.number = kTpuCmemSpace,
                     .name = "hbm",
                     .meaning = "common memory (CMEM) of v4, the only dumps that use it; filled by "
                                "memory-space assignment",
                     .is_device = false,
                     .is_preset = true,
                     .alignment = 4096},
    SpaceDescription{.number = kTpuCallStateSpace,
                     .name = "host",
                     .meaning = "state that collectives and SparseCore calls keep while they run",
                     .is_device = false,
                     .alignment = 4096,
                     .padding = UntiledPadding::kArrays},
    SpaceDescription{.number = kHostSpace,
                     .name = "cmem",
                     .meaning = "host memory: kHostMemorySpace of XLA's layout.h",
                     .is_device = false,
                     .alignment = 4096},
    SpaceDescription{.number = kTpuSmemSpace,
                     .name = "color_6",
                     .meaning = "scalar memory (SMEM): loop counters, predicates, slice offsets",
                     .is_device = false,
                     .alignment = 512,
                     .padding = UntiledPadding::kArraysAndScalars},
};

void AssignByTime(BackendRules& rules) {
  rules.assigns_by_time = true;
  rules.live_ranges.async_results_begin_at_start = true;
}

void ByTimeIfDmaPriority(const Module& module, BackendRules& rules) {
  const bool is_shown =
      std::any_of(module.insts.begin(), module.insts.end(), [&](const Inst& inst) {
        return inst.opcode == Opcode::kAsyncStart &&
               module.TextOr(inst.attrs, AttrKey::k_backend_config).find("dma_priority") !=
                   std::string_view::npos;
      });
  if (is_shown) AssignByTime(rules);
}

void ByTimeIfPages(const Assignment& assignment, BackendRules& rules) {
  if (PrintsPages(assignment)) AssignByTime(rules);
}

void RoundTables(const Assignment& assignment, BackendRules& rules) {
  constexpr int64_t kLargeRounding = 512;
  int64_t smallest = 0;
  for (const AssignedValue& value : assignment.values) {
    if (!value.allocation.valid() || value.size <= 0) continue;
    if (!assignment.text(value.shape).starts_with('(')) continue;
    if (smallest == 0 || value.size < smallest) smallest = value.size;
  }
  if (smallest == kLargeRounding) rules.table_rounding = kLargeRounding;
}

constexpr std::array kTpuFacts = {
    GenerationFact{.what = "offsets in HBM are aligned to 16384 bytes",
                   .since = "always",
                   .provenance = "seed 003 and all dumps of the corpus; no finer grid was seen",
                   .from_assignment = RefineAlignment},
    GenerationFact{
        .what = "buffers are assigned in order of time, and results of async computations are live "
                "from their async-start on",
        .since = "2026, after the libtpu of the dumps that print no page",
        .provenance = "fitted to the 28 dumps of the corpus that print a page for each allocation; "
                      "23 of them also have async-starts with a dma_priority, no other dump does",
        .from_module = ByTimeIfDmaPriority,
        .from_assignment = ByTimeIfPages},
    GenerationFact{
        .what = "tuple tables take a multiple of 512 bytes on v4 and v5e, of 32 elsewhere",
        .since = "always",
        .provenance =
            "fitted: no table of the corpus's v4 and v5e dumps has fewer than 512 bytes, tables "
            "of v5p, v6e and 7x dumps and of seed 003 have 32 and more",
        .from_assignment = RoundTables},
    GenerationFact{.what = "a power never reuses an operand's memory",
                   .since = "always",
                   .provenance =
                       "fitted: 12470 of the corpus's 18614 values are in place with it and "
                       "12458 without, 35 dumps exact instead of 33; the reason is "
                       "unknown"},
    GenerationFact{
        .what = "values that an all-gather reads or fills are kept out of memory that leaves the "
                "program",
        .since = "before 2025",
        .provenance =
            "fitted to seed 003: 83 of its 83 values are in place with it and 74 without. In the "
            "corpus it costs 28 of 18614 values, so newer compilers decide otherwise"},
    GenerationFact{
        .what = "arrays without tiles take whole tiles of 1024 elements in HBM and scalar memory",
        .since = "always",
        .provenance = "sizes printed in all dumps of the corpus; an s32[2] in call state takes "
                      "4096 bytes in seed 003"},
    kSharesThroughAnyPosition,
    kNumbersThreadLocalsById,
    kFollowsBitcasts,
};

constexpr std::array<std::string_view, 6> kTpuTargets = {"tpu_custom_call", "AllocateBuffer",
                                                         "ConcatBitcast",   "AsyncCollectiveStart",
                                                         "X64Combine",      "X64Split"};
constexpr std::array<std::string_view, 3> kTpuConfigFields = {"scoped_memory_configs",
                                                              "flag_configs", "window_config"};
constexpr std::array<std::string_view, 1> kTpuFileNames = {".cl_"};

}  // namespace

constinit const BackendDescription kTpuBackend = {
    .backend = Backend::kTpu,
    .name = "tpu",
    .rules = {.backend = Backend::kTpu,
              .alignment = 16384,
              .pointer_bytes = 4,
              .table_rounding = 32,
              .dimension_bytes = 0,
              .gathers_stay_inside = true,
              .sharing = {.power_keeps_operands = true}},
    .spaces = kTpuSpaces,
    .other_spaces = {.name = "color_",
                     .meaning = "SparseCore memories on v5p, v6e and 7x",
                     .is_device = false,
                     .alignment = 4096},
    .untiled_tile = 1024,
    .facts = kTpuFacts,
    .clues = {.call_targets = kTpuTargets,
              .config_fields = kTpuConfigFields,
              .file_names = kTpuFileNames,
              .tiled_layouts = true},
};

}  // namespace halo
