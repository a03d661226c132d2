// Puts the parts of a result where the document has them; computes nothing but the profile's
// points.
#include "halo/api/memory/memory_document.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/memory/backend/backend.h"

namespace halo {
namespace {

constexpr size_t kProfilePoints = 240;

std::vector<std::pair<std::string, int64_t>> ByKind(
    const std::array<int64_t, kMemoryKinds>& bytes) {
  std::vector<std::pair<std::string, int64_t>> all;
  for (size_t i = 0; i < kMemoryKinds; ++i) {
    all.emplace_back(MemoryKindText(static_cast<MemoryKind>(i)), bytes[i]);
  }
  return all;
}

// Keeps the maximum of each range of positions, so that no peak is lost.
v0::MemoryProfile ProfileOf(const std::vector<int64_t>& bytes) {
  v0::MemoryProfile profile;
  profile.step = std::max<size_t>((bytes.size() + kProfilePoints - 1) / kProfilePoints, 1);
  for (size_t i = 0; i < bytes.size(); i += profile.step) {
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(i);
    const size_t end = std::min<size_t>(i + profile.step, bytes.size());
    profile.temp_bytes.push_back(
        *std::max_element(begin, bytes.begin() + static_cast<ptrdiff_t>(end)));
  }
  return profile;
}

v0::MemoryVerdict VerdictOf(const MemoryVerdict& from) {
  v0::MemoryVerdict to;
  to.text = from.text;
  to.total_bytes = from.total_bytes;
  to.temporary_bytes = from.temporary_bytes;
  to.temporary_percent = from.temporary_percent;
  if (from.position >= 0) {
    to.peak = {.position = from.position,
               .last_position = from.last_position,
               .bytes = from.peak_bytes,
               .instruction = from.instruction,
               .scope = from.scope,
               .phase = from.phase,
               .source = from.source};
  }
  if (from.best_change) to.best_change = MemoryAdviceOf(*from.best_change);
  to.devices = from.devices;
  if (!from.capacity) return to;
  to.device = from.device;
  to.capacity = from.capacity;
  to.fits = from.fits();
  to.spare_bytes = *from.capacity - from.total_bytes;
  return to;
}

void FillInputs(const MemoryResult& from, v0::MemoryResult& to) {
  for (size_t i = 0; i < from.inputs.documents.size(); ++i) {
    const Document& document = from.inputs.documents[i];
    v0::InputFile input = InputOf(document);
    input.found = i < from.inputs.found.size() && from.inputs.found[i];
    to.inputs.push_back(std::move(input));
    AppendReadingDiagnostics(document, to.diagnostics);
  }
  AppendDiagnostics(from.inputs.diagnostics, from.inputs.module_path, to.diagnostics);
  AppendDiagnostics(from.diagnostics, from.inputs.module_path, to.diagnostics);
}

void FillTotals(const MemoryExplanation& from, v0::MemoryResult& to) {
  to.total_bytes = from.total_bytes;
  to.device_bytes = from.device_bytes;
  to.device_bytes_by_kind = ByKind(from.by_kind);
  to.parameters = from.parameters;
  to.donated = from.donated;
  to.donated_bytes = from.donated_bytes;
  for (const MemorySpace& each : from.spaces) {
    to.spaces.push_back({.color = each.color,
                         .name = each.name,
                         .device_memory = each.is_device,
                         .bytes = each.bytes,
                         .by_kind = ByKind(each.by_kind)});
  }
}

void FillTried(const MemoryResult& from, v0::MemoryResult& to) {
  to.assumptions = from.assumptions;
  to.device_bytes_before = from.bytes_before;
  to.capacity = from.capacity;
  if (from.capacity) to.fits = from.fits();
  if (from.findings) to.findings = static_cast<int64_t>(from.findings->total);
  if (from.into_outputs) {
    to.into_outputs = {.buffers = static_cast<int64_t>(from.into_outputs->buffers),
                       .bytes = from.into_outputs->bytes,
                       .saved_bytes = from.into_outputs->saved};
  }
  for (const RepackedHeap& each : from.repacked) {
    to.repacked.push_back({.allocation = each.allocation.value,
                           .buffers = static_cast<int64_t>(each.items),
                           .old_bytes = each.old_height,
                           .bytes = each.new_height,
                           .lower_bound = each.lower_bound,
                           .unusable = std::string(each.unusable)});
  }
  for (const Advice& each : from.advice) to.advice.push_back(MemoryAdviceOf(each));
}

void FillTimes(const MemoryExplanation& from, v0::MemoryResult& to) {
  to.last_position = from.last_time;
  to.held_bytes = from.held_bytes;
  to.temp_bytes = from.temp_bytes;
  to.table_bytes = from.table_bytes;
  to.temp_live_at_peak = from.peak_live;
  to.peak = {.position = from.peak_time,
             .bytes = from.peak_bytes,
             .instruction = from.peak_instruction,
             .op_name = from.peak_op_name,
             .source = from.peak_source};
  if (from.printed) {
    to.printed_peak = {.position = from.printed->time,
                       .listed_bytes = from.printed->listed_bytes,
                       .live_bytes = from.printed->live_bytes};
  }
  to.profile = ProfileOf(from.profile);
  to.at = {.position = from.at,
           .bytes = from.at_bytes,
           .instruction = from.at_instruction,
           .op_name = from.at_op_name,
           .source = from.at_source};
  to.roles = from.roles;
  to.by = GroupByText(from.by);
  to.by_reason = from.by_reason;
  to.groups = from.groups;
  to.largest.emplace(from.entries.begin(), from.entries.end());
}

}  // namespace

v0::MemoryAdvice MemoryAdviceOf(const Advice& from) {
  return {.kind = std::string(AdviceKindText(from.kind)),
          .brief = from.brief,
          .what = from.what,
          .how = from.how,
          .cost = from.cost,
          .option = OptionsOf(from.change),
          .scope = from.scope,
          .source = from.source,
          .bytes_saved = from.bytes_saved,
          .instructions = from.instructions,
          .parameters = from.parameters};
}

v0::MemoryResult MemoryDocument(const MemoryResult& result) {
  v0::MemoryResult document;
  FillInputs(result, document);
  if (!result.succeeded) return document;
  document.succeeded = true;
  document.verdict = VerdictOf(result.verdict);
  document.program = result.program;
  document.backend = BackendText(result.backend);
  document.frontend = FrontendName(result.frontend);
  document.planned_by_halo = result.is_planned;
  document.scheduled_by_halo = !result.is_scheduled;
  document.live_ranges_by_halo = result.ranges_from_plan;
  document.alignment = result.rules.alignment;
  FillTotals(result.explanation, document);
  FillTried(result, document);
  document.has_live_ranges = result.explanation.has_times;
  if (document.has_live_ranges) FillTimes(result.explanation, document);
  return document;
}

std::string MemoryJson(const MemoryResult& result, size_t top) {
  return describe::DocumentJson(MemoryDocument(result), top);
}

}  // namespace halo
