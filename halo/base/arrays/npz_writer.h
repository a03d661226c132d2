// Writes archives of arrays that numpy.load reads. The writer passes them piece by piece to a sink,
// so that results of many gigabytes need no second copy. Equal arrays give equal files because no
// timestamps are stored.
#ifndef HALO_BASE_ARRAYS_NPZ_WRITER_H_
#define HALO_BASE_ARRAYS_NPZ_WRITER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/arrays/npy.h"

namespace halo {

// Takes the next bytes of the file; returns false on failure.
using ByteSink = std::function<bool(std::string_view)>;

class NpzWriter {
 public:
  explicit NpzWriter(ByteSink sink) : sink_(std::move(sink)) {}

  // Elements are row-major. Names omit ".npy" and must be unique.
  void Add(std::string_view name, const NpyType& type, std::span<const int64_t> dims,
           std::span<const uint8_t> bytes);
  // Writes the list of members. False if the sink refused anything.
  bool Finish();

 private:
  struct Member {
    std::string name;
    uint64_t bytes = 0, offset = 0;
    uint32_t crc = 0;
  };
  void Put(std::string_view bytes);

  ByteSink sink_;
  std::vector<Member> members_;
  uint64_t written_ = 0;
  bool ok_ = true;
};

}  // namespace halo

#endif  // HALO_BASE_ARRAYS_NPZ_WRITER_H_
