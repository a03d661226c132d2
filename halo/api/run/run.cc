// Goes from files to arguments, through the evaluator, to results.
#include "halo/api/run/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/api/document/run_diagnostics.h"
#include "halo/api/inputs/array_file.h"
#include "halo/api/inputs/array_names.h"
#include "halo/api/run/result_sharding.h"
#include "halo/api/run/run_verify.h"
#include "halo/base/machine_memory.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/calls/stand_ins.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr int64_t kMaxDevices = 4096;
constexpr int64_t kMaxTracedBytes = int64_t{1} << 30;
constexpr size_t kMaxListed = 8;

class Runner {
 public:
  Runner(const RunRequest& request, RunResult& result) : request_(request), result_(result) {}

  void Run();
  int64_t Count();

 private:
  void Fail(DiagCode code, std::string message) {
    result_.diagnostics.Add(MakeBinaryDiagnostic(code, 0, std::move(message)));
  }
  [[nodiscard]] bool ok() const { return result_.diagnostics.ok(); }
  [[nodiscard]] const Module& module() const { return result_.module(); }
  [[nodiscard]] bool OpenModule();
  void CountDevices();
  void FindLeftOut();
  [[nodiscard]] std::vector<InstId> Traced();
  void Evaluate(const std::vector<InstId>& traced);
  void ReadInputs(int64_t only);
  [[nodiscard]] const RankContext* rank() const { return request_.compiling.rank; }
  [[nodiscard]] int64_t max_bytes() const {
    return request_.max_bytes > 0 ? request_.max_bytes : MachineMemory();
  }
  [[nodiscard]] std::vector<std::vector<Value>> Arguments(int64_t only) const;
  [[nodiscard]] Result<EvalOutput> Execute(const EvalOptions& options);
  [[nodiscard]] Result<EvalOutput> EvaluateSteps(std::vector<std::vector<Value>> arguments,
                                                 const EvalOptions& options);
  [[nodiscard]] Result<EvalOutput> ExecuteAsRank(const EvalOptions& options, RunObserver& observer);
  [[nodiscard]] StepsRequest StepsOf(Engine engine) const;
  void TakeOutputs(const EvalOutput& output);
  void CompareRanks(const EvalOptions& options);
  void Gather();
  void Compare();

  const RunRequest& request_;
  RunResult& result_;
};

// The description of an open document, with a copy of one of its modules.
Document CopyOf(const Document& opened, size_t module) {
  Document copy = DescriptionOf(opened);
  if (module < opened.modules.size()) {
    const DocumentModule& from = opened.modules[module];
    copy.modules.push_back({from.module, {}, from.proto, from.section});
  }
  return copy;
}

bool Runner::OpenModule() {
  result_.document = request_.opened != nullptr ? CopyOf(*request_.opened, request_.opened_module)
                                                : OpenDocument(request_.module, request_.open);
  Document& document = result_.document;
  RequireModules(document);
  if (document.errors() != 0) return false;
  if (document.modules.size() > 1) {
    Fail(diag::kCannotEvaluate, "the file holds " + std::to_string(document.modules.size()) +
                                    " modules; provide a file with one module");
    return false;
  }
  result_.program = module().text(module().name);
  if (!module().entry.valid() || !module().comp(module().entry).defined) {
    Fail(diag::kCannotEvaluate, "the module has no entry computation");
    return false;
  }
  result_.is_verified = VerifyBeforeRun(module(), result_.diagnostics);
  return ok();
}

