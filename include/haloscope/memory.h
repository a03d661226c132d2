// Where a program's memory goes, whether it fits and what would help: `halo memory` as a function.
#ifndef HALOSCOPE_MEMORY_H_
#define HALOSCOPE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

struct MemoryRequest {
  std::optional<int64_t> at;
  std::string around, by;
  std::string advice = "quick";
  bool check = false, repack = false;
  double seconds = 10;
  bool plan = false;
  std::vector<int64_t> donate;
  bool drop_alias = false;
  std::vector<std::string> recompute, earlier, later, bf16, unpad;
  std::string backend, device;
  std::optional<int64_t> alignment, capacity;
};

template <class V>
void Fields(V& v, MemoryRequest& r) {
  v.Group("Moment and grouping");
  v("at", r.at, "Show what is live at this position of the schedule (default: the peak)");
  v("around", r.around, "Show what is live while this instruction runs");
  v("by", r.by,
    "How live values are grouped (default: by scope, or otherwise if scopes do not divide them)",
    Choices{"group_by"});
  v.Group("Analysis");
  v("advice", r.advice, "How many ways to reduce memory are tried", Choices{"advice_depth"},
    Flags{{{"advice", "thorough", "Try all ways to reduce memory"},
           {"no-advice", "none", "Do not search for ways to reduce memory"}}});
  v("check", r.check, "Verify that the buffer assignment is sound");
  v("repack", r.repack, "Pack the heaps again, as tightly as possible");
  v("seconds", r.seconds, "With repack: time limit for each heap, in seconds", Between{0.01, 3600});
  v.Group("Assumptions");
  v("plan", r.plan, "Compute a new plan even if the dump contains a buffer assignment");
  v("donate", r.donate, "Assume that these parameters are donated (numbers separated by commas)");
  v("drop_alias", r.drop_alias, "Assume that no parameter is donated");
  v("recompute", r.recompute,
    "Assume that these instructions are computed again for their uses after the peak (names "
    "separated "
    "by commas)");
  v("earlier", r.earlier, "Assume that these instructions run as soon as their operands exist");
  v("later", r.later, "Assume that these instructions run right before their first use");
  v("bf16", r.bf16, "Assume that these f32 activations of the peak, or all, are kept in bf16");
  v("unpad", r.unpad, "Assume that these values of the peak, or all, have no padding");
  v("backend", r.backend, "Plan by the rules of this backend (default: detected from the module)",
    Choices{"backend"});
  v("device", r.device, "Use the memory capacity and alignment of this device",
    Choices{"memory_device"});
  v("alignment", r.alignment,
    "Alignment of offsets in the plan, in bytes (default: that of the backend)",
    FieldFlag::kPowerOfTwo);
  v("capacity", r.capacity,
    "Report whether the program fits in this much memory, such as 80GiB, or a number of bytes",
    Unit::kBytes);
}

// A value in memory, or several similar ones.
struct LiveValue {
  std::string name, shape, dtype, opcode, op_name, scope, source;
  int64_t bytes = 0, count = 1, unpadded_bytes = 0;
  std::string kind, role;
  int64_t from = -1, to = -1;
  int32_t parameter = -1;
  bool donated = false;
  std::string needed_by;
  int64_t needed_at = -1;
  std::string through;
};

template <class V>
void Fields(V& v, LiveValue& r) {
  v("name", r.name, "the instruction, with its index in the tuple");
  v("bytes", r.bytes, "of its buffer; of all, if there are several", Unit::kBytes);
  v("count", r.count, "similar values that the row sums up");
  v("shape", r.shape, "");
  v("dtype", r.dtype, "element type", FieldFlag::kDetail);
  v("kind", r.kind, "of its allocation", Choices{"memory_kind"}, FieldFlag::kDetail);
  v("role", r.role, "what it is in the user's program", Choices{"value_role"});
  v("opcode", r.opcode, "", FieldFlag::kDetail);
  v("op_name", r.op_name, "from metadata");
  v("scope", r.scope, "the innermost scope of `op_name`", FieldFlag::kDetail);
  v("source", r.source, "`file:line` of the user's program");
  v("from", r.from, "first position of its live range; -1 if unknown", Unit::kPosition);
  v("to", r.to, "last position of its live range, included", Unit::kPosition);
  v("parameter", r.parameter, "its number, if it is a parameter; otherwise -1", FieldFlag::kDetail);
  v("donated", r.donated, "it is a parameter whose memory an output may reuse", FieldFlag::kDetail);
  v("unpadded_bytes", r.unpadded_bytes, "without a tiled layout's padding; 0 if unknown",
    Unit::kBytes, FieldFlag::kDetail);
  v("needed_by", r.needed_by, "the last instruction that reads it; may be empty");
  v("needed_at", r.needed_at, "when that one runs; -1 if there is none", Unit::kPosition,
    FieldFlag::kDetail);
  v("through", r.through, "the value through which it is used: `while.7{3}`", FieldFlag::kDetail);
}

