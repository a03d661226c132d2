// Reads arbitrary bytes as a file of records, and as the data of a chunk whose hashes are right, so
// that what is behind the hashes is reached. Reading must terminate, records must not be
// larger than a chunk can unpack to, and a file that is read to its end must read the same again.
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/check.h"
#include "halo/proto/records/riegeli.h"
#include "halo/proto/records/split_proto.h"
#include "halo/proto/records/test/write_records.h"

namespace {

using namespace halo;

void ReadAll(std::string_view file) {
  RecordReader reader(file);
  std::string_view record;
  uint64_t total = 0;
  while (reader.Next(record)) total += record.size();
  HALO_CHECK(total <= 64 * file.size());
  HALO_CHECK(!reader.Next(record));
  const Result<std::string> joined = JoinSplitModule(file, "fuzz");
  if (!joined) return;
  HALO_CHECK(MessageOfRecords(file) != SplitMessage::kOther);
  const Result<std::string> again = JoinSplitModule(file, "fuzz");
  HALO_CHECK(again && *again == *joined);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadAll(bytes);
  if (bytes.size() < 4) return 0;
  // Three bytes choose the kind of the chunk and what its header claims.
  RecordFile file;
  const char type = bytes[0] % 4 == 0 ? bytes[1] : 'r';
  const auto records = static_cast<uint64_t>(static_cast<unsigned char>(bytes[1]));
  const auto decoded = static_cast<uint64_t>(static_cast<unsigned char>(bytes[2]));
  bytes.remove_prefix(3);
  file.AddChunk(type, bytes, records, decoded);
  ReadAll(file.bytes());
  // The same bytes as one record behind a manifest of a module that is in one part.
  RecordFile module;
  module.AddRecords({std::string("\x0a\x0cxla.HloProto\x12\x02\x12\0", 18), std::string(bytes)},
                    bytes.size() % 2 == 0);
  ReadAll(module.bytes());
  return 0;
}
