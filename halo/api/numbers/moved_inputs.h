// Inputs moved by at most one step of their type: as close to the given ones as numbers can be. A
// program that rounds to 16 bits or less on the way hides such steps, and compilers leave some of
// these roundings out; there, results of ops are moved as well.
#ifndef HALO_API_NUMBERS_MOVED_INPUTS_H_
#define HALO_API_NUMBERS_MOVED_INPUTS_H_

#include <cstdint>
#include <vector>

#include "halo/api/inputs/given_arrays.h"
#include "halo/api/inputs/run_inputs.h"
#include "halo/eval/context/eval_options.h"
#include "halo/ir/module.h"

namespace halo {

// An input of a run as arrays that another run takes.
std::vector<InputArray> GivenInputs(const RunInput& input);
// Each float goes up, down or stays, as the seed decides. Zeros, infinities and NaN stay, since the
// program may test for them, and so does every other type. Equal arrays are moved alike.
std::vector<InputArray> MovedInputs(const RunInputs& inputs, uint64_t seed);

// Moves every float of 16 bits that an op rounds to, and passes values on.
class RoundingMover : public EvalObserver {
 public:
  RoundingMover(const Module& module, uint64_t seed, EvalObserver* next)
      : module_(module), seed_(seed), next_(next) {}
  void Replace(int64_t device, InstId inst, Value& value) override;
  bool OnValue(int64_t device, InstId inst, std::span<const Value> operands,
               const Value& value) override {
    return next_ == nullptr || next_->OnValue(device, inst, operands, value);
  }

 private:
  const Module& module_;
  uint64_t seed_;
  EvalObserver* next_;
};

}  // namespace halo

#endif  // HALO_API_NUMBERS_MOVED_INPUTS_H_
