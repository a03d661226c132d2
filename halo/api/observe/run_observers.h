// Observes a module while it runs: the values of selected instructions, and the first instruction
// that produced a NaN or an infinity from finite numbers.
#ifndef HALO_API_OBSERVE_RUN_OBSERVERS_H_
#define HALO_API_OBSERVE_RUN_OBSERVERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/observe/run_text_parts.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/summary.h"

namespace halo {

// Matches `text` against a pattern in which * matches any characters and ? matches any single one.
bool MatchesPattern(std::string_view text, std::string_view pattern);

struct TracedValue {
  InstId inst;
  int64_t device = 0;
  int64_t execution = 0;  // of this instruction on this device, from 0
  size_t leaf = 0;        // index in its shape, tuples flattened
  bool is_tuple = false;
  ArraySummary summary;
  ElementType type = ElementType::kPred;
  Dims dims;
  bool is_kept = false;  // `array` is set; else there was too much to keep
  Array array;
};

struct OperandSummary {
  std::string name;  // of the instruction
  ElementType type = ElementType::kPred;
  Dims dims;
  ArraySummary summary;
};

struct NonFiniteOrigin {
  InstructionLocation location;
  int64_t device = 0;
  int64_t execution = 0;
  bool is_nan = false;  // false: an infinity
  OperandSummary result;
  std::vector<OperandSummary> operands;
  Dims index;  // of the first such element
};

// Summarizes one array of an instruction.
OperandSummary SummaryOf(std::string_view name, const Array& array);
// The index of the first NaN or infinity.
Dims FirstNonFinite(const Array& array, bool nan);

// Traces values and looks for the origin in one pass; either may be disabled.
class RunObserver : public EvalObserver {
 public:
  // Traces these instructions, keeping at most the given number of bytes of arrays.
  RunObserver(const Module& module, std::span<const InstId> traced, bool find_nan, int64_t devices,
              int64_t max_kept_bytes);

  bool OnValue(int64_t device, InstId inst, std::span<const Value> operands,
               const Value& value) override;

  std::vector<TracedValue> TakeTraced() { return std::move(traced_values_); }
  [[nodiscard]] const std::optional<NonFiniteOrigin>& origin() const { return origin_; }

 private:
  void Trace(int64_t device, InstId inst, int64_t execution, const Value& value);
  [[nodiscard]] bool MadeNonFinite(int64_t device, InstId inst, int64_t execution,
                                   std::span<const Value> operands, const Value& value);

  const Module& module_;
  std::vector<bool> is_traced_;                   // by instruction
  std::vector<std::vector<int64_t>> executions_;  // by device and instruction
  bool find_nan_;
  int64_t bytes_left_;
  std::vector<TracedValue> traced_values_;
  std::optional<NonFiniteOrigin> origin_;
};

// The computations from the entry to the one that contains an instruction, each with the
// instruction that calls the next. If there are several callers, the first is used.
std::vector<InstId> CallPath(const Module& module, InstId inst);

}  // namespace halo

#endif  // HALO_API_OBSERVE_RUN_OBSERVERS_H_
