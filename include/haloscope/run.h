// Runs a module on this machine, including one compiled for a GPU or TPU: `halo run` as a function.
#ifndef HALOSCOPE_RUN_H_
#define HALOSCOPE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/array.h"
#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

// What programs run on, and within which limits.
struct ExecutionRequest {
  // Matched to parameters by name: "in_0", "in_1", ... in parameter order, or the parameters' own
  // names.
  std::vector<Array> inputs;
  std::vector<std::string> input_files;  // matched likewise
  std::optional<uint64_t> random;
  std::string fill_elided;
  std::vector<std::string> custom_call;
  std::optional<int64_t> devices, max_memory, max_steps;
};

template <class V>
void FieldsOfInputs(V& v, ExecutionRequest& r) {
  v.Group("Inputs");
  v("inputs", r.input_files, "Arrays for the parameters, as .npz, .npy or safetensors files");
  v("random", r.random, "Generate the inputs that are not provided, from this seed");
  v("fill_elided", r.fill_elided, "Value used for constants that the dump elides as {...}",
    Choices{"fill_elided"});
  v("custom_call", r.custom_call,
    "Replacement for an unknown custom call: TARGET=identity or TARGET=zeros");
}

template <class V>
void FieldsOfLimits(V& v, ExecutionRequest& r) {
  v.Group("Engine");
  v("max_memory", r.max_memory,
    "Memory limit, such as 16GiB, or a number of bytes (default: what this machine has)",
    Unit::kBytes, Between{0, 9.3e18});
  v("max_steps", r.max_steps, "Limit of executed instructions (default: no limit)",
    Between{1, 9.3e18});
}

template <class V>
void FieldsOfDevices(V& v, ExecutionRequest& r) {
  v.Group("Devices");
  v("devices", r.devices, "Number of devices (default: as many as the module is compiled for)",
    Between{1, 1e9});
}

template <class V>
void Fields(V& v, ExecutionRequest& r) {
  FieldsOfInputs(v, r);
  FieldsOfLimits(v, r);
  FieldsOfDevices(v, r);
}

struct RunRequest : ExecutionRequest {
  uint32_t module = 0;  // index in the document
  // The reference engine evaluates every op by its definition and is part of the library. The
  // compiled engine is the package component `engine`, a plugin that is loaded on first use.
  std::string engine = "reference";
  std::optional<int64_t> replicas, partitions;
  int64_t repeat = 1;
  bool feed_back = false;
  std::vector<std::string> without;
  bool join = false;
  std::string join_by;
  std::string compare;
  std::optional<double> rtol, atol, ulp_of_largest;
  std::optional<int64_t> ulp;
  int64_t worst = 5;
  std::vector<std::string> trace;
  bool find_nan = false, profile = false, decisions = false;
};

template <class V>
void Fields(V& v, RunRequest& r) {
  FieldsOfInputs(v, r);
  v.Group("Output");
  v("join", r.join, "Gather each result of several devices into one array, by its sharding");
  v("join_by", r.join_by,
    "Gather results with the shardings of this module: the program before it was partitioned");
  v.Group("Comparison");
  v("compare", r.compare, "Compare the results with out_0, out_1, ... of this .npz file");
  v("rtol", r.rtol, "Allowed difference, relative to the expected value", Between{0, 1e300});
  v("atol", r.atol, "Allowed absolute difference", Between{0, 1e300});
  v("ulp", r.ulp, "Allowed difference in ulps of the element type", Between{0, 9.3e18});
  v("ulp_of_largest", r.ulp_of_largest,
    "Allowed difference in ulps of the output's largest magnitude", Between{0, 1e300});
  v("worst", r.worst, "Number of elements to list for an output that differs", Between{0, 1e6});
  v.Group("Diagnosis");
  v("trace", r.trace, "Show the values of these instructions (* and ? are wildcards)");
  v("find_nan", r.find_nan, "Stop at the first instruction that produces a NaN or an infinity");
  v("profile", r.profile, "Show the time that each step takes");
  v("decisions", r.decisions, "Show what the passes changed, and why");
  v.Group("Engine");
  v("engine", r.engine, "Engine that runs the module", Choices{"engine"});
  FieldsOfLimits(v, r);
  v("repeat", r.repeat, "Run this many times and keep the last results", Between{1, 9.3e18});
  v("without", r.without, "Passes to skip, separated by commas");
  FieldsOfDevices(v, r);
  v("module", r.module, "Index of the module in the file, from 0");
  v("replicas", r.replicas, "Number of replicas", Between{1, 1e9});
  v("partitions", r.partitions, "Number of partitions", Between{1, 1e9});
  v.Group("Steps");
  v("feed_back", r.feed_back,
    "Between runs of --repeat, replace each donated parameter by the result that shares its buffer "
    "(input_output_alias)");
}

