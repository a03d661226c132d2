// MPI windows in shared memory.
#include "halo/devices/job/node_memory.h"

#include <cstring>
#include <sys/statvfs.h>

#include "halo/base/round_up.h"
#include "halo/devices/job/mpi_call.h"

namespace halo {
namespace {

constexpr int64_t kPage = 4096;

// An MPI implementation may never return if there is no memory for a window. Do not ask in that
// case.
int64_t FreeSharedBytes() {
  struct statvfs filesystem{};
  if (statvfs("/dev/shm", &filesystem) != 0) return INT64_MAX;
  return static_cast<int64_t>(filesystem.f_bavail) * static_cast<int64_t>(filesystem.f_frsize);
}

}  // namespace

NodeMemory::NodeMemory(MPI_Comm node) : node_(node) {
  MPI_Comm_rank(node, &rank_);
  MPI_Comm_size(node, &size_);
}

Result<std::optional<int64_t>> NodeMemory::Add(int64_t bytes) {
  // Windows may start at any address; leave space to align them.
  int64_t wanted = RoundUp(std::max<int64_t>(bytes, 1), kPage) + kPage;
  int64_t all = 0;
  if (auto failed = MpiProblem(MPI_Allreduce(&wanted, &all, 1, MPI_INT64_T, MPI_SUM, node_),
                               "sharing memory")) {
    return *std::move(failed);
  }
  int fits = all <= FreeSharedBytes() / 10 * 9 ? 1 : 0;
  int all_fit = 0;
  if (auto failed = MpiProblem(MPI_Allreduce(&fits, &all_fit, 1, MPI_INT, MPI_MIN, node_),
                               "sharing memory")) {
    return *std::move(failed);
  }
  if (all_fit == 0) return std::optional<int64_t>();
  Segment segment;
  segment.bytes = bytes;
  void* own = nullptr;
  if (auto failed = MpiProblem(
          MPI_Win_allocate_shared(wanted, 1, MPI_INFO_NULL, node_, &own, &segment.window),
          "sharing memory")) {
    return *std::move(failed);
  }
  for (int process = 0; process < size_; ++process) {
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    if (auto failed = MpiProblem(MPI_Win_shared_query(segment.window, process, &size, &unit, &base),
                                 "looking at shared memory")) {
      return *std::move(failed);
    }
    // Each process maps the window at a different address but with the same pages, so rounding up
    // yields the same bytes everywhere.
    const auto address = reinterpret_cast<uintptr_t>(base);
    segment.bases.push_back(
        static_cast<uint8_t*>(base) +
        (RoundUp(static_cast<int64_t>(address), kPage) - static_cast<int64_t>(address)));
  }
  // Shared windows are fresh from the system. The window of a single process may come from the
  // heap.
  if (size_ == 1) std::memset(segment.bases[0], 0, static_cast<size_t>(bytes));
  segments_.push_back(std::move(segment));
  return std::optional<int64_t>(static_cast<int64_t>(segments_.size()) - 1);
}

SharedLocation NodeMemory::Find(const void* address, int64_t bytes) const {
  const auto* at = static_cast<const uint8_t*>(address);
  for (size_t i = 0; i < segments_.size(); ++i) {
    const uint8_t* base = segments_[i].bases[static_cast<size_t>(rank_)];
    if (at >= base && at + bytes <= base + segments_[i].bytes) {
      return {static_cast<int64_t>(i), at - base};
    }
  }
  return {};
}

void NodeMemory::Free() {
  for (Segment& segment : segments_) MPI_Win_free(&segment.window);
  segments_.clear();
}

}  // namespace halo
