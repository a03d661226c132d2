// What a document contains: `halo info` as a function.
#ifndef HALOSCOPE_INFO_H_
#define HALOSCOPE_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

struct InfoRequest {
  int64_t largest = 10;
};

template <class V>
void Fields(V& v, InfoRequest& r) {
  v("largest", r.largest, "How many of the largest results of each module are listed",
    Between{0, 100000});
}

struct InfoCount {
  std::string name;
  int64_t count = 0;
};

template <class V>
void Fields(V& v, InfoCount& r) {
  v("name", r.name, "");
  v("count", r.count, "instructions");
}

struct InfoSize : InfoCount {
  int64_t bytes = 0;
};

template <class V>
void Fields(V& v, InfoSize& r) {
  Fields(v, static_cast<InfoCount&>(r));
  v("bytes", r.bytes, "of results", Unit::kBytes);
}

struct InfoGeneration {
  std::string is, latest, why;
};

template <class V>
void Fields(V& v, InfoGeneration& r) {
  v("is", r.is,
    "the earliest generation of HLO text that could have printed it; `unknown` for protos",
    Choices{"generation"});
  v("latest", r.latest, "the latest that could have printed it", Choices{"generation"});
  v("why", r.why, "the evidence for it");
}

struct InfoBackend {
  std::string is, why;
};

template <class V>
void Fields(V& v, InfoBackend& r) {
  v("is", r.is, "`cpu`, `gpu`, `tpu` or `unknown`");
  v("why", r.why, "the evidence for it");
}

// The number of instructions with groups of this many devices.
struct InfoGroupSize {
  int64_t size = 0, count = 0;
};

template <class V>
void Fields(V& v, InfoGroupSize& r) {
  v("size", r.size, "devices in a group; of a permute, pairs");
  v("count", r.count, "instructions with such groups");
}

struct InfoCollective {
  std::string opcode;
  int64_t count = 0, async = 0, bytes = 0, runs = 0, run_bytes = 0;
  bool runs_at_least = false;
  std::vector<InfoGroupSize> group_sizes;
};

template <class V>
void Fields(V& v, InfoCollective& r) {
  v("opcode", r.opcode, "`all-gather` includes `all-gather-start`");
  v("count", r.count, "instructions");
  v("async", r.async, "of these, asynchronous");
  v("bytes", r.bytes, "the larger of operands and results, summed over the instructions",
    Unit::kBytes);
  v("runs", r.runs, "per run of the program, loops counted");
  v("run_bytes", r.run_bytes, "per run of the program, loops counted", Unit::kBytes);
  v("runs_at_least", r.runs_at_least, "in a loop of unknown trip count, or in a branch");
  v("group_sizes", r.group_sizes, "");
}

struct InfoLoop {
  std::string name, body, op_name;
  std::optional<int64_t> trip_count;
  int64_t body_instructions = 0, carried_bytes = 0, runs = 0;
};

template <class V>
void Fields(V& v, InfoLoop& r) {
  v("name", r.name, "the `while`");
  v("body", r.body, "its body");
  v("op_name", r.op_name, "from metadata");
  v("trip_count", r.trip_count, "", FieldFlag::kNullIfUnknown);
  v("body_instructions", r.body_instructions, "");
  v("carried_bytes", r.carried_bytes, "", Unit::kBytes);
  v("runs", r.runs, "how many times the loop starts");
}

struct InfoParameter {
  int64_t number = 0;
  std::string name, shape;
  std::optional<int64_t> bytes;
  std::string op_name, sharding;
  bool aliased = false, donated = false;
};

template <class V>
void Fields(V& v, InfoParameter& r) {
  v("number", r.number, "");
  v("name", r.name, "");
  v("shape", r.shape, "with its layout");
  v("bytes", r.bytes, "", Unit::kBytes, FieldFlag::kNullIfUnknown);
  v("op_name", r.op_name, "from metadata");
  v("sharding", r.sharding, "as printed");
  v("aliased", r.aliased, "an output may or must reuse its memory");
  v("donated", r.donated, "the program may overwrite it");
}

struct InfoOutput {
  std::vector<int64_t> index;
  std::string name, shape;
  std::optional<int64_t> bytes;
  std::string op_name;
  std::optional<int64_t> aliases_parameter;
};

template <class V>
void Fields(V& v, InfoOutput& r) {
  v("index", r.index, "its position in the result's tuple");
  v("name", r.name, "of the instruction that produces it");
  v("shape", r.shape, "");
  v("bytes", r.bytes, "", Unit::kBytes, FieldFlag::kNullIfUnknown);
  v("op_name", r.op_name, "from metadata");
  v("aliases_parameter", r.aliases_parameter, "the parameter whose memory it reuses",
    FieldFlag::kNullIfUnknown);
}

struct InfoValue {
  std::string name, opcode, shape;
  int64_t bytes = 0;
  std::string op_name;
};

