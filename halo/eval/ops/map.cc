// map: applies a computation to the corresponding elements of all operands.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/context/scalar_function.h"
#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {

Result<Value> EvalMap(OpContext& cx) {
  if (auto error = DemandSameDims(cx, 0, cx.operands.size())) return *std::move(error);
  ScalarFunction function(cx, cx.computation());
  const size_t count = cx.operands.size();
  const std::span<const int64_t> dims = count > 0 ? cx.array(0).dims() : cx.dims();
  Array result = cx.Make(cx.type(), dims);
  std::vector<LaneBlock> blocks(count + 1);
  std::vector<const void*> arguments;
  for (size_t k = 0; k < count; ++k) arguments.push_back(blocks[k].bytes);
  void* mapped[] = {blocks[count].bytes};
  const ElementType type = function.result_types()[0];
  for (int64_t first = 0; first < result.count(); first += kBlock) {
    const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, result.count() - first));
    for (size_t k = 0; k < count; ++k) {
      const Array& operand = cx.array(k);
      LoadLanes(operand.type(),
                operand.bytes() + static_cast<size_t>(first) * operand.element_bytes(), 1, n,
                blocks[k].bytes);
    }
    if (auto error = function.Run(arguments, mapped, n)) return *std::move(error);
    if (type != result.type()) ConvertLanes(type, result.type(), mapped[0], mapped[0], n);
    StoreLanes(result.type(), mapped[0], n,
               result.MutableBytes() + static_cast<size_t>(first) * result.element_bytes());
  }
  return Value(std::move(result));
}

}  // namespace halo
