// Field numbers are those of tsl/profiler/protobuf/xplane.proto. On TPU, what an op is and costs is
// in the table of events; on GPU, each event names its op and its program.
#include "halo/proto/trace/xplane_writer.h"

#include <algorithm>
#include <utility>

namespace halo {
namespace {

constexpr uint32_t kSpacePlane = 1, kSpaceHost = 4;
constexpr uint32_t kPlaneId = 1, kPlaneName = 2, kPlaneLine = 3, kPlaneEvents = 4, kPlaneStats = 5;
constexpr uint32_t kPlaneStat = 6, kMapKey = 1, kMapValue = 2;
constexpr uint32_t kLineId = 1, kLineName = 2, kLineTimestamp = 3, kLineEvent = 4,
                   kLineDuration = 9;
constexpr uint32_t kEventMetadata = 1, kEventOffset = 2, kEventDuration = 3, kEventStat = 4;
constexpr uint32_t kMetadataId = 1, kMetadataName = 2, kMetadataDisplay = 4, kMetadataStat = 5;
constexpr uint32_t kStatMetadata = 1, kStatDouble = 2, kStatUint = 3, kStatText = 5, kStatBytes = 6;
constexpr uint32_t kStatRef = 7;
// Lines that belong to no track; xprof sorts lines by number.
constexpr int64_t kStepsLine = 1, kModulesLine = 2, kFirstTrackLine = 10;
constexpr int64_t kStartNanoseconds = 1'000'000;  // 0 would be taken for a missing time

void WriteNamed(uint32_t field, int64_t key, std::string_view name, WireWriter& out) {
  const size_t entry = out.Begin(field);
  out.Int(kMapKey, key);
  const size_t value = out.Begin(kMapValue);
  out.Int(kMetadataId, key);
  out.Bytes(kMetadataName, name);
  out.End(value);
  out.End(entry);
}

}  // namespace

XPlaneWriter::XPlaneWriter(Options options)
    : options_(std::move(options)), stats_of_event_(1) {}  // entry 0 means none

void XPlaneWriter::AddTrack(uint64_t track, std::string_view name, uint64_t parent) {
  if (parent == 0) return;
  Line& line = lines_[track];
  const bool is_first = lines_.size() == 1;
  if (options_.is_tpu) {
    line.name = is_first ? "XLA Ops" : "Async XLA Ops (" + std::string(name) + ")";
  } else {
    line.name = "Stream #" + std::to_string(lines_.size()) + "(" + std::string(name) + ")";
  }
}

int64_t XPlaneWriter::Stat(std::string_view name) {
  const auto found = stats_.find(name);
  if (found != stats_.end()) return found->second;
  const auto number = static_cast<int64_t>(stats_.size() + 1);
  stats_.emplace(name, number);
  return number;
}

void XPlaneWriter::AddText(uint32_t field, std::string_view stat, std::string_view text,
                           WireWriter& out) {
  if (text.empty()) return;
  const size_t mark = out.Begin(field);
  out.Int(kStatMetadata, Stat(stat));
  out.Int(kStatRef, Stat(text));
  out.End(mark);
}

void XPlaneWriter::AddCount(uint32_t field, std::string_view stat, double count, WireWriter& out) {
  const size_t mark = out.Begin(field);
  out.Int(kStatMetadata, Stat(stat));
  out.Int(kStatUint, static_cast<int64_t>(std::min(count, 9e18)));
  out.End(mark);
}

void XPlaneWriter::AddStats(uint32_t field, std::string_view op, WireWriter& out) {
  AddText(field, "hlo_op", op, out);
  AddText(field, "hlo_module", options_.module_name, out);
  AddCount(field, "program_id", static_cast<double>(options_.program_id), out);
}

size_t XPlaneWriter::Event(const TraceSlice& slice) {
  const bool is_op = !slice.kind.empty();
  // An instruction may have the name of something that is none.
  auto& events = is_op ? op_events_ : other_events_;
  const auto found = events.find(slice.name);
  if (found != events.end()) return found->second;
  const size_t number = stats_of_event_.size();
  events.emplace(slice.name, number);
  WireWriter own;
  if (is_op && !options_.is_tpu) {
    AddStats(kEventStat, slice.name, own);
    // xprof counts events with this stat as kernels.
    AddText(kEventStat, "kernel_details", "grid:1,1,1 block:1,1,1", own);
  }
  stats_of_event_.push_back(own.Take());
  const size_t entry = event_table_.Begin(kPlaneEvents);
  event_table_.Int(kMapKey, static_cast<int64_t>(number));
  const size_t value = event_table_.Begin(kMapValue);
  event_table_.Int(kMetadataId, static_cast<int64_t>(number));
  event_table_.Bytes(kMetadataName, slice.name);
  if (is_op) {
    event_table_.Bytes(kMetadataDisplay, slice.name);
    if (options_.is_tpu) AddStats(kMetadataStat, slice.name, event_table_);
    AddText(kMetadataStat, "hlo_category", slice.kind, event_table_);
    // xprof counts ops of TPUs that have a number.
    AddCount(kMetadataStat, "symbol_id", static_cast<double>(number), event_table_);
    if (slice.flops > 0) AddCount(kMetadataStat, "flops", slice.flops, event_table_);
    if (slice.bytes > 0) AddCount(kMetadataStat, "bytes_accessed", slice.bytes, event_table_);
    for (const auto& [key, text] : slice.annotations) {
      AddText(kMetadataStat, key == "op_name" ? "tf_op" : key, text, event_table_);
    }
  }
  event_table_.End(value);
  event_table_.End(entry);
  return number;
}

void XPlaneWriter::Begin(uint64_t track, int64_t time, const TraceSlice& slice) {
  lines_[track].open.push_back({Event(slice), time});
}

void XPlaneWriter::End(uint64_t track, int64_t time) {
  Line& line = lines_[track];
  if (line.open.empty()) return;
  const Open slice = line.open.back();
  line.open.pop_back();
  end_ = std::max(end_, time);
  WriteEvent(slice.event, slice.begin, time - slice.begin, line.events);
}

void XPlaneWriter::WriteEvent(size_t event, int64_t begin, int64_t duration, WireWriter& out) {
  const size_t mark = out.Begin(kLineEvent);
  out.Int(kEventMetadata, static_cast<int64_t>(event));
  out.Int(kEventOffset, begin);
  out.Int(kEventDuration, duration);
  out.Raw(stats_of_event_[event]);
  out.End(mark);
}

void XPlaneWriter::WriteLine(int64_t id, std::string_view name, std::string_view events,
                             WireWriter& out) const {
  const size_t mark = out.Begin(kPlaneLine);
  out.Int(kLineId, id);
  out.Bytes(kLineName, name);
  out.Int(kLineTimestamp, kStartNanoseconds);
  out.Raw(events);
  out.Int(kLineDuration, end_);
  out.End(mark);
}

void XPlaneWriter::WriteDevice(WireWriter& out) {
  const size_t plane = out.Begin(kSpacePlane);
  out.Int(kPlaneId, 1);
  out.Bytes(kPlaneName, options_.is_tpu ? "/device:TPU:0" : "/device:GPU:0");
  const auto whole = [&](int64_t id, std::string_view line, std::string_view name) {
    WireWriter events;
    WriteEvent(Event({.name = name, .category = {}}), 0, end_, events);
    WriteLine(id, line, events.view(), out);
  };
  // For GPUs, xprof derives these lines from the streams.
  if (options_.is_tpu) {
    whole(kStepsLine, "Steps", "0");
    whole(kModulesLine, "XLA Modules",
          options_.module_name + "(" + std::to_string(options_.program_id) + ")");
  }
  int64_t id = kFirstTrackLine;
  for (const auto& [track, line] : lines_) WriteLine(id++, line.name, line.events.view(), out);
  out.Raw(event_table_.view());
  const auto figure = [&](std::string_view name, double value) {
    if (value <= 0) return;
    const size_t mark = out.Begin(kPlaneStat);
    out.Int(kStatMetadata, Stat(name));
    out.Double(kStatDouble, value);
    out.End(mark);
  };
  const auto text = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    const size_t mark = out.Begin(kPlaneStat);
    out.Int(kStatMetadata, Stat(name));
    out.Bytes(kStatText, value);
    out.End(mark);
  };
  figure("peak_teraflops_per_second", options_.peak_flops * 1e-12);
  figure("peak_hbm_bw_gigabytes_per_second", options_.bandwidth * 1e-9);
  text("device_type_string", options_.title);
  text("device_vendor", options_.vendor);
  for (const auto& [name, number] : stats_) WriteNamed(kPlaneStats, number, name, out);
  out.End(plane);
}

void XPlaneWriter::WriteProgram(WireWriter& out) const {
  const size_t plane = out.Begin(kSpacePlane);
  out.Int(kPlaneId, 2);
  out.Bytes(kPlaneName, "/host:metadata");
  const size_t entry = out.Begin(kPlaneEvents);
  out.Int(kMapKey, static_cast<int64_t>(options_.program_id));
  const size_t value = out.Begin(kMapValue);
  out.Int(kMetadataId, static_cast<int64_t>(options_.program_id));
  out.Bytes(kMetadataName, options_.module_name + "(" + std::to_string(options_.program_id) + ")");
  const size_t stat = out.Begin(kMetadataStat);
  out.Int(kStatMetadata, 1);
  out.Bytes(kStatBytes, options_.proto);
  out.End(stat);
  out.End(value);
  out.End(entry);
  WriteNamed(kPlaneStats, 1, "hlo_proto", out);
  out.End(plane);
}

std::string XPlaneWriter::Take() {
  WireWriter out;
  WriteDevice(out);
  if (!options_.proto.empty()) WriteProgram(out);
  out.Bytes(kSpaceHost, "simulated");
  return out.Take();
}

}  // namespace halo
