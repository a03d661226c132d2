// Chooses the job by kind and size, and implements the jobs that need no chain of machines.
#include "halo/devices/transport/host_job.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "halo/devices/job/mpi_call.h"
#include "halo/devices/transport/host_chain.h"
#include "halo/devices/transport/message_lane.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

// Up to this many bytes on each member, one message per machine costs less than several small ones.
constexpr int64_t kPackedBytes = 24 << 10;
constexpr int64_t kHeaderBytes = 64;
constexpr int64_t kGatherPiece = 512 << 10;
constexpr int64_t kMostPieces = 64;
constexpr int64_t kMostMessage = int64_t{1} << 30;  // MPI counts are ints
constexpr int kTagKinds = 4;
constexpr uint32_t kTagNumbers = 4096;
constexpr size_t kTagSlices = 256;

bool IsPacked(const CollectiveOp& op) {
  return std::max(op.operand_bytes(), op.result_bytes()) <= kPackedBytes &&
         op.kind != CollectiveKind::kDefinition;
}

// The first member of each machine sends the operands of all its members to the first member of
// each other machine. Then every machine does the whole op, for its own results.
class PackedJob final : public HostJob {
 public:
  explicit PackedJob(const HostJobInputs& inputs) : HostJob(inputs) {}

  std::optional<Diagnostic> Begin() override {
    const HostGroup& group = in_.group;
    if (group.local_members()[0] != group.me) return std::nullopt;
    const int tag = Tag(0, 0);
    std::vector<size_t> peers;
    for (size_t host = 0; host < group.hosts.size(); ++host) {
      if (host == group.host()) continue;
      const auto members = static_cast<int64_t>(group.hosts[host].size());
      peers.push_back(group.hosts[host][0]);
      incoming_.emplace_back(group.comm, group.hosts[host][0], tag,
                             std::vector<int64_t>{kHeaderBytes + members * in_.op.operand_bytes()});
      hosts_.push_back(host);
    }
    for (IncomingLane& lane : incoming_) {
      if (auto failed = lane.Post()) return failed;
    }
    const int64_t bytes =
        kHeaderBytes + static_cast<int64_t>(group.local_members().size()) * in_.op.operand_bytes();
    outgoing_.emplace(group.comm, tag, bytes);
    std::optional<Diagnostic> failed;
    uint8_t* at = outgoing_->Reserve(failed);
    if (failed) return failed;
    const int64_t number = in_.number;
    std::memcpy(at, &number, sizeof(number));
    at += kHeaderBytes;
    for (const size_t member : group.local_members()) {
      for (size_t i = 0; i < in_.op.operands.size(); ++i) {
        const int64_t size = in_.op.operands[i].bytes();
        if (size == 0) continue;
        std::memcpy(at, in_.arrays.operands[member * in_.op.operands.size() + i],
                    static_cast<size_t>(size));
        at += size;
      }
    }
    return outgoing_->Send(bytes, peers);
  }

  Result<bool> Advance() override {
    if (in_.group.local_members()[0] != in_.group.me) return true;
    std::optional<Diagnostic> failed;
    for (; arrived_ < incoming_.size(); ++arrived_) {
      const uint8_t* from = incoming_[arrived_].Peek(failed);
      if (failed) return *std::move(failed);
      if (from == nullptr) return false;
    }
    if (!outgoing_->Drained(failed)) {
      if (failed) return *std::move(failed);
      return false;
    }
    if (auto wrong = Combine()) return *std::move(wrong);
    return true;
  }

 private:
  std::optional<Diagnostic> Combine() {
    MemberArrays arrays = in_.arrays;
    std::optional<Diagnostic> failed;
    for (size_t i = 0; i < incoming_.size(); ++i) {
      const uint8_t* from = incoming_[i].Peek(failed);
      int64_t number = 0;
      std::memcpy(&number, from, sizeof(number));
      const std::vector<size_t>& members = in_.group.hosts[hosts_[i]];
      if (number != in_.number) {
        return OtherOp(in_, members[0], number);
      }
      from += kHeaderBytes;
      for (const size_t member : members) {
        for (size_t k = 0; k < in_.op.operands.size(); ++k) {
          arrays.operands[member * in_.op.operands.size() + k] = from;
          from += in_.op.operands[k].bytes();
        }
      }
    }
    for (uint32_t piece = 0; piece < in_.work.pieces(); ++piece) {
      if (auto wrong = in_.work.Run(piece, arrays)) return wrong;
    }
    return std::nullopt;
  }