// What a front end took away from the process that ran a module.
struct Sandbox {
  bool files = false, network = false;
  std::string why_not;

  [[nodiscard]] bool is_complete() const { return files && network; }
};

template <class V>
void Fields(V& v, Sandbox& r) {
  v("files", r.files, "no files but the named ones");
  v("network", r.network, "no network, no other programs, no other processes");
  v("why_not", r.why_not, "why one of these is false", FieldFlag::kIfAny);
}

// What an array consists of; extremes and mean are those of its finite elements.
struct ArrayFigures {
  std::string type;
  std::vector<int64_t> dims;
  int64_t elements = 0, nans = 0, infinities = 0;
  double min = 0, max = 0, mean = 0;
};

template <class V>
void Fields(V& v, ArrayFigures& r) {
  v("type", r.type, "element type", FieldFlag::kDetail);
  v("dims", r.dims, "dimensions");
  v("elements", r.elements, "how many", FieldFlag::kDetail);
  v("nans", r.nans, "how many elements are NaN");
  v("infinities", r.infinities, "how many elements are infinite");
  v("min", r.min, "of the finite elements", FieldFlag::kNotFinite);
  v("max", r.max, "of the finite elements", FieldFlag::kNotFinite);
  v("mean", r.mean, "of the finite elements", FieldFlag::kNotFinite);
}

// An array that goes into a run.
struct RunParameter {
  std::string name;
  int64_t parameter = 0;
  std::string parameter_name, type;
  std::vector<int64_t> dims;
  std::string origin, path;
  bool gathered_from_shards = false, sliced_by_sharding = false;
  std::string role, range, because_of;
  std::optional<int64_t> elements, nans, infinities;
  std::optional<double> min, max, mean;
};

template <class V>
void Fields(V& v, RunParameter& r) {
  v("name", r.name, "the array's: `in_0`");
  v("parameter", r.parameter, "the parameter's number");
  v("parameter_name", r.parameter_name, "with the index in a tuple: `p.1.0`");
  v("type", r.type, "element type");
  v("dims", r.dims, "dimensions");
  v("origin", r.origin, "where it comes from: `random` or `file`");
  v("path", r.path, "the file", FieldFlag::kIfAny);
  v("gathered_from_shards", r.gathered_from_shards,
    "the file has one array for each device, and the module is not yet partitioned",
    FieldFlag::kIfAny);
  v("sliced_by_sharding", r.sliced_by_sharding,
    "the file has the whole array, and the module is partitioned", FieldFlag::kIfAny);
  v("role", r.role, "what the program does with it", Choices{"input_role"});
  v("range", r.range, "of generated values");
  v("because_of", r.because_of, "the instruction that decided this", FieldFlag::kIfAny);
  v("elements", r.elements, "how many");
  v("nans", r.nans, "how many elements are NaN");
  v("infinities", r.infinities, "how many elements are infinite");
  v("min", r.min, "of the finite elements", FieldFlag::kNotFinite);
  v("max", r.max, "of the finite elements", FieldFlag::kNotFinite);
  v("mean", r.mean, "of the finite elements", FieldFlag::kNotFinite);
}

// A result of the program on one device, or the whole one if it was gathered.
struct RunOutput {
  std::string name;
  int64_t device = 0;
  ArrayFigures figures;
  std::string digest;
  std::optional<std::string> literal;
};

template <class V>
void Fields(V& v, RunOutput& r) {
  v("name", r.name, "`out_0`; with several devices `out_0_d3`");
  v("device", r.device, "its number");
  Fields(v, r.figures);
  v("digest", r.digest, "equal for equal bits");
  v("literal", r.literal, "the values, if there are few");
}