template <class V>
void Fields(V& v, InfoValue& r) {
  v("name", r.name, "");
  v("opcode", r.opcode, "");
  v("shape", r.shape, "");
  v("bytes", r.bytes, "", Unit::kBytes);
  v("op_name", r.op_name, "from metadata");
}

struct InfoModule {
  std::string path, section, name;
  InfoGeneration generation;
  InfoBackend backend;
  bool scheduled = false;
  int64_t replica_count = 1, num_partitions = 1;
  int64_t computations = 0, instructions = 0, entry_instructions = 0, fused_instructions = 0;
  int64_t elided_constants = 0;
  int64_t constant_bytes = 0, parameter_bytes = 0, output_bytes = 0, aliased_bytes = 0;
  int64_t memory_bytes = 0;
  std::vector<InfoCount> opcodes;
  std::vector<InfoSize> dtypes;
  std::vector<InfoCount> fusions;
  std::vector<InfoSize> custom_calls;
  std::vector<InfoCollective> collectives;
  std::vector<InfoLoop> loops;
  std::vector<InfoParameter> parameters;
  std::vector<InfoOutput> outputs;
  std::vector<InfoValue> largest;
};

template <class V>
void Fields(V& v, InfoModule& r) {
  v("path", r.path, "its file", FieldFlag::kDetail);
  v("section", r.section, "its frame in captured output; empty when the file is the module",
    FieldFlag::kDetail);
  v("name", r.name, "");
  v("generation", r.generation, "of HLO text", FieldFlag::kDetail);
  v("backend", r.backend, "that compiled it");
  v("scheduled", r.scheduled, "instructions run in the order of the text");
  v("replica_count", r.replica_count, "");
  v("num_partitions", r.num_partitions, "");
  v("computations", r.computations, "");
  v("instructions", r.instructions, "in all computations");
  v("entry_instructions", r.entry_instructions, "in the entry computation");
  v("fused_instructions", r.fused_instructions, "within fusions");
  v("elided_constants", r.elided_constants, "printed as `{...}`: their values are not in the dump");
  v("constant_bytes", r.constant_bytes, "", Unit::kBytes);
  v("parameter_bytes", r.parameter_bytes, "", Unit::kBytes);
  v("output_bytes", r.output_bytes, "", Unit::kBytes);
  v("aliased_bytes", r.aliased_bytes, "of the outputs, those in parameters' memory", Unit::kBytes);
  v("memory_bytes", r.memory_bytes, "size of the module in the memory of `halo`", Unit::kBytes,
    FieldFlag::kDetail);
  v("opcodes", r.opcodes, "by count");
  v("dtypes", r.dtypes, "element types of results, by count");
  v("fusions", r.fusions, "by kind: `kLoop`, `kInput`, ...");
  v("custom_calls", r.custom_calls, "by target");
  v("collectives", r.collectives, "by bytes per run");
  v("loops", r.loops, "");
  v("parameters", r.parameters, "of the program");
  v("outputs", r.outputs, "of the program");
  v("largest", r.largest, "the largest results outside fusions");
}

// Figures that the file does not contain are null.
struct InfoAssignment {
  std::string path;
  std::optional<int64_t> allocations, values, total_bytes, device_bytes;
  std::optional<int64_t> schedule_steps, live_ranges, peak_time;
};

template <class V>
void Fields(V& v, InfoAssignment& r) {
  v("path", r.path, "the file");
  v("allocations", r.allocations, "how many", FieldFlag::kNullIfUnknown);
  v("values", r.values, "how many", FieldFlag::kNullIfUnknown);
  v("total_bytes", r.total_bytes, "as printed: in all memory spaces", Unit::kBytes,
    FieldFlag::kNullIfUnknown);
  v("device_bytes", r.device_bytes, "of these, in the device's main memory", Unit::kBytes,
    FieldFlag::kNullIfUnknown);
  v("schedule_steps", r.schedule_steps, "", FieldFlag::kNullIfUnknown);
  v("live_ranges", r.live_ranges, "how many", FieldFlag::kNullIfUnknown);
  v("peak_time", r.peak_time, "as printed", Unit::kPosition, FieldFlag::kNullIfUnknown);
}

struct InfoSection {
  std::string path, name, kind;
};

template <class V>
void Fields(V& v, InfoSection& r) {
  v("path", r.path, "file of a frame of captured output that is not a module");
  v("name", r.name, "name of the frame");
  v("kind", r.kind, "what it holds", Choices{"file_kind"});
}

struct InfoResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.info.v1";

  std::vector<InfoModule> modules;
  std::vector<InfoAssignment> assignments;
  std::vector<InfoSection> other_sections;

  // The output of `halo info --json`.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
};

template <class V>
void Fields(V& v, InfoResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("modules", r.modules, "every module of every file");
  v("assignments", r.assignments, "what files of a buffer assignment hold");
  v("other_sections", r.other_sections, "frames of captured output that are not modules");
}

HALO_EXPORT InfoResult Info(const Document& document, const InfoRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_INFO_H_
