// `time`: exactly the result of the command; `time.devices`: those whose rates are known;
// `time.ops`, `time.groups` and `time.op`: how long instructions take, as columns, as sums, and one
// with all that is known about it.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "halo/api/describe/choice_lists.h"
#include "halo/api/time/time_document.h"
#include "halo/api/time/time_request.h"
#include "halo/cost/device/time_device.h"
#include "halo/describe/read_json.h"
#include "halo/describe/write_json.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

constexpr double kNotMeasured = -1;

double MeasuredSeconds(const ShownTime& time, InstId inst) {
  const ComparedOp* measured = time.measured(inst);
  return measured == nullptr ? kNotMeasured : measured->seconds;
}

void ChoicesJson(std::string_view key, std::string_view list, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string_view each : ChoicesNamed(list)) json.String(each);
  json.EndArray();
}

// The record of every front end. Long texts are shortened: the page shows a line.
v0::TimeOp ShownOp(const TimedOp& op) {
  v0::TimeOp shown = TimeOpOf(op);
  for (std::string* text : {&shown.name, &shown.shape, &shown.computation, &shown.op_name,
                            &shown.scope, &shown.source}) {
    *text = Shortened(*text, 500);
  }
  return shown;
}

// The first `depth` parts of a scope; all of them for 0.
std::string_view Part(std::string_view scope, int64_t depth) {
  int64_t parts = 0;
  for (size_t i = 0; depth > 0 && i < scope.size(); ++i) {
    if (scope[i] == '/' && ++parts == depth) return scope.substr(0, i);
  }
  return scope;
}

std::string_view TimeGroupOf(const TimedOp& op, std::string_view by, int64_t depth) {
  if (by == "source") return op.source;
  if (by == "kind") return KernelKindText(op.kind);
  if (by == "opcode") return op.opcode;
  if (by == "bound") return TimeBoundText(op.time.bound);
  if (by == "estimated_by") return TimeSourceText(op.time.source);
  if (by == "confidence") return TimeConfidenceText(op.time.confidence);
  return op.scope.empty() ? std::string_view(op.opcode) : Part(op.scope, depth);
}

struct TimeSums {
  std::string_view name;
  double count = 0, seconds = 0, exposed = 0, critical = 0, flops = 0, bytes = 0;
  double measured = 0, predicted = 0;  // of those that were measured
};

}  // namespace

void TimeWordsJson(JsonWriter& json) {
  ChoicesJson("op_kinds", "kernel_kind", json);
  ChoicesJson("bounds", "time_bound", json);
  ChoicesJson("sources", "time_source", json);
  ChoicesJson("confidences", "time_confidence", json);
}

std::optional<TimeSetting> ViewRequest::Setting() const {
  v0::TimeRequest asked;
  describe::ReadFields fields(parameters);
  Fields(fields, asked);
  if (!fields.problem().empty()) {
    response.Fail(fields.problem());
    return std::nullopt;
  }
  // Only what a device and a scale are is taken from the page, which names no files.
  v0::TimeRequest setting;
  setting.device = asked.device;
  setting.links = asked.links;
  setting.network = asked.network;
  setting.nodes = asked.nodes;
  setting.data_parallel = asked.data_parallel;
  const Result<TimeRequest> request = RequestOf(setting);
  if (!request.ok()) {
    response.Fail(request.error().message);
    return std::nullopt;
  }
  return TimeSetting{.device = request->device,
                     .links = request->links,
                     .network = request->network,
                     .nodes = request->nodes,
                     .copies = request->copies};
}

ShownTime* ViewRequest::Timed() const {
  const std::optional<TimeSetting> setting = Setting();
  if (!setting) return nullptr;
  std::string why;
  ShownTime* time = view.Timed(*module, *setting, why);
  if (time == nullptr) response.Fail(why);
  return time;
}

