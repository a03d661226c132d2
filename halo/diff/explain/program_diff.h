// The result of comparing two programs: what changed, gathered by cause.
#ifndef HALO_DIFF_EXPLAIN_PROGRAM_DIFF_H_
#define HALO_DIFF_EXPLAIN_PROGRAM_DIFF_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

enum class CauseKind : uint8_t {
  kValues,      // values that are computed in another way
  kOutputs,     // results of the program
  kRepeated,    // equal values that are computed more or fewer times
  kFusion,      // the same values in other kernels
  kLayout,      // the same value stored in another order or memory space
  kCopy,        // copies of the same values
  kCollective,  // the number of collectives of a kind
  kSchedule,    // the order of execution
  kDonation,    // inputs whose memory results may reuse
  kSharding,
  kConfig,  // configurations of the backend, such as tile sizes
  kModule,  // attributes of the whole module
};
std::string_view TextOf(CauseKind kind);

// One instance of a cause; a name is empty if only the other program has it.
struct DiffPlace {
  std::string before, after;  // names of instructions
};

struct DiffCause {
  CauseKind kind = CauseKind::kValues;
  std::string what;     // a sentence, the same for all instances
  std::string op_name;  // of the first instance; may be empty
  int64_t count = 0;    // instances
  int64_t bytes = 0;    // of the results concerned, over all instances
  double confidence = 1;
  std::vector<DiffPlace> places;  // every instruction concerned
  // Kernels that compute the values concerned; one may be listed more than once.
  std::vector<InstId> kernels_before, kernels_after;
  // How much longer these kernels take in a step, as predicted; a kernel may belong to several
  // causes, so that times of causes do not add up.
  std::optional<double> seconds;
};

struct DiffCounts {
  int64_t before = 0, after = 0;  // distinct values
  int64_t matched = 0;
  int64_t same = 0;     // of the matched: computed in the same way from the same inputs
  int64_t changed = 0;  // matched, but another op or other attributes
  int64_t rewired = 0;  // matched and the same op, but other operands
  int64_t deleted = 0, inserted = 0;
  int64_t outputs = 0;          // results that come from another value
  int64_t ambiguous = 0;        // unmatched, although similar values of the other program are too
  int64_t more = 0, fewer = 0;  // equal values that are computed more, fewer times

  [[nodiscard]] int64_t edits() const { return changed + rewired + deleted + inserted + outputs; }
};

struct PeakChange;  // halo/diff/peak
struct StepChange;  // halo/api/diff

struct ProgramDiff {
  bool same_values = false;  // both compute the same results in the same way
  bool same = false;         // and nothing else that is compared differs
  std::string verdict;       // one sentence
  std::string refused;       // why the programs cannot be compared; empty if they can
  DiffCounts counts;
  std::vector<DiffCause> causes;  // as RankCauses orders them
  // How the memory that the programs need changed; null if it was not compared.
  std::shared_ptr<const PeakChange> peak;
  std::string no_peak;  // why not; may be empty
  // How the predicted time of a step changed; null if it was not compared.
  std::shared_ptr<const StepChange> step;
};

// Changes of values first, then by bytes, then by time, then by number.
void RankCauses(std::vector<DiffCause>& causes);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_PROGRAM_DIFF_H_
