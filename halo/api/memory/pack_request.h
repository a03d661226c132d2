// A packing request for files: a packing problem in CSV, or the pieces of a buffer assignment,
// whose heaps are repacked.
#ifndef HALO_API_MEMORY_PACK_REQUEST_H_
#define HALO_API_MEMORY_PACK_REQUEST_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

struct PackRequest {
  int64_t capacity = -1;  // per heap: stop as soon as it fits; -1: minimize
  int64_t alignment = 0;  // 0: 1 for CSV; for an assignment, inferred from its offsets
  double seconds = 10;    // per heap
  uint64_t steps = 0;     // per heap; 0: no limit
  std::function<void(std::string_view)> progress = {};
};

struct PackedHeap {
  int64_t allocation = -1;  // -1: from a CSV file
  size_t buffers = 0;
  int64_t alignment = 1;
  int64_t old_height = -1;  // -1: not packed before
  int64_t height = 0;
  int64_t lower_bound = 0;
  int64_t xla_height = -1;  // height under XLA's rule; -1 if not tried
  std::string method;
  std::string unusable;  // why it was not packed; empty if it was
  [[nodiscard]] bool optimal() const { return unusable.empty() && height == lower_bound; }
};

enum class Fits : uint8_t { kNotAsked, kYes, kNever, kNotFound };
std::string_view TextOf(Fits fits);

struct PackResult {
  std::vector<std::pair<std::string, Diagnostics>> files;
  std::vector<PackedHeap> heaps;
  std::vector<std::pair<std::string, int64_t>> offsets;  // by id, for a CSV file
  int64_t capacity = -1;
  Fits fits = Fits::kNotAsked;
  double seconds = 0;
  std::string output;  // the first file with its new offsets
  [[nodiscard]] bool readable() const;
};

PackResult PackFiles(std::span<const std::string> paths, const PackRequest& request);

}  // namespace halo

#endif  // HALO_API_MEMORY_PACK_REQUEST_H_
