// Calls that are equivalent to topk. k is the last dimension of the declared results; the called
// computation only says "greater than" and is not evaluated.
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/ops/topk.h"

namespace halo {
namespace {

Result<Value> TopKCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  const ShapeTable& shapes = cx.module.shapes;
  if (cx.parts() != 2 || shapes.dims(cx.shape(0)).empty() || !shapes.is_array(cx.shape(1)) ||
      !IsIntegerType(shapes.type(cx.shape(1)))) {
    return BadCall(cx, "yields values and their indices");
  }
  const int64_t k = shapes.dims(cx.shape(0)).back();
  Result<Value> rows = TopRows(cx, k, true, shapes.type(cx.shape(1)));
  if (!rows) return rows;
  const std::span<const Value> found = rows->elements();
  return FinishCall(cx, {found[0].array(), found[1].array()});
}

}  // namespace

void RegisterSelection(CustomCallRegistry& registry) {
  registry.Register("TopK", TopKCall);
  registry.Register("__gpu$TopK", TopKCall);
}

}  // namespace halo
