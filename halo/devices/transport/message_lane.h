// Messages to or from one member, in order, a few at a time: large data moves in pieces, so that
// pieces are combined while others are on their way.
#ifndef HALO_DEVICES_TRANSPORT_MESSAGE_LANE_H_
#define HALO_DEVICES_TRANSPORT_MESSAGE_LANE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// Memory for a message. It is kept after use for later messages of any op: memory that is new to
// the process is slow to touch for the first time.
struct MessageBuffer {
  std::shared_ptr<uint8_t[]> data;
  int64_t bytes = 0;
};

// Receives messages of known sizes into separate buffers.
class IncomingLane {
 public:
  IncomingLane(MPI_Comm comm, size_t peer, int tag, std::vector<int64_t> sizes);
  IncomingLane(IncomingLane&&) noexcept = default;
  IncomingLane& operator=(IncomingLane&&) = delete;
  IncomingLane(const IncomingLane&) = delete;
  IncomingLane& operator=(const IncomingLane&) = delete;
  ~IncomingLane();

  std::optional<Diagnostic> Post();
  [[nodiscard]] bool ended() const { return taken_ == sizes_.size(); }
  // The next message, or null if it has not arrived.
  const uint8_t* Peek(std::optional<Diagnostic>& failed);
  // Done with that message.
  std::optional<Diagnostic> Pop();
  [[nodiscard]] size_t next() const { return taken_; }

 private:
  static constexpr size_t kWindow = 8;
  MPI_Comm comm_;
  int peer_, tag_;
  std::vector<int64_t> sizes_;
  size_t posted_ = 0, taken_ = 0;
  std::array<MessageBuffer, kWindow> buffers_;
  std::array<MPI_Request, kWindow> requests_;
};

// Sends messages from separate buffers, each to one or several members.
class OutgoingLane {
 public:
  OutgoingLane(MPI_Comm comm, int tag, int64_t most_bytes);
  OutgoingLane(OutgoingLane&&) noexcept = default;
  OutgoingLane& operator=(OutgoingLane&&) = delete;
  OutgoingLane(const OutgoingLane&) = delete;
  OutgoingLane& operator=(const OutgoingLane&) = delete;
  ~OutgoingLane();

  // Memory for the next message, or null while all of it is on its way.
  uint8_t* Reserve(std::optional<Diagnostic>& failed);
  std::optional<Diagnostic> Send(int64_t bytes, const std::vector<size_t>& peers);
  // True once everything has been sent.
  bool Drained(std::optional<Diagnostic>& failed);

 private:
  static constexpr size_t kWindow = 8;
  MPI_Comm comm_;
  int tag_;
  int64_t most_bytes_;
  size_t next_ = 0;
  std::array<MessageBuffer, kWindow> buffers_;
  std::array<std::vector<MPI_Request>, kWindow> requests_;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_MESSAGE_LANE_H_
