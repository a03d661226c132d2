// How long a program takes on a device, what limits it and what is exposed: `halo time` as a
// function.
#ifndef HALOSCOPE_TIME_H_
#define HALOSCOPE_TIME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
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

struct TimeRequest {
  std::string device, device_json, backend;
  bool advice = true;
  std::vector<std::string> profiles;
  std::optional<int64_t> profile_step;
  std::string calibration;
  std::optional<double> links, network;
  std::optional<int64_t> nodes, data_parallel;
  std::string autotune_results, target_config;
};

template <class V>
void Fields(V& v, TimeRequest& r) {
  v("advice", r.advice, "Look for what would help");
  v.Group("Assumptions");
  v("device", r.device, "Predict for this device (default: the one the dump was compiled for)",
    Choices{"time_device"});
  v("device_json", r.device_json,
    "Predict for the device that this text, a device file's, describes");
  v("backend", r.backend, "Count by the rules of this backend (default: detected from the module)",
    Choices{"backend"});
  v("autotune_results", r.autotune_results,
    "What the autotuner measured: text of the dump (default: the file beside the module)");
  v("target_config", r.target_config,
    "What the program was compiled for: text of the dump (default: the file beside the module)");
  v.Group("Measured times");
  v("profiles", r.profiles, "Compare with what the profiles in these files measured");
  v("profile_step", r.profile_step,
    "Use only this execution of the program on each device, counted from 0", Between{0, 9e15});
  v("calibration", r.calibration,
    "Correct predictions by this text, that of a file that --save-calibration wrote");
  v.Group("Other scales");
  v("links", r.links, "Let a device send this many GB/s to the others of its node",
    Between{1e-3, 1e6});
  v("network", r.network, "Let a device send this many GB/s to other nodes", Between{1e-3, 1e6});
  v("nodes", r.nodes, "Spread the program's devices over this many nodes", Between{1, 2e6});
  v("data_parallel", r.data_parallel,
    "Run this many copies of the program that reduce their gradients together", Between{1, 2e6});
}

// What an instruction or a program does, counted without a device.
struct TimeCost {
  double flops = 0, product_flops = 0, transcendentals = 0;
  double bytes_read = 0, bytes_written = 0, near_bytes = 0, host_bytes = 0, sent_bytes = 0;
  bool known = true;
};

template <class V>
void Fields(V& v, TimeCost& r) {
  v("flops", r.flops, "a multiplication and an addition are two; transcendentals are not included",
    Unit::kFlops);
  v("product_flops", r.product_flops, "of these, in products and convolutions", Unit::kFlops,
    FieldFlag::kDetail);
  v("transcendentals", r.transcendentals, "functions such as exp, per element", FieldFlag::kDetail);
  v("bytes_read", r.bytes_read, "from the device's main memory, each byte that is needed once",
    Unit::kBytes);
  v("bytes_written", r.bytes_written, "to it", Unit::kBytes);
  v("near_bytes", r.near_bytes, "to and from memory on the chip", Unit::kBytes, FieldFlag::kDetail);
  v("host_bytes", r.host_bytes, "to and from the host's memory", Unit::kBytes, FieldFlag::kDetail);
  v("sent_bytes", r.sent_bytes, "to other devices", Unit::kBytes);
  v("known", r.known, "false: includes calls of unknown cost", FieldFlag::kDetail);
}

// One instruction that takes time.
struct TimeOp {
  std::string name, opcode, kind, computation, shape, op_name, scope, source;
  double runs = 1;
  double seconds = 0, low_seconds = 0, high_seconds = 0, floor_seconds = 0, total_seconds = 0;
  double exposed_seconds = 0, critical_seconds = 0;
  std::string estimated_by, confidence, bound, product_type;
  std::optional<double> payload_bytes;
  std::optional<int64_t> group_size;
  TimeCost cost;
};

