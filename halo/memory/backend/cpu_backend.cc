// XLA's CPU backend: one memory, XLA's default sharing rules, no hints.
#include <array>

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {
namespace {

constexpr std::array kCpuSpaces = {
    SpaceDescription{.number = kMainSpace, .name = "device memory", .meaning = "main memory"},
    SpaceDescription{.number = kHostSpace,
                     .name = "host memory",
                     .meaning = "kHostMemorySpace of XLA's layout.h",
                     .is_device = false},
};

constexpr std::array kCpuFacts = {
    GenerationFact{.what = "offsets are aligned to 64 bytes, 16 before",
                   .since = "2024-10-10",
                   .provenance = "XLA's git history; the gcd of a dump's offsets shows which",
                   .from_assignment = RefineAlignment},
    kSharesThroughAnyPosition,
    kNumbersThreadLocalsById,
    kFollowsBitcasts,
};

constexpr std::array<std::string_view, 3> kCpuTargets = {"lapack_", "blas_", "__onednn$"};
constexpr std::array<std::string_view, 2> kCpuConfigFields = {"outer_dimension_partitions",
                                                              "onednn_matmul_config"};
constexpr std::array<std::string_view, 1> kCpuFileNames = {"cpu_after_optimizations"};

}  // namespace

constinit const BackendDescription kCpuBackend = {
    .backend = Backend::kCpu,
    .name = "cpu",
    .rules = {},
    .spaces = kCpuSpaces,
    .other_spaces = {.name = "color ", .meaning = "not seen in any dump"},
    .facts = kCpuFacts,
    .clues = {.call_targets = kCpuTargets,
              .config_fields = kCpuConfigFields,
              .file_names = kCpuFileNames},
};

}  // namespace halo
