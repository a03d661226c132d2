// Which queues of a device an instruction occupies: what is in one queue runs one after the other.
// How long it takes is decided by the predictor.
#ifndef HALO_COST_TIMELINE_QUEUES_H_
#define HALO_COST_TIMELINE_QUEUES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "halo/cost/count/wire_use.h"
#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"

namespace halo {

enum class Queue : uint8_t {
  kCollectives,  // a GPU's stream of collectives
  kTransfers,    // a GPU's stream of sends and receives
  kLinks,        // connections within a node
  kNetwork,      // connections between nodes
  kCopies,       // copies beside kernels, from and to the host too
  kSide,         // computations beside the kernels
};
inline constexpr size_t kQueues = 6;
std::string_view QueueText(Queue queue);

class QueueSet {
 public:
  constexpr QueueSet() = default;
  constexpr explicit QueueSet(uint32_t bits) : bits_(bits) {}
  [[nodiscard]] constexpr uint32_t bits() const { return bits_; }
  constexpr void Add(Queue queue) { bits_ |= 1U << static_cast<unsigned>(queue); }
  constexpr void Add(QueueSet other) { bits_ |= other.bits_; }
  [[nodiscard]] constexpr bool Has(Queue queue) const {
    return ((bits_ >> static_cast<unsigned>(queue)) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  // Whether other devices take part.
  [[nodiscard]] constexpr bool communicates() const {
    return Has(Queue::kLinks) || Has(Queue::kNetwork);
  }

 private:
  uint32_t bits_ = 0;
};

// The queues of a collective, which `use` describes. `per_node` devices have connections of their
// own. A GPU runs all collectives in one stream; on other devices they only share connections.
QueueSet CollectiveQueues(const WireUse& use, int64_t per_node, std::optional<Backend> backend);

// The queues of an asynchronous start that is no collective and runs no computation.
QueueSet StartQueues(const Inst& start, std::optional<Backend> backend);

bool IsAsyncStart(const Inst& inst);
bool IsAsyncDone(const Inst& inst);
// Whether the compiler kept the halves of a collective but has it run like a kernel.
bool IsSynchronous(const Module& module, const Inst& start);

}  // namespace halo

#endif  // HALO_COST_TIMELINE_QUEUES_H_
