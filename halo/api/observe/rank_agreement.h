// Checks, instruction by instruction, whether devices that must hold the same values do. Which
// values must be the same follows from the program (halo/analysis/devices/replication.h) and from
// the devices' inputs. The values come from the reference engine or from compiled ranks.
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
  bool must_be = false;  // according to the program
};

// Two devices that differ at one instruction.
struct RankDifference {
  InstructionLocation location;
  int64_t execution = 0;
  bool is_tuple = false;
  size_t leaf = 0;
  int64_t device = 0, other = 0;
  ElementType type = ElementType::kPred;
  Dims dims;
  bool has_values = false;  // the fields below are set
  int64_t count = 0, different = 0;
  Dims index;                      // of the first element that differs
  std::string value, other_value;  // at that index
  std::vector<OperandState> operands;
};

struct RankAgreement {
  int64_t instructions = 0;                  // at which some devices must agree
  int64_t compared = 0;                      // values that were compared
  std::optional<RankDifference> difference;  // between devices that must agree
  std::optional<RankDifference> divergence;  // the first between devices that need not agree
};

// Indexed by parameter of the entry, then by array leaf.
using InputClasses = std::vector<std::vector<DeviceClasses>>;
// Indexed likewise, then by device.
using InputDigests = std::vector<std::vector<std::vector<uint64_t>>>;

// The devices that must be given the same values, according to the parameter's sharding or to
// `same` (names with wildcards * and ?); empty where neither applies.
InputClasses StatedClasses(const Module& module, std::span<const RunInput> inputs,
                           std::span<const std::string> same, int64_t devices);
// Adds what the data shows. An input that is the same on all devices is marked so; where nothing is
// stated, devices with the same bits form a class.
void AddGivenClasses(const InputDigests& digests, InputClasses& classes);

uint64_t DigestOf(const Array& array);

// Fills in `where` with how two arrays of one instruction differ.
void DescribeDifference(const Array& one, const Array& other, RankDifference& where);

// Runs all devices with the reference engine, twice if there is something to show.
Result<RankAgreement> CompareDevices(const Module& module, const DeviceGrid& grid,
                                     const InputClasses& stated,
                                     const std::vector<std::vector<Value>>& arguments,
                                     EvalOptions options);

}  // namespace halo

#endif  // HALO_API_OBSERVE_RANK_AGREEMENT_H_
