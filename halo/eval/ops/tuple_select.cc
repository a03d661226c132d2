// tuple-select: yields one of two whole tuples.
#include <utility>

#include "halo/eval/context/ops.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {

Result<Value> EvalTupleSelect(OpContext& cx) {
  const bool first = LoadInt(cx.array(0).type(), cx.array(0).bytes()) != 0;
  return std::move(cx.operand(first ? 1 : 2));
}

}  // namespace halo