template <class V>
void Fields(V& v, TimeOp& r) {
  v("name", r.name, "");
  v("opcode", r.opcode, "", FieldFlag::kDetail);
  v("kind", r.kind, "of its kernel", Choices{"kernel_kind"});
  v("computation", r.computation, "that it is in", FieldFlag::kDetail);
  v("shape", r.shape, "");
  v("op_name", r.op_name, "from metadata");
  v("scope", r.scope, "the innermost scope of `op_name`", FieldFlag::kDetail);
  v("source", r.source, "`file:line` of the user's program");
  v("runs", r.runs, "in one step");
  v("seconds", r.seconds, "of one run", Unit::kSeconds);
  v("low_seconds", r.low_seconds, "the range that it is expected in", Unit::kSeconds,
    FieldFlag::kDetail);
  v("high_seconds", r.high_seconds, "the end of it", Unit::kSeconds, FieldFlag::kDetail);
  v("floor_seconds", r.floor_seconds, "at the device's rates", Unit::kSeconds, FieldFlag::kDetail);
  v("total_seconds", r.total_seconds, "of all runs", Unit::kSeconds);
  v("exposed_seconds", r.exposed_seconds, "of one run: kernels wait for it", Unit::kSeconds);
  v("critical_seconds", r.critical_seconds, "of all runs: on the critical path", Unit::kSeconds,
    FieldFlag::kDetail);
  v("estimated_by", r.estimated_by, "where the time comes from", Choices{"time_source"});
  v("confidence", r.confidence, "in the time", Choices{"time_confidence"});
  v("bound", r.bound, "what limits it", Choices{"time_bound"});
  v("product_type", r.product_type, "element type of its products", FieldFlag::kIfAny,
    FieldFlag::kDetail);
  v("payload_bytes", r.payload_bytes, "of a collective: the whole array", Unit::kBytes);
  v("group_size", r.group_size, "of a collective: devices that take part");
  v("cost", r.cost, "of one run", FieldFlag::kDetail);
}

// Instructions with something in common.
struct TimeGroup {
  std::string name;
  int64_t count = 0;
  double seconds = 0, exposed_seconds = 0;
};

template <class V>
void Fields(V& v, TimeGroup& r) {
  v("name", r.name, "");
  v("count", r.count, "of instructions");
  v("seconds", r.seconds, "of all their runs", Unit::kSeconds);
  v("exposed_seconds", r.exposed_seconds, "of these, kernels wait", Unit::kSeconds);
}

// What kernels wait for.
struct ExposedOp {
  std::string name, source;
  double exposed_seconds = 0, total_seconds = 0;
};

template <class V>
void Fields(V& v, ExposedOp& r) {
  v("name", r.name, "");
  v("source", r.source, "`file:line` of the user's program");
  v("exposed_seconds", r.exposed_seconds, "of all runs", Unit::kSeconds);
  v("total_seconds", r.total_seconds, "of all runs", Unit::kSeconds);
}

// A change to the program that saves time, tried by simulating it.
struct TimeAdvice {
  std::string kind, text;
  double saved_seconds = 0;
  bool at_most = false;
  double exposed_seconds = 0, bytes_longer = 0;
  std::vector<std::string> instructions;
  int64_t instruction_count = 0;
};

template <class V>
void Fields(V& v, TimeAdvice& r) {
  v("kind", r.kind,
    "`overlap`, `independent`, `narrow`, `copies`, `graph`, `ahead` (a loop's collective one "
    "iteration "
    "ahead), `fuse` or `donate`");
  v("text", r.text, "what to do");
  v("saved_seconds", r.saved_seconds, "of a step, by simulating the change; 0 for `independent`",
    Unit::kSeconds);
  v("at_most", r.at_most, "the change may save less");
  v("exposed_seconds", r.exposed_seconds, "of collectives: kernels wait for them now",
    Unit::kSeconds, FieldFlag::kDetail);
  v("bytes_longer", r.bytes_longer, "that stay in memory longer", Unit::kBytes, FieldFlag::kDetail);
  v("instructions", r.instructions, "that it changes", FieldFlag::kTop, FieldFlag::kDetail);
  v("instruction_count", r.instruction_count, "of all of them", FieldFlag::kDetail);
}

struct TimeBackend {
  std::string is, why;
};

template <class V>
void Fields(V& v, TimeBackend& r) {
  v("is", r.is, "`cpu`, `gpu`, `tpu` or `unknown`");
  v("why", r.why, "the evidence for it");
}

// A rate or a size of a device.
struct DeviceFigure {
  std::string name;
  double value = 0;
  std::string source;
};

template <class V>
void Fields(V& v, DeviceFigure& r) {
  v("name", r.name, "as in a device file: `bandwidth`, `cores`, `f32`, ...");
  v("value", r.value, "bytes or operations per second, bytes, seconds, or a count");
  v("source", r.source, "where it comes from", FieldFlag::kIfAny);
}

