// Packs the data for each peer and processes the data that peers send.
#include "halo/devices/transport/message_transfer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unistd.h>

#include "halo/devices/job/mpi_call.h"
#include "halo/devices/job/shared_wait.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kHeader = 64;                   // keeps what follows aligned
constexpr size_t kMostAtOnce = size_t{1} << 30;  // MPI counts are ints
constexpr int kTags = 1 << 14;

bool IsTransfer(CollectiveKind kind) {
  return kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv;
}

// Bytes per outer block of one member's part of the dimension.
int64_t RunBytes(const CollectiveArray& array, int64_t extent) {
  return extent * array.inner * static_cast<int64_t>(StoredBytes(array.type));
}

// Empty arrays need no memory.
void Copy(uint8_t* to, const uint8_t* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
}

// Copies `outer` runs of `run` bytes that are `from_step` and `to_step` apart.
void CopyRuns(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step, int64_t run,
              int64_t outer) {
  for (int64_t i = 0; i < outer; ++i) {
    Copy(to + i * to_step, from + i * from_step, run);
  }
}

}  // namespace

MessageTransfer::MessageTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work,
                                 MessageGroup& group, std::span<const void* const> operands,
                                 std::span<void* const> results)
    : Transfer(number),
      collective_(op),
      work_(work),
      group_(group),
      rendezvous_(group.next_rendezvous++),
      operands_(operands.begin(), operands.end()),
      results_(results.begin(), results.end()) {}

