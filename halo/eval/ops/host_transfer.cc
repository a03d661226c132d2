// infeed and outfeed exchange data with the host process, which the evaluator does not have.
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"

namespace halo {

Result<Value> EvalInfeed(OpContext& cx) {
  return cx.Fail(diag::kCannotEvaluate, "an infeed needs a host that feeds it",
                 "make the infeed a parameter of the program");
}

Result<Value> EvalOutfeed(OpContext& cx) {
  return cx.Fail(diag::kCannotEvaluate, "an outfeed needs a host that takes what it sends",
                 "make what is sent a part of the program's result");
}

}  // namespace halo