struct LiveGroup {
  std::string name;
  int64_t count = 0, bytes = 0;
};

template <class V>
void Fields(V& v, LiveGroup& r) {
  v("name", r.name, "");
  v("count", r.count, "of values");
  v("bytes", r.bytes, "of them", Unit::kBytes);
}

// A time in the schedule, and what is live then.
struct MemoryMoment {
  int64_t position = 0, bytes = 0;
  std::string instruction, op_name, source;
};

template <class V>
void Fields(V& v, MemoryMoment& r) {
  v("position", r.position, "in the schedule, from 0", Unit::kPosition);
  v("bytes", r.bytes, "held and live together", Unit::kBytes);
  v("instruction", r.instruction, "that runs at this position");
  v("op_name", r.op_name, "of it");
  v("source", r.source, "`file:line` of it");
}

struct MemoryPeak {
  int64_t position = 0, last_position = 0, bytes = 0;
  std::string instruction, scope, phase, source;
};

template <class V>
void Fields(V& v, MemoryPeak& r) {
  v("position", r.position, "in the schedule, from 0", Unit::kPosition);
  v("last_position", r.last_position, "of the schedule", Unit::kPosition);
  v("bytes", r.bytes, "held and live together", Unit::kBytes);
  v("instruction", r.instruction, "that runs there");
  v("scope", r.scope, "its innermost scope; empty if unknown");
  v("phase", r.phase, "`forward`, `backward` or empty");
  v("source", r.source, "`file:line`; empty if unknown");
}

// The peak that a dump names, beside the actual figures.
struct PrintedPeak {
  int64_t position = -1, listed_bytes = 0, live_bytes = 0;
};

template <class V>
void Fields(V& v, PrintedPeak& r) {
  v("position", r.position, "as printed in the dump", Unit::kPosition);
  v("listed_bytes", r.listed_bytes, "of the values that the dump lists there", Unit::kBytes);
  v("live_bytes", r.live_bytes, "really live at that position", Unit::kBytes);
}

struct MemoryProfile {
  uint64_t step = 1;
  std::vector<int64_t> temp_bytes;
};

template <class V>
void Fields(V& v, MemoryProfile& r) {
  v("step", r.step, "number of positions per entry of the curve; an entry is their maximum");
  v("temp_bytes", r.temp_bytes, "temporary bytes live", Unit::kBytes);
}

// A change to the program that saves memory, tried by planning the changed program.
struct MemoryAdvice {
  std::string kind, brief, what, how, cost, option, scope, source;
  int64_t bytes_saved = 0;
  std::vector<std::string> instructions;
  std::vector<int64_t> parameters;
};

template <class V>
void Fields(V& v, MemoryAdvice& r) {
  v("kind", r.kind, "", Choices{"advice_kind"});
  v("bytes_saved", r.bytes_saved, "found by planning the changed program again", Unit::kBytes);
  v("brief", r.brief, "what to do, in a few words");
  v("what", r.what, "what to do, to what");
  v("how", r.how, "the call that does it, in the words of `frontend`; may be empty");
  v("cost", r.cost, "empty if it costs nothing");
  v("option", r.option,
    "the options of `halo memory` that plan the changed program: `--donate 0,1`");
  v("scope", r.scope, "of what it changes; may be empty");
  v("source", r.source, "`file:line` of what it changes; may be empty");
  v("instructions", r.instructions, "that it changes", FieldFlag::kDetail);
  v("parameters", r.parameters, "that it donates", FieldFlag::kDetail);
}

struct DeviceFit {
  std::string name, title;
  int64_t capacity = 0;
  bool fits = false;
};

