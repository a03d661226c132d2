// Two programs on the same inputs: whether their results agree, and if not, the first value that
// both programs have and that differs by more than moved inputs explain.
#ifndef HALO_API_NUMBERS_COMPARE_NUMBERS_H_
#define HALO_API_NUMBERS_COMPARE_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/numbers/reference_run.h"
#include "halo/api/observe/run_text_parts.h"

namespace halo {

using OperandAgreement = v0::OperandAgreement;
std::string_view TextOf(OperandAgreement agreement);

struct ComparedOperand {
  std::string name;  // in the second program
  OperandAgreement agreement = OperandAgreement::kUnknown;
};

struct ValueDifference {
  InstructionLocation before, after;
  int64_t device = 0;
  int64_t execution = 0;  // of the value, in a loop
  size_t leaf = 0;
  bool is_tuple = false;
  ElementType type = ElementType::kPred;
  Dims dims;
  ArrayComparison result;
  double confidence = 1;  // of the match
  // With the first program's value in its place, this many of the wrong results of the second
  // become right, and none wrong. 0: it could not be confirmed.
  int64_t repaired = 0;
  std::vector<ComparedOperand> operands;
};

struct NumbersResult {
  std::string refused;      // why there is no result
  Diagnostics diagnostics;  // of the run that failed
  std::string failed;       // its path
  std::vector<ResultComparison> results;
  int64_t values = 0;  // matched values that were compared; 0 if all results agree
  std::optional<ValueDifference> first;
  std::optional<SandboxReport> sandbox;  // set by front ends that have one

  [[nodiscard]] int64_t wrong() const;
  [[nodiscard]] bool agrees() const { return refused.empty() && wrong() == 0; }
};

// The first modules of the documents.
NumbersResult CompareNumbers(const Document& before, const Document& after,
                             const NumbersRequest& request);
// The same for a program that ran already.
NumbersResult CompareNumbers(const ReferenceRun& before, const Document& after);

}  // namespace halo

#endif  // HALO_API_NUMBERS_COMPARE_NUMBERS_H_