void AskTime(ViewRequest& request) {
  const ShownTime* time = request.Timed();
  if (time == nullptr) return;
  const auto top = static_cast<size_t>(request.Int("top", 10, 1, 100'000));
  if (!time->profile_problem().empty()) {
    request.json().Field("profile_problem", Shortened(time->profile_problem(), 1000));
  }
  if (!request.parameters["advice"].AsBool(true)) {
    request.json().Key("answer").Raw(TimeJson(time->result(), top));
    return;
  }
  const std::optional<TimeSetting> setting = request.Setting();
  if (!setting) return;
  TimeRequest asked = setting->Request();
  if (time->profile_problem().empty()) asked.open_profiles = request.view.Profiles();
  const TimeResult result = AnalyzeTime(asked, request.view.TimeInputsOf(*request.module));
  request.json().Key("answer").Raw(TimeJson(result, top));
}

void AskTimeDevices(ViewRequest& request) {
  request.json().Key("devices").BeginArray();
  for (const std::string_view name : TimeDeviceNames()) {
    const TimeDevice device = FindTimeDevice(name).value_or(TimeDevice());
    request.json()
        .BeginObject()
        .Field("name", device.name)
        .Field("title", device.title)
        .Field("backend", BackendText(device.backend))
        .EndObject();
  }
  request.json().EndArray();
}

void AskTimeOps(ViewRequest& request) {
  const ShownTime* time = request.Timed();
  if (time == nullptr) return;
  const std::vector<TimedOp>& ops = time->result().ops;
  const auto shown =
      std::min(ops.size(), static_cast<size_t>(request.Int("limit", 20'000, 0, 1'000'000)));
  std::vector<uint32_t> insts;
  std::vector<uint8_t> kind, bound, source, confidence;
  std::vector<double> seconds, floor, runs, exposed, critical, flops, bytes, measured;
  StringColumn names(300), scopes(300), lines(300);
  for (size_t i = 0; i < shown; ++i) {
    const TimedOp& op = ops[i];
    insts.push_back(op.inst.value);
    kind.push_back(static_cast<uint8_t>(op.kind));
    bound.push_back(static_cast<uint8_t>(op.time.bound));
    source.push_back(static_cast<uint8_t>(op.time.source));
    confidence.push_back(static_cast<uint8_t>(op.time.confidence));
    seconds.push_back(op.time.seconds);
    floor.push_back(op.time.floor);
    runs.push_back(op.runs);
    exposed.push_back(op.exposed);
    critical.push_back(op.critical);
    flops.push_back(op.cost.work.flops);
    bytes.push_back(op.cost.traffic.main());
    measured.push_back(MeasuredSeconds(*time, op.inst));
    names.Add(op.name);
    scopes.Add(op.scope);
    lines.Add(op.source);
  }
  request.json().Field("total", ops.size());
  TimeWordsJson(request.json());
  Response& out = request.response;
  out.Array("insts", insts);
  out.Array("kind", kind);
  out.Array("bound", bound);
  out.Array("source", source);
  out.Array("confidence", confidence);
  out.Array("seconds", seconds);
  out.Array("floor", floor);
  out.Array("runs", runs);
  out.Array("exposed", exposed);
  out.Array("critical", critical);
  out.Array("flops", flops);
  out.Array("bytes", bytes);
  out.Array("measured", measured);
  out.Strings("names", names);
  out.Strings("scopes", scopes);
  out.Strings("lines", lines);
}

void AskTimeGroups(ViewRequest& request) {
  const ShownTime* time = request.Timed();
  if (time == nullptr) return;
  const std::string_view by = request.Text("by", "scope");
  const int64_t depth = request.Int("depth", 0, 0, 100);
  std::unordered_map<std::string_view, size_t> known;
  std::vector<TimeSums> groups;
  for (const TimedOp& op : time->result().ops) {
    const std::string_view name = TimeGroupOf(op, by, depth);
    const auto [at, fresh] = known.try_emplace(name, groups.size());
    if (fresh) groups.push_back({.name = name});
    TimeSums& group = groups[at->second];
    ++group.count;
    group.seconds += op.total();
    group.exposed += op.exposed * op.runs;
    group.critical += op.critical;
    group.flops += op.cost.work.flops * op.runs;
    group.bytes += op.cost.traffic.main() * op.runs;
    if (const double measured = MeasuredSeconds(*time, op.inst); measured >= 0) {
      group.measured += measured * op.runs;
      group.predicted += op.total();
    }
  }
  std::sort(groups.begin(), groups.end(), [](const TimeSums& a, const TimeSums& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  const auto shown =
      std::min(groups.size(), static_cast<size_t>(request.Int("limit", 1000, 0, 100'000)));
  StringColumn names(500);
  for (size_t i = 0; i < shown; ++i) names.Add(groups[i].name);
  request.json().Field("by", by).Field("total", groups.size());
  request.response.Strings("names", names);
  const auto column = [&](std::string_view key, double TimeSums::* field) {
    std::vector<double> values;
    for (size_t i = 0; i < shown; ++i) values.push_back(groups[i].*field);
    request.response.Array(key, values);
  };
  column("count", &TimeSums::count);
  column("seconds", &TimeSums::seconds);
  column("exposed", &TimeSums::exposed);
  column("critical", &TimeSums::critical);
  column("flops", &TimeSums::flops);
  column("bytes", &TimeSums::bytes);
  column("measured", &TimeSums::measured);
  column("predicted", &TimeSums::predicted);
}

void AskTimeOp(ViewRequest& request) {
  const InstId inst = request.Instruction("inst");
  if (!inst.valid()) return;
  ShownTime* time = request.Timed();
  if (time == nullptr) return;
  const Module& module = time->module();
  JsonWriter& json = request.json();
  json.Field("inst", inst.value);
  if (const auto first = request.Timeline(*time).FirstRun(inst)) {
    json.Field("begin", first->first).Field("end", first->second);
  }
  const TimedOp* op = time->op(inst);
  json.Field("takes_time", op != nullptr);
  if (op == nullptr) {
    json.Field("name", Shortened(module.name_of(module.inst(inst)), 1000))
        .Field("opcode", OpcodeName(module, module.inst(inst)));
    return;
  }
  describe::WriteFields(ShownOp(*op), json);
  if (const ComparedOp* measured = time->measured(inst)) {
    json.Field("measured", measured->seconds).Field("events", measured->events);
  }
}

}  // namespace halo::view
