// Whether devices that must hold the same values do, instruction by instruction. What must be the
// same follows from the program (halo/analysis/devices/replication.h) and from what the devices are
// given; the values are the reference engine's, or those of compiled ranks.
#ifndef HALO_API_OBSERVE_RANK_AGREEMENT_H_
#define HALO_API_OBSERVE_RANK_AGREEMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/analysis/devices/replication.h"
#include "halo/api/inputs/run_inputs.h"
#include "halo/api/observe/run_text_parts.h"
#include "halo/eval/evaluate.h"

namespace halo {

struct OperandState {
  std::string name;
  bool is_same = false;  // on both devices
  bool must_be = false;  // as far as the program says
};

// Two devices at one instruction.
struct RankDifference {
  InstructionPlace place;
  int64_t execution = 0;
  bool is_tuple = false;
  size_t leaf = 0;
  int64_t device = 0, other = 0;
  ElementType type = ElementType::kPred;
  Dims dims;
  bool has_values = false;  // those below
  int64_t count = 0, different = 0;
  Dims index;                      // of the first element that differs
  std::string value, other_value;  // there
  std::vector<OperandState> operands;
};

struct RankAgreement {
  int64_t instructions = 0;                  // at which some devices must agree
  int64_t compared = 0;                      // values that were
  std::optional<RankDifference> difference;  // of devices that must agree
  std::optional<RankDifference> divergence;  // of devices that need not, the first
};

// By parameter of the entry and its array leaf.
using InputClasses = std::vector<std::vector<DeviceClasses>>;
// And by device.
using InputDigests = std::vector<std::vector<std::vector<uint64_t>>>;

// The devices that must be given the same, by the parameter's sharding or by `same` (names, * and ?
// are wild); empty where neither says anything.
InputClasses StatedClasses(const Module& module, std::span<const RunInput> inputs,
                           std::span<const std::string> same, int64_t devices);
// Adds what the data tells: what all devices are given alike is the same for all, and where nothing
// is stated those that are given the same bits belong together.
void AddGivenClasses(const InputDigests& digests, InputClasses& classes);

uint64_t DigestOf(const Array& array);

// How two arrays of one instruction differ; `where` is filled in.
void DescribeDifference(const Array& one, const Array& other, RankDifference& where);

// Runs all devices by the reference engine, twice if there is something to show.
Result<RankAgreement> CompareDevices(const Module& module, const DeviceGrid& grid,
                                     const InputClasses& stated,
                                     const std::vector<std::vector<Value>>& arguments,
                                     EvalOptions options);

}  // namespace halo

#endif  // HALO_API_OBSERVE_RANK_AGREEMENT_H_