struct GatheredOutput {
  std::string name, sharding;
  std::optional<int64_t> parts;
  std::string problem;
};

template <class V>
void Fields(V& v, GatheredOutput& r) {
  v("name", r.name, "`out_0`");
  v("sharding", r.sharding, "how it was distributed", FieldFlag::kIfAny);
  v("parts", r.parts, "how many arrays became one");
  v("problem", r.problem, "why they did not", FieldFlag::kIfAny);
}

struct RunTrace {
  std::string name, instruction;
  int64_t device = 0, execution = 0;
  ArrayFigures figures;
  std::optional<std::string> literal;
};

template <class V>
void Fields(V& v, RunTrace& r) {
  v("name", r.name, "of the array in an archive of traced values");
  v("instruction", r.instruction, "that has the value");
  v("device", r.device, "its number");
  v("execution", r.execution, "of the instruction on this device, from 0");
  Fields(v, r.figures);
  v("literal", r.literal, "the values, if there are few");
}

// The cost of one step of the compiled program.
struct RunStep {
  std::string instruction, opcode, scope, kind, by;
  int64_t visits = 0;
  double seconds = 0;
  int64_t bytes = 0;
  double flops = 0;
};

template <class V>
void Fields(V& v, RunStep& r) {
  v("instruction", r.instruction, "");
  v("opcode", r.opcode, "");
  v("scope", r.scope, "its op_name in the program's source");
  v("kind", r.kind, "kernel, library, ...");
  v("by", r.by, "what computed it");
  v("visits", r.visits, "how often it ran in one run of the program");
  v("seconds", r.seconds,
    "of these; with `repeat`, of the run in which it was fastest, not counting the first",
    Unit::kSeconds);
  v("bytes", r.bytes, "read and written, counting each buffer once", Unit::kBytes);
  v("flops", r.flops, "of dots and convolutions", Unit::kFlops);
}

struct OperandValue {
  std::string instruction;
  ArrayFigures figures;
};

template <class V>
void Fields(V& v, OperandValue& r) {
  v("instruction", r.instruction, "that has the value");
  Fields(v, r.figures);
}

// Where finite numbers first became a NaN or an infinity.
struct NonFiniteValue {
  std::string is, instruction, opcode;
  int64_t device = 0, execution = 0;
  std::string op_name, source;
  std::vector<int64_t> index;
  std::vector<std::string> path;
  OperandValue result;
  std::vector<OperandValue> operands;
};

template <class V>
void Fields(V& v, NonFiniteValue& r) {
  v("is", r.is, "`nan` or `inf`");
  v("instruction", r.instruction, "that produces it");
  v("opcode", r.opcode, "");
  v("device", r.device, "its number");
  v("execution", r.execution, "of the instruction on this device, from 0");
  v("op_name", r.op_name, "from metadata; empty if unknown");
  v("source", r.source, "`file:line` of the user's program; empty if unknown");
  v("index", r.index, "of the element");
  v("path", r.path, "the calls that lead to it");
  v("result", r.result, "of the instruction");
  v("operands", r.operands, "of the instruction");
}

struct WorstElement {
  std::vector<int64_t> index;
  double got = 0, expected = 0;
  std::optional<double> got_imag, expected_imag;
  double absolute = 0, relative = 0;
  int64_t ulp = 0;
};

template <class V>
void Fields(V& v, WorstElement& r) {
  v("index", r.index, "of the element");
  v("got", r.got, "", FieldFlag::kNotFinite);
  v("expected", r.expected, "", FieldFlag::kNotFinite);
  v("got_imag", r.got_imag, "of a complex element", FieldFlag::kNotFinite);
  v("expected_imag", r.expected_imag, "of a complex element", FieldFlag::kNotFinite);
  v("absolute", r.absolute, "the distance", FieldFlag::kNotFinite);
  v("relative", r.relative, "to the expected magnitude", FieldFlag::kNotFinite);
  v("ulp", r.ulp, "the distance in ulps of the element type");
}

