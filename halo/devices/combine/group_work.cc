// Splits the work into pieces and runs a single piece.
#include "halo/devices/combine/group_work.h"

#include <algorithm>
#include <cstring>

#include "halo/base/round_up.h"
#include "halo/devices/combine/stream_copy.h"

namespace halo {
namespace {

// Small enough that the blocks of a few members and their sum fit in the L1 and L2 caches.
constexpr int64_t kBlockBytes = 8192;
// Small ops get few pieces, because taking a piece costs more than doing it.
constexpr int64_t kMinPiece = int64_t{64} << 10;
constexpr int64_t kMaxPiece = int64_t{512} << 10;
constexpr int64_t kPiecesEach = 2;
// Larger results of all members together bypass the caches. Members on other machines use the
// caches there.
constexpr int64_t kStreamBytes = int64_t{4} << 20;
constexpr int64_t kStreamBytesAcross = 2 * kStreamBytes;

// Number of bytes to fold at a time.
int64_t FoldStep(int64_t element) {
  return std::min(kBlockBytes / element, static_cast<int64_t>(kFoldElements)) * element;
}

}  // namespace

GroupWork::GroupWork(const CollectiveOp& op, std::span<const int64_t> devices, bool spans_machines)
    : op_(op), devices_(devices.begin(), devices.end()) {
  if (!op.operands.empty()) {
    fast_fold_ = FastFoldOf(op.reduce, op.operands[0].type);
    chain_ = ChainFoldOf(op.reduce, op.operands[0].type);
  }
  if (op.kind == CollectiveKind::kPermute) {
    source_.assign(members(), -1);
    for (const auto& [source, target] : op.pairs) {
      const auto from = std::ranges::find(devices_, source);
      const auto to = std::ranges::find(devices_, target);
      if (from == devices_.end() || to == devices_.end()) continue;
      source_[static_cast<size_t>(to - devices_.begin())] =
          static_cast<int32_t>(from - devices_.begin());
    }
  }
  const int64_t written = op.result_bytes() * static_cast<int64_t>(members());
  stream_ = written >= (spans_machines ? kStreamBytesAcross : kStreamBytes);
  AddSections();
  // A few pieces per member.
  const int64_t wanted = static_cast<int64_t>(members()) * kPiecesEach;
  piece_bytes_ = std::clamp(RoundUp(total_bytes_ / wanted, kBlockBytes), kMinPiece, kMaxPiece);
  pieces_ =
      static_cast<uint32_t>(std::max<int64_t>(1, (total_bytes_ + piece_bytes_ - 1) / piece_bytes_));
  if (own_pieces()) pieces_ = static_cast<uint32_t>(members());
}

void GroupWork::AddSection(size_t member, size_t array, int64_t bytes) {
  if (bytes == 0) return;
  sections_.push_back(
      {static_cast<uint32_t>(member), static_cast<uint32_t>(array), bytes, total_bytes_});
  total_bytes_ += bytes;
}

void GroupWork::AddSections() {
  switch (op_.kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kBroadcast:
      for (size_t i = 0; i < op_.operands.size(); ++i) AddSection(0, i, op_.operands[i].bytes());
      return;
    case CollectiveKind::kAllGather:
      for (size_t m = 0; m < members(); ++m) {
        for (size_t i = 0; i < op_.operands.size(); ++i) AddSection(m, i, op_.operands[i].bytes());
      }
      return;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kAllToAllTuple:
    case CollectiveKind::kPermute:
      for (size_t m = 0; m < members(); ++m) {
        for (size_t i = 0; i < op_.results.size(); ++i) AddSection(m, i, op_.results[i].bytes());
      }
      return;
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv:
    case CollectiveKind::kDefinition: return;
  }
}

std::optional<Diagnostic> GroupWork::Run(uint32_t piece, const MemberArrays& arrays) {
  if (own_pieces()) return Define(piece, arrays);
  int64_t at = piece * piece_bytes_;
  const int64_t end = std::min(total_bytes_, at + piece_bytes_);
  // A piece of a sum never splits an element, because all arrays of a reduction have the same type.
  auto section = std::ranges::upper_bound(sections_, at, {}, &Section::begin);
  for (; at < end; ++section) {
    const Section& here = *(section - 1);
    const int64_t to = std::min(end, here.begin + here.bytes);
    if (auto failed = RunRange(here, at - here.begin, to - here.begin, arrays)) return failed;
    at = to;
  }
  if (stream_) EndStream();
  return std::nullopt;
}

std::optional<Diagnostic> GroupWork::RunRange(const Section& section, int64_t begin, int64_t end,
                                              const MemberArrays& arrays) {
  const bool is_of_member =
      op_.kind == CollectiveKind::kReduceScatter || op_.kind == CollectiveKind::kAllToAll ||
      op_.kind == CollectiveKind::kAllToAllTuple || op_.kind == CollectiveKind::kPermute;
  if (is_of_member && result(arrays, section.member, section.array) == nullptr) return std::nullopt;
  switch (op_.kind) {
    case CollectiveKind::kAllReduce: return Reduce(section, begin, end, arrays);
    case CollectiveKind::kReduceScatter: return ReducePart(section, begin, end, arrays);
    case CollectiveKind::kAllGather: Gather(section, begin, end, arrays); break;
    case CollectiveKind::kAllToAll: Exchange(section, begin, end, arrays); break;
    case CollectiveKind::kAllToAllTuple:
      CopyBytes(result(arrays, section.member, section.array) + begin,
                operand(arrays, section.array, section.member) + begin,
                static_cast<size_t>(end - begin), stream_);
      break;
    case CollectiveKind::kPermute: Permute(section, begin, end, arrays); break;
    case CollectiveKind::kBroadcast:
      for (int64_t at = begin; at < end; at += kBlockBytes) {
        SpreadBlock(operand(arrays, 0, section.array) + at, section.array, at,
                    static_cast<size_t>(std::min(kBlockBytes, end - at)), arrays);
      }
      break;
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv:
    case CollectiveKind::kDefinition: break;
  }
  return std::nullopt;
}

std::optional<Diagnostic> GroupWork::Fold(std::span<const uint8_t* const> in, uint8_t* out,
                                          int64_t count) {
  if (fast_fold_ == nullptr) return op_.fold(in, out, count);
  fast_fold_(in, out, static_cast<size_t>(count));
  return std::nullopt;
}

std::optional<Diagnostic> GroupWork::FoldRange(std::span<const uint8_t* const> in, uint8_t* out,
                                               int64_t bytes) {
  const auto element = static_cast<int64_t>(StoredBytes(op_.operands[0].type));
  const int64_t step = FoldStep(element);
  std::vector<const uint8_t*> at(in.begin(), in.end());
  for (int64_t begin = 0; begin < bytes; begin += step) {
    const int64_t now = std::min(step, bytes - begin);
    if (auto failed = Fold(at, out + begin, now / element)) return failed;
    for (const uint8_t*& from : at) from += now;
  }
  return std::nullopt;
}

void GroupWork::SpreadBlock(const uint8_t* from, size_t array, int64_t at, size_t bytes,
                            const MemberArrays& arrays) const {
  for (size_t m = 0; m < members(); ++m) {
    if (result(arrays, m, array) == nullptr) continue;
    uint8_t* to = result(arrays, m, array) + at;
    if (to != from) CopyBytes(to, from, bytes, stream_);
  }
}

std::optional<Diagnostic> GroupWork::Reduce(const Section& section, int64_t begin, int64_t end,
                                            const MemberArrays& arrays) {
  const auto element = static_cast<int64_t>(StoredBytes(op_.operands[section.array].type));
  const int64_t step = FoldStep(element);
  alignas(64) uint8_t total[kBlockBytes];
  std::vector<const uint8_t*> in(members());
  for (int64_t at = begin; at < end; at += step) {
    const int64_t bytes = std::min(step, end - at);
    for (size_t m = 0; m < members(); ++m) in[m] = operand(arrays, m, section.array) + at;
    if (auto failed = Fold(in, total, bytes / element)) return failed;
    SpreadBlock(total, section.array, at, static_cast<size_t>(bytes), arrays);
  }
  return std::nullopt;
}

std::optional<Diagnostic> GroupWork::ReducePart(const Section& section, int64_t begin, int64_t end,
                                                const MemberArrays& arrays) {
  const CollectiveArray& part = op_.results[section.array];
  const auto element = static_cast<int64_t>(StoredBytes(part.type));
  const int64_t run = part.extent * part.inner * element;  // bytes of the part in each outer block
  const int64_t whole = run * static_cast<int64_t>(members());
  const int64_t step = FoldStep(element);
  alignas(64) uint8_t total[kBlockBytes];
  std::vector<const uint8_t*> in(members());
  for (int64_t at = begin; at < end;) {
    const int64_t within = at % run;
    const int64_t bytes = std::min({step, end - at, run - within});
    const int64_t from = at / run * whole + section.member * run + within;
    for (size_t m = 0; m < members(); ++m) in[m] = operand(arrays, m, section.array) + from;
    if (auto failed = Fold(in, total, bytes / element)) return failed;
    CopyBytes(result(arrays, section.member, section.array) + at, total, static_cast<size_t>(bytes),
              stream_);
    at += bytes;
  }
  return std::nullopt;
}

// Copies one member's operand to all members: one read, one write per member.
void GroupWork::Gather(const Section& section, int64_t begin, int64_t end,
                       const MemberArrays& arrays) const {
  GatherFrom(operand(arrays, section.member, section.array) + begin, section, begin, end, arrays);
}

// `from` is where the operand's bytes from `begin` on are.
void GroupWork::GatherFrom(const uint8_t* from, const Section& section, int64_t begin, int64_t end,
                           const MemberArrays& arrays) const {
  const CollectiveArray& part = op_.operands[section.array];
  const int64_t run = part.extent * part.inner * static_cast<int64_t>(StoredBytes(part.type));
  const int64_t whole = run * static_cast<int64_t>(members());
  for (int64_t at = begin; at < end;) {
    const int64_t within = at % run;
    const int64_t bytes = std::min({kBlockBytes, end - at, run - within});
    SpreadBlock(from + (at - begin), section.array,
                at / run * whole + section.member * run + within, static_cast<size_t>(bytes),
                arrays);
    at += bytes;
  }
}

void GroupWork::Exchange(const Section& section, int64_t begin, int64_t end,
                         const MemberArrays& arrays) const {
  const CollectiveArray& array = op_.results[section.array];
  const auto count = static_cast<int64_t>(members());
  const int64_t run =
      array.extent / count * array.inner * static_cast<int64_t>(StoredBytes(array.type));
  uint8_t* to = result(arrays, section.member, section.array);
  for (int64_t at = begin; at < end;) {
    const int64_t within = at % run;
    const int64_t bytes = std::min(end - at, run - within);
    const auto source = static_cast<size_t>(at / run % count);
    const int64_t block = at / run / count;
    CopyBytes(to + at,
              operand(arrays, source, section.array) + block * run * count + section.member * run +
                  within,
              static_cast<size_t>(bytes), stream_);
    at += bytes;
  }
}

void GroupWork::Permute(const Section& section, int64_t begin, int64_t end,
                        const MemberArrays& arrays) const {
  uint8_t* to = result(arrays, section.member, section.array) + begin;
  const auto bytes = static_cast<size_t>(end - begin);
  const int32_t source = source_[section.member];
  if (source < 0) {
    std::memset(to, 0, bytes);
  } else {
    CopyBytes(to, operand(arrays, static_cast<size_t>(source), section.array) + begin, bytes,
              stream_);
  }
}

std::optional<Diagnostic> GroupWork::Define(uint32_t member, const MemberArrays& arrays) {
  std::vector<std::vector<const void*>> brought(members());
  for (size_t m = 0; m < members(); ++m) {
    for (size_t i = 0; i < op_.operands.size(); ++i) brought[m].push_back(operand(arrays, m, i));
  }
  std::vector<void*> results;
  for (size_t i = 0; i < op_.results.size(); ++i) results.push_back(result(arrays, member, i));
  return op_.define(brought, devices_, member, results);
}

}  // namespace halo