template <class V>
void Fields(V& v, DeviceFit& r) {
  v("name", r.name, "as `--device` takes it");
  v("title", r.title, "full name");
  v("capacity", r.capacity, "of its memory", Unit::kBytes);
  v("fits", r.fits, "the program fits in it");
}

struct MemoryVerdict {
  std::string text;
  int64_t total_bytes = 0, temporary_bytes = 0, temporary_percent = 0;
  std::optional<MemoryPeak> peak;
  std::optional<MemoryAdvice> best_change;
  std::string device;
  std::optional<int64_t> capacity, spare_bytes;
  std::optional<bool> fits;
  std::vector<DeviceFit> devices;
};

template <class V>
void Fields(V& v, MemoryVerdict& r) {
  v("text", r.text, "the result in one sentence, as the command's first line");
  v("total_bytes", r.total_bytes, "in the device's main memory; equal to `device_bytes`",
    Unit::kBytes);
  v("temporary_bytes", r.temporary_bytes, "of these, temporary", Unit::kBytes);
  v("temporary_percent", r.temporary_percent, "rounded", Unit::kPercent);
  v("peak", r.peak, "when most is live", When{"absent without live ranges"});
  v("best_change", r.best_change, "the largest saving of `advice`",
    When{"absent if there is none"});
  v("device", r.device, "as requested", FieldFlag::kIfAny);
  v("capacity", r.capacity, "of the device, or as requested", Unit::kBytes);
  v("fits", r.fits, "in the capacity", When{"with a capacity"});
  v("spare_bytes", r.spare_bytes, "what is left; negative if it does not fit", Unit::kBytes,
    When{"with a capacity"});
  v("devices", r.devices, "known devices of the same backend, smallest memory first");
}

struct MemorySpace {
  int32_t color = 0;
  std::string name;
  bool device_memory = true;
  int64_t bytes = 0;
  std::vector<std::pair<std::string, int64_t>> by_kind;
};

template <class V>
void Fields(V& v, MemorySpace& r) {
  v("color", r.color, "XLA's number of the memory space");
  v("name", r.name, "");
  v("device_memory", r.device_memory, "it counts against the device's main memory");
  v("bytes", r.bytes, "", Unit::kBytes);
  v("by_kind", r.by_kind, "of `bytes`, by the kind of allocation", Unit::kBytes);
}

struct IntoOutputs {
  int64_t buffers = 0, bytes = 0, saved_bytes = 0;
};

template <class V>
void Fields(V& v, IntoOutputs& r) {
  v("buffers", r.buffers, "temporaries that fit into results' memory before those are written");
  v("bytes", r.bytes, "of them", Unit::kBytes);
  v("saved_bytes", r.saved_bytes, "", Unit::kBytes);
}

struct RepackedHeap {
  int64_t allocation = 0, buffers = 0, old_bytes = 0, bytes = 0, lower_bound = 0;
  std::string unusable;
};

template <class V>
void Fields(V& v, RepackedHeap& r) {
  v("allocation", r.allocation, "its number");
  v("buffers", r.buffers, "in it");
  v("old_bytes", r.old_bytes, "", Unit::kBytes);
  v("bytes", r.bytes, "now", Unit::kBytes);
  v("lower_bound", r.lower_bound, "no packing is smaller", Unit::kBytes);
  v("unusable", r.unusable, "why it was not repacked; empty if it was");
}

struct MemoryResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.memory.v2";

  bool succeeded = false;  // false: the diagnostics say why, and nothing else is set
  MemoryVerdict verdict;
  std::string program, backend, frontend;
  bool planned_by_halo = false, scheduled_by_halo = false, live_ranges_by_halo = false;
  int64_t alignment = 0;
  std::vector<std::string> assumptions;
  std::optional<int64_t> device_bytes_before, capacity;
  std::optional<bool> fits;
  int64_t total_bytes = 0, device_bytes = 0;
  std::vector<std::pair<std::string, int64_t>> device_bytes_by_kind;
  int64_t parameters = 0, donated = 0, donated_bytes = 0;
  std::vector<MemorySpace> spaces;
  std::optional<int64_t> findings;
  std::optional<IntoOutputs> into_outputs;
  std::vector<RepackedHeap> repacked;
  // Unless there are no live ranges.
  bool has_live_ranges = false;
  std::optional<int64_t> last_position, held_bytes, temp_bytes, table_bytes, temp_live_at_peak;
  std::optional<MemoryMoment> peak, at;
  std::optional<PrintedPeak> printed_peak;
  std::optional<MemoryProfile> profile;
  std::optional<std::vector<LiveGroup>> roles, groups;
  std::string by, by_reason;
  std::optional<std::vector<LiveValue>> largest;
  std::vector<MemoryAdvice> advice;

  // The output of `halo memory --json` with `top` rows in its lists; empty if there is no result.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = 10) const;
};