struct ComparedOutput {
  std::string name;
  bool ok = false;
  std::string problem, type;
  std::vector<int64_t> dims, expected_dims;
  double rtol = 0, atol = 0, largest_ulp = 0;
  int64_t ulp = 0, elements = 0, different = 0, beyond = 0;
  double max_absolute = 0, max_relative = 0;
  int64_t max_ulp = 0;
  double largest_expected = 0;
  std::vector<WorstElement> worst;
};

template <class V>
void Fields(V& v, ComparedOutput& r) {
  v("name", r.name, "`out_0`");
  v("ok", r.ok, "it is as expected");
  v("problem", r.problem, "why it cannot be compared", FieldFlag::kIfAny);
  v("type", r.type, "element type");
  v("dims", r.dims, "dimensions");
  v("expected_dims", r.expected_dims, "those of the array in the file");
  v("rtol", r.rtol, "allowed difference, relative to the expected value", FieldFlag::kNotFinite);
  v("atol", r.atol, "allowed absolute difference", FieldFlag::kNotFinite);
  v("largest_ulp", r.largest_ulp, "allowed difference in ulps of the largest magnitude",
    FieldFlag::kNotFinite);
  v("ulp", r.ulp, "allowed difference in ulps of the element type");
  v("elements", r.elements, "how many");
  v("different", r.different, "not bit-identical");
  v("beyond", r.beyond, "beyond the tolerance");
  v("max_absolute", r.max_absolute, "the largest distance", FieldFlag::kNotFinite);
  v("max_relative", r.max_relative, "the largest, relative to the expected value",
    FieldFlag::kNotFinite);
  v("max_ulp", r.max_ulp, "the largest distance in ulps of the element type");
  v("largest_expected", r.largest_expected, "magnitude", FieldFlag::kNotFinite);
  v("worst", r.worst, "elements: those beyond the tolerance first");
}

struct OutputsCompared {
  std::string expected;
  bool agrees = false;
  std::vector<ComparedOutput> outputs;
};

template <class V>
void Fields(V& v, OutputsCompared& r) {
  v("expected", r.expected, "the file");
  v("agrees", r.agrees, "all results are as expected");
  v("outputs", r.outputs, "each result, and what the file has in addition");
}

struct RunResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.run.v2";

  std::string program, engine;
  bool verified = false;
  int64_t replicas = 1, partitions = 1, ranks = 0, longest_sum = 1;
  bool finished = false;  // false: the diagnostics say why, or a NaN was found
  int64_t instructions_executed = 0, work = 0, input_bytes = 0, peak_bytes = 0;
  double seconds = 0;
  std::string not_compiled_because, not_cached_because;
  std::optional<int64_t> resumed_after_step, checkpoints_written, checkpoint_step;
  // If the compiled engine ran.
  std::optional<int64_t> planned_bytes, kernel_steps, library_steps, reference_steps;
  std::optional<int64_t> collective_steps, collectives_by_messages;
  std::optional<int64_t> kernels, kernels_compiled, damaged_cache_entries;
  std::optional<double> prepare_seconds, compile_seconds;
  std::optional<std::vector<double>> run_seconds;
  std::optional<std::vector<std::string>> references;
  std::vector<std::string> decisions;
  std::string plan;
  std::vector<RunStep> profile;
  std::optional<double> machine_copy_bytes_per_second, machine_f32_flops_per_second;
  std::optional<Sandbox> sandbox;
  std::vector<std::string> filled_constants;
  std::optional<std::vector<RunParameter>> parameters;
  std::optional<std::vector<RunOutput>> outputs;
  std::vector<GatheredOutput> gathered;
  std::vector<RunTrace> traced;
  // With RunRequest::find_nan; empty inside if there is none.
  std::optional<std::optional<NonFiniteValue>> first_non_finite;
  std::optional<OutputsCompared> comparison;

  std::vector<Array> arrays;  // the results themselves, in the order of `outputs`

  // The output of `halo run --json`.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
};

