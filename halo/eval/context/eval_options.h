// How an evaluation is run and how far it may go: devices, limits, and what watches it.
#ifndef HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_
#define HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "halo/eval/context/custom_calls.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// Sees every value as it is made, those inside fusions and loops too.
class EvalObserver {
 public:
  virtual ~EvalObserver() = default;
  // False ends the evaluation, without error and without results.
  virtual bool OnValue(int64_t device, InstId inst, std::span<const Value> operands,
                       const Value& value) = 0;
};

enum class FillElided : uint8_t { kRefuse, kZeros, kOnes, kIota };

// For another thread to watch an evaluation, and to end it.
struct EvalProgress {
  std::atomic<int64_t> steps = 0;
  std::atomic<int64_t> work = 0;
  std::atomic<bool> stop = false;
};

struct EvalOptions {
  // Devices to run; 0 takes the header's. Groups of a collective shrink to the devices that run.
  int64_t replicas = 0;
  int64_t partitions = 0;
  int64_t device = 0;             // which of them an engine is that runs one only
  int64_t max_steps = INT64_MAX;  // instructions executed, over all devices
  int64_t max_work = INT64_MAX;   // elements computed, multiply-adds of dots
  int64_t max_bytes = int64_t{64} << 30;
  FillElided fill_elided = FillElided::kRefuse;
  bool threads = true;
  uint64_t rng_seed = 0;  // of the rng op, which states no generator
  EvalObserver* observer = nullptr;
  EvalProgress* progress = nullptr;
  const CustomCallRegistry* custom_calls = nullptr;  // null: all known
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_EVAL_OPTIONS_H_
