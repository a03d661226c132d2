// Values that only the second program stores, as instructions to insert into the first one: copies,
// and values that kernels of the first program compute inside. Where they are computed and what
// reads them follows from the second program.
#ifndef HALO_DIFF_PEAK_INSERT_VALUES_H_
#define HALO_DIFF_PEAK_INSERT_VALUES_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/diff/peak/edit_program.h"
#include "halo/diff/peak/stored_values.h"

namespace halo {

inline constexpr StoredKey kNoKey = UINT64_MAX;

class ValueInserter {
 public:
  ValueInserter(const MatchedPrograms& programs, StoredValues& before, StoredValues& after);

  // Bitcasts, tuples and their elements store nothing.
  static bool PassesOn(const Inst& inst);
  // The value that an instruction of the first program stores, kNoKey if it stores none.
  [[nodiscard]] StoredKey KeyOfInst(InstId inst) const { return key_of_[inst.index()]; }
  [[nodiscard]] const Users& users() const { return users_; }

  // A value that kernels of the first program compute inside. Those read it whose counterparts do;
  // if there are none, all. None if it cannot be inserted.
  std::optional<Insertion> StoredFrom(ValueId value_b);
  // A copy of a value that the first program stores too.
  std::optional<Insertion> CopyOf(ValueId value_b);

 private:
  struct Readers {
    std::set<StoredKey> keys;
    InstId first;  // in the second program
  };
  std::optional<Insertion> StoredFrom(ValueId value_b, const Readers& readers, bool all);
  InstId PositionOf(InstId inst_b, CompId comp, InstId low, InstId high);
  Readers ReadersOf(InstId inst_b);
  // True if the second program still has the operand's value in memory at that instruction.
  bool IsLiveAfter(InstId operand, InstId inst_b);
  [[nodiscard]] std::vector<uint32_t> Slots(InstId inst) const;
  [[nodiscard]] std::vector<uint32_t> OnlyInside(InstId inst,
                                                 const std::vector<uint32_t>& slots) const;

  const MatchedPrograms& programs_;
  const Module& a_;
  const Module& b_;
  StoredValues& before_;
  StoredValues& after_;
  Users users_;
  std::vector<StoredKey> key_of_;  // by instruction of the first program
  std::map<StoredKey, std::vector<InstId>> insts_of_;
};

}  // namespace halo

#endif  // HALO_DIFF_PEAK_INSERT_VALUES_H_
