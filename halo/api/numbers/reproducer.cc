// The first program is shrunk to a size, and the second by the same dimensions; from the smallest
// size to the largest, until the difference is still there.
#include "halo/api/numbers/reproducer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "halo/api/shrink/shrink_document.h"
#include "halo/shrink/shrink.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

constexpr int64_t kDivisors[] = {4096, 512, 64, 8, 2};

Document DocumentOf(const Document& from, Module module) {
  Document made = DescriptionOf(from);
  made.modules.push_back({std::move(module), {}, {}, {}});
  return made;
}

// The dimensions that changed; nothing if equal ones became different.
std::optional<std::vector<std::pair<int64_t, int64_t>>> ChangedDims(const ShrinkResult& shrunk) {
  std::map<int64_t, int64_t> sizes;
  for (const FoundDim& dim : shrunk.dims) {
    const auto [at, is_new] = sizes.emplace(dim.size, dim.new_size);
    if (!is_new && at->second != dim.new_size) return std::nullopt;
  }
  std::vector<std::pair<int64_t, int64_t>> changed;
  for (const auto& [size, now] : sizes) {
    if (size != now) changed.emplace_back(size, now);
  }
  return changed;
}

}  // namespace

Reproducer MakeReproducer(const Document& before, const Document& after,
                          const NumbersRequest& request, const NumbersResult& found) {
  Reproducer made;
  const Module& a = before.modules.front().module;
  const Module& b = after.modules.front().module;
  // Given inputs do not fit a smaller program.
  NumbersRequest generated = request;
  generated.run.inputs.clear();
  generated.run.arrays.clear();
  generated.run.random = request.run.random.value_or(1);
  ShrinkOptions whole;
  whole.bytes = INT64_MAX;
  made.bytes = made.new_bytes = Shrink(a, whole).bytes;
  for (const int64_t divisor : kDivisors) {
    ShrinkOptions wanted;
    wanted.bytes = made.bytes / divisor;
    const ShrinkResult small_a = Shrink(a, wanted);
    if (!small_a.refused.empty()) continue;
    ShrinkOptions alike;
    const auto dims = ChangedDims(small_a);
    if (!dims || dims->empty()) continue;
    alike.dims = *dims;
    const ShrinkResult small_b = Shrink(b, alike);
    if (!small_b.refused.empty()) continue;
    const Document x = DocumentOf(before, small_a.module);
    const Document y = DocumentOf(after, small_b.module);
    const ReferenceRun reference(x, generated);
    const NumbersResult again = CompareNumbers(reference, y);
    if (!again.first || again.first->after.name != found.first->after.name) continue;
    made.before = ShrunkText(small_a);
    made.after = ShrunkText(small_b);
    made.inputs = reference.Again(nullptr);
    made.new_bytes = small_a.new_bytes;
    return made;
  }
  made.before = HloText(a);
  made.after = HloText(b);
  made.inputs = ReferenceRun(before, request).Again(nullptr);
  return made;
}

}  // namespace halo