struct PredictedDevice {
  std::string name, title, why;
  bool certain = true;
  std::vector<DeviceFigure> figures;
};

template <class V>
void Fields(V& v, PredictedDevice& r) {
  v("name", r.name, "what times are predicted for");
  v("title", r.title, "its full name", FieldFlag::kDetail);
  v("why", r.why, "why this device");
  v("certain", r.certain, "false: an assumption; `--device` chooses another");
  v("figures", r.figures, "that are known of it");
}

struct TimeOfStep {
  double floor_seconds = 0, estimate_seconds = 0, serial_seconds = 0, compute_seconds = 0;
  double exposed_seconds = 0, hidden_seconds = 0, stalled_seconds = 0, gap_seconds = 0;
  double critical_collective_seconds = 0, unknown_seconds = 0;
};

template <class V>
void Fields(V& v, TimeOfStep& r) {
  v("floor_seconds", r.floor_seconds, "at the device's rates, all communication hidden",
    Unit::kSeconds);
  v("estimate_seconds", r.estimate_seconds, "as scheduled", Unit::kSeconds);
  v("serial_seconds", r.serial_seconds, "if nothing overlaps", Unit::kSeconds);
  v("compute_seconds", r.compute_seconds, "of the estimate, kernels", Unit::kSeconds);
  v("exposed_seconds", r.exposed_seconds, "of the estimate, waiting for collectives",
    Unit::kSeconds);
  v("hidden_seconds", r.hidden_seconds, "collectives that run beside kernels", Unit::kSeconds);
  v("stalled_seconds", r.stalled_seconds,
    "of the estimate, waiting for copies and other asynchronous work", Unit::kSeconds);
  v("gap_seconds", r.gap_seconds, "of `compute_seconds`, the gaps between kernels", Unit::kSeconds,
    FieldFlag::kDetail);
  v("critical_collective_seconds", r.critical_collective_seconds,
    "collectives on the critical path, exposed or hidden", Unit::kSeconds, FieldFlag::kDetail);
  v("unknown_seconds", r.unknown_seconds, "of the estimate, calls whose time is a guess",
    Unit::kSeconds);
}

struct CollectiveAtScale {
  std::string name;
  int64_t nodes = 1, devices = 0;
  double seconds = 0;
};

template <class V>
void Fields(V& v, CollectiveAtScale& r) {
  v("name", r.name, "");
  v("nodes", r.nodes, "that its groups span");
  v("devices", r.devices, "of which this is so");
  v("seconds", r.seconds, "of one run", Unit::kSeconds);
}

// Of a whole job.
struct TimeAtScale {
  int64_t devices = 0, data_parallel = 0, devices_per_node = 0, classes = 0;
  double step_seconds = 0, waiting_seconds = 0;
  double gradient_bytes = 0, gradient_seconds = 0, straggler_seconds = 0;
  std::vector<CollectiveAtScale> collectives;
};

template <class V>
void Fields(V& v, TimeAtScale& r) {
  v("devices", r.devices, "of all copies");
  v("data_parallel", r.data_parallel, "copies of the program");
  v("devices_per_node", r.devices_per_node, "");
  v("classes", r.classes, "kinds of devices, of which one each is simulated");
  v("step_seconds", r.step_seconds, "until the last device has ended", Unit::kSeconds);
  v("waiting_seconds", r.waiting_seconds,
    "of the device that waits longest for collectives and other devices", Unit::kSeconds);
  v("gradient_bytes", r.gradient_bytes, "that the copies reduce; 0: unknown, or one copy",
    Unit::kBytes);
  v("gradient_seconds", r.gradient_seconds, "of `step_seconds`, that reduction", Unit::kSeconds);
  v("straggler_seconds", r.straggler_seconds,
    "how much later the last device ends if each varies; not in `step_seconds`", Unit::kSeconds);
  v("collectives", r.collectives, "of the program");
}

struct MeasuredProfile {
  std::string path, kind;
  int64_t events = 0, devices = 0, programs = 0;
};

template <class V>
void Fields(V& v, MeasuredProfile& r) {
  v("path", r.path, "");
  v("kind", r.kind, "", Choices{"profile_kind"});
  v("events", r.events, "that name an op");
  v("devices", r.devices, "");
  v("programs", r.programs, "");
}