void Runner::CountDevices() {
  const auto header = [this](AttrKey key) {
    return std::max<int64_t>(1, module().IntOr(module().attrs, key, 1));
  };
  result_.replicas = header(AttrKey::k_replica_count);
  result_.partitions = header(AttrKey::k_num_partitions);
  if (request_.devices > 0) {
    const bool partitioned = result_.partitions > 1;
    result_.replicas = partitioned ? 1 : request_.devices;
    result_.partitions = partitioned ? request_.devices : 1;
  }
  if (request_.replicas > 0) result_.replicas = request_.replicas;
  if (request_.partitions > 0) result_.partitions = request_.partitions;
  if (rank() != nullptr && result_.devices() != rank()->count) {
    if (request_.devices + request_.replicas + request_.partitions == 0) {
      const bool partitioned = result_.partitions > 1;
      result_.replicas = partitioned ? 1 : rank()->count;
      result_.partitions = partitioned ? rank()->count : 1;
    } else {
      Fail(diag::kBadDeviceCount, "the module is to run on " + std::to_string(result_.devices()) +
                                      " devices, but " + std::to_string(rank()->count) +
                                      " processes were started");
    }
  }
  if (result_.replicas > kMaxDevices || result_.partitions > kMaxDevices ||
      result_.devices() > kMaxDevices) {
    Diagnostic many = MakeBinaryDiagnostic(
        diag::kBadDeviceCount, 0,
        std::to_string(result_.replicas) + " replicas of " + std::to_string(result_.partitions) +
            " partitions are more devices than the " + std::to_string(kMaxDevices) +
            " that one process runs");
    many.help = "run fewer devices with --devices N; collectives then include only those";
    result_.diagnostics.Add(std::move(many));
  }
}

void Runner::FindLeftOut() {
  for (const Inst& inst : module().insts) {
    if (inst.opcode != Opcode::kConstant || !module().literals.is_elided(LiteralId(inst.extra))) {
      continue;
    }
    result_.filled.emplace_back(module().name_of(inst));
  }
  result_.fill_elided = request_.fill_elided;
  if (result_.filled.empty() || request_.fill_elided != FillElided::kRefuse) return;
  std::string names;
  for (size_t i = 0; i < std::min(kMaxListed, result_.filled.size()); ++i) {
    names += (i > 0 ? ", %" : "%") + result_.filled[i];
  }
  if (result_.filled.size() > kMaxListed) {
    names += " and " + std::to_string(result_.filled.size() - kMaxListed) + " more";
  }
  Fail(diag::kUnknownConstant, "the dump elides the values of these constants as {...}: " + names);
}

std::vector<InstId> Runner::Traced() {
  std::vector<InstId> traced;
  for (const std::string& text : request_.trace) {
    const std::string_view pattern = std::string_view(text).substr(text.starts_with('%') ? 1 : 0);
    const size_t before = traced.size();
    for (size_t i = 0; i < module().insts.size(); ++i) {
      if (MatchesPattern(module().name_of(module().insts[i]), pattern)) traced.emplace_back(i);
    }
    if (traced.size() == before) {
      Fail(diag::kTraceUnknown, "no instruction is named " + std::string(pattern));
    }
  }
  return traced;
}

void Runner::TakeOutputs(const EvalOutput& output) {
  result_.steps = output.steps;
  result_.work = output.work;
  result_.peak_bytes = output.peak_bytes + result_.inputs.bytes;
  result_.has_results = !output.results.empty();
  for (size_t device = 0; device < output.results.size(); ++device) {
    size_t leaf = 0;
    ForEachArray(output.results[device], [&](const Array& array) {
      const auto number = static_cast<int64_t>(device);
      result_.outputs.push_back(
          {MakeArrayName("out", leaf, result_.devices() > 1 ? std::optional(number) : std::nullopt),
           number, leaf, array});
      ++leaf;
    });
  }
  std::ranges::sort(result_.outputs, {},
                    [](const RunOutput& each) { return std::pair(each.leaf, each.device); });
}

