// XLA's CPU backend: one memory, XLA's default sharing rules, no hints.
#include <array>

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {
namespace {

constexpr std::array kSpaces = {
    SpaceDescription{.number = kMainSpace, .name = "device memory", .meaning = "main memory"},
    SpaceDescription{.number = kHostSpace,
                     .name = "host memory",
                     .meaning = "kHostMemorySpace of XLA's layout.h",
                     .is_device = false},
};

constexpr std::array kFacts = {
    GenerationFact{.what = "offsets are aligned to 64 bytes, 16 before",
                   .since = "2024-10-10",
                   .provenance = "XLA's git history; the gcd of a dump's offsets shows which",
                   .from_assignment = RefineAlignment},
    kSharesThroughAnyPosition,
};

constexpr std::array<std::string_view, 3> kTargets = {"lapack_", "blas_", "__onednn$"};
constexpr std::array<std::string_view, 2> kConfigFields = {"outer_dimension_partitions",
                                                           "onednn_matmul_config"};
constexpr std::array<std::string_view, 1> kFileNames = {"cpu_after_optimizations"};

}  // namespace

constinit const BackendDescription kCpuBackend = {
    .backend = Backend::kCpu,
    .name = "cpu",
    .rules = {},
    .spaces = kSpaces,
    .other_spaces = {.name = "color ", .meaning = "not seen in any dump"},
    .facts = kFacts,
    .clues = {.call_targets = kTargets, .config_fields = kConfigFields, .file_names = kFileNames},
};

}  // namespace halo
