// The work of an op, once all members of the group have arrived and every member's arrays are
// accessible. It is split into pieces that any member can take, in any order. Elements are always
// combined in the group's order, so the result bits depend neither on which member does a piece nor
// on piece sizes.
#ifndef HALO_DEVICES_COMBINE_GROUP_WORK_H_
#define HALO_DEVICES_COMBINE_GROUP_WORK_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/devices/combine/fast_fold.h"
#include "halo/runtime/collective.h"

namespace halo {

// The arrays of all members, as addresses in this process, at [member * arrays + array]. Results of
// members on other machines are null; they are not written.
struct MemberArrays {
  std::vector<const uint8_t*> operands;
  std::vector<uint8_t*> results;
};

class GroupWork {
 public:
  // `op` must outlive this object. `devices` are the devices of the group.
  GroupWork(const CollectiveOp& op, std::span<const int64_t> devices, bool spans_machines = false);

  // At least one. Piece i of a kDefinition belongs to member i, and only that member may do it.
  [[nodiscard]] uint32_t pieces() const { return pieces_; }
  [[nodiscard]] bool own_pieces() const { return op_.kind == CollectiveKind::kDefinition; }
  std::optional<Diagnostic> Run(uint32_t piece, const MemberArrays& arrays);
  // Combines `bytes` of the members' operands. `out` may alias one of `in`.
  std::optional<Diagnostic> FoldRange(std::span<const uint8_t* const> in, uint8_t* out,
                                      int64_t bytes);

  // The work as one range of bytes, for groups that span machines: all results that are reduced,
  // one after the other.
  [[nodiscard]] int64_t total_bytes() const { return total_bytes_; }
  // The member that gets the result at this position, for a reduce-scatter; and where the next
  // member's results begin.
  [[nodiscard]] size_t OwnerAt(int64_t at, int64_t* end) const;
  // Whether a reduction can be done in steps, one per machine; and the bytes of its state for one
  // element.
  [[nodiscard]] bool can_chain() const { return chain_.step != nullptr; }
  [[nodiscard]] int64_t state_bytes() const { return static_cast<int64_t>(chain_.element_bytes); }
  [[nodiscard]] int64_t element_bytes() const {
    return static_cast<int64_t>(StoredBytes(op_.operands[0].type));
  }
  // Continues the reduction of a range of bytes with the operands of these members. `before` and
  // `after` are states; null for none before. With `is_last`, `after` gets elements.
  void Continue(int64_t begin, int64_t end, std::span<const size_t> folded,
                const MemberArrays& arrays, const uint8_t* before, uint8_t* after, bool is_last);
  // Writes reduced elements of a range to the results that get them.
  void Spread(int64_t begin, int64_t end, const uint8_t* from, const MemberArrays& arrays) const;
  // Writes bytes [begin, end) of a member's operand to all results of an all-gather.
  void Deliver(size_t member, size_t array, int64_t begin, int64_t end, const uint8_t* from,
               const MemberArrays& arrays) const;
  // Copies what `source` has for `target` in an all-to-all.
  void ExchangePair(size_t source, size_t target, const MemberArrays& arrays) const;

 private:
  // One member's array. The sections are concatenated and then split into pieces by bytes.
  struct Section {
    uint32_t member = 0;
    uint32_t array = 0;
    int64_t bytes = 0;
    int64_t begin = 0;  // in the concatenation
  };

  void AddSection(size_t member, size_t array, int64_t bytes);
  void AddSections();
  std::optional<Diagnostic> RunRange(const Section& section, int64_t begin, int64_t end,
                                     const MemberArrays& arrays);
  [[nodiscard]] size_t members() const { return devices_.size(); }
  [[nodiscard]] const uint8_t* operand(const MemberArrays& arrays, size_t member, size_t i) const {
    return arrays.operands[member * op_.operands.size() + i];
  }
  [[nodiscard]] uint8_t* result(const MemberArrays& arrays, size_t member, size_t i) const {
    return arrays.results[member * op_.results.size() + i];
  }

  std::optional<Diagnostic> Reduce(const Section& section, int64_t begin, int64_t end,
                                   const MemberArrays& arrays);
  std::optional<Diagnostic> ReducePart(const Section& section, int64_t begin, int64_t end,
                                       const MemberArrays& arrays);
  std::optional<Diagnostic> Fold(std::span<const uint8_t* const> in, uint8_t* out, int64_t count);
  // Calls `visit` with the part of each section that is in the range.
  template <class Visit>
  void ForSections(int64_t begin, int64_t end, const Visit& visit) const;
  void GatherFrom(const uint8_t* from, const Section& section, int64_t begin, int64_t end,
                  const MemberArrays& arrays) const;
  void Gather(const Section& section, int64_t begin, int64_t end, const MemberArrays& arrays) const;
  void Exchange(const Section& section, int64_t begin, int64_t end,
                const MemberArrays& arrays) const;
  void Permute(const Section& section, int64_t begin, int64_t end,
               const MemberArrays& arrays) const;
  void SpreadBlock(const uint8_t* from, size_t array, int64_t at, size_t bytes,
                   const MemberArrays& arrays) const;
  std::optional<Diagnostic> Define(uint32_t member, const MemberArrays& arrays);

  const CollectiveOp& op_;
  std::vector<int64_t> devices_;
  std::vector<int32_t> source_;  // for a permute: each member's sender, or -1
  std::vector<Section> sections_;
  FastFold fast_fold_ = nullptr;
  ChainFold chain_;
  int64_t total_bytes_ = 0;
  int64_t piece_bytes_ = 0;
  uint32_t pieces_ = 0;
  bool stream_ = false;
};

}  // namespace halo

#endif  // HALO_DEVICES_COMBINE_GROUP_WORK_H_
