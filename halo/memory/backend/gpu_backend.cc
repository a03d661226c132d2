// XLA's GPU backend: device memory beside memory that collectives may use, and its own sharing
// hints for fusions, collectives and library matmuls (xla/service/gpu/alias_info.cc and
// nvptx_alias_info.cc at e5d008bb03, 2026-08-22; the code is in analysis/sharing/can_share_gpu.cc).
#include <array>

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {
namespace {

constexpr std::array kGpuSpaces = {
    SpaceDescription{.number = kMainSpace, .name = "device memory", .meaning = "main memory"},
    SpaceDescription{.number = kGpuCollectiveSpace,
                     .name = "collective memory",
                     .meaning = "device memory that is registered with the collective library"},
    SpaceDescription{.number = kHostSpace,
                     .name = "host memory",
                     .meaning = "kHostMemorySpace of XLA's layout.h",
                     .is_device = false},
};

constexpr std::array kGpuFacts = {
    GenerationFact{.what = "offsets are aligned to 256 bytes, 128 before",
                   .since = "2025-06-17",
                   .provenance = "XLA's git history; the gcd of a dump's offsets shows which",
                   .from_assignment = RefineAlignment},
    GenerationFact{.what = "temporaries of main memory fill gaps in collective memory",
                   .since = "2026-06",
                   .provenance = "XLA's git history. Applied to every dump, for nothing in a dump "
                                 "shows on which side of the change it is"},
    kSharesThroughAnyPosition,
    kNumbersThreadLocalsById,
    kFollowsBitcasts,
};

constexpr std::array<std::string_view, 10> kGpuTargets = {
    "__cublas$", "__cudnn$",  "__triton", "__cub$", "__gpu$",
    "xla.gpu.",  "cusolver_", "cu_",      "cuda_",  "hipsolver_"};
constexpr std::array<std::string_view, 5> kGpuConfigFields = {
    "fusion_backend_config", "gemm_backend_config", "collective_backend_config",
    "operation_queue_id", "cudnn_conv_backend_config"};
constexpr std::array<std::string_view, 1> kGpuFileNames = {"gpu_after_optimizations"};

}  // namespace

constinit const BackendDescription kGpuBackend = {
    .backend = Backend::kGpu,
    .name = "gpu",
    .rules = {.backend = Backend::kGpu,
              .alignment = 256,
              .fills_gaps_of = kGpuCollectiveSpace,
              .sharing = {.reshape_is_bitcast = true,
                          .collectives_overwrite = true,
                          .matmul_adds_to_bias = true,
                          .fusions_overwrite_in_order = true}},
    .spaces = kGpuSpaces,
    .other_spaces = {.name = "color ", .meaning = "not seen in any dump"},
    .facts = kGpuFacts,
    .clues = {.call_targets = kGpuTargets,
              .config_fields = kGpuConfigFields,
              .file_names = kGpuFileNames},
};

}  // namespace halo
