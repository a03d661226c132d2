// infeed and outfeed exchange data with the host process, which the evaluator does not have.
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"

namespace halo {

Result<Value> EvalInfeed(OpContext& cx) {
  return cx.Fail(diag::kCannotEvaluate, "an infeed needs a host program that provides the data",
                 "replace the infeed with a parameter");
}

Result<Value> EvalOutfeed(OpContext& cx) {
  return cx.Fail(diag::kCannotEvaluate, "an outfeed needs a host program that receives the data",
                 "return the data as a result of the program");
}

}  // namespace halo