  std::vector<IncomingLane> incoming_;
  std::vector<size_t> hosts_;  // by lane
  std::optional<OutgoingLane> outgoing_;
  size_t arrived_ = 0;
};

// Messages straight from and to arrays.
class DirectMessages {
 public:
  explicit DirectMessages(MPI_Comm comm) : comm_(comm) {}
  ~DirectMessages() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }
  DirectMessages(const DirectMessages&) = delete;
  DirectMessages& operator=(const DirectMessages&) = delete;

  std::optional<Diagnostic> Send(const uint8_t* from, int64_t bytes, size_t peer, int tag) {
    requests_.push_back(MPI_REQUEST_NULL);
    return MpiProblem(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(peer),
                                tag, comm_, &requests_.back()),
                      "sending data to another machine");
  }
  std::optional<Diagnostic> Receive(uint8_t* to, int64_t bytes, size_t peer, int tag) {
    requests_.push_back(MPI_REQUEST_NULL);
    return MpiProblem(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(peer), tag,
                                comm_, &requests_.back()),
                      "receiving data from another machine");
  }
  bool Done(std::optional<Diagnostic>& failed) {
    int done = 0;
    failed = MpiProblem(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                    MPI_STATUSES_IGNORE),
                        "exchanging data with another machine");
    return !failed && done != 0;
  }

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

// Each member sends its operand to one member of each other machine, which copies it to the results
// of all members there.
class GatherJob final : public HostJob {
 public:
  explicit GatherJob(const HostJobInputs& inputs) : HostJob(inputs), outgoing_(inputs.group.comm) {
    for (size_t i = 0; i < in_.op.operands.size(); ++i) {
      const int64_t bytes = in_.op.operands[i].bytes();
      const int64_t piece = std::min(kMostMessage, std::max(kGatherPiece, bytes / kMostPieces));
      for (int64_t at = 0; at < bytes; at += piece) {
        pieces_.push_back({i, at, std::min(bytes, at + piece)});
      }
    }
  }

  std::optional<Diagnostic> Begin() override {
    const HostGroup& group = in_.group;
    std::vector<int64_t> sizes;
    for (const Piece& piece : pieces_) sizes.push_back(piece.end - piece.begin);
    for (size_t member = 0; member < group.devices.size(); ++member) {
      if (group.host_of[member] == group.host() ||
          group.TakerOf(group.local_of[member], group.host()) != group.me) {
        continue;
      }
      incoming_.emplace_back(group.comm, member, Tag(0, 0), sizes);
      from_.push_back(member);
    }
    for (IncomingLane& lane : incoming_) {
      if (auto failed = lane.Post()) return failed;
    }
    for (const Piece& piece : pieces_) {
      for (size_t host = 0; host < group.hosts.size(); ++host) {
        if (host == group.host()) continue;
        if (auto failed =
                outgoing_.Send(Own(piece), piece.end - piece.begin,
                               group.TakerOf(group.local_of[group.me], host), Tag(0, 0))) {
          return failed;
        }
      }
    }
    return std::nullopt;
  }

  Result<bool> Advance() override {
    std::optional<Diagnostic> failed;
    bool all = true;
    for (size_t i = 0; i < incoming_.size(); ++i) {
      while (const uint8_t* from = incoming_[i].Peek(failed)) {
        const Piece& piece = pieces_[incoming_[i].next()];
        in_.work.Deliver(from_[i], piece.array, piece.begin, piece.end, from, in_.arrays);
        if (auto wrong = incoming_[i].Pop()) return *std::move(wrong);
      }
      if (failed) return *std::move(failed);
      all = all && incoming_[i].ended();
    }
    if (copied_ < pieces_.size()) {
      const Piece& piece = pieces_[copied_++];
      in_.work.Deliver(in_.group.me, piece.array, piece.begin, piece.end, Own(piece), in_.arrays);
      return false;
    }
    if (!all || !outgoing_.Done(failed)) {
      if (failed) return *std::move(failed);
      return false;
    }
    return true;
  }

