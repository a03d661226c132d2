// Keeps a ring of buffers and requests. Buffers of requests that never complete are kept for MPI.
#include "halo/devices/transport/message_lane.h"

#include <mutex>
#include <utility>

#include "halo/devices/job/mpi_call.h"

namespace halo {
namespace {

constexpr const char* kLaneWhat = "exchanging data between machines";

// Buffers that no lane uses.
class SpareBuffers {
 public:
  static SpareBuffers& Get() {
    static SpareBuffers spare;
    return spare;
  }

  // At least so many bytes, of any value. Prefers the buffer that was used last.
  MessageBuffer Take(int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    for (size_t i = spare_.size(); i-- > 0;) {
      if (spare_[i].bytes < bytes || spare_[i].bytes > kMostWaste * bytes) continue;
      MessageBuffer found = std::move(spare_[i]);
      spare_.erase(spare_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= found.bytes;
      return found;
    }
    return {std::make_shared_for_overwrite<uint8_t[]>(static_cast<size_t>(bytes)), bytes};
  }

  void Give(MessageBuffer buffer) {
    const std::scoped_lock lock(mutex_);
    bytes_ += buffer.bytes;
    spare_.push_back(std::move(buffer));
    while (bytes_ > kMostBytes) {
      bytes_ -= spare_.front().bytes;
      spare_.erase(spare_.begin());
    }
  }

 private:
  static constexpr int64_t kMostBytes = 8 << 20;
  static constexpr int64_t kMostWaste = 4;
  std::mutex mutex_;
  std::vector<MessageBuffer> spare_;
  int64_t bytes_ = 0;
};

// True if MPI may still use the request's buffer.
bool GiveUp(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return false;
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  return true;
}

void LetGo(MessageBuffer buffer, bool is_in_use) {
  if (buffer.data == nullptr) return;
  if (is_in_use) return KeepForMpi(std::move(buffer.data));
  SpareBuffers::Get().Give(std::move(buffer));
}

}  // namespace

IncomingLane::IncomingLane(MPI_Comm comm, size_t peer, int tag, std::vector<int64_t> sizes)
    : comm_(comm), peer_(static_cast<int>(peer)), tag_(tag), sizes_(std::move(sizes)) {
  requests_.fill(MPI_REQUEST_NULL);
}

IncomingLane::~IncomingLane() {
  for (size_t i = 0; i < kWindow; ++i) {
    const bool is_in_use = buffers_[i].data != nullptr && GiveUp(requests_[i]);
    LetGo(std::move(buffers_[i]), is_in_use);
  }
}

std::optional<Diagnostic> IncomingLane::Post() {
  for (; posted_ < sizes_.size() && posted_ < taken_ + kWindow; ++posted_) {
    MessageBuffer& buffer = buffers_[posted_ % kWindow];
    const int64_t bytes = sizes_[posted_];
    if (buffer.data == nullptr || buffer.bytes < bytes) {
      LetGo(std::move(buffer), false);
      buffer = SpareBuffers::Get().Take(bytes);
    }
    const int code = MPI_Irecv(buffer.data.get(), static_cast<int>(bytes), MPI_BYTE, peer_, tag_,
                               comm_, &requests_[posted_ % kWindow]);
    if (auto failed = MpiProblem(code, kLaneWhat)) return failed;
  }
  return std::nullopt;
}

const uint8_t* IncomingLane::Peek(std::optional<Diagnostic>& failed) {
  if (ended()) return nullptr;
  int done = 0;
  failed = MpiProblem(MPI_Test(&requests_[taken_ % kWindow], &done, MPI_STATUS_IGNORE), kLaneWhat);
  return failed || done == 0 ? nullptr : buffers_[taken_ % kWindow].data.get();
}

std::optional<Diagnostic> IncomingLane::Pop() {
  ++taken_;
  return Post();
}

OutgoingLane::OutgoingLane(MPI_Comm comm, int tag, int64_t most_bytes)
    : comm_(comm), tag_(tag), most_bytes_(most_bytes) {}

OutgoingLane::~OutgoingLane() {
  for (size_t i = 0; i < kWindow; ++i) {
    bool is_in_use = false;
    for (MPI_Request& request : requests_[i]) is_in_use = GiveUp(request) || is_in_use;
    LetGo(std::move(buffers_[i]), is_in_use);
  }
}

uint8_t* OutgoingLane::Reserve(std::optional<Diagnostic>& failed) {
  std::vector<MPI_Request>& requests = requests_[next_ % kWindow];
  int done = 0;
  failed = MpiProblem(
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
      kLaneWhat);
  if (failed || done == 0) return nullptr;
  MessageBuffer& buffer = buffers_[next_ % kWindow];
  if (buffer.data == nullptr) buffer = SpareBuffers::Get().Take(most_bytes_);
  return buffer.data.get();
}

std::optional<Diagnostic> OutgoingLane::Send(int64_t bytes, const std::vector<size_t>& peers) {
  std::vector<MPI_Request>& requests = requests_[next_ % kWindow];
  requests.assign(peers.size(), MPI_REQUEST_NULL);
  for (size_t i = 0; i < peers.size(); ++i) {
    const int code = MPI_Isend(buffers_[next_ % kWindow].data.get(), static_cast<int>(bytes),
                               MPI_BYTE, static_cast<int>(peers[i]), tag_, comm_, &requests[i]);
    if (auto failed = MpiProblem(code, kLaneWhat)) return failed;
  }
  ++next_;
  return std::nullopt;
}

bool OutgoingLane::Drained(std::optional<Diagnostic>& failed) {
  for (std::vector<MPI_Request>& requests : requests_) {
    int done = 0;
    failed = MpiProblem(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        kLaneWhat);
    if (failed || done == 0) return false;
  }
  return true;
}

}  // namespace halo
