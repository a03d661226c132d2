// Splits results into tiles by their sharding, compares tiles that several devices hold, and
// gathers them.
#include "halo/api/run/run_outputs.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "halo/api/inputs/array_names.h"
#include "halo/api/run/result_sharding.h"
#include "halo/base/strings/text_buffer.h"
#include "halo/eval/collectives/shards.h"
#include "halo/eval/inputs/compare_values.h"

namespace halo {
namespace {

// The dimensions of one leaf of a module's result; nothing if there is no such leaf.
std::optional<Dims> ResultDims(const Module& module, size_t leaf) {
  std::vector<ShapeId> open = {module.inst(module.comp(module.entry).root).shape};
  while (!open.empty()) {
    const ShapeId shape = open.back();
    open.pop_back();
    if (module.shapes.is_tuple(shape)) {
      const auto elements = module.shapes.elements(shape);
      for (size_t i = elements.size(); i-- > 0;) open.push_back(elements[i]);
    } else if (module.shapes.is_array(shape) && leaf-- == 0) {
      const std::span<const int64_t> dims = module.shapes.dims(shape);
      return Dims(dims.begin(), dims.end());
    }
  }
  return std::nullopt;
}

class OutputGatherer {
 public:
  explicit OutputGatherer(const GatherRequest& request) : request_(request) {}

  // The gathered array; valid only if `join` has no problem afterwards.
  Array Gather(std::span<RunOutput> parts, OutputGather& gather) const {
    const Array& first = parts[0].array;
    const Module& stated = *request_.stated;
    const std::optional<Sharding> sharding = request_.sharding.empty()
                                                 ? ResultSharding(stated, gather.leaf)
                                                 : ShardingOfLeaf(request_.sharding, gather.leaf);
    if (sharding) {
      TextBuffer text;
      PrintSharding(*sharding, text);
      gather.sharding = text.str();
    }
    if (!request_.is_partitioned) {
      CheckCopies(parts, Tiling{{}, std::vector<Dims>(parts.size())}, gather);
      return first;
    }
    if (!sharding) {
      gather.problem = "its sharding is unknown";
      return {};
    }
    for (const RunOutput& part : parts) {
      if (std::ranges::equal(part.array.dims(), first.dims())) continue;
      gather.problem = "devices have shards of different dimensions";
      return {};
    }
    const std::optional<Dims> dims = request_.states_whole
                                         ? ResultDims(stated, gather.leaf)
                                         : WholeDims(*sharding, first.dims(), request_.devices);
    const std::optional<Tiling> tiling =
        dims ? TilingOf(*sharding, *dims, request_.devices) : std::nullopt;
    if (!tiling || !std::ranges::equal(tiling->tile, first.dims())) {
      gather.problem = "it cannot be gathered by " + gather.sharding;
      return {};
    }
    CheckCopies(parts, *tiling, gather);
    if (!gather.problem.empty()) return {};
    std::vector<Array> tiles;
    for (const RunOutput& part : parts) tiles.push_back(part.array);
    return GatherShards(tiles, *tiling, *dims);
  }

 private:
  static void CheckCopies(std::span<const RunOutput> parts, const Tiling& tiling,
                          OutputGather& gather) {
    gather.parts = 0;
    for (size_t d = 0; d < parts.size(); ++d) {
      const auto holder = static_cast<size_t>(std::ranges::find(tiling.corners, tiling.corners[d]) -
                                              tiling.corners.begin());
      if (holder == d) ++gather.parts;
      if (SameBits(parts[holder].array, parts[d].array)) continue;
      gather.problem = "devices " + std::to_string(holder) + " and " + std::to_string(d) +
                       " should have the same values, but differ";
      return;
    }
  }

  const GatherRequest& request_;
};

}  // namespace

std::vector<OutputGather> GatherOutputs(const GatherRequest& request,
                                        std::vector<RunOutput>& outputs) {
  const OutputGatherer gatherer(request);
  std::vector<OutputGather> gathers;
  std::vector<RunOutput> gathered;
  for (size_t begin = 0; begin < outputs.size();) {
    size_t end = begin;
    while (end < outputs.size() && outputs[end].leaf == outputs[begin].leaf) ++end;
    const std::span<RunOutput> parts(outputs.data() + begin, end - begin);
    OutputGather& gather = gathers.emplace_back();
    gather.leaf = outputs[begin].leaf;
    if (static_cast<int64_t>(parts.size()) != request.devices) {
      gather.problem = "not every device has this result";
    } else {
      Array whole = gatherer.Gather(parts, gather);
      if (gather.problem.empty()) {
        gathered.push_back(
            {MakeArrayName("out", gather.leaf, std::nullopt), 0, gather.leaf, std::move(whole)});
      }
    }
    if (!gather.problem.empty()) {
      for (RunOutput& part : parts) gathered.push_back(std::move(part));
    }
    begin = end;
  }
  outputs = std::move(gathered);
  return gathers;
}

}  // namespace halo
