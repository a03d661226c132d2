// Inputs that were generated for the reference are given to the others; inputs from files are read
// again, since a partitioned program takes other parts of them.
#include "halo/api/numbers/reference_run.h"

#include <algorithm>
#include <utility>

#include "halo/api/numbers/moved_inputs.h"
#include "halo/api/run/result_sharding.h"
#include "halo/eval/collectives/shards.h"

namespace halo {
namespace {

// The bounds in the dimensions of another program's result: themselves, or a device's shard.
NoiseBounds BoundsFor(const NoiseBounds& bounds, const Module& module, const RunOutput& got,
                      int64_t devices) {
  if (std::ranges::equal(bounds.value().dims(), got.array.dims())) return bounds;
  const std::optional<Sharding> sharding = ResultSharding(module, got.leaf);
  const std::optional<Tiling> tiling =
      sharding ? TilingOf(*sharding, bounds.value().dims(), devices) : std::nullopt;
  if (!tiling || !std::ranges::equal(tiling->tile, got.array.dims())) return bounds;
  return bounds.PartOf([&](const Array& whole) { return ShardOf(whole, *tiling, got.device); });
}

}  // namespace

ReferenceRun::ReferenceRun(const Document& document, const NumbersRequest& request)
    : document_(document), request_(request) {
  const bool has_module = !document.modules.empty() && document.errors() == 0;
  ExecutionCounter counter(has_module ? document.modules.front().module : Module());
  RunRequest first = request_.run;
  first.opened = &document;
  first.compiled = nullptr;
  first.inputs_only = true;
  result_ = RunProgram(first);
  if (!ok()) return;
  // From now on, every run gets these. A program that is not partitioned yet takes whole arrays,
  // which are the same on all devices.
  const bool is_whole = result_.devices() > 1 && !LooksPartitioned(result_.module());
  for (RunInput& input : result_.inputs.list) {
    if (!input.source.empty() || input.arrays.empty()) continue;
    if (is_whole) input.arrays.resize(1);
    for (InputArray& given : GivenInputs(input)) request_.run.arrays.push_back(std::move(given));
  }
  result_ = Run(document, -1, &counter);
  executions_ = std::move(counter.counts);
  if (!ok()) return;
  for (const RunOutput& output : result_.outputs) bounds_.emplace_back(output.array);
  for (int i = 0; i < request_.moved_runs; ++i) {
    const RunResult moved = Moved(i, nullptr);
    if (!moved.succeeded || moved.outputs.size() != bounds_.size()) continue;
    for (size_t k = 0; k < bounds_.size(); ++k) bounds_[k].Widen(moved.outputs[k].array);
  }
}

RunResult ReferenceRun::Run(const Document& document, int moved, EvalObserver* observer) const {
  RunRequest again = request_.run;
  again.opened = &document;
  again.compiled = nullptr;
  again.observer = observer;
  if (moved < 0) return RunProgram(again);
  const auto seed = static_cast<uint64_t>(moved) + 1;
  again.inputs.clear();
  again.arrays = MovedInputs(result_.inputs, seed);
  RoundingMover mover(document.modules.front().module, seed, observer);
  again.observer = &mover;
  return RunProgram(again);
}

std::vector<ResultComparison> ReferenceRun::Compare(const RunResult& other) const {
  std::vector<ResultComparison> all;
  for (const RunOutput& got : other.outputs) {
    ResultComparison each;
    each.name = got.name;
    each.leaf = got.leaf;
    each.type = got.array.type();
    each.dims.assign(got.array.dims().begin(), got.array.dims().end());
    const RunOutput* found = nullptr;
    for (const RunOutput& mine : result_.outputs) {
      if (mine.leaf != got.leaf) continue;
      if (found == nullptr || mine.device == got.device) found = &mine;
    }
    if (found == nullptr) {
      each.problem = "the first program has no such result";
    } else {
      const NoiseBounds& bounds = bounds_[static_cast<size_t>(found - result_.outputs.data())];
      const int64_t summed = std::max(result_.longest_sum, other.longest_sum);
      each.result = BoundsFor(bounds, result_.module(), got, result_.devices())
                        .Compare(got.array, DefaultTolerance(each.type, summed));
      if (!each.result.comparable) each.problem = "its type or dimensions differ";
    }
    all.push_back(std::move(each));
  }
  const auto missing = [&](const RunOutput& mine) {
    return std::ranges::none_of(other.outputs,
                                [&](const RunOutput& got) { return got.leaf == mine.leaf; });
  };
  for (const RunOutput& mine : result_.outputs) {
    if (!missing(mine)) continue;
    ResultComparison each;
    each.name = mine.name;
    each.leaf = mine.leaf;
    each.type = mine.array.type();
    each.problem = "the second program has no such result";
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace halo
