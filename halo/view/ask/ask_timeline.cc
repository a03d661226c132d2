// `time.timeline`: what runs when between two times, at the resolution of a picture.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// Planning a larger module takes longer than a picture may.
constexpr size_t kPlanForTime = 100'000;

// Instructions that slices name, each once.
class SliceNames {
 public:
  explicit SliceNames(const Module& module) : module_(module) {}

  uint32_t Add(InstId inst) {
    if (!inst.valid()) return UINT32_MAX;
    const auto [at, fresh] = numbers_.try_emplace(inst.value, insts_.size());
    if (fresh) {
      insts_.push_back(inst.value);
      names_.Add(module_.name_of(module_.inst(inst)));
    }
    return at->second;
  }
  void Write(Response& response) const {
    response.Array("insts", insts_);
    response.Strings("names", names_);
  }

 private:
  const Module& module_;
  std::unordered_map<uint32_t, uint32_t> numbers_;
  std::vector<uint32_t> insts_;
  StringColumn names_{200};
};

void Slices(const ShownTime& time, const TimelineWindow& window, Response& response) {
  std::vector<uint8_t> track, row, kind, critical, op_kind, bound, confidence;
  std::vector<uint32_t> inst;
  std::vector<double> begin, end, count, busy, waiting, issued, done;
  SliceNames names(time.module());
  for (const TimeSlice& each : window.slices) {
    const TimedOp* op = time.op(each.inst);
    track.push_back(each.track);
    row.push_back(each.row);
    kind.push_back(static_cast<uint8_t>(each.kind));
    critical.push_back(each.is_critical ? 1 : 0);
    op_kind.push_back(op == nullptr ? 0 : static_cast<uint8_t>(op->kind));
    bound.push_back(op == nullptr ? 0 : static_cast<uint8_t>(op->time.bound));
    confidence.push_back(op == nullptr ? 0 : static_cast<uint8_t>(op->time.confidence));
    inst.push_back(names.Add(each.inst));
    begin.push_back(each.begin);
    end.push_back(each.end);
    count.push_back(each.count);
    busy.push_back(each.busy);
    waiting.push_back(each.waiting);
    issued.push_back(each.issued);
    done.push_back(each.done);
  }
  response.Array("track", track);
  response.Array("row", row);
  response.Array("kind", kind);
  response.Array("critical", critical);
  response.Array("op_kind", op_kind);
  response.Array("bound", bound);
  response.Array("confidence", confidence);
  response.Array("inst", inst);
  response.Array("begin", begin);
  response.Array("end", end);
  response.Array("count", count);
  response.Array("busy", busy);
  response.Array("waiting", waiting);
  response.Array("issued", issued);
  response.Array("done", done);
  names.Write(response);
}

}  // namespace

const TimelineIndex& ViewRequest::Timeline(ShownTime& time) const {
  const ShownAssignment* plan = nullptr;
  if (module->module().insts.size() <= kPlanForTime) {
    std::string why;
    plan = view.Shown(view.has_assignment() ? "dumped" : "planned", why);
  }
  return time.timeline(plan);
}

void AskTimeline(ViewRequest& request) {
  ShownTime* time = request.Timed();
  if (time == nullptr) return;
  const TimelineIndex& index = request.Timeline(*time);
  const double length = index.length();
  const auto time_of = [&](std::string_view key, double fallback) {
    const double given = request.parameters[key].AsDouble(fallback);
    return std::isfinite(given) ? std::clamp(given, 0.0, length) : fallback;
  };
  const double from = time_of("from", 0), to = std::max(time_of("to", length), from);
  const auto pixels = static_cast<double>(request.Int("pixels", 1000, 1, 20'000));
  const TimelineWindow window = index.Window(from, to, (to - from) / pixels);
  JsonWriter& json = request.json();
  json.Field("seconds", length)
      .Field("from", from)
      .Field("to", to)
      .Field("events", time->result().timeline.event_count)
      .Field("complete", window.is_complete)
      .Field("rows", index.rows());
  json.Key("tracks").BeginArray();
  for (size_t i = 0; i < kTimeTracks; ++i) {
    if (!index.has_track(i)) continue;
    json.BeginObject().Field("track", i).Field("name", TimeTrackText(i)).EndObject();
  }
  json.EndArray();
  json.Key("slice_kinds").BeginArray();
  for (size_t i = 0; i < kSliceKinds; ++i) json.String(SliceKindText(static_cast<SliceKind>(i)));
  json.EndArray();
  TimeWordsJson(json);
  Slices(*time, window, request.response);
  std::vector<double> at, bytes;
  for (const MemoryPoint& each : window.memory) {
    at.push_back(each.time);
    bytes.push_back(static_cast<double>(each.bytes));
  }
  request.response.Array("memory_at", at);
  request.response.Array("memory_bytes", bytes);
}

}  // namespace halo::view
