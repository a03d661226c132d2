// Collectives between processes, one process per device: what an op does, as a plain value without
// the module, and the service that carries it out. Both sides of the interface stand on it: the
// executor, which starts and awaits ops, and halo/devices, which moves the data. No MPI here.
//
// Life of a service: every device prepares the same ops (which is where disagreement is found),
// takes memory from it for its buffers, starts and awaits ops in the order of its program, and
// finishes.
#ifndef HALO_RUNTIME_COLLECTIVE_H_
#define HALO_RUNTIME_COLLECTIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/types/element_type.h"

namespace halo {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kAllToAllTuple,  // operand i to the group's member i, result i from it
  kPermute,        // every operand of the source, zeros where there is no source
  kBroadcast,      // every operand of the group's first member
  kSend,           // operands to the target; no results
  kRecv,           // results from the source, zeros where there is none; no operands
  kDefinition,     // whatever `define` makes of all members' operands
};
std::string_view TextOf(CollectiveKind kind);

// An array as it lies in memory: `outer` blocks, each of `extent` slabs (along the dimension that
// the op cuts or joins), each of `inner` elements, without gaps. Ops that cut nothing have
// everything in `extent`.
struct CollectiveArray {
  ElementType type{};
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  [[nodiscard]] int64_t count() const { return outer * extent * inner; }
  [[nodiscard]] int64_t bytes() const { return count() * static_cast<int64_t>(StoredBytes(type)); }
  friend bool operator==(const CollectiveArray&, const CollectiveArray&) = default;
};

// out[i] = f(...f(f(in[0][i], in[1][i]), in[2][i])..., in.back()[i]) for `count` elements. `out`
// may be one of `in`. Float sums add up in double and are rounded once, as in the evaluator.
using FoldFunction = std::function<std::optional<Diagnostic>(std::span<const uint8_t* const> in,
                                                             uint8_t* out, int64_t count)>;

enum class ReduceKind : uint8_t { kSum, kProduct, kMin, kMax, kAnd, kOr, kXor, kGeneral };
std::string_view TextOf(ReduceKind kind);

struct CollectiveOp {
  CollectiveKind kind{};
  std::string name;  // of the instruction, without %
  int64_t channel = 0;
  // Device ids in the order the op counts its members; every device stands in exactly one group.
  std::vector<std::vector<int64_t>> groups;
  std::vector<CollectiveArray> operands;
  std::vector<CollectiveArray> results;
  // Of permutes, sends and receives: (source, target) device ids.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  // Of reductions, whose arrays are all of one type.
  ReduceKind reduce = ReduceKind::kGeneral;
  FoldFunction fold;  // the meaning of every kind; needed for kGeneral only
  // kDefinition: operands by member and operand, the members' devices, which member this is, and
  // its results.
  std::function<std::optional<Diagnostic>(std::span<const std::vector<const void*>> members,
                                          std::span<const int64_t> devices, size_t me,
                                          std::span<void* const> results)>
      define;

  [[nodiscard]] int64_t operand_bytes() const;
  [[nodiscard]] int64_t result_bytes() const;
};

// One line that says all that devices must agree on: kind, name, channel, arrays, groups.
std::string CollectiveText(const CollectiveOp& op);

// Memory that other devices of the same machine can reach, so that nothing is copied on the way.
class SharedBlock {
 public:
  virtual ~SharedBlock() = default;
  [[nodiscard]] virtual uint8_t* data() const = 0;  // zeroed, aligned to 4096
  [[nodiscard]] virtual int64_t bytes() const = 0;

 protected:
  SharedBlock() = default;
  SharedBlock(const SharedBlock&) = default;
  SharedBlock& operator=(const SharedBlock&) = default;
};

// One op under way.
enum class CollectiveHandle : uint64_t {};

// Calls marked "all" are made by all devices, in the same order. No call blocks beyond the timeout:
// it ends with a diagnostic that names devices and instructions. After one diagnostic the service
// is of no more use. From one thread only.
class CollectiveService {
 public:
  virtual ~CollectiveService() = default;

  [[nodiscard]] virtual int64_t device() const = 0;
  [[nodiscard]] virtual int64_t device_count() const = 0;
  // Devices on this machine, this one included.
  [[nodiscard]] virtual int64_t local_devices() const = 0;

  // Longest wait for another device; none if it is zero or less.
  virtual void SetTimeout(double seconds) = 0;

  // All. Compares the ops with those of all other devices, in order; the diagnostic names the first
  // that differs. Then makes what they need. Ops are numbered on from those prepared before: the
  // number of ops.front().
  virtual Result<uint32_t> Prepare(std::vector<CollectiveOp> ops) = 0;
  // All, each with its own size. Buffers elsewhere work too, with a copy in and out.
  virtual Result<std::shared_ptr<SharedBlock>> Allocate(int64_t bytes) = 0;

  // One address per operand and per result of the op. They stay as they are until the op has been
  // waited for. A result of an all-reduce or a broadcast may lie exactly over its operand; nothing
  // else overlaps. Returns without waiting for others.
  virtual Result<CollectiveHandle> Start(uint32_t op, std::span<const void* const> operands,
                                         std::span<void* const> results) = 0;
  // Until the results are there. Each handle once.
  virtual std::optional<Diagnostic> Wait(CollectiveHandle handle) = 0;
  // True if Wait would return at once.
  virtual Result<bool> Test(CollectiveHandle handle) = 0;
  // Moves on what is under way, a little; cheap when nothing is. Call it between steps.
  virtual std::optional<Diagnostic> Progress() = 0;

  // All. Control, not data.
  virtual std::optional<Diagnostic> Barrier() = 0;
  // All: what every device said, by device.
  virtual Result<std::vector<std::string>> Gather(std::string_view mine) = 0;
  // All: what the root said.
  virtual Result<std::string> Broadcast(std::string_view text, int64_t root) = 0;

  // Where this device is, as a number that the caller gives meaning to (which instruction, how
  // far), and where the others on this machine are (-1 for those elsewhere). No waiting.
  virtual void Publish(int64_t position) = 0;
  [[nodiscard]] virtual std::vector<int64_t> Positions() const = 0;

  // Tells the others that this device cannot go on: their waiting calls end with this diagnostic.
  virtual void Fail(const Diagnostic& why) = 0;
  // This device comes to no more collectives: whoever waits for it at one is told so.
  virtual void Finish() = 0;
};

}  // namespace halo

#endif  // HALO_RUNTIME_COLLECTIVE_H_