template <class V>
void FieldsOfCompiledRun(V& v, RunResult& r) {
  constexpr When kCompiled{"if the compiled engine ran"};
  v("planned_bytes", r.planned_bytes, "of the compiled program's plan", Unit::kBytes, kCompiled);
  v("kernel_steps", r.kernel_steps, "steps that are compiled kernels", kCompiled);
  v("library_steps", r.library_steps, "steps that are calls of libraries", kCompiled);
  v("reference_steps", r.reference_steps, "steps that the reference engine computes", kCompiled);
  v("collective_steps", r.collective_steps, "steps that exchange data", kCompiled);
  v("collectives_by_messages", r.collectives_by_messages,
    "collectives of the first rank, over all runs, whose data moved by messages and not through "
    "shared memory; gathering the results is not counted",
    kCompiled);
  v("kernels", r.kernels, "distinct ones", kCompiled);
  v("kernels_compiled", r.kernels_compiled, "the others were in the cache", kCompiled);
  v("damaged_cache_entries", r.damaged_cache_entries,
    "cache entries that were refused and compiled again: damaged, or not this user's own",
    kCompiled);
  v("prepare_seconds", r.prepare_seconds, "to plan", Unit::kSeconds, kCompiled);
  v("compile_seconds", r.compile_seconds, "to compile", Unit::kSeconds, kCompiled);
  v("run_seconds", r.run_seconds, "of each run, with `repeat`", Unit::kSeconds, kCompiled);
  v("references", r.references, "instructions that the reference engine computed", kCompiled);
  v("decisions", r.decisions, "what the passes changed, and why", When{"with `decisions`"},
    FieldFlag::kIfAny);
  v("plan", r.plan, "the memory and the steps of the compiled program", When{"with `plan`"},
    FieldFlag::kIfAny);
  v("profile", r.profile, "the time that each step takes", When{"with `profile`"},
    FieldFlag::kIfAny);
  v("machine_copy_bytes_per_second", r.machine_copy_bytes_per_second, "measured",
    When{"with `profile`"}, Unit::kBytesPerSecond);
  v("machine_f32_flops_per_second", r.machine_f32_flops_per_second, "measured",
    When{"with `profile`"});
}

template <class V>
void Fields(V& v, RunResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("program", r.program, "the module's name; empty if it could not be read");
  v("engine", r.engine, "what ran it", Choices{"engine"});
  v("verified", r.verified, "the verifier found no error");
  v("replicas", r.replicas, "how many");
  v("partitions", r.partitions, "how many");
  v("ranks", r.ranks, "processes that ran it, one for each device; 0: one for all");
  v("longest_sum", r.longest_sum,
    "the most terms that one element adds up, which limits the accuracy");
  v("finished", r.finished, "there are results");
  v("instructions_executed", r.instructions_executed, "over all devices");
  v("work", r.work, "elements computed");
  v("input_bytes", r.input_bytes, "of all inputs", Unit::kBytes);
  v("peak_bytes", r.peak_bytes, "most that was held at a time", Unit::kBytes);
  v("seconds", r.seconds, "of the run, without reading and compiling", Unit::kSeconds);
  v("not_compiled_because", r.not_compiled_because, "why the reference engine ran instead",
    FieldFlag::kIfAny);
  v("not_cached_because", r.not_cached_because, "why the cache folder was not used",
    FieldFlag::kIfAny);
  FieldsOfCompiledRun(v, r);
  constexpr When kFedBack{"with `feed_back`"};
  v("resumed_after_step", r.resumed_after_step,
    "steps that a checkpoint replaced; 0 if the run began at the first", kFedBack);
  v("checkpoints_written", r.checkpoints_written, "by this run", kFedBack);
  v("checkpoint_step", r.checkpoint_step, "step of the last checkpoint; 0 if there is none",
    kFedBack);
  v("sandbox", r.sandbox, "what the process that ran the module could not reach",
    When{"absent if none ran it"});
  v("filled_constants", r.filled_constants, "elided constants that `fill_elided` filled");
  v("parameters", r.parameters, "one for each array that goes in",
    When{"absent if there is no module"});
  v("outputs", r.outputs, "the results", When{"absent if there is no module"});
  v("gathered", r.gathered, "what became of results on several devices", When{"with `join`"},
    FieldFlag::kIfAny);
  v("traced", r.traced, "values of instructions", When{"with `trace`"}, FieldFlag::kIfAny);
  v("first_non_finite", r.first_non_finite, "null if there is none", When{"with `find_nan`"});
  v("comparison", r.comparison, "with the expected results", When{"with `compare`"});
}

HALO_EXPORT RunResult Run(const Document& document, const RunRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RUN_H_
