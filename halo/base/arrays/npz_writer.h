// Writes archives of arrays that numpy.load reads, piece by piece into whatever takes them, so that
// results of many gigabytes need no second copy. Equal arrays give equal files: no times are
// stored.
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

// Takes the next bytes of the file; false if it cannot.
using ByteSink = std::function<bool(std::string_view)>;

class NpzWriter {
 public:
  explicit NpzWriter(ByteSink sink) : sink_(std::move(sink)) {}

  // Elements row by row. Names are without ".npy" and each is used once.
  void Add(std::string_view name, const NpyType& type, std::span<const int64_t> dims,
           std::span<const uint8_t> bytes);
  // The list of members. False if the sink refused anything.
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
