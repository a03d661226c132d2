// Everything halo knows about one backend, in one value: its memory spaces, the planner's rules,
// what identifies it in a dump, and what changed between generations of XLA. One file per backend
// fills it (cpu_backend.cc, gpu_backend.cc, tpu_backend.cc); no other code branches on a backend.
#ifndef HALO_MEMORY_BACKEND_BACKEND_DESCRIPTION_H_
#define HALO_MEMORY_BACKEND_BACKEND_DESCRIPTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Which arrays without a tiled layout occupy whole tiles in a memory space.
enum class UntiledPadding : uint8_t { kNone, kArrays, kArraysAndScalars };

struct SpaceDescription {
  int32_t number = 0;
  std::string_view name;     // as `halo memory` prints it
  std::string_view meaning;  // what it holds, and how we know
  bool is_device = true;     // counts against the device's main memory
  // The compiler places values here before buffer assignment, so a plan needs them as input.
  bool is_preset = false;
  int64_t alignment = 0;  // of offsets in its heap; 0: that of main memory
  UntiledPadding padding = UntiledPadding::kNone;
};

// A fact that holds only for some generations of XLA, or that was inferred from dumps.
struct GenerationFact {
  std::string_view what;
  std::string_view since;       // when it became true; "always" as far back as any dump goes
  std::string_view provenance;  // XLA's source, or the dumps that show it
  // Applies the fact if the module or the assignment shows it; null if that one never does. A fact
  // without either is already part of the description's rules.
  void (*from_module)(const Module&, BackendRules&) = nullptr;
  void (*from_assignment)(const Assignment&, BackendRules&) = nullptr;
};

// Text that only this backend writes.
struct BackendClues {
  std::span<const std::string_view> call_targets;   // prefixes of custom-call targets
  std::span<const std::string_view> config_fields;  // field names of backend_config
  std::span<const std::string_view> file_names;     // substrings of dump file names
  bool tiled_layouts = false;                       // only this backend tiles its layouts
};

struct BackendDescription {
  Backend backend = Backend::kCpu;
  std::string_view name;
  BackendRules rules;  // of the generation that most dumps come from
  std::span<const SpaceDescription> spaces;
  SpaceDescription other_spaces;  // any number not listed; the name is a prefix for the number
  // Elements per tile to which arrays without a tiled layout are padded; 0 if there are no tiles.
  int64_t untiled_tile = 0;
  std::span<const GenerationFact> facts;
  BackendClues clues;

  [[nodiscard]] const SpaceDescription& space(int64_t number) const;
  [[nodiscard]] std::string SpaceName(int32_t number) const;
  // True if a plan may need an assignment to know what was placed before.
  [[nodiscard]] bool has_presets() const;
};

extern const BackendDescription kCpuBackend, kGpuBackend, kTpuBackend;

std::span<const BackendDescription* const> BackendDescriptions();
const BackendDescription& DescriptionOf(Backend backend);
// An unknown backend gets the CPU's description, which has the fewest special rules.
const BackendDescription& DescriptionOf(std::optional<Backend> backend);

// True if allocations of this color count against the device's main memory.
bool IsDeviceMemory(std::optional<Backend> backend, int32_t color);
// The sum of all allocations that count.
int64_t DeviceBytes(const Assignment& assignment, std::optional<Backend> backend);

// A fact of every backend: temporaries at offsets on a finer grid than the backend's alignment
// indicate a generation with a smaller alignment. A coarser grid may be chance.
void RefineAlignment(const Assignment& assignment, BackendRules& rules);

// Another such fact, shown by the pages that allocations print.
bool PrintsPages(const Assignment& assignment);
void ShareThroughAnyPositionIfPages(const Assignment& assignment, BackendRules& rules);
inline constexpr GenerationFact kSharesThroughAnyPosition = {
    .what =
        "an operand's allocation is taken over through any position where it appears, before "
        "only through the last one",
    .since = "2026-08",
    .provenance =
        "XLA's source at e5d008bb03 (2026-08-22); shown by the pages that allocations "
        "print since 2026-08-10. No dump of the corpus tells the two rules apart",
    .from_assignment = ShareThroughAnyPositionIfPages};

// Shown by the placement of such fusions; RefineInPlace of memory/assign applies it.
inline constexpr GenerationFact kFollowsBitcasts = {
    .what = "a fusion whose update reads its operand through a bitcast updates it in place",
    .since = "2024-10-21",
    .provenance =
        "XLA's git history (2b5a3819d4). Before, such a fusion gets separate memory: "
        "MaxText's dump for H100 of 2024 is 15728640 bytes smaller by the older rule, as XLA's is"};

// The third such fact.
void NumberThreadLocalsIfCompact(const Module& module, BackendRules& rules);
void NumberThreadLocalsIfPages(const Assignment& assignment, BackendRules& rules);
inline constexpr GenerationFact kNumbersThreadLocalsById = {
    .what =
        "thread-local values get their allocations in order of value ids; before, the largest "
        "came first, and of equal ones those of the last computation",
    .since = "2026, after 2026-08-22",
    .provenance =
        "XLA's source at e5d008bb03 (2026-08-22) has the older order. All dumps by jaxlib 0.12.0.1 "
        "(38) have the newer one and none by jaxlib 0.10.2 or before has. Shown by pages in the "
        "assignment (printed since 2026-08-10) or by tuple elements in the compact form %x#0 in "
        "the module's text (since 2026-07-13): no other trace in a dump is nearer to the change",
    .from_module = NumberThreadLocalsIfCompact,
    .from_assignment = NumberThreadLocalsIfPages};

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_BACKEND_DESCRIPTION_H_