template <class V>
void Fields(V& v, MemoryResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("verdict", r.verdict, "the result in one sentence, and the figures in it", FieldFlag::kDetail);
  v("program", r.program, "the module's name");
  v("backend", r.backend, "the backend whose rules apply", Choices{"backend"});
  v("frontend", r.frontend,
    "`JAX`, `PyTorch/XLA` or `TensorFlow`, as metadata shows; empty if unknown");
  v("planned_by_halo", r.planned_by_halo, "the dump has no assignment, or a new one was requested");
  v("scheduled_by_halo", r.scheduled_by_halo, "the module is not scheduled");
  v("live_ranges_by_halo", r.live_ranges_by_halo, "the dump's assignment has none");
  v("alignment", r.alignment, "of offsets, in a plan made by halo", Unit::kBytes);
  v("assumptions", r.assumptions, "in words: `parameter 3 is donated to output {1}`");
  v("device_bytes_before", r.device_bytes_before, "without the assumptions", Unit::kBytes);
  v("capacity", r.capacity, "of the device, or as requested", Unit::kBytes);
  v("fits", r.fits, "in the capacity");
  v("total_bytes", r.total_bytes, "of all allocations", Unit::kBytes);
  v("device_bytes", r.device_bytes, "of these, in the device's main memory", Unit::kBytes);
  v("device_bytes_by_kind", r.device_bytes_by_kind, "of `device_bytes`, by the kind of allocation",
    Unit::kBytes, Choices{"memory_kind"});
  v("parameters", r.parameters, "how many");
  v("donated", r.donated, "of these, donated");
  v("donated_bytes", r.donated_bytes, "of these", Unit::kBytes);
  v("spaces", r.spaces, "memory spaces");
  v("findings", r.findings, "number of errors; 0 proves that the assignment is sound",
    When{"with `check`"});
  v("into_outputs", r.into_outputs, "what was moved into the memory of results",
    When{"with `repack`"});
  v("repacked", r.repacked, "the heaps", When{"with `repack`"}, FieldFlag::kIfAny);
  v("has_live_ranges", r.has_live_ranges, "the fields below but `advice` need them");
  v("last_position", r.last_position, "of the schedule", Unit::kPosition);
  v("held_bytes", r.held_bytes, "held from start to end: parameters, outputs, constants",
    Unit::kBytes);
  v("temp_bytes", r.temp_bytes, "of the temporary allocations", Unit::kBytes);
  v("table_bytes", r.table_bytes, "of these, tuple tables and padding for alignment", Unit::kBytes);
  v("temp_live_at_peak", r.temp_live_at_peak, "temporary bytes", Unit::kBytes);
  v("peak", r.peak, "when most is live");
  v("printed_peak", r.printed_peak, "the peak that the dump names");
  v("profile", r.profile, "the curve of temporary memory", FieldFlag::kDetail);
  v("at", r.at, "what the lists below describe: the peak, unless another moment was requested");
  v("roles", r.roles, "what is live then, by what it is in the program");
  v("by", r.by, "how `groups` are formed", FieldFlag::kIfAny, Choices{"group_by"});
  v("by_reason", r.by_reason, "why not by scope", FieldFlag::kIfAny);
  v("groups", r.groups, "the same, as requested");
  v("largest", r.largest, "the largest values that are live then", FieldFlag::kTop);
  v("advice", r.advice, "what would save memory, most first");
}

// `related`: other files about the same program, such as its buffer assignment; see OpenRelated.
HALO_EXPORT MemoryResult Memory(const Document& document, const MemoryRequest& request = {},
                                std::span<const Document> related = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_MEMORY_H_
