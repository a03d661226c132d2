// Collectives between processes, one process per device: a plain value that describes an op without
// referring to the module, and the interface of the service that runs it. The executor starts and
// awaits ops through this interface; halo/devices implements it and moves the data. MPI does not
// appear here.
//
// Lifetime of a service: every device prepares the same ops (this is where mismatches are
// detected), allocates its buffers from the service, starts and awaits ops in program order, and
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
  kAllToAllTuple,  // operand i goes to group member i, result i comes from it
  kPermute,        // every operand of the source; zeros if there is no source
  kBroadcast,      // every operand of the group's first member
  kSend,           // operands go to the target; no results
  kRecv,           // results come from the source, zeros if there is none; no operands
  kDefinition,     // whatever `define` computes from all members' operands
};
std::string_view TextOf(CollectiveKind kind);

// The memory layout of an array: `outer` blocks, each of `extent` slabs (along the dimension that
// the op splits or concatenates), each of `inner` elements, without gaps. Ops that do not split
// have everything in `extent`.
struct CollectiveArray {
  ElementType type{};
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  [[nodiscard]] int64_t count() const { return outer * extent * inner; }
  [[nodiscard]] int64_t bytes() const { return count() * static_cast<int64_t>(StoredBytes(type)); }
  friend bool operator==(const CollectiveArray&, const CollectiveArray&) = default;
};

// Computes out[i] = f(...f(f(in[0][i], in[1][i]), in[2][i])..., in.back()[i]) for `count` elements.
// `out` may be one of `in`. Float sums accumulate in double and are rounded once, as in the
// evaluator.
using FoldFunction = std::function<std::optional<Diagnostic>(std::span<const uint8_t* const> in,
                                                             uint8_t* out, int64_t count)>;

enum class ReduceKind : uint8_t { kSum, kProduct, kMin, kMax, kAnd, kOr, kXor, kGeneral };
std::string_view TextOf(ReduceKind kind);

struct CollectiveOp {
  CollectiveKind kind{};
  std::string name;  // of the instruction, without %
  int64_t channel = 0;
  // Device ids, in the order in which the op numbers its members. Every device is in exactly one
  // group.
  std::vector<std::vector<int64_t>> groups;
  std::vector<CollectiveArray> operands;
  std::vector<CollectiveArray> results;
  // For permutes, sends and receives: (source, target) device ids.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  // For reductions. All arrays of a reduction have the same type.
  ReduceKind reduce = ReduceKind::kGeneral;
  FoldFunction fold;  // defines the semantics of every kind; only kGeneral needs it
  // For kDefinition. Arguments: the operands by member and operand, the members' devices, the index
  // of this member, and its results.
  std::function<std::optional<Diagnostic>(std::span<const std::vector<const void*>> members,
                                          std::span<const int64_t> devices, size_t me,
                                          std::span<void* const> results)>
      define;

  [[nodiscard]] int64_t operand_bytes() const;
  [[nodiscard]] int64_t result_bytes() const;
};

// One line with everything that devices must agree on: kind, name, channel, arrays, groups.
std::string CollectiveText(const CollectiveOp& op);

// Memory that other devices on the same machine can access, so that transfers need no extra copy.
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

// An op in flight.
enum class CollectiveHandle : uint64_t {};

// Calls marked "all" must be made by all devices in the same order. No call blocks longer than the
// timeout; it then returns a diagnostic that names devices and instructions. After the first
// diagnostic the service is unusable. Call it from one thread only.
class CollectiveService {
 public:
  virtual ~CollectiveService() = default;

  [[nodiscard]] virtual int64_t device() const = 0;
  [[nodiscard]] virtual int64_t device_count() const = 0;
  // Number of devices on this machine, including this one.
  [[nodiscard]] virtual int64_t local_devices() const = 0;

  // Number of ops started so far whose data moves by messages rather than through shared memory.
  [[nodiscard]] virtual int64_t by_messages() const { return 0; }

  // The longest wait for another device. Zero or less means no limit.
  virtual void SetTimeout(double seconds) = 0;

  // All. Compares the ops with those of every other device, in order; the diagnostic names the
  // first mismatch. Then sets up what the ops need. Numbering continues from previously prepared
  // ops; returns the number of ops.front().
  virtual Result<uint32_t> Prepare(std::vector<CollectiveOp> ops) = 0;
  // All; each device passes its own size. Other buffers work too, but are copied in and out.
  virtual Result<std::shared_ptr<SharedBlock>> Allocate(int64_t bytes) = 0;

  // Takes one address per operand and per result of the op. The caller must leave the buffers
  // untouched until the op has been waited for. A result of an all-reduce or a broadcast may alias
  // its operand exactly; nothing else may overlap. Returns without waiting for other devices.
  virtual Result<CollectiveHandle> Start(uint32_t op, std::span<const void* const> operands,
                                         std::span<void* const> results) = 0;
  // Blocks until the results are available. Call it once per handle.
  virtual std::optional<Diagnostic> Wait(CollectiveHandle handle) = 0;
  // True if Wait would return immediately.
  virtual Result<bool> Test(CollectiveHandle handle) = 0;
  // Advances the ops in flight a little. Cheap when nothing is in flight. Call it between steps.
  virtual std::optional<Diagnostic> Progress() = 0;

  // All. Synchronizes control only, not data.
  virtual std::optional<Diagnostic> Barrier() = 0;
  // All. Returns every device's text, by device.
  virtual Result<std::vector<std::string>> Gather(std::string_view mine) = 0;
  // All. Returns the root's text.
  virtual Result<std::string> Broadcast(std::string_view text, int64_t root) = 0;

  // Publishes the position of this device as a number that the caller interprets (which
  // instruction, how far), and reads the positions of the other devices on this machine (-1 for
  // remote ones). Never blocks.
  virtual void Publish(int64_t position) = 0;
  [[nodiscard]] virtual std::vector<int64_t> Positions() const = 0;

  // Whether the failure is that a device was lost: killed, stopped or out of reach.
  [[nodiscard]] virtual bool HasLost() const { return false; }
  // How device 0, which reports for all, was lost, if it was. Only devices that noticed it and
  // should report it in its place know.
  [[nodiscard]] virtual std::optional<Diagnostic> LossOfFirst() const { return std::nullopt; }
  // Has the launcher end all processes of the job. Lost ones do not end by themselves, and some
  // launchers would wait for them. May end this process.
  virtual void EndJob(int /*exit_code*/) {}

  // Tells the other devices that this one cannot continue. Their waiting calls return `why`.
  virtual void Fail(const Diagnostic& why) = 0;
  // Announces that this device joins no more collectives. Devices waiting for it at one are told
  // so.
  virtual void Finish() = 0;
};

}  // namespace halo

#endif  // HALO_RUNTIME_COLLECTIVE_H_