MessageTransfer::~MessageTransfer() {
  bool pending = false;
  for (MPI_Request& request : requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    pending = true;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  // A request may be past the point where it can be cancelled.
  if (pending) KeepForMpi(std::make_shared<std::vector<Message>>(std::move(messages_)));
}

// Both sides of a transfer know its channel; all members of a group know a collective's number.
int64_t MessageTransfer::header() const {
  return IsTransfer(collective_.kind) ? collective_.channel : int64_t{op()} + 1;
}

std::pair<int64_t, int64_t> MessageTransfer::SliceOf(size_t array, size_t member) const {
  const int64_t count = collective_.operands[array].count();
  const auto parts = static_cast<int64_t>(members());
  const auto at = static_cast<int64_t>(member);
  const auto element = static_cast<int64_t>(StoredBytes(collective_.operands[array].type));
  return {count * at / parts * element, count * (at + 1) / parts * element};
}

void MessageTransfer::Send(size_t peer, std::vector<uint8_t> payload) {
  payload.insert(payload.begin(), kHeader, 0);
  const int64_t number = header();
  std::memcpy(payload.data(), &number, sizeof(number));
  messages_.push_back({peer, true, std::move(payload)});
}

void MessageTransfer::Receive(size_t peer, int64_t bytes) {
  messages_.push_back({peer, false, std::vector<uint8_t>(kHeader + static_cast<size_t>(bytes))});
}

std::optional<Diagnostic> MessageTransfer::Post() {
  const int tag = IsTransfer(collective_.kind)
                      ? static_cast<int>(collective_.channel % kTags)
                      : static_cast<int>(rendezvous_ % (kTags / 2)) * 2 + round_;
  for (Message& message : messages_) {
    for (size_t at = 0; at < message.bytes.size(); at += kMostAtOnce) {
      const int bytes = static_cast<int>(std::min(kMostAtOnce, message.bytes.size() - at));
      const int peer = static_cast<int>(message.peer);
      requests_.push_back(MPI_REQUEST_NULL);
      const int code = message.is_sent ? MPI_Isend(message.bytes.data() + at, bytes, MPI_BYTE, peer,
                                                   tag, group_.comm, &requests_.back())
                                       : MPI_Irecv(message.bytes.data() + at, bytes, MPI_BYTE, peer,
                                                   tag, group_.comm, &requests_.back());
      if (auto failed = MpiProblem(code, "instruction %" + collective_.name)) return failed;
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> MessageTransfer::CheckHeaders() const {
  for (const Message& message : messages_) {
    if (message.is_sent) continue;
    int64_t number = 0;
    std::memcpy(&number, message.bytes.data(), sizeof(number));
    if (number == header()) continue;
    return MakeBinaryDiagnostic(
        diag::kCollectiveMismatch, 0,
        "device " + std::to_string(group_.devices[group_.me]) + " is at %" + collective_.name +
            ", device " + std::to_string(group_.devices[message.peer]) +
            (IsTransfer(collective_.kind) ? " sends on channel " + std::to_string(number)
                                          : " of its group at " + group_.name_of(number - 1)));
  }
  return std::nullopt;
}

const uint8_t* MessageTransfer::Received(size_t peer) const {
  for (const Message& message : messages_) {
    if (!message.is_sent && message.peer == peer) return message.bytes.data() + kHeader;
  }
  return nullptr;
}

bool MessageTransfer::GivesTo(size_t peer) const {
  const auto is_pair = [&](int64_t source, int64_t target) {
    return std::ranges::find(collective_.pairs, std::pair(source, target)) !=
           collective_.pairs.end();
  };
  switch (collective_.kind) {
    case CollectiveKind::kBroadcast: return group_.me == 0;
    case CollectiveKind::kRecv: return false;
    case CollectiveKind::kPermute:
    case CollectiveKind::kSend: return is_pair(group_.devices[group_.me], group_.devices[peer]);
    default: return true;
  }
}

bool MessageTransfer::TakesFrom(size_t peer) const {
  const auto is_pair = [&](int64_t source, int64_t target) {
    return std::ranges::find(collective_.pairs, std::pair(source, target)) !=
           collective_.pairs.end();
  };
  switch (collective_.kind) {
    case CollectiveKind::kBroadcast: return peer == 0;
    case CollectiveKind::kSend: return false;
    case CollectiveKind::kPermute:
    case CollectiveKind::kRecv: return is_pair(group_.devices[peer], group_.devices[group_.me]);
    default: return true;
  }
}

std::vector<uint8_t> MessageTransfer::PackFor(size_t peer) const {
  std::vector<uint8_t> out;
  const auto at = static_cast<int64_t>(peer);
  const auto append = [&](const uint8_t* from, int64_t step, int64_t run, int64_t outer) {
    const size_t begin = out.size();
    out.resize(begin + static_cast<size_t>(run * outer));
    CopyRuns(from, step, out.data() + begin, run, run, outer);
  };
  for (size_t i = 0; i < collective_.operands.size(); ++i) {
    const CollectiveArray& array = collective_.operands[i];
    switch (collective_.kind) {
      case CollectiveKind::kAllReduce: {
        const auto [begin, end] = SliceOf(i, peer);
        append(operand(i) + begin, 0, end - begin, 1);
        break;
      }
      case CollectiveKind::kReduceScatter:
      case CollectiveKind::kAllToAll: {
        const auto parts = static_cast<int64_t>(members());
        const int64_t run = RunBytes(array, array.extent / parts);
        append(operand(i) + at * run, run * parts, run, array.outer);
        break;
      }
      case CollectiveKind::kAllToAllTuple:
        if (i == peer) append(operand(i), 0, array.bytes(), 1);
        break;
      default: append(operand(i), 0, array.bytes(), 1);
    }
  }
  return out;
}

int64_t MessageTransfer::BytesFrom(size_t peer) const {
  switch (collective_.kind) {
    case CollectiveKind::kAllReduce: {
      int64_t bytes = 0;
      for (size_t i = 0; i < collective_.operands.size(); ++i) {
        const auto [begin, end] = SliceOf(i, group_.me);
        bytes += end - begin;
      }
      return bytes;
    }
    case CollectiveKind::kReduceScatter: return collective_.result_bytes();
    case CollectiveKind::kAllToAll:
      return collective_.operand_bytes() / static_cast<int64_t>(members());
    case CollectiveKind::kAllToAllTuple: return collective_.results[peer].bytes();
    case CollectiveKind::kRecv: return collective_.result_bytes();
    default: return collective_.operand_bytes();
  }
}

void MessageTransfer::FirstRound() {
  for (size_t peer = 0; peer < members(); ++peer) {
    if (TakesFrom(peer)) Receive(peer, BytesFrom(peer));
  }
  for (size_t peer = 0; peer < members(); ++peer) {
    if (GivesTo(peer)) Send(peer, PackFor(peer));
  }
}

std::optional<Diagnostic> MessageTransfer::Depart() {
  FirstRound();
  return Post();
}

void MessageTransfer::Unpack(size_t peer, const uint8_t* from) {
  const auto at = static_cast<int64_t>(peer);
  const auto parts = static_cast<int64_t>(members());
  if (collective_.kind == CollectiveKind::kAllToAllTuple) {
    Copy(result(peer), from, collective_.results[peer].bytes());
    return;
  }
  for (size_t i = 0; i < collective_.results.size(); ++i) {
    const CollectiveArray& array = collective_.results[i];
    switch (collective_.kind) {
      case CollectiveKind::kAllGather:
      case CollectiveKind::kAllToAll: {
        const int64_t run = RunBytes(array, array.extent / parts);
        CopyRuns(from, run, result(i) + at * run, run * parts, run, array.outer);
        from += run * array.outer;
        break;
      }
      default: Copy(result(i), from, array.bytes()); from += array.bytes();
    }
  }
}

// Reduces this device's slice, or part, of all members' operands.
std::optional<Diagnostic> MessageTransfer::ReduceSlice() {
  const bool scatters = collective_.kind == CollectiveKind::kReduceScatter;
  std::vector<const uint8_t*> in;
  for (size_t peer = 0; peer < members(); ++peer) in.push_back(Received(peer));
  for (size_t i = 0; i < collective_.operands.size(); ++i) {
    const auto [begin, end] = scatters
                                  ? std::pair<int64_t, int64_t>(0, collective_.results[i].bytes())
                                  : SliceOf(i, group_.me);
    if (auto failed = work_.FoldRange(in, result(i) + begin, end - begin)) return failed;
    for (const uint8_t*& from : in) from += end - begin;
  }
  return std::nullopt;
}

std::optional<Diagnostic> MessageTransfer::DefineFromAll() {
  std::vector<std::vector<const void*>> brought(members());
  for (size_t peer = 0; peer < members(); ++peer) {
    const uint8_t* from = Received(peer);
    for (const CollectiveArray& array : collective_.operands) {
      brought[peer].push_back(from);
      from += array.bytes();
    }
  }
  return collective_.define(brought, group_.devices, group_.me, results_);
}

std::optional<Diagnostic> MessageTransfer::EndFirstRound() {
  switch (collective_.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter: return ReduceSlice();
    case CollectiveKind::kDefinition: return DefineFromAll();
    default: break;
  }
  bool any = false;
  for (size_t peer = 0; peer < members(); ++peer) {
    if (const uint8_t* from = Received(peer)) {
      Unpack(peer, from);
      any = true;
    }
  }
  if (any) return std::nullopt;
  for (size_t i = 0; i < collective_.results.size(); ++i) {
    std::fill_n(result(i), collective_.results[i].bytes(), uint8_t{0});
  }
  return std::nullopt;
}

void MessageTransfer::EndSecondRound() {
  for (size_t peer = 0; peer < members(); ++peer) {
    const uint8_t* from = Received(peer);
    if (from == nullptr) continue;
    for (size_t i = 0; i < collective_.results.size(); ++i) {
      const auto [begin, end] = SliceOf(i, peer);
      Copy(result(i) + begin, from, end - begin);
      from += end - begin;
    }
  }
}

Result<bool> MessageTransfer::Advance(int) {
  int arrived = 0;
  const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &arrived,
                               MPI_STATUSES_IGNORE);
  if (auto failed = MpiProblem(code, "instruction %" + collective_.name)) return *std::move(failed);
  if (arrived == 0) return false;
  if (auto failed = CheckHeaders()) return *std::move(failed);
  requests_.clear();
  if (round_ == 1) {
    EndSecondRound();
    return true;
  }
  if (auto failed = EndFirstRound()) return *std::move(failed);
  if (collective_.kind != CollectiveKind::kAllReduce) return true;
  // Each member now has one slice of the result. Exchange the slices.
  round_ = 1;
  messages_.clear();
  for (size_t peer = 0; peer < members(); ++peer) {
    int64_t bytes = 0;
    for (size_t i = 0; i < collective_.results.size(); ++i) {
      const auto [begin, end] = SliceOf(i, peer);
      bytes += end - begin;
    }
    Receive(peer, bytes);
  }
  std::vector<uint8_t> own;
  for (size_t i = 0; i < collective_.results.size(); ++i) {
    const auto [begin, end] = SliceOf(i, group_.me);
    own.insert(own.end(), result(i) + begin, result(i) + end);
  }
  for (size_t peer = 0; peer < members(); ++peer) Send(peer, own);
  if (auto failed = Post()) return *std::move(failed);
  return false;
}

void MessageTransfer::Sleep(double seconds) {
  // MPI receives messages only while it is being polled, so keep the sleeps short, and yield first.
  if (++sleeps_ < 100) return YieldCore();
  usleep(static_cast<useconds_t>(std::min(seconds, 2e-4) * 1e6));
}

}  // namespace halo