void Runner::Evaluate(const std::vector<InstId>& traced) {
  EvalOptions options;
  if (rank() != nullptr) options.device = rank()->rank;
  options.replicas = result_.replicas;
  options.partitions = result_.partitions;
  options.max_bytes = max_bytes() - result_.inputs.bytes;
  options.max_steps = request_.max_steps;
  options.fill_elided = request_.fill_elided;
  options.progress = request_.progress;
  CustomCallRegistry calls = KnownCustomCalls();
  for (const std::string& setting : request_.custom_calls) {
    if (std::string why; !RegisterStandIn(setting, calls, &why)) {
      result_.diagnostics.Add(MakeBinaryDiagnostic(diag::kBadCustomCall, 0, setting + ": " + why));
      return;
    }
  }
  options.custom_calls = &calls;
  options.rng_seed = request_.random.value_or(0);
  if (request_.compare_ranks && rank() == nullptr) return CompareRanks(options);
  // Ranks search on their own; the reference engine sees single instructions.
  const bool in_ranks = rank() != nullptr && request_.compiled != nullptr;
  const bool observes = !traced.empty() || (request_.find_nan && !in_ranks);
  RunObserver observer(module(), traced, request_.find_nan, result_.devices(), kMaxTracedBytes);
  options.observer = observes ? &observer : request_.observer;
  const auto begin = std::chrono::steady_clock::now();
  const Result<EvalOutput> output =
      rank() != nullptr ? ExecuteAsRank(options, observer) : Execute(options);
  result_.seconds =
      result_.report.run_seconds.empty()
          ? std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()
          : result_.report.run_seconds.back();
  result_.traced = observer.TakeTraced();
  result_.looked_for_nan = request_.find_nan;
  result_.origin = result_.report.origin ? result_.report.origin : observer.origin();
  if (result_.report.agreement) result_.agreement = result_.report.agreement;
  if (!output) {
    result_.diagnostics.Add(output.error());
    return;
  }
  TakeOutputs(*output);
}

std::vector<std::vector<Value>> Runner::Arguments(int64_t only) const {
  std::vector<std::vector<Value>> arguments;
  for (int64_t device = 0; device < result_.devices(); ++device) {
    if (only >= 0 && device != only) continue;
    arguments.push_back(request_.compiling.plan_only
                            ? std::vector<Value>()
                            : result_.inputs.ArgumentsOf(module(), device));
  }
  return arguments;
}

// A declined module runs on the first rank only, with all devices in its process.
Result<EvalOutput> Runner::ExecuteAsRank(const EvalOptions& options, RunObserver& observer) {
  CompiledRunReport& report = result_.report;
  if (options.observer != nullptr) report.declined = "values of single instructions were requested";
  if (request_.compiled == nullptr) report.declined = "the compiled engine is not loaded";
  std::vector<std::vector<Value>> arguments = Arguments(rank()->rank);
  // Drops the inputs here: the run keeps those that it needs, and devices share the machine's
  // memory.
  if (!request_.needs_all_inputs) {
    for (RunInput& input : result_.inputs.list) input.arrays.clear();
  }
  Result<EvalOutput> output = EvalOutput{};
  CompiledRunOptions how = request_.compiling;
  how.finds_nan = request_.find_nan;
  how.steps = StepsOf(Engine::kCompiled);
  InputClasses stated;
  if (request_.compare_ranks) {
    stated = StatedClasses(module(), result_.inputs.list, request_.same, result_.devices());
    how.compares = &stated;
  }
  if (report.declined.empty()) {
    output = request_.compiled->Run(module(), std::move(arguments[0]), options, how, report);
  }
  if (report.declined.empty()) {
    result_.engine = Engine::kCompiled;
    result_.ranks = rank()->count;
    return output;
  }
  if (rank()->rank != 0 || request_.compiling.plan_only) return EvalOutput{};
  ReadInputs(-1);
  if (!ok()) return EvalOutput{};
  if (request_.compare_ranks) {
    CompareRanks(options);
    return EvalOutput{};
  }
  EvalOptions here = options;
  if (request_.find_nan) here.observer = &observer;
  return EvaluateSteps(Arguments(-1), here);
}