struct MeasuredEvents {
  int64_t named = 0, joined = 0, other_programs = 0, other_steps = 0, unknown_ops = 0;
  int64_t unnamed = 0, launches = 0;
};

template <class V>
void Fields(V& v, MeasuredEvents& r) {
  v("named", r.named, "events that name an op");
  v("joined", r.joined, "of these, joined with an instruction");
  v("other_programs", r.other_programs, "of these, of other programs");
  v("other_steps", r.other_steps, "of these, left out by `profile_step`");
  v("unknown_ops", r.unknown_ops, "of these, of ops that the module does not have");
  v("unnamed", r.unnamed, "further events of devices, which name no op");
  v("launches", r.launches, "further events of the host, which name an op that a device executed");
}

// An op that events name but the module does not have.
struct UnknownMeasuredOp {
  std::string name;
  int64_t events = 0;
};

template <class V>
void Fields(V& v, UnknownMeasuredOp& r) {
  v("name", r.name, "");
  v("events", r.events, "that name it");
}

// Instructions of one kind that were measured and predicted.
struct MeasuredKind {
  std::string name;
  int64_t count = 0;
  double seconds = 0, predicted_seconds = 0, ratio = 0, roofline_share = 0;
};

template <class V>
void Fields(V& v, MeasuredKind& r) {
  v("name", r.name, "kind of kernel", Choices{"kernel_kind"});
  v("count", r.count, "of ops");
  v("seconds", r.seconds, "measured, in one step", Unit::kSeconds);
  v("predicted_seconds", r.predicted_seconds, "of the same ops", Unit::kSeconds);
  v("ratio", r.ratio, "measured to predicted");
  v("roofline_share", r.roofline_share, "time at the device's rates, of the measured time");
}

// One instruction that was measured and predicted.
struct MeasuredOp {
  std::string name, opcode, kind, scope;
  double runs = 1;
  int64_t events = 0;
  double seconds = 0, predicted_seconds = 0, ratio = 0, roofline_share = 0, difference_seconds = 0;
  std::string estimated_by, bound;
};

template <class V>
void Fields(V& v, MeasuredOp& r) {
  v("name", r.name, "");
  v("opcode", r.opcode, "");
  v("kind", r.kind, "of its kernel", Choices{"kernel_kind"});
  v("scope", r.scope, "the innermost scope of its `op_name`");
  v("runs", r.runs, "in one step");
  v("events", r.events, "that joined");
  v("seconds", r.seconds, "measured, of one run; the median over steps and devices",
    Unit::kSeconds);
  v("predicted_seconds", r.predicted_seconds, "of one run", Unit::kSeconds);
  v("ratio", r.ratio, "measured to predicted; 0 if nothing was predicted");
  v("roofline_share", r.roofline_share, "time at the device's rates, of the measured time");
  v("difference_seconds", r.difference_seconds, "measured minus predicted, of all runs",
    Unit::kSeconds);
  v("estimated_by", r.estimated_by, "where the prediction comes from", Choices{"time_source"});
  v("bound", r.bound, "what limits it, by the prediction", Choices{"time_bound"});
}

// What profiles measured, beside the prediction.
struct MeasuredTime {
  std::string verdict;
  std::vector<MeasuredProfile> profiles;
  std::vector<std::string> programs;
  std::string why;
  double step_seconds = 0, shortest_step_seconds = 0, longest_step_seconds = 0;
  int64_t steps = 0, devices = 0;
  double op_seconds = 0, predicted_op_seconds = 0, weighted_error = 0;
  MeasuredEvents events;
  std::vector<UnknownMeasuredOp> unknown_ops;
  int64_t containers = 0, unpredicted_ops = 0;
  double unpredicted_seconds = 0;
  int64_t unmeasured_ops = 0;
  double unmeasured_seconds = 0;
  std::vector<MeasuredKind> kinds;
  int64_t op_count = 0;
  std::vector<MeasuredOp> ops;
};

