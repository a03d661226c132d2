// How an evaluation runs and what limits it: devices, limits, and what observes it.
#ifndef HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_
#define HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "halo/eval/context/custom_calls.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// Observes every value when it is computed, including those inside fusions and loops.
class EvalObserver {
 public:
  virtual ~EvalObserver() = default;
  // May put another value of the same shape in its place, before OnValue sees it.
  virtual void Replace(int64_t /*device*/, InstId /*inst*/, Value& /*value*/) {}
  // Returning false ends the evaluation, without error and without results.
  virtual bool OnValue(int64_t device, InstId inst, std::span<const Value> operands,
                       const Value& value) = 0;
};

enum class FillElided : uint8_t { kRefuse, kZeros, kOnes, kIota };

// Lets another thread watch an evaluation and stop it.
struct EvalProgress {
  std::atomic<int64_t> steps = 0;
  std::atomic<int64_t> work = 0;
  std::atomic<bool> stop = false;
};

struct EvalOptions {
  // Devices to run; 0 takes the header's count. Groups of a collective shrink to the devices that
  // run.
  int64_t replicas = 0;
  int64_t partitions = 0;
  int64_t device = 0;             // the device to run, for engines that run only one
  int64_t max_steps = INT64_MAX;  // instructions executed, over all devices
  int64_t max_work = INT64_MAX;   // elements computed, multiply-adds of dots
  int64_t max_bytes = int64_t{64} << 30;
  FillElided fill_elided = FillElided::kRefuse;
  bool threads = true;
  uint64_t rng_seed = 0;  // for the rng op, which specifies no generator
  EvalObserver* observer = nullptr;
  EvalProgress* progress = nullptr;
  const CustomCallRegistry* custom_calls = nullptr;  // null: all known calls
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_
