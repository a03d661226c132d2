// Memory shared by the processes of one machine: MPI shared-memory windows, and for any address in
// one of them a handle with which other processes find the same bytes.
#ifndef HALO_DEVICES_JOB_NODE_MEMORY_H_
#define HALO_DEVICES_JOB_NODE_MEMORY_H_

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/runtime/collective.h"

namespace halo {

// A range of bytes in some process's part of a segment.
struct SharedLocation {
  int64_t segment = -1;
  int64_t offset = 0;
  [[nodiscard]] bool known() const { return segment >= 0; }
};

class NodeMemory {
 public:
  // `node` is a communicator of processes that can share memory. It must outlive this object.
  explicit NodeMemory(MPI_Comm node);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory() = default;  // see Free

  // Collective. Allocates `bytes` for each process, zeroed and page-aligned. Returns the segment's
  // number, or nothing if the machine does not have enough memory.
  Result<std::optional<int64_t>> Add(int64_t bytes);

  // The location of bytes of this process; unknown if they are not in a segment.
  [[nodiscard]] SharedLocation Find(const void* address, int64_t bytes) const;
  // The address in this process of bytes in another process's part.
  [[nodiscard]] uint8_t* Address(int64_t process, SharedLocation location) const {
    return segments_[static_cast<size_t>(location.segment)].bases[static_cast<size_t>(process)] +
           location.offset;
  }
  [[nodiscard]] uint8_t* Own(int64_t segment) const { return Address(rank_, {segment, 0}); }

  // Collective. Frees everything. If it is not called, the memory is released when the processes
  // exit.
  void Free();

 private:
  struct Segment {
    MPI_Win window = MPI_WIN_NULL;
    int64_t bytes = 0;            // of this process's part
    std::vector<uint8_t*> bases;  // by process
  };

  MPI_Comm node_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<Segment> segments_;
};

}  // namespace halo

#endif  // HALO_DEVICES_JOB_NODE_MEMORY_H_