// The reference engine repeats only what changes from run to run.
Result<EvalOutput> Runner::EvaluateSteps(std::vector<std::vector<Value>> arguments,
                                         const EvalOptions& options) {
  const CompiledRunOptions& how = request_.compiling;
  if (!how.steps.feeds_back) return halo::Evaluate(module(), std::move(arguments), options);
  Result<RepeatedSteps> steps =
      RepeatedSteps::Make(module(), StepsOf(Engine::kReference),
                          {.replicas = result_.replicas, .partitions = result_.partitions});
  if (!steps.ok()) return steps.error();
  const Result<int64_t> begun = steps->Begin(how.repeat, arguments);
  if (!begun.ok()) return begun.error();
  EvalOutput total;
  for (int64_t done = *begun; done < how.repeat;) {
    Result<EvalOutput> output = halo::Evaluate(module(), arguments, options);
    if (!output.ok()) return output;
    total.results = std::move(output->results);
    total.steps += output->steps;
    total.work += output->work;
    total.peak_bytes = std::max(total.peak_bytes, output->peak_bytes);
    // An observer ended it.
    if (total.results.size() != arguments.size()) break;
    if (++done == how.repeat) break;
    if (std::optional<Diagnostic> failed = steps->HandOn(done, total.results, arguments)) {
      return *failed;
    }
  }
  result_.report.steps = steps->report();
  return total;
}

// Everything that decides bits, besides the program and its inputs.
StepsRequest Runner::StepsOf(Engine engine) const {
  StepsRequest steps = request_.compiling.steps;
  const auto listed = [](const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
    return all;
  };
  for (auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"engine", std::string(TextOf(engine))},
           {"--without", listed(request_.compiling.without)},
           {"--fill-elided", std::to_string(static_cast<int>(request_.fill_elided))},
           {"--custom-call", listed(request_.custom_calls)},
           {"--random", std::to_string(request_.random.value_or(0))}}) {
    steps.made_with.emplace_back(name, value);
  }
  return steps;
}

Result<EvalOutput> Runner::Execute(const EvalOptions& options) {
  std::vector<std::vector<Value>> arguments = Arguments(-1);
  CompiledRunReport& report = result_.report;
  if (request_.compiled != nullptr) {
    if (options.observer != nullptr) {
      report.declined = "values of single instructions were requested";
    } else if (result_.devices() > 1 && !request_.compiling.plan_only) {
      report.declined = "it runs on several devices";
    } else {
      CompiledRunOptions how = request_.compiling;
      how.steps = StepsOf(Engine::kCompiled);
      Result<EvalOutput> output =
          request_.compiled->Run(module(), arguments[0], options, how, report);
      if (report.declined.empty()) {
        result_.engine = Engine::kCompiled;
        return output;
      }
    }
  }
  if (request_.compiling.plan_only) return EvalOutput{};
  return EvaluateSteps(std::move(arguments), options);
}

void Runner::ReadInputs(int64_t only) {
  result_.inputs = FindInputs(module(),
                              {.files = request_.inputs,
                               .arrays = request_.arrays,
                               .random = request_.random,
                               .devices = result_.devices(),
                               .only = only,
                               .max_bytes = max_bytes()},
                              result_.diagnostics);
}

void Runner::CompareRanks(const EvalOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Result<RankAgreement> found =
      CompareDevices(module(), {result_.replicas, result_.partitions},
                     StatedClasses(module(), result_.inputs.list, request_.same, result_.devices()),
                     Arguments(-1), options);
  result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!found.ok()) {
    result_.diagnostics.Add(found.error());
    return;
  }
  result_.agreement = *std::move(found);
}

void Runner::Gather() {
  if ((!request_.gather && request_.gather_by.empty()) || !result_.has_results ||
      result_.devices() == 1)
    return;
  GatherRequest how;
  const DocumentModule* states = &result_.document.modules.front();
  how.devices = result_.devices();
  how.is_partitioned = LooksPartitioned(module()) || !PartitionedResultSharding(*states).empty();
  for (const RunInput& input : result_.inputs.list) {
    if (input.sliced) how.is_partitioned = true;
    if (input.gathered) how.is_partitioned = false;
  }
  Document other;
  if (!request_.gather_by.empty()) {
    other = OpenDocument(request_.gather_by, request_.open);
    RequireModules(other);
    if (other.errors() != 0) {
      Diagnostic why = *other.AllDiagnostics()[0];
      why.message = request_.gather_by + ": " + why.message;
      result_.diagnostics.Add(std::move(why));
      return;
    }
    states = &other.modules.front();
    const CompId entry = states->module.entry;
    if (!entry.valid() || !states->module.comp(entry).defined) {
      return Fail(diag::kCannotEvaluate, request_.gather_by + " has no entry computation");
    }
  }
  how.stated = &states->module;
  how.sharding = PartitionedResultSharding(*states);
  how.states_whole = !request_.gather_by.empty() && how.sharding.empty();
  result_.gathers = GatherOutputs(how, result_.outputs);
}

