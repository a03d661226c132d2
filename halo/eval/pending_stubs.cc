// Definitions still to come.
#include "halo/eval/collectives.h"
#include "halo/eval/custom_calls.h"
#include "halo/eval/ops.h"
namespace halo {
__attribute__((weak)) Result<Value> EvalBatchNormGrad(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalBatchNormInference(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalBatchNormTraining(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalCholesky(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalCollectiveDone(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalConvolution(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalCustomCall(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalDynamicReshape(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalFft(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalGather(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalGetDimensionSize(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalInfeed(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalMap(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalOutfeed(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalRaggedDot(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalReduceWindow(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalRng(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalRngBitGenerator(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalRngGetAndUpdateState(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalScaledDot(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalScan(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalScatter(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalSelectAndScatter(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalSetDimensionSize(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalSort(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalTopK(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalTransfer(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalTriangularSolve(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<Value> EvalTupleSelect(OpContext& cx) {
  return cx.Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) Result<std::vector<std::vector<int64_t>>> GroupsOf(const Module&, InstId,
                                                                         const DeviceGrid&) {
  return std::vector<std::vector<int64_t>>{};
}
__attribute__((weak)) Result<std::vector<Value>> EvalCollective(std::span<OpContext> members,
                                                                std::span<const int64_t>,
                                                                const DeviceGrid&) {
  return members[0].Fail(DiagCode::kCannotEvaluate, "is still to come");
}
__attribute__((weak)) CustomCallRegistry CustomCallRegistry::Known() { return {}; }
__attribute__((weak)) const CustomCall* CustomCallRegistry::Find(std::string_view) const {
  return nullptr;
}
}  // namespace halo