 private:
  struct Piece {
    size_t array = 0;
    int64_t begin = 0, end = 0;
  };
  [[nodiscard]] const uint8_t* Own(const Piece& piece) const {
    return in_.arrays.operands[in_.group.me * in_.op.operands.size() + piece.array] + piece.begin;
  }

  std::vector<Piece> pieces_;  // of each member's operands
  std::vector<IncomingLane> incoming_;
  std::vector<size_t> from_;  // by lane
  DirectMessages outgoing_;
  size_t copied_ = 0;  // pieces of this member, to the results on this machine
};

// Members of different machines send each other their blocks; those of one machine copy theirs.
class ExchangeJob final : public HostJob {
 public:
  explicit ExchangeJob(const HostJobInputs& inputs)
      : HostJob(inputs), messages_(inputs.group.comm) {}

  std::optional<Diagnostic> Begin() override {
    const HostGroup& group = in_.group;
    const size_t me = group.me;
    // Starts with the next member, so that not all send to the same one first.
    for (size_t step = 1; step < group.devices.size(); ++step) {
      const size_t peer = (me + step) % group.devices.size();
      if (group.host_of[peer] == group.host()) continue;
      for (size_t i = 0; i < in_.op.operands.size(); ++i) {
        const int64_t run = RunOf(i);
        if (run == 0) continue;
        const size_t at = me * in_.op.operands.size() + i;
        if (auto failed = messages_.Receive(
                in_.arrays.results[at] + static_cast<int64_t>(peer) * run, run, peer, Tag(0, 0))) {
          return failed;
        }
        if (auto failed = messages_.Send(in_.arrays.operands[at] + static_cast<int64_t>(peer) * run,
                                         run, peer, Tag(0, 0))) {
          return failed;
        }
      }
    }
    return std::nullopt;
  }

  Result<bool> Advance() override {
    std::optional<Diagnostic> failed;
    if (copied_ < in_.group.local_members().size()) {
      in_.work.ExchangePair(in_.group.local_members()[copied_++], in_.group.me, in_.arrays);
      messages_.Done(failed);
      if (failed) return *std::move(failed);
      return false;
    }
    const bool done = messages_.Done(failed);
    if (failed) return *std::move(failed);
    return done;
  }

 private:
  // Bytes of one member's block of an array that has a single outer block.
  [[nodiscard]] int64_t RunOf(size_t array) const {
    return in_.op.operands[array].bytes() / static_cast<int64_t>(in_.group.devices.size());
  }

  DirectMessages messages_;
  size_t copied_ = 0;  // members of this machine
};

bool HasOneBlock(const CollectiveOp& op) {
  return std::ranges::all_of(op.operands, [](const CollectiveArray& each) {
    return each.outer == 1 && each.bytes() < kMostMessage;
  });
}

}  // namespace

int HostJob::Tag(size_t slice, int kind) const {
  const auto number = static_cast<int>(in_.rendezvous % kTagNumbers);
  return (number * static_cast<int>(kTagSlices) + static_cast<int>(slice % kTagSlices)) *
             kTagKinds +
         kind;
}

bool CanSpan(const CollectiveOp& op, const GroupWork& work, const HostGroup& group) {
  switch (op.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduceScatter:
      return IsPacked(op) || (work.can_chain() && group.in_order && work.total_bytes() > 0);
    case CollectiveKind::kAllGather: return true;
    case CollectiveKind::kAllToAll: return IsPacked(op) || HasOneBlock(op);
    case CollectiveKind::kPermute:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kAllToAllTuple: return IsPacked(op);
    default: return false;
  }
}

std::unique_ptr<HostJob> MakeHostJob(const HostJobInputs& inputs) {
  if (IsPacked(inputs.op)) return std::make_unique<PackedJob>(inputs);
  switch (inputs.op.kind) {
    case CollectiveKind::kAllGather: return std::make_unique<GatherJob>(inputs);
    case CollectiveKind::kAllToAll: return std::make_unique<ExchangeJob>(inputs);
    default: return MakeChainJob(inputs);
  }
}

Diagnostic OtherOp(const HostJobInputs& inputs, size_t member, int64_t number) {
  return MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0,
                              "device " + std::to_string(inputs.group.devices[inputs.group.me]) +
                                  " is at %" + inputs.op.name + ", device " +
                                  std::to_string(inputs.group.devices[member]) +
                                  " of its group at " + inputs.group.name_of(number));
}

}  // namespace halo
