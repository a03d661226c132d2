// Splits the reduced bytes into slices, one per member of a machine, and each slice into pieces
// that follow each other through the machines.
#include "halo/devices/transport/host_chain.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "halo/base/round_up.h"
#include "halo/devices/transport/message_lane.h"

namespace halo {
namespace {

// Bytes of state in one message: as many as MPI over TCP sends at once, without asking the receiver
// first (64 KiB with its header).
constexpr int64_t kStateBytes = 56 << 10;
constexpr int64_t kElementsTogether = 64;  // slices begin at multiples of this many elements
constexpr int64_t kNumberBytes = 64;       // in front of the first piece: the op's number
constexpr int kStates = 0, kResults = 1;

struct ChainPiece {
  int64_t begin = 0, end = 0;  // of the reduced bytes
  size_t owner = 0;            // the machine that gets the result of a reduce-scatter
};

// One slice, as the member that takes it on this machine sees it.
class Slice {
 public:
  Slice(const HostJobInputs& in, size_t slice, int state_tag, int result_tag)
      : in_(in), slice_(slice), state_tag_(state_tag), result_tag_(result_tag) {
    MakePieces();
  }

  std::optional<Diagnostic> Begin() {
    const size_t host = in_.group.host();
    std::vector<int64_t> states;
    std::vector<int64_t> results;
    int64_t most = kNumberBytes;
    for (const ChainPiece& piece : pieces_) {
      const int64_t elements = (piece.end - piece.begin) / in_.work.element_bytes();
      states.push_back(kNumberBytes + elements * in_.work.state_bytes());
      most = std::max(most, kNumberBytes + elements * std::max(in_.work.state_bytes(),
                                                               in_.work.element_bytes()));
      if (!Gets(host, piece)) continue;
      results.push_back(kNumberBytes + piece.end - piece.begin);
      received_.push_back(&piece);
    }
    if (host > 0) {
      states_.emplace(in_.group.comm, Peer(host - 1), state_tag_, std::move(states));
      if (auto failed = states_->Post()) return failed;
    }
    if (!is_last()) {
      results_.emplace(in_.group.comm, Peer(last()), result_tag_, std::move(results));
      if (auto failed = results_->Post()) return failed;
    }
    outgoing_.emplace(in_.group.comm, is_last() ? result_tag_ : state_tag_, most);
    return std::nullopt;
  }

  Result<bool> Advance() {
    std::optional<Diagnostic> failed;
    for (bool moved = true; moved;) {
      moved = false;
      if (folded_ < pieces_.size()) {
        const bool folds = FoldNext(failed);
        if (failed) return *std::move(failed);
        moved = folds;
      }
      if (!results_ || results_->ended()) continue;
      if (const uint8_t* from = results_->Peek(failed)) {
        const ChainPiece& piece = *received_[results_->next()];
        if (auto wrong = Check(from, last())) return *std::move(wrong);
        in_.work.Spread(piece.begin, piece.end, from + kNumberBytes, in_.arrays);
        if (auto wrong = results_->Pop()) return *std::move(wrong);
        moved = true;
      }
      if (failed) return *std::move(failed);
    }
    if (folded_ < pieces_.size() || (results_ && !results_->ended())) return false;
    const bool drained = outgoing_->Drained(failed);
    if (failed) return *std::move(failed);
    return drained;
  }

 private:
  [[nodiscard]] size_t last() const { return in_.group.hosts.size() - 1; }
  [[nodiscard]] bool is_last() const { return in_.group.host() == last(); }
  [[nodiscard]] size_t Peer(size_t host) const { return in_.group.TakerOf(slice_, host); }
  [[nodiscard]] bool Gets(size_t host, const ChainPiece& piece) const {
    return in_.op.kind == CollectiveKind::kAllReduce || piece.owner == host;
  }

