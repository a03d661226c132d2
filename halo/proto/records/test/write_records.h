// Writes Riegeli files for tests: a signature, then chunks with right hashes around any data.
#ifndef HALO_PROTO_RECORDS_TEST_WRITE_RECORDS_H_
#define HALO_PROTO_RECORDS_TEST_WRITE_RECORDS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/proto/records/highway_hash.h"
#include "halo/proto/wire/wire.h"

namespace halo {

class RecordFile {
 public:
  RecordFile() { AddChunk('s', "", 0, 0); }

  // A chunk of any kind. One that claims very many records is not padded.
  void AddChunk(char type, std::string_view data, uint64_t records, uint64_t decoded_size) {
    const size_t begin = bytes_.size();
    std::string header = Number(data.size(), 8) + Number(HighwayHash(kKey, data), 8);
    header += type + Number(records, 7) + Number(decoded_size, 8);
    Append(begin, Number(HighwayHash(kKey, header), 8) + header + std::string(data));
    if (records < kBlock) bytes_.resize(std::max(bytes_.size(), begin + records));
  }

  // A chunk of records; Snappy's form consists of literals.
  void AddRecords(const std::vector<std::string>& records, bool snappy) {
    WireWriter sizes;
    std::string values;
    for (const std::string& each : records) {
      sizes.Varint(each.size());
      values += each;
    }
    const std::string packed = snappy ? Snapped(sizes.view()) : std::string(sizes.view());
    std::string data(1, snappy ? 's' : '\0');
    data += Varint(packed.size()) + packed + (snappy ? Snapped(values) : values);
    AddChunk('r', data, records.size(), values.size());
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static constexpr size_t kBlock = 1 << 16;
  static constexpr HighwayKey kKey = {0x2f696c6567656952, 0x0a7364726f636572, 0x2f696c6567656952,
                                      0x0a7364726f636572};

  static std::string Number(uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
  }

  static std::string Varint(uint64_t value) {
    WireWriter out;
    out.Varint(value);
    return out.Take();
  }

  static std::string Snapped(std::string_view plain) {
    std::string out = Varint(plain.size()) + Varint(plain.size());
    for (; !plain.empty(); plain.remove_prefix(std::min<size_t>(plain.size(), 60))) {
      const std::string_view piece = plain.substr(0, 60);
      out += static_cast<char>((piece.size() - 1) << 2);
      out += piece;
    }
    return out;
  }

  // Copies a chunk, with a block header at every multiple of the block size.
  void Append(size_t begin, std::string_view chunk) {
    uint64_t end = begin;
    for (uint64_t left = chunk.size(); left > 0;) {
      if (end % kBlock == 0) end += 24;
      const uint64_t step = std::min<uint64_t>(left, kBlock - end % kBlock);
      end += step;
      left -= step;
    }
    for (const char c : chunk) {
      if (bytes_.size() % kBlock == 0) {
        const std::string distances =
            Number(bytes_.size() - begin, 8) + Number(end - bytes_.size(), 8);
        bytes_ += Number(HighwayHash(kKey, distances), 8) + distances;
      }
      bytes_ += c;
    }
  }

  std::string bytes_;
};

}  // namespace halo

#endif  // HALO_PROTO_RECORDS_TEST_WRITE_RECORDS_H_
