// Which executions of which instructions compute a value that both programs have. Values that are
// computed in the same way from the same inputs cannot differ and are left out, and so are states
// and results of loops, whose parts are compared inside. A value without a match, such as one of
// several equal values of which the others stayed as they were, is paired with what is at its
// position in the first program, among the operands of a value or the results.
#ifndef HALO_API_NUMBERS_VALUE_PAIRS_H_
#define HALO_API_NUMBERS_VALUE_PAIRS_H_

#include <cstdint>
#include <vector>

#include "halo/diff/match/matched_programs.h"

namespace halo {

// One execution of an instruction, or all of them.
struct ExecutedNode {
  InstId inst;
  int64_t execution = -1;  // -1: all, which are the iterations of a loop
};

struct ValuePair {
  uint32_t a = 0, b = 0;            // classes
  double confidence = 1;            // that they are the same value
  ExecutedNode before;              // one that computes the value
  std::vector<ExecutedNode> after;  // all that compute it
};

// Among these classes of the second program. A computation that several callers run inside loops is
// left out: its executions do not tell which caller they belong to.
std::vector<ValuePair> FindValuePairs(const MatchedPrograms& programs,
                                      const std::vector<bool>& wanted,
                                      const std::vector<int64_t>& executions_a,
                                      const std::vector<int64_t>& executions_b);

// Finds the pairs that an execution of an instruction belongs to.
class PairsByInst {
 public:
  explicit PairsByInst(size_t insts) : entries_(insts) {}
  void Add(const ExecutedNode& node, uint32_t pair) {
    entries_[node.inst.index()].push_back({pair, node.execution});
  }
  // Calls found(pair, number): the number of the execution among those of the pair.
  template <class Found>
  void Find(InstId inst, int64_t execution, const Found& found) const {
    for (const Entry& entry : entries_[inst.index()]) {
      if (entry.execution < 0) {
        found(entry.pair, execution);
      } else if (entry.execution == execution) {
        found(entry.pair, int64_t{0});
      }
    }
  }

 private:
  struct Entry {
    uint32_t pair = 0;
    int64_t execution = -1;
  };
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace halo

#endif  // HALO_API_NUMBERS_VALUE_PAIRS_H_
