// Keeps a ring of buffers and requests. Buffers of requests that never complete are kept for MPI.
#include "halo/devices/transport/message_lane.h"

#include <utility>

#include "halo/devices/job/mpi_call.h"

namespace halo {
namespace {

constexpr const char* kLaneWhat = "exchanging data between machines";

void GiveUp(MPI_Request& request, const std::shared_ptr<std::vector<uint8_t>>& buffer) {
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  KeepForMpi(buffer);
}

}  // namespace

IncomingLane::IncomingLane(MPI_Comm comm, size_t peer, int tag, std::vector<int64_t> sizes)
    : comm_(comm), peer_(static_cast<int>(peer)), tag_(tag), sizes_(std::move(sizes)) {
  requests_.fill(MPI_REQUEST_NULL);
}

IncomingLane::~IncomingLane() {
  for (size_t i = 0; i < kWindow; ++i) {
    if (buffers_[i] != nullptr) GiveUp(requests_[i], buffers_[i]);
  }
}

std::optional<Diagnostic> IncomingLane::Post() {
  for (; posted_ < sizes_.size() && posted_ < taken_ + kWindow; ++posted_) {
    std::shared_ptr<std::vector<uint8_t>>& buffer = buffers_[posted_ % kWindow];
    if (buffer == nullptr) buffer = std::make_shared<std::vector<uint8_t>>();
    const auto bytes = static_cast<size_t>(sizes_[posted_]);
    if (buffer->size() < bytes) buffer->resize(bytes);
    const int code = MPI_Irecv(buffer->data(), static_cast<int>(bytes), MPI_BYTE, peer_, tag_,
                               comm_, &requests_[posted_ % kWindow]);
    if (auto failed = MpiProblem(code, kLaneWhat)) return failed;
  }
  return std::nullopt;
}

const uint8_t* IncomingLane::Peek(std::optional<Diagnostic>& failed) {
  if (ended()) return nullptr;
  int done = 0;
  failed = MpiProblem(MPI_Test(&requests_[taken_ % kWindow], &done, MPI_STATUS_IGNORE), kLaneWhat);
  return failed || done == 0 ? nullptr : buffers_[taken_ % kWindow]->data();
}

std::optional<Diagnostic> IncomingLane::Pop() {
  ++taken_;
  return Post();
}

OutgoingLane::OutgoingLane(MPI_Comm comm, int tag, int64_t most_bytes)
    : comm_(comm), tag_(tag), most_bytes_(most_bytes) {}

OutgoingLane::~OutgoingLane() {
  for (size_t i = 0; i < kWindow; ++i) {
    for (MPI_Request& request : requests_[i]) GiveUp(request, buffers_[i]);
  }
}

uint8_t* OutgoingLane::Reserve(std::optional<Diagnostic>& failed) {
  std::vector<MPI_Request>& requests = requests_[next_ % kWindow];
  int done = 0;
  failed = MpiProblem(
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
      kLaneWhat);
  if (failed || done == 0) return nullptr;
  std::shared_ptr<std::vector<uint8_t>>& buffer = buffers_[next_ % kWindow];
  if (buffer == nullptr) {
    buffer = std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(most_bytes_));
  }
  return buffer->data();
}

std::optional<Diagnostic> OutgoingLane::Send(int64_t bytes, const std::vector<size_t>& peers) {
  std::vector<MPI_Request>& requests = requests_[next_ % kWindow];
  requests.assign(peers.size(), MPI_REQUEST_NULL);
  for (size_t i = 0; i < peers.size(); ++i) {
    const int code = MPI_Isend(buffers_[next_ % kWindow]->data(), static_cast<int>(bytes), MPI_BYTE,
                               static_cast<int>(peers[i]), tag_, comm_, &requests[i]);
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
