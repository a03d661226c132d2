// Follows Riegeli's specification of its file format; positions count block headers.
#include "halo/proto/records/riegeli.h"

#include <algorithm>
#include <utility>

#include "halo/proto/records/highway_hash.h"
#include "halo/proto/records/snappy.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

constexpr uint64_t kBlock = uint64_t{1} << 16;
constexpr uint64_t kBlockHeader = 24;
constexpr uint64_t kUsableBlock = kBlock - kBlockHeader;
constexpr uint64_t kHeader = 40;
constexpr HighwayKey kKey = {0x2f696c6567656952, 0x0a7364726f636572, 0x2f696c6567656952,
                             0x0a7364726f636572};
// A Snappy element of three bytes writes at most 64. Records that claim to be larger are not there.
constexpr uint64_t kMaxRatio = 64;

uint64_t Little(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The first position not before `at` at which a chunk may end: not within a block header, nor
// directly behind one.
uint64_t ChunkBoundary(uint64_t at) {
  const uint64_t rest = (kBlock - at % kBlock) % kBlock;
  return rest < kUsableBlock ? at : at + (rest - (kUsableBlock - 1));
}

std::string_view NameOf(char compression) {
  switch (compression) {
    case 'b': return "Brotli";
    case 'z': return "Zstandard";
    default: return "an unknown method";
  }
}

}  // namespace

bool LooksLikeRiegeli(std::string_view bytes) {
  // The header of the first block and the hash of the first chunk, which is always the same.
  return bytes.starts_with(
      std::string_view("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0\0\0\0\0\0\0"
                       "\x40\0\0\0\0\0\0\0\x91\xba\xc2\x3c\x92\x87\xe1\xa9",
                       32));
}

bool RecordReader::Fail(std::string problem) {
  problem_ = std::move(problem);
  at_ = file_.size();
  sizes_.clear();
  next_ = 0;
  return false;
}

bool RecordReader::Next(std::string_view& record) {
  while (next_ == sizes_.size()) {
    if (at_ >= file_.size() || !ReadChunk()) return false;
  }
  const uint64_t size = sizes_[next_++];
  record = std::string_view(values_).substr(begin_, size);
  begin_ += size;
  return true;
}

// Copies bytes of the chunk at hand, without the block headers between them.
bool RecordReader::Take(uint64_t count, std::string& out) {
  out.clear();
  if (count > file_.size()) return Fail("it is truncated");
  out.reserve(count);
  while (count > 0) {
    if (at_ % kBlock == 0) at_ += kBlockHeader;
    const uint64_t step = std::min(count, kBlock - at_ % kBlock);
    if (at_ > file_.size() || step > file_.size() - at_) return Fail("it is truncated");
    out.append(file_.substr(at_, step));
    at_ += step;
    count -= step;
  }
  return true;
}

bool RecordReader::ReadHeader(ChunkHeader& header) {
  std::string bytes;
  if (!Take(kHeader, bytes)) return false;
  const std::string_view view = bytes;
  if (Little(view.substr(0, 8)) != HighwayHash(kKey, view.substr(8))) {
    return Fail("the header of a chunk is damaged");
  }
  header.data_size = Little(view.substr(8, 8));
  header.data_hash = Little(view.substr(16, 8));
  header.type = view[24];
  header.records = Little(view.substr(25, 7));
  header.decoded_size = Little(view.substr(32, 8));
  return true;
}

bool RecordReader::ReadChunk() {
  const uint64_t begin = at_;
  ChunkHeader header;
  std::string data;
  if (!ReadHeader(header) || !Take(header.data_size, data)) return false;
  if (HighwayHash(kKey, data) != header.data_hash) return Fail("the data of a chunk is damaged");
  at_ = std::max(at_, ChunkBoundary(begin + header.records));
  sizes_.clear();
  next_ = 0;
  begin_ = 0;
  switch (header.type) {
    case 's':  // signature
    case 'm':  // metadata
    case 'p':  // padding
      return true;
    case 'r': return ReadRecords(header, data);
    case 't': return Fail("it has transposed chunks, which halo does not read");
    default: return Fail("it has a chunk of an unknown kind");
  }
}

bool RecordReader::Unpack(char compression, std::string_view packed, uint64_t most,
                          std::string& plain) {
  if (compression == '\0') {
    plain = packed;
  } else if (compression == 's') {
    uint64_t size = 0;
    if (!TakeVarint(packed, size) || size > most) return Fail("the size of a chunk is wrong");
    auto unpacked = Unsnap(packed, size);
    if (!unpacked) return Fail("the compressed data of a chunk is damaged");
    plain = *std::move(unpacked);
  } else {
    return Fail("it is compressed by " + std::string(NameOf(compression)) +
                ", and halo reads records that are compressed by Snappy or not at all");
  }
  return true;
}

bool RecordReader::ReadRecords(const ChunkHeader& header, std::string_view data) {
  const uint64_t most = kMaxRatio * data.size();
  if (data.empty()) return Fail("a chunk is empty");
  const char compression = data.front();
  data.remove_prefix(1);
  uint64_t size_of_sizes = 0;
  if (!TakeVarint(data, size_of_sizes) || size_of_sizes > data.size()) {
    return Fail("the sizes of its records are damaged");
  }
  std::string packed_sizes;
  if (!Unpack(compression, data.substr(0, size_of_sizes), most, packed_sizes)) return false;
  data.remove_prefix(size_of_sizes);
  if (!Unpack(compression, data, most, values_)) return false;
  std::string_view rest = packed_sizes;
  if (header.records > rest.size()) return Fail("it has fewer records than it claims");
  sizes_.reserve(header.records);
  uint64_t total = 0;
  for (uint64_t i = 0; i < header.records; ++i) {
    uint64_t size = 0;
    if (!TakeVarint(rest, size) || size > values_.size() - total) {
      return Fail("the sizes of its records are damaged");
    }
    total += size;
    sizes_.push_back(size);
  }
  if (!rest.empty() || total != values_.size() || total != header.decoded_size) {
    return Fail("the sizes of its records are damaged");
  }
  return true;
}

}  // namespace halo