  void MakePieces() {
    const int64_t total = in_.work.total_bytes();
    const int64_t step = kElementsTogether * in_.work.element_bytes();
    const auto slices = static_cast<int64_t>(in_.group.slices());
    const auto border = [&](int64_t slice) {
      return std::min(total, RoundUp(total * slice / slices, step));
    };
    int64_t at = border(static_cast<int64_t>(slice_));
    const int64_t end = border(static_cast<int64_t>(slice_) + 1);
    const int64_t piece = kStateBytes / in_.work.state_bytes() * in_.work.element_bytes();
    while (at < end) {
      ChainPiece next{.begin = at, .end = std::min(end, at + piece)};
      if (in_.op.kind == CollectiveKind::kReduceScatter) {
        int64_t owner_end = 0;
        next.owner = in_.group.host_of[in_.work.OwnerAt(at, &owner_end)];
        next.end = std::min(next.end, owner_end);
      }
      at = next.end;
      pieces_.push_back(next);
    }
  }

  std::optional<Diagnostic> Check(const uint8_t* message, size_t host) const {
    int64_t number = 0;
    std::memcpy(&number, message, sizeof(number));
    if (number == in_.number) return std::nullopt;
    return OtherOp(in_, Peer(host), number);
  }

  // False if something it needs has not arrived, or has not been sent.
  bool FoldNext(std::optional<Diagnostic>& failed) {
    const ChainPiece& piece = pieces_[folded_];
    const uint8_t* before = nullptr;
    if (states_) {
      before = states_->Peek(failed);
      if (before == nullptr) return false;
      if ((failed = Check(before, in_.group.host() - 1))) return false;
      before += kNumberBytes;
    }
    uint8_t* message = outgoing_->Reserve(failed);
    if (message == nullptr) return false;
    const int64_t number = in_.number;
    std::memcpy(message, &number, sizeof(number));
    uint8_t* after = message + kNumberBytes;
    in_.work.Continue(piece.begin, piece.end, in_.group.local_members(), in_.arrays, before, after,
                      is_last());
    std::vector<size_t> peers;
    int64_t bytes = kNumberBytes + piece.end - piece.begin;
    if (!is_last()) {
      peers.push_back(Peer(in_.group.host() + 1));
      const int64_t elements = (piece.end - piece.begin) / in_.work.element_bytes();
      bytes = kNumberBytes + elements * in_.work.state_bytes();
    } else {
      for (size_t host = 0; host < last(); ++host) {
        if (Gets(host, piece)) peers.push_back(Peer(host));
      }
    }
    if ((failed = outgoing_->Send(bytes, peers))) return false;
    if (is_last()) in_.work.Spread(piece.begin, piece.end, after, in_.arrays);
    if (states_ && (failed = states_->Pop())) return false;
    ++folded_;
    return true;
  }

  const HostJobInputs& in_;
  size_t slice_;
  int state_tag_, result_tag_;
  std::vector<ChainPiece> pieces_;
  std::vector<const ChainPiece*> received_;  // results from the last machine
  std::optional<IncomingLane> states_, results_;
  std::optional<OutgoingLane> outgoing_;
  size_t folded_ = 0;
};

class ChainJob final : public HostJob {
 public:
  explicit ChainJob(const HostJobInputs& inputs) : HostJob(inputs) {}

  std::optional<Diagnostic> Begin() override {
    for (size_t slice = 0; slice < in_.group.slices(); ++slice) {
      if (in_.group.TakerOf(slice, in_.group.host()) != in_.group.me) continue;
      slices_.push_back(
          std::make_unique<Slice>(in_, slice, Tag(slice, kStates), Tag(slice, kResults)));
    }
    for (const std::unique_ptr<Slice>& slice : slices_) {
      if (auto failed = slice->Begin()) return failed;
    }
    return std::nullopt;
  }

  Result<bool> Advance() override {
    bool all = true;
    for (const std::unique_ptr<Slice>& slice : slices_) {
      const Result<bool> done = slice->Advance();
      if (!done) return done.error();
      all = all && *done;
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<Slice>> slices_;
};

}  // namespace

std::unique_ptr<HostJob> MakeChainJob(const HostJobInputs& inputs) {
  return std::make_unique<ChainJob>(inputs);
}

}  // namespace halo
