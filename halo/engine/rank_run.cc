// Lets ranks compile in turn, and transfers results.
#include "halo/engine/rank_run.h"

#include <string>
#include <utility>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/engine/timeline_watch.h"

namespace halo {
namespace {

// The same tuple structure around new arrays of the same shapes.
Value EmptyLike(const Value& value) {  // NOLINT(misc-no-recursion): verified depth
  if (value.is_array()) return Array(value.array().type(), value.array().dims());
  if (!value.is_tuple()) return value;
  std::vector<Value> elements;
  for (const Value& each : value.elements()) elements.push_back(EmptyLike(each));
  return Value::Tuple(std::move(elements));
}

// Sends every rank's results to the first rank, with one op for each sender and one for its
// receiver.
std::vector<CollectiveOp> Transfers(const Value& own, int64_t count) {
  std::vector<CollectiveArray> arrays;
  ForEachArray(own, [&](const Array& array) {
    arrays.push_back({.type = array.type(), .outer = 1, .extent = array.count(), .inner = 1});
  });
  std::vector<int64_t> all;
  for (int64_t rank = 0; rank < count; ++rank) all.push_back(rank);
  std::vector<CollectiveOp> ops;
  for (int64_t rank = 1; rank < count; ++rank) {
    CollectiveOp send;
    send.kind = CollectiveKind::kSend;
    send.name = "results-of-rank-" + std::to_string(rank);
    send.groups = {all};
    send.pairs = {{rank, 0}};
    send.channel = rank;
    CollectiveOp receive = send;
    send.operands = arrays;
    receive.kind = CollectiveKind::kRecv;
    receive.results = arrays;
    ops.push_back(std::move(send));
    ops.push_back(std::move(receive));
  }
  return ops;
}

std::optional<Diagnostic> Do(CollectiveService& service, uint32_t op,
                             std::span<const void* const> from, std::span<void* const> to) {
  const Result<CollectiveHandle> handle = service.Start(op, from, to);
  if (!handle.ok()) return handle.error();
  return service.Wait(*handle);
}

}  // namespace

void EnterState(const RankContext& context, RankState state) {
  if (context.slot != nullptr) context.slot->Enter(state);
}

void SlotWatch::OnBegin(const Step& step, std::span<void* const> buffers) {
  if (other_ != nullptr) other_->OnBegin(step, buffers);
  ++steps_;
  if (context_.slot == nullptr) return;
  context_.slot->EnterStep(
      step.kind == Step::Kind::kAwait ? RankState::kCommunicating : RankState::kComputing,
      module_.name_of(module_.inst(step.inst)), steps_);
}

Result<std::unique_ptr<CompiledModule>> CompileInTurn(const Module& module,
                                                      const CompileOptions& options,
                                                      const RankContext& context) {
  EnterState(context, RankState::kCompiling);
  CollectiveService& service = *context.service;
  Result<std::unique_ptr<CompiledModule>> compiled = std::unique_ptr<CompiledModule>();
  if (context.compiles) compiled = CompileModule(module, options);
  if (std::optional<Diagnostic> failed = service.Barrier()) return *failed;
  if (!context.compiles) compiled = CompileModule(module, options);
  const Result<std::vector<std::string>> said =
      service.Gather(compiled.ok() ? "" : compiled.error().message);
  if (!said.ok()) return said.error();
  if (!compiled.ok()) return compiled;
  for (size_t rank = 0; rank < said->size(); ++rank) {
    if ((*said)[rank].empty()) continue;
    return MakeBinaryDiagnostic(diag::kCannotPlan, 0,
                                "rank " + std::to_string(rank) + ": " + (*said)[rank]);
  }
  return compiled;
}

Result<std::vector<RankTimeline>> CollectTimelines(const std::vector<TimelineEvent>& own,
                                                   const RankContext& context) {
  const Result<std::vector<std::string>> all = context.service->Gather(PackEvents(own));
  if (!all.ok()) return all.error();
  std::vector<RankTimeline> timelines;
  if (context.rank != 0) return timelines;
  for (size_t rank = 0; rank < all->size(); ++rank) {
    timelines.push_back({static_cast<int64_t>(rank), UnpackEvents((*all)[rank])});
  }
  return timelines;
}

Result<std::vector<Value>> CollectResults(const Value& own, const RankContext& context) {
  EnterState(context, RankState::kCollecting);
  CollectiveService& service = *context.service;
  const Result<uint32_t> first = service.Prepare(Transfers(own, context.count));
  if (!first.ok()) return first.error();
  std::vector<Value> results;
  if (context.rank != 0) {
    std::vector<const void*> from;
    ForEachArray(own, [&](const Array& array) { from.push_back(array.bytes()); });
    const auto number = *first + 2 * static_cast<uint32_t>(context.rank - 1);
    if (std::optional<Diagnostic> failed = Do(service, number, from, {})) return *failed;
    return results;
  }
  results.push_back(own);
  for (int64_t rank = 1; rank < context.count; ++rank) {
    Value theirs = EmptyLike(own);
    std::vector<void*> to;
    ForEachArray(theirs, [&](const Array& array) {
      to.push_back(const_cast<Array&>(array).MutableBytes());  // NOLINT: made here
    });
    const auto number = *first + 2 * static_cast<uint32_t>(rank - 1) + 1;
    if (std::optional<Diagnostic> failed = Do(service, number, {}, to)) return *failed;
    results.push_back(std::move(theirs));
  }
  return results;
}

}  // namespace halo
