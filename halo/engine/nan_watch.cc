// Examines the operands before each step, because the step may overwrite them.
#include "halo/engine/nan_watch.h"

#include <algorithm>
#include <utility>

#include "halo/engine/packed.h"
#include "halo/engine/step_arrays.h"
#include "halo/runtime/collective.h"
#include "halo/runtime/stored_array.h"

namespace halo {
namespace {

bool MayHold(const Module& module, ShapeId shape) {
  const ElementClass klass = InfoOf(module.shapes.type(shape)).klass;
  return klass == ElementClass::kFloat || klass == ElementClass::kComplex;
}

void Put(const OperandSummary& from, Packer& to) {
  to.PutText(from.name);
  to.Put(from.type);
  to.Put(from.dims.size());
  for (const int64_t dim : from.dims) to.Put(dim);
  to.Put(from.summary);
}

Dims GetDims(Unpacker& from) {
  Dims dims;
  for (auto rank = from.Get<size_t>(); rank > 0 && !from.empty(); --rank) {
    dims.push_back(from.Get<int64_t>());
  }
  return dims;
}

OperandSummary GetSummary(Unpacker& from) {
  OperandSummary out;
  out.name = from.GetText();
  out.type = from.Get<ElementType>();
  out.dims = GetDims(from);
  out.summary = from.Get<ArraySummary>();
  return out;
}

std::string Pack(const NonFiniteOrigin& origin) {
  Packer out;
  for (const std::string* text : {&origin.location.name, &origin.location.opcode,
                                  &origin.location.op_name, &origin.location.source}) {
    out.PutText(*text);
  }
  out.Put(origin.location.path.size());
  for (const std::string& each : origin.location.path) out.PutText(each);
  out.Put(origin.device);
  out.Put(origin.execution);
  out.Put(origin.is_nan);
  Put(origin.result, out);
  out.Put(origin.index.size());
  for (const int64_t each : origin.index) out.Put(each);
  out.Put(origin.operands.size());
  for (const OperandSummary& each : origin.operands) Put(each, out);
  return out.Take();
}

NonFiniteOrigin Unpack(std::string_view text) {
  Unpacker from(text);
  NonFiniteOrigin origin;
  for (std::string* each : {&origin.location.name, &origin.location.opcode,
                            &origin.location.op_name, &origin.location.source}) {
    *each = from.GetText();
  }
  for (auto count = from.Get<size_t>(); count > 0 && !from.empty(); --count) {
    origin.location.path.push_back(from.GetText());
  }
  origin.device = from.Get<int64_t>();
  origin.execution = from.Get<int64_t>();
  origin.is_nan = from.Get<bool>();
  origin.result = GetSummary(from);
  origin.index = GetDims(from);
  for (auto count = from.Get<size_t>(); count > 0 && !from.empty(); --count) {
    origin.operands.push_back(GetSummary(from));
  }
  return origin;
}

}  // namespace

void NanWatch::Restart() {
  steps_ = found_at_ = 0;
  under_way_.clear();
  executions_.clear();
  origin_.reset();
}

void NanWatch::OnBegin(const Step& step, std::span<void* const> buffers) {
  if (other_ != nullptr) other_->OnBegin(step, buffers);
  ++steps_;
  if (origin_ || !step.blocks.empty()) return;
  given_ = {{}, ArraysOf(module_, step).operands, {buffers.begin(), buffers.end()}};
  for (const StepArray& each : given_.operands) {
    if (!MayHold(module_, each.shape)) continue;
    const NonFinite found = FindNonFinite(FlatView(module_, each, buffers));
    given_.found.nan |= found.nan;
    given_.found.infinite |= found.infinite;
  }
  if (step.kind == Step::Kind::kCollective) under_way_[step.collective] = std::move(given_);
}

std::optional<Diagnostic> NanWatch::OnEnd(const Step& step, std::span<void* const> buffers) {
  if (!origin_ && step.blocks.empty() && step.kind != Step::Kind::kCollective) {
    Given given = step.kind == Step::Kind::kAwait ? std::move(under_way_[step.collective])
                                                  : std::move(given_);
    NonFinite made;
    for (const StepArray& each : ArraysOf(module_, step).results) {
      if (!MayHold(module_, each.shape)) continue;
      const NonFinite found = FindNonFinite(FlatView(module_, each, buffers));
      made.nan |= found.nan;
      made.infinite |= found.infinite;
    }
    const bool nan = made.nan && !given.found.nan;
    const bool infinite = made.infinite && !given.found.infinite && !given.found.nan;
    const Opcode opcode = module_.inst(step.inst).opcode;
    if ((nan || infinite) && opcode != Opcode::kConstant) {
      Note(step, buffers, nan, given);
    }
    ++executions_[step.inst.value];
  }
  return other_ != nullptr ? other_->OnEnd(step, buffers) : std::nullopt;
}

void NanWatch::Note(const Step& step, std::span<void* const> buffers, bool nan,
                    const Given& given) {
  NonFiniteOrigin origin;
  origin.location = LocationOf(module_, step.inst);
  origin.device = device_;
  origin.execution = executions_[step.inst.value];
  origin.is_nan = nan;
  const std::vector<StepArray> results = ArraysOf(module_, step).results;
  for (const StepArray& each : given.operands) {
    const void* at = given.buffers[each.buffer];
    // An operand that the step overwrote can no longer be shown.
    const bool is_gone = std::ranges::any_of(
        results, [&](const StepArray& result) { return buffers[result.buffer] == at; });
    if (is_gone) continue;
    origin.operands.push_back(
        SummaryOf(module_.name_of(module_.inst(each.inst)),
                  LoadArray(module_.shapes, each.shape, static_cast<const uint8_t*>(at))));
  }
  for (const StepArray& each : results) {
    if (!MayHold(module_, each.shape)) continue;
    const NonFinite found = FindNonFinite(FlatView(module_, each, buffers));
    if (!(nan ? found.nan : found.infinite)) continue;
    const Array array =
        LoadArray(module_.shapes, each.shape, static_cast<const uint8_t*>(buffers[each.buffer]));
    origin.result = SummaryOf(origin.location.name, array);
    origin.index = FirstNonFinite(array, nan);
    break;
  }
  found_at_ = steps_;
  origin_ = std::move(origin);
}

Result<std::optional<NonFiniteOrigin>> EarliestOrigin(const NanWatch& own,
                                                      const RankContext& context) {
  Packer mine;
  mine.Put(own.origin() ? own.sequence() : INT64_MAX);
  const Result<std::vector<std::string>> all = context.service->Gather(mine.Take());
  if (!all.ok()) return all.error();
  int64_t first = -1;
  int64_t earliest = INT64_MAX;
  for (size_t rank = 0; rank < all->size(); ++rank) {
    const auto at = Unpacker((*all)[rank]).Get<int64_t>();
    if (at >= earliest) continue;
    earliest = at;
    first = static_cast<int64_t>(rank);
  }
  if (first < 0) return std::optional<NonFiniteOrigin>();
  const Result<std::string> told =
      context.service->Broadcast(first == context.rank ? Pack(*own.origin()) : "", first);
  if (!told.ok()) return told.error();
  return std::optional(Unpack(*told));
}

}  // namespace halo
