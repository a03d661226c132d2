// Field numbers are those of Perfetto's trace_packet.proto, track_descriptor.proto,
// interned_data.proto and track_event.proto.
#include "halo/proto/trace/perfetto_writer.h"

#include <array>
#include <bit>

namespace halo {
namespace {

constexpr uint32_t kTracePacket = 1;
constexpr uint32_t kPacketTime = 8, kPacketSequence = 10, kPacketEvent = 11, kPacketTexts = 12;
constexpr uint32_t kPacketFlags = 13, kPacketTrack = 60;
constexpr uint32_t kDescriptorUuid = 1, kDescriptorName = 2, kDescriptorParent = 5;
constexpr uint32_t kDescriptorCounter = 8, kCounterUnit = 3;
constexpr int64_t kUnitBytes = 3;
constexpr uint32_t kTypeOfEvent = 9, kTrackOfEvent = 11, kCategoryOfEvent = 3, kNameOfEvent = 10;
constexpr uint32_t kAnnotation = 4, kAnnotationKey = 1, kAnnotationValue = 17;
constexpr uint32_t kCounterValue = 30, kFlowFrom = 47, kFlowTo = 48;
constexpr int64_t kTypeBegin = 1, kTypeEnd = 2, kTypeCounter = 4;
constexpr int64_t kStateCleared = 1, kStateNeeded = 2;
constexpr std::array<uint32_t, 4> kTextFields = {1, 2, 3, 29};

void AddFixed(uint32_t field, uint64_t value, WireWriter& out) {
  out.Double(field, std::bit_cast<double>(value));
}

}  // namespace

uint64_t PerfettoWriter::Number(TextKind kind, std::string_view text) {
  Numbers& numbers = numbers_[static_cast<size_t>(kind)];
  const auto found = numbers.find(text);
  if (found != numbers.end()) return found->second;
  const uint64_t number = numbers.size() + 1;
  numbers.emplace(text, number);
  const size_t mark = fresh_.Begin(kTextFields[static_cast<size_t>(kind)]);
  fresh_.Int(1, static_cast<int64_t>(number));
  fresh_.Bytes(2, text);
  fresh_.End(mark);
  return number;
}

void PerfettoWriter::Introduce() {
  out_.Int(kPacketSequence, 1);
  out_.Int(kPacketFlags, is_first_ ? kStateCleared | kStateNeeded : kStateNeeded);
  is_first_ = false;
  if (fresh_.size() == 0) return;
  out_.Bytes(kPacketTexts, fresh_.Take());
  fresh_ = WireWriter();
}

void PerfettoWriter::AddTrack(uint64_t track, std::string_view name, uint64_t parent) {
  const size_t packet = out_.Begin(kTracePacket);
  Introduce();
  const size_t descriptor = out_.Begin(kPacketTrack);
  out_.Int(kDescriptorUuid, static_cast<int64_t>(track));
  out_.Bytes(kDescriptorName, name);
  out_.IntIf(kDescriptorParent, static_cast<int64_t>(parent));
  out_.End(descriptor);
  out_.End(packet);
}

void PerfettoWriter::AddCounter(uint64_t track, std::string_view name, uint64_t parent) {
  const size_t packet = out_.Begin(kTracePacket);
  Introduce();
  const size_t descriptor = out_.Begin(kPacketTrack);
  out_.Int(kDescriptorUuid, static_cast<int64_t>(track));
  out_.Bytes(kDescriptorName, name);
  out_.IntIf(kDescriptorParent, static_cast<int64_t>(parent));
  const size_t counter = out_.Begin(kDescriptorCounter);
  out_.Int(kCounterUnit, kUnitBytes);
  out_.End(counter);
  out_.End(descriptor);
  out_.End(packet);
}

void PerfettoWriter::Begin(uint64_t track, int64_t time, const TraceSlice& slice) {
  const auto name = static_cast<int64_t>(Number(TextKind::kName, slice.name));
  const auto category = static_cast<int64_t>(Number(TextKind::kCategory, slice.category));
  for (const auto& [key, value] : slice.annotations) {
    Number(TextKind::kKey, key);
    Number(TextKind::kValue, value);
  }
  const size_t packet = out_.Begin(kTracePacket);
  out_.Int(kPacketTime, time);
  Introduce();
  const size_t event = out_.Begin(kPacketEvent);
  out_.Int(kCategoryOfEvent, category);
  for (const auto& [key, value] : slice.annotations) {
    const size_t annotation = out_.Begin(kAnnotation);
    out_.Int(kAnnotationKey, static_cast<int64_t>(Number(TextKind::kKey, key)));
    out_.Int(kAnnotationValue, static_cast<int64_t>(Number(TextKind::kValue, value)));
    out_.End(annotation);
  }
  out_.Int(kTypeOfEvent, kTypeBegin);
  out_.Int(kNameOfEvent, name);
  out_.Int(kTrackOfEvent, static_cast<int64_t>(track));
  if (slice.flow_from != 0) AddFixed(kFlowFrom, slice.flow_from, out_);
  if (slice.flow_to != 0) AddFixed(kFlowTo, slice.flow_to, out_);
  out_.End(event);
  out_.End(packet);
}

void PerfettoWriter::End(uint64_t track, int64_t time) {
  const size_t packet = out_.Begin(kTracePacket);
  out_.Int(kPacketTime, time);
  Introduce();
  const size_t event = out_.Begin(kPacketEvent);
  out_.Int(kTypeOfEvent, kTypeEnd);
  out_.Int(kTrackOfEvent, static_cast<int64_t>(track));
  out_.End(event);
  out_.End(packet);
}

void PerfettoWriter::Count(uint64_t track, int64_t time, int64_t value) {
  const size_t packet = out_.Begin(kTracePacket);
  out_.Int(kPacketTime, time);
  Introduce();
  const size_t event = out_.Begin(kPacketEvent);
  out_.Int(kTypeOfEvent, kTypeCounter);
  out_.Int(kTrackOfEvent, static_cast<int64_t>(track));
  out_.Int(kCounterValue, value);
  out_.End(event);
  out_.End(packet);
}

}  // namespace halo
