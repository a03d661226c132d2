// Looks outputs up by name; an entry without a device is used for every device.
#include "halo/api/run/run_compare.h"

#include <algorithm>
#include <utility>

#include "halo/api/inputs/array_file.h"
#include "halo/api/inputs/array_names.h"
#include "halo/api/run/result_sharding.h"
#include "halo/base/arrays/npz.h"
#include "halo/base/io/source_buffer.h"
#include "halo/eval/collectives/shards.h"

namespace halo {
namespace {

class OutputComparer {
 public:
  OutputComparer(const Module& module, const NpzReader& reader, int64_t devices)
      : module_(module), reader_(reader), devices_(devices) {}

  OutputComparison Compare(const NamedArray& output, const Tolerance& tolerance, size_t worst) {
    OutputComparison comparison;
    comparison.name = output.name;
    comparison.type = output.array->type();
    comparison.dims.assign(output.array->dims().begin(), output.array->dims().end());
    comparison.tolerance = tolerance;
    std::optional<size_t> member = reader_.Find(output.name);
    if (!member) member = reader_.Find(MakeArrayName("out", output.leaf, std::nullopt));
    if (!member && reader_.size() == 1 && reader_.name(0).empty()) member = 0;
    if (!member) {
      comparison.problem = "the archive has no such array";
      return comparison;
    }
    Result<NpyArray> stored = reader_.Read(*member);
    if (!stored) {
      comparison.problem = stored.error().message;
      return comparison;
    }
    comparison.expected_dims = stored->dims;
    if (!IsStoredAs(stored->type, comparison.type)) {
      comparison.problem = "the archive has " + TextOf(stored->type) + ", the result is " +
                           std::string(TextOf(comparison.type));
      return comparison;
    }
    const Array expected = ArrayFrom(*stored, comparison.type);
    comparison.result = CompareArrays(Matching(output, expected), expected, tolerance, worst);
    if (!comparison.result.comparable) comparison.problem = "its dimensions differ";
    return comparison;
  }

 private:
  // The output itself, or the device's shard of it if the shard is what is expected.
  [[nodiscard]] Array Matching(const NamedArray& output, const Array& expected) const {
    if (std::ranges::equal(output.array->dims(), expected.dims())) return *output.array;
    const std::optional<Sharding> sharding = ResultSharding(module_, output.leaf);
    const std::optional<Tiling> tiling =
        sharding ? TilingOf(*sharding, output.array->dims(), devices_) : std::nullopt;
    if (!tiling || !std::ranges::equal(tiling->tile, expected.dims())) return *output.array;
    return ShardOf(*output.array, *tiling, output.device);
  }

  const Module& module_;
  const NpzReader& reader_;
  const int64_t devices_;
};

}  // namespace

Tolerance ToleranceFor(ElementType type, int64_t longest_sum, const ToleranceChoice& choice) {
  Tolerance tolerance = DefaultTolerance(type, longest_sum);
  if (choice.rtol || choice.atol || choice.ulp || choice.largest_ulp) tolerance = {};
  tolerance.rtol = choice.rtol.value_or(tolerance.rtol);
  tolerance.atol = choice.atol.value_or(tolerance.atol);
  tolerance.ulp = choice.ulp.value_or(tolerance.ulp);
  tolerance.largest_ulp = choice.largest_ulp.value_or(tolerance.largest_ulp);
  return tolerance;
}

std::vector<OutputComparison> CompareOutputs(const Module& module,
                                             std::span<const NamedArray> outputs,
                                             const std::string& expected, int64_t devices,
                                             int64_t longest_sum, const ToleranceChoice& choice,
                                             size_t worst, Diagnostics& diagnostics) {
  std::vector<OutputComparison> comparisons;
  Result<SourceBuffer> source = SourceBuffer::Open(expected);
  if (!source) {
    diagnostics.Add(source.error());
    return comparisons;
  }
  Result<NpzReader> reader = NpzReader::Open(source->bytes());
  if (!reader) {
    Diagnostic bad = reader.error();
    bad.message = expected + ": " + bad.message;
    diagnostics.Add(std::move(bad));
    return comparisons;
  }
  OutputComparer comparer(module, *reader, devices);
  size_t leaves = 0;
  for (const NamedArray& output : outputs) {
    leaves = std::max(leaves, output.leaf + 1);
    comparisons.push_back(
        comparer.Compare(output, ToleranceFor(output.array->type(), longest_sum, choice), worst));
  }
  for (size_t i = 0; i < reader->size(); ++i) {
    const std::optional<ArrayName> name = ParseArrayName(reader->name(i), "out");
    if (!name || (name->leaf < leaves && name->device.value_or(0) < devices)) continue;
    OutputComparison& extra = comparisons.emplace_back();
    extra.name = reader->name(i);
    extra.problem = "the module has no such result";
  }
  return comparisons;
}

}  // namespace halo
