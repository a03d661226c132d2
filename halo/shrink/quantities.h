// Determines what integers count. Values that are added, compared, selected or passed on form one
// quantity, and an iota, a start index or a device number tells what it counts. Constants are
// assigned use by use, because one zero serves many purposes.
#ifndef HALO_SHRINK_QUANTITIES_H_
#define HALO_SHRINK_QUANTITIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/analysis/graph/parameter_index.h"
#include "halo/ir/module.h"
#include "halo/shrink/dims/element_offsets.h"

namespace halo {

class Quantities {
 public:
  explicit Quantities(const Module& module);

  // A dimension of an instruction's operand that the quantity indexes.
  struct IndexUse {
    uint32_t quantity = 0;
    InstId inst;         // iota, dynamic-slice, dynamic-update-slice, gather, scatter
    size_t operand = 0;  // whose dimension it is; an iota uses its own
    size_t dim = 0;
  };
  // A constant that is used as such a quantity, or as a factor in a product that is one.
  struct ConstantUse {
    InstId constant;
    InstId user;  // where it meets the quantity
    uint32_t quantity = 0;
    bool stride = false;
  };

  [[nodiscard]] const std::vector<IndexUse>& index_uses() const { return index_uses_; }
  [[nodiscard]] const std::vector<IndexUse>& constant_starts() const { return constant_starts_; }
  [[nodiscard]] const std::vector<ConstantUse>& constant_uses() const { return constant_uses_; }
  // Returns true if the quantity holds device numbers.
  [[nodiscard]] bool IsDeviceNumber(uint32_t quantity) const;
  // Quantities that decide whether a loop continues.
  [[nodiscard]] const std::vector<uint32_t>& loop_counters() const { return loop_counters_; }

  // The quantity of an array-shaped instruction.
  [[nodiscard]] uint32_t of(InstId inst) const { return Find(begins_[inst.index()]); }
  // The constant that an instruction copies, possibly broadcast; none if there is none.
  [[nodiscard]] InstId ConstantOf(InstId inst) const { return constant_[inst.index()]; }

 private:
  struct Slots {
    uint32_t first = 0, count = 0;
  };

  [[nodiscard]] uint32_t Find(uint32_t slot) const;
  [[nodiscard]] Slots All(InstId inst) const {
    return {begins_[inst.index()], begins_[inst.index() + 1] - begins_[inst.index()]};
  }
  [[nodiscard]] Slots Element(InstId inst, std::span<const int64_t> path) const;
  [[nodiscard]] bool IsInteger(InstId inst) const;
  [[nodiscard]] bool KeepsNumbers(InstId inst) const;
  void FindConstants();
  void Join(InstId a, InstId b, InstId user);
  void JoinSlots(Slots a, Slots b, InstId user);
  void Visit(InstId id);
  bool VisitStructure(InstId id);
  void VisitIndexing(InstId id);
  void VisitCall(InstId id, CompId comp);
  void Index(InstId index, InstId user, size_t operand, size_t dim);
  void FindLoopCounters();

  const Module& module_;
  ParameterIndex parameters_;
  std::vector<uint32_t> counts_;  // leaves of each shape
  ElementOffsets offsets_;
  std::vector<uint32_t> begins_;
  mutable std::vector<uint32_t> parent_;
  std::vector<InstId> owner_;  // of each slot, if its instruction is an array
  std::vector<InstId> constant_;
  std::vector<IndexUse> index_uses_, constant_starts_;
  std::vector<ConstantUse> constant_uses_;
  std::vector<uint32_t> device_numbers_;  // sorted
  std::vector<uint32_t> loop_counters_;
};

}  // namespace halo

#endif  // HALO_SHRINK_QUANTITIES_H_
