// One row of atomics per process, and one text buffer for the first failure.
#include "halo/devices/job/board.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

// A run is aborted either by a failed evaluation or by a program that could not be planned.
DiagCode CodeOf(uint32_t id) {
  for (const DiagCode& code : kEvalDiagnostics) {
    if (code.id() == id) return code;
  }
  return diag::kCannotPlan.id() == id ? diag::kCannotPlan : diag::kCannotEvaluate;
}

}  // namespace

int64_t Board::BytesFor(int64_t processes) {
  return static_cast<int64_t>(sizeof(Failure)) + processes * static_cast<int64_t>(sizeof(Entry));
}

Board::Board(uint8_t* memory, int64_t processes, int64_t self)
    : failure_(reinterpret_cast<Failure*>(memory)),
      rows_(reinterpret_cast<Entry*>(memory + sizeof(Failure))),
      processes_(processes),
      self_(self) {}

void Board::SetState(DeviceState state, uint32_t op, uint32_t rendezvous) {
  // A sequence lock: no store may become visible before the first increment or after the second.
  own().version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  own().rendezvous.store(rendezvous, std::memory_order_relaxed);
  if (state == DeviceState::kTalking) own().talks.fetch_add(1, std::memory_order_relaxed);
  own().state.store(uint64_t{op} << 32 | static_cast<uint32_t>(state), std::memory_order_release);
  own().version.fetch_add(1, std::memory_order_release);
}

Board::Row Board::StateOf(int64_t process) const {
  const uint64_t state = row(process).state.load(std::memory_order_acquire);
  return {static_cast<DeviceState>(state & 0xFFFFFFFFU), static_cast<uint32_t>(state >> 32),
          row(process).rendezvous.load(std::memory_order_relaxed),
          row(process).talks.load(std::memory_order_relaxed)};
}

uint64_t Board::BeginRead() const {
  uint64_t sum = 0;
  for (int64_t process = 0; process < processes_; ++process) {
    sum += row(process).version.load(std::memory_order_acquire);
  }
  return sum;
}

uint64_t Board::EndRead() const {
  std::atomic_thread_fence(std::memory_order_acquire);  // after the reads of the rows
  uint64_t sum = 0;
  for (int64_t process = 0; process < processes_; ++process) {
    const uint64_t version = row(process).version.load(std::memory_order_relaxed);
    if (version % 2 != 0) return UINT64_MAX;
    sum += version;
  }
  return sum;
}

void Board::Fail(const Diagnostic& why, Kind kind) {
  uint32_t none = 0;
  if (!failure().stage.compare_exchange_strong(none, 1)) return;
  const size_t message = std::min(why.message.size(), sizeof(failure().text) / 2);
  const size_t help = std::min(why.help.size(), sizeof(failure().text) / 2);
  failure().code = why.code.id();
  failure().kind = kind;
  failure().message_bytes = static_cast<uint32_t>(message);
  failure().help_bytes = static_cast<uint32_t>(help);
  std::memcpy(failure().text, why.message.data(), message);
  std::memcpy(failure().text + message, why.help.data(), help);
  failure().stage.store(2, std::memory_order_release);
}

void Board::FailAs(uint32_t code, const std::string& message, Kind kind) {
  Fail(MakeBinaryDiagnostic(CodeOf(code), 0, message), kind);
}

Diagnostic Board::why() const {
  const size_t message = std::min<size_t>(failure().message_bytes, sizeof(failure().text) / 2);
  const size_t help = std::min<size_t>(failure().help_bytes, sizeof(failure().text) / 2);
  Diagnostic why =
      MakeBinaryDiagnostic(CodeOf(failure().code), 0, std::string(failure().text, message));
  why.help = std::string(failure().text + message, help);
  return why;
}

}  // namespace halo