void Runner::Compare() {
  if (request_.compare.empty() || !result_.has_results) return;
  result_.expected = request_.compare;
  std::vector<NamedArray> outputs;
  for (const RunOutput& output : result_.outputs) {
    outputs.push_back({output.name, output.device, output.leaf, &output.array});
  }
  result_.comparisons =
      CompareOutputs(module(), outputs, request_.compare, result_.devices(), result_.longest_sum,
                     request_.tolerance, request_.worst, result_.diagnostics);
}

void Runner::Run() {
  if (!OpenModule()) return;
  CountDevices();
  if (ok()) FindLeftOut();
  const std::vector<InstId> traced = Traced();
  if (!ok()) return;
  if (request_.compiled != nullptr && request_.compiling.plan_only) {
    Evaluate(traced);
    result_.succeeded = ok();
    return;
  }
  ReadInputs(rank() != nullptr && !request_.needs_all_inputs ? rank()->rank : -1);
  result_.input_bytes = result_.inputs.bytes;
  result_.longest_sum = LongestSum(module());
  if (ok() && !request_.inputs_only) Evaluate(traced);
  if (ok()) Gather();
  if (ok()) Compare();
  result_.succeeded = ok();
}

int64_t Runner::Count() {
  result_.document = OpenDocument(request_.module, request_.open);
  if (result_.document.errors() != 0 || result_.document.modules.size() != 1) return 0;
  CountDevices();
  return ok() ? result_.devices() : 0;
}

void Put(NpzWriter& writer, std::string_view name, const Array& array) {
  writer.Add(name, StoredTypeOf(array.type()), array.dims(), {array.bytes(), array.byte_count()});
}

}  // namespace

std::string_view TextOf(Engine engine) {
  switch (engine) {
    case Engine::kCompiled: return "compiled";
    case Engine::kReference: return "reference";
  }
  return {};
}

bool RunResult::agrees() const {
  return std::ranges::all_of(comparisons, [](const OutputComparison& each) { return each.ok(); });
}

RunResult RunProgram(const RunRequest& request) {
  RunResult result;
  Runner(request, result).Run();
  return result;
}

int64_t CountRunDevices(const RunRequest& request) {
  if (request.devices > 0) return request.devices;
  RunResult result;
  return Runner(request, result).Count();
}

bool WriteOutputs(const RunResult& result, const ByteSink& sink) {
  NpzWriter writer(sink);
  for (const RunOutput& output : result.outputs) Put(writer, output.name, output.array);
  return writer.Finish();
}

bool WriteInputs(const RunResult& result, const ByteSink& sink) {
  NpzWriter writer(sink);
  for (const RunInput& input : result.inputs.list) {
    for (size_t d = 0; d < input.arrays.size(); ++d) {
      const bool all = input.arrays.size() == 1;
      Put(writer, all ? input.name : input.name + "_d" + std::to_string(d), input.arrays[d]);
    }
  }
  return writer.Finish();
}

bool WriteTraced(const RunResult& result, const ByteSink& sink) {
  NpzWriter writer(sink);
  for (const TracedValue& value : result.traced) {
    if (value.is_kept) Put(writer, TracedName(result, value), value.array);
  }
  return writer.Finish();
}

std::string TracedName(const RunResult& result, const TracedValue& value) {
  std::string name(result.module().name_of(result.module().inst(value.inst)));
  if (value.is_tuple) name += "." + std::to_string(value.leaf);
  if (value.execution > 0) name += "#" + std::to_string(value.execution);
  if (result.devices() > 1) name += "_d" + std::to_string(value.device);
  return name;
}

}  // namespace halo
