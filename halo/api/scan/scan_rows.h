// The rows that a scan stores of each program, one struct for each table; texts are those of the
// program and outlive a row. Each table has the columns `program` and `shard` before these. What is
// in memory at the peak is v0::LiveValue.
#ifndef HALO_API_SCAN_SCAN_ROWS_H_
#define HALO_API_SCAN_SCAN_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "haloscope/fields.h"

namespace halo::documents {

struct ModuleRow {
  std::string_view name;
  std::string fingerprint, values_fingerprint, collectives_fingerprint;
  std::optional<std::string_view> backend;
  bool is_scheduled = false;
  int64_t replicas = 1, partitions = 1, computations = 0, instructions = 0;
  int64_t errors = 0, warnings = 0;
  std::optional<int64_t> memory_bytes, parameter_bytes, output_bytes, temp_bytes, constant_bytes;
  std::optional<int64_t> peak_bytes;
  std::optional<std::string_view> peak_instruction;
  std::optional<bool> is_planned;
  std::optional<std::string_view> device;
  std::optional<bool> is_device_known;
  std::optional<double> seconds, flops, traffic_bytes, sent_bytes;
};

template <class V>
void Fields(V& v, ModuleRow& r) {
  using enum v0::Unit;
  v("name", r.name, "of the module");
  v("fingerprint", r.fingerprint, "as `halo snapshot` prints it: of the module as it is compiled");
  v("values_fingerprint", r.values_fingerprint, "of what it computes");
  v("collectives_fingerprint", r.collectives_fingerprint, "of its collectives");
  v("backend", r.backend, "", v0::Choices{"backend"});
  v("is_scheduled", r.is_scheduled, "XLA has ordered the instructions");
  v("replicas", r.replicas, "");
  v("partitions", r.partitions, "");
  v("computations", r.computations, "");
  v("instructions", r.instructions, "");
  v("errors", r.errors, "findings");
  v("warnings", r.warnings, "");
  v("memory_bytes", r.memory_bytes, "of all allocations in the device's main memory", kBytes);
  v("parameter_bytes", r.parameter_bytes, "of these, of parameters", kBytes);
  v("output_bytes", r.output_bytes, "of these, of results", kBytes);
  v("temp_bytes", r.temp_bytes, "of these, temporary", kBytes);
  v("constant_bytes", r.constant_bytes, "of these, of constants", kBytes);
  v("peak_bytes", r.peak_bytes, "live at the same time, at most", kBytes);
  v("peak_instruction", r.peak_instruction, "that runs then");
  v("is_planned", r.is_planned, "by halo; false: by XLA");
  v("device", r.device, "that times are predicted for");
  v("is_device_known", r.is_device_known, "false: an assumption");
  v("seconds", r.seconds, "of one step, predicted", kSeconds);
  v("flops", r.flops, "of one step", kFlops);
  v("traffic_bytes", r.traffic_bytes, "of one step, in main memory", kBytes);
  v("sent_bytes", r.sent_bytes, "of one step, to other devices", kBytes);
}

struct InstructionRow {
  int64_t inst = 0;
  std::string_view name, opcode, dtype, shape;
  int64_t bytes = 0;
  std::string_view computation;
  bool is_embedded = false;
  std::string_view op_name, source;
};

template <class V>
void Fields(V& v, InstructionRow& r) {
  v("inst", r.inst, "its number in the module");
  v("name", r.name, "");
  v("opcode", r.opcode, "");
  v("dtype", r.dtype, "element type");
  v("shape", r.shape, "");
  v("bytes", r.bytes, "of the result", v0::Unit::kBytes);
  v("computation", r.computation, "that it is in");
  v("is_embedded", r.is_embedded,
    "inside a fusion, a reducer or another computation that does not run by itself");
  v("op_name", r.op_name, "from metadata");
  v("source", r.source, "`file:line` of the user's program");
}

struct CollectiveRow {
  int64_t inst = 0;
  std::string_view name, opcode;
  bool is_async = false;
  std::string_view dtype;
  int64_t bytes = 0, group_size = 0, runs = 0;
  std::optional<double> seconds, exposed_seconds;
  std::string_view op_name, source;
};

template <class V>
void Fields(V& v, CollectiveRow& r) {
  v("inst", r.inst, "its number in the module");
  v("name", r.name, "");
  v("opcode", r.opcode, "`all-gather` for `all-gather-start` too");
  v("is_async", r.is_async, "");
  v("dtype", r.dtype, "element type");
  v("bytes", r.bytes, "the larger of operands and results", v0::Unit::kBytes);
  v("group_size", r.group_size, "devices; pairs of a permute");
  v("runs", r.runs, "in one step");
  v("seconds", r.seconds, "of all runs, predicted", v0::Unit::kSeconds);
  v("exposed_seconds", r.exposed_seconds, "of these, what kernels wait for", v0::Unit::kSeconds);
  v("op_name", r.op_name, "from metadata");
  v("source", r.source, "`file:line` of the user's program");
}

// An instruction that takes time. Unlike in v0::TimeOp, figures are sums, as queries want them.
struct TimeRow {
  int64_t inst = 0;
  std::string_view name, opcode, kind;
  double runs = 1, seconds = 0, exposed_seconds = 0, critical_seconds = 0;
  double flops = 0, traffic_bytes = 0;
  std::string_view bound, estimated_by, op_name, source;
};

template <class V>
void Fields(V& v, TimeRow& r) {
  using enum v0::Unit;
  v("inst", r.inst, "its number in the module");
  v("name", r.name, "");
  v("opcode", r.opcode, "");
  v("kind", r.kind, "of its kernel", v0::Choices{"kernel_kind"});
  v("runs", r.runs, "in one step");
  v("seconds", r.seconds, "of all runs", kSeconds);
  v("exposed_seconds", r.exposed_seconds, "of these, kernels wait", kSeconds);
  v("critical_seconds", r.critical_seconds, "of these, on the critical path", kSeconds);
  v("flops", r.flops, "of all runs", kFlops);
  v("traffic_bytes", r.traffic_bytes, "of all runs, in main memory", kBytes);
  v("bound", r.bound, "what limits it", v0::Choices{"time_bound"});
  v("estimated_by", r.estimated_by, "where the time comes from", v0::Choices{"time_source"});
  v("op_name", r.op_name, "from metadata");
  v("source", r.source, "`file:line` of the user's program");
}

struct FindingRow {
  std::string_view severity, code, computation, instruction, message;
};

template <class V>
void Fields(V& v, FindingRow& r) {
  v("severity", r.severity, "`error` or `warning`");
  v("code", r.code, "as `halo check` prints it");
  v("computation", r.computation, "empty if it is about the whole module");
  v("instruction", r.instruction, "empty if it is about more");
  v("message", r.message, "for humans");
}

}  // namespace halo::documents

#endif  // HALO_API_SCAN_SCAN_ROWS_H_