template <class V>
void Fields(V& v, MeasuredTime& r) {
  v("verdict", r.verdict, "the comparison in one sentence");
  v("profiles", r.profiles, "that were read");
  v("programs", r.programs, "that were joined, as the profiles call them");
  v("why", r.why, "how they were chosen: `by name and program id`, ...");
  v("step_seconds", r.step_seconds,
    "from the first op of an execution to its last; the median over executions and devices",
    Unit::kSeconds);
  v("shortest_step_seconds", r.shortest_step_seconds, "", Unit::kSeconds);
  v("longest_step_seconds", r.longest_step_seconds, "", Unit::kSeconds);
  v("steps", r.steps, "executions of the program, on all devices");
  v("devices", r.devices, "that executed it");
  v("op_seconds", r.op_seconds, "of all measured ops in one step", Unit::kSeconds);
  v("predicted_op_seconds", r.predicted_op_seconds, "of the same ops", Unit::kSeconds);
  v("weighted_error", r.weighted_error,
    "sum of the differences of all ops, divided by `op_seconds`");
  v("events", r.events, "of the profiles");
  v("unknown_ops", r.unknown_ops, "ops that the module does not have", FieldFlag::kTop);
  v("containers", r.containers, "measured loops and calls, whose ops were measured too");
  v("unpredicted_ops", r.unpredicted_ops, "other measured ops without a prediction");
  v("unpredicted_seconds", r.unpredicted_seconds, "in one step", Unit::kSeconds);
  v("unmeasured_ops", r.unmeasured_ops, "predicted ops that no event names");
  v("unmeasured_seconds", r.unmeasured_seconds, "predicted, in one step", Unit::kSeconds);
  v("kinds", r.kinds, "by kind of kernel, longest first");
  v("op_count", r.op_count, "ops that were measured and predicted");
  v("ops", r.ops, "the largest difference in a step first", FieldFlag::kTop);
}

struct TimeResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.time.v2";

  bool succeeded = false;  // false: the diagnostics say why, and nothing else is set
  std::string program, verdict;
  TimeBackend backend;
  PredictedDevice device;
  bool scheduled = true, trip_counts_known = true;
  int64_t autotuned = 0;
  TimeOfStep step;
  std::optional<TimeAtScale> scale;
  std::vector<ExposedOp> exposed;
  std::vector<TimeAdvice> advice;
  TimeCost cost, cost_once;
  std::vector<std::pair<std::string, double>> product_flops_by_type;
  std::vector<TimeGroup> scopes, kinds, sources, bounds;
  int64_t op_count = 0;
  std::vector<TimeOp> ops;
  std::optional<MeasuredTime> measured;

  // The output of `halo time --json` with `top` rows in its lists; empty if there is no result.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = 10) const;
};

template <class V>
void Fields(V& v, TimeResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("program", r.program, "the module's name");
  v("verdict", r.verdict, "the result in one sentence", FieldFlag::kDetail);
  v("backend", r.backend, "the backend whose rules apply", FieldFlag::kDetail);
  v("device", r.device, "what times are predicted for");
  v("scheduled", r.scheduled, "false: instructions are taken in the order of the text");
  v("trip_counts_known", r.trip_counts_known,
    "false: a loop of unknown trip count counts as one iteration");
  v("autotuned", r.autotuned, "products whose time XLA's autotuner measured", FieldFlag::kDetail);
  v("step", r.step, "the time of one step");
  v("scale", r.scale, "of a whole job", When{"with `data_parallel` or `nodes`"},
    FieldFlag::kDetail);
  v("exposed", r.exposed, "what kernels wait for, longest wait first", FieldFlag::kTop);
  v("advice", r.advice, "what would help, most seconds first");
  v("cost", r.cost, "of one step");
  v("cost_once", r.cost_once, "with every loop counted once, as XLA's cost analysis does",
    FieldFlag::kDetail);
  v("product_flops_by_type", r.product_flops_by_type, "flops of products by element type",
    Unit::kFlops);
  v("scopes", r.scopes, "longest first", FieldFlag::kTop);
  v("kinds", r.kinds, "the same by kind of kernel");
  v("sources", r.sources,
    "the same by where the time comes from, as `ops[].estimated_by`; and `gaps between kernels`");
  v("bounds", r.bounds,
    "the same by what limits the time, as `ops[].bound`; and `gaps between kernels`");
  v("op_count", r.op_count, "instructions that take time");
  v("ops", r.ops, "instructions that take time, longest first", FieldFlag::kTop);
  v("measured", r.measured, "what was measured, beside the prediction", When{"with profiles"},
    FieldFlag::kDetail);
}

HALO_EXPORT TimeResult Time(const Document& document, const TimeRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_TIME_H_
