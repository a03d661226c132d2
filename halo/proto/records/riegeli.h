// Records of Riegeli files: the container in which XLA dumps modules and executables whose parts
// may be larger than a protobuf can be. A file is a sequence of chunks, each with hashes of its
// header and its data; every 64 KiB, a block header interrupts it. Chunks of plain or
// Snappy-compressed records are read, as XLA writes them; others are refused by name.
#ifndef HALO_PROTO_RECORDS_RIEGELI_H_
#define HALO_PROTO_RECORDS_RIEGELI_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

bool LooksLikeRiegeli(std::string_view bytes);

// Iterates over the records of a file. One chunk at a time is in memory, beside the file.
class RecordReader {
 public:
  explicit RecordReader(std::string_view file) : file_(file) {}

  // Moves to the next record, which stays valid until the next call. False at the end of the file
  // or at damage.
  bool Next(std::string_view& record);

  // What is wrong with the file; empty if it was read to its end.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct ChunkHeader {
    uint64_t data_size = 0, data_hash = 0, records = 0, decoded_size = 0;
    char type = 0;
  };

  bool Fail(std::string problem);
  bool ReadChunk();
  bool ReadHeader(ChunkHeader& header);
  bool ReadRecords(const ChunkHeader& header, std::string_view data);
  bool Unpack(char compression, std::string_view packed, uint64_t most, std::string& plain);
  bool Take(uint64_t count, std::string& out);

  std::string_view file_;
  uint64_t at_ = 0;  // in the file
  std::string values_;
  std::vector<uint64_t> sizes_;
  size_t next_ = 0;     // of sizes_
  uint64_t begin_ = 0;  // of the next record in values_
  std::string problem_;
};

}  // namespace halo

#endif  // HALO_PROTO_RECORDS_RIEGELI_H_
