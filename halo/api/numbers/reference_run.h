// A program on certain inputs and on the same inputs moved by one step, as the reference for other
// programs that should compute the same.
#ifndef HALO_API_NUMBERS_REFERENCE_RUN_H_
#define HALO_API_NUMBERS_REFERENCE_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/numbers/noise_bounds.h"
#include "halo/api/run/run.h"

namespace halo {

struct NumbersRequest {
  // Inputs, devices and limits of every run; the program is set here.
  RunRequest run;
  int moved_runs = 8;
  int64_t max_kept_bytes = int64_t{1} << 30;  // of values of the reference, at a time
};

// One result of the programs.
struct ResultComparison {
  std::string name;  // "out_3"
  size_t leaf = 0;
  ElementType type = ElementType::kPred;
  Dims dims;
  std::string problem;  // why it cannot be compared; empty if it can
  ArrayComparison result;

  [[nodiscard]] bool ok() const { return problem.empty() && result.ok(); }
};

class ReferenceRun {
 public:
  // The document must outlive it. Runs at once.
  ReferenceRun(const Document& document, const NumbersRequest& request);

  [[nodiscard]] bool ok() const { return result_.succeeded; }
  [[nodiscard]] const RunResult& result() const { return result_; }
  [[nodiscard]] const Document& document() const { return document_; }
  // How often each instruction ran, on the first device.
  [[nodiscard]] const std::vector<int64_t>& executions() const { return executions_; }

  // The program again, on the inputs or on inputs moved by the number of a run from 0.
  RunResult Again(EvalObserver* observer) const { return Run(document_, -1, observer); }
  RunResult Moved(int number, EvalObserver* observer) const {
    return Run(document_, number, observer);
  }
  [[nodiscard]] int moved_runs() const { return request_.moved_runs; }
  [[nodiscard]] int64_t max_kept_bytes() const { return request_.max_kept_bytes; }
  // With the inputs, for programs other than this one.
  [[nodiscard]] const RunRequest& RequestForOthers() const { return request_.run; }
  // Another program on the same inputs.
  RunResult RunOther(const Document& other, EvalObserver* observer) const {
    return Run(other, -1, observer);
  }
  // Its results against those of the reference.
  [[nodiscard]] std::vector<ResultComparison> Compare(const RunResult& other) const;

 private:
  RunResult Run(const Document& document, int moved, EvalObserver* observer) const;

  const Document& document_;
  NumbersRequest request_;
  RunResult result_;
  std::vector<int64_t> executions_;
  std::vector<NoiseBounds> bounds_;  // by output of result_
};

// Counts how often each instruction runs on the first device.
class ExecutionCounter : public EvalObserver {
 public:
  explicit ExecutionCounter(const Module& module) : counts(module.insts.size(), 0) {}
  bool OnValue(int64_t device, InstId inst, std::span<const Value> /*operands*/,
               const Value& /*value*/) override {
    if (device == 0) ++counts[inst.index()];
    return true;
  }
  std::vector<int64_t> counts;
};

}  // namespace halo

#endif  // HALO_API_NUMBERS_REFERENCE_RUN_H_
