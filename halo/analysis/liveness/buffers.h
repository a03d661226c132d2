// Values that must share memory form a buffer: values carried by a loop, results of branches,
// values written in place, and parameters with the results they are donated to.
#ifndef HALO_ANALYSIS_LIVENESS_BUFFERS_H_
#define HALO_ANALYSIS_LIVENESS_BUFFERS_H_

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/ir/attributes/aliasing.h"

namespace halo {

using BufferId = Id<struct BufferTag>;

class Buffers {
 public:
  // `aliases` is the module's input_output_alias, or what a request assumes instead.
  Buffers(const Dataflow& flow, const InPlacePairs& in_place, std::span<const AliasEntry> aliases);

  [[nodiscard]] size_t size() const { return begins_.size() - 1; }
  [[nodiscard]] BufferId of(FlowId value) const { return of_[value.index()]; }
  // Ordered by number.
  [[nodiscard]] std::span<const FlowId> values(BufferId buffer) const {
    return {values_.data() + begins_[buffer.index()], values_.data() + begins_[buffer.index() + 1]};
  }
  // True if the program's result holds the buffer.
  [[nodiscard]] bool lives_out(BufferId buffer) const { return lives_out_[buffer.index()]; }
  // True if the parameter's element is donated to a result.
  [[nodiscard]] bool is_donated(int64_t parameter, uint32_t node) const;

 private:
  void Alias(FlowId value, std::vector<FlowId>& with) const;
  void Merge(const std::vector<FlowId>& aliased);
  [[nodiscard]] uint32_t Find(uint32_t slot);
  void Number();

  const Dataflow& flow_;
  const Module& module_;
  const InPlacePairs& in_place_;
  std::vector<Position> donor_;           // by result node: the donated parameter, if any
  std::unordered_set<uint64_t> donated_;  // parameter number and node
  std::vector<uint32_t> slot_, slot_size_;
  std::vector<size_t> begins_;
  std::vector<FlowId> values_;
  std::vector<BufferId> of_;
  std::vector<bool> lives_out_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_LIVENESS_BUFFERS_H_
