// The request and the result of `halo pack` as users see them.
#ifndef HALO_API_MEMORY_PACK_DOCUMENT_H_
#define HALO_API_MEMORY_PACK_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/memory/pack_request.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/parts.h"

namespace halo {

namespace documents {

struct PackRequest {
  std::optional<int64_t> capacity, align;
  double time = 10;
  std::optional<int64_t> steps;
};

template <class V>
void Fields(V& v, PackRequest& r) {
  v.Group("Packing");
  v("capacity", r.capacity, "Stop as soon as each heap fits in this many bytes", v0::Unit::kBytes);
  v("align", r.align, "Alignment of offsets, in bytes",
    v0::Between{1, static_cast<double>(int64_t{1} << 40)});
  v("time", r.time, "Time limit for each heap, in seconds", v0::Between{0, 1e9});
  v("steps", r.steps, "Limit of search nodes for each heap; makes the result deterministic",
    v0::Between{0, 1e18});
}

struct PackHeap {
  std::optional<int64_t> allocation;
  uint64_t buffers = 0;
  int64_t alignment = 1;
  std::optional<int64_t> old_height;
  int64_t height = 0;
  std::optional<int64_t> lower_bound;
  std::optional<bool> optimal;
  std::optional<int64_t> xla_height;
  std::optional<std::string> method, unusable;
};

template <class V>
void Fields(V& v, PackHeap& r) {
  v("allocation", r.allocation, "its number", v0::When{"of a buffer assignment"});
  v("buffers", r.buffers, "in it");
  v("alignment", r.alignment, "of offsets", v0::Unit::kBytes);
  v("old_height", r.old_height, "", v0::Unit::kBytes, v0::When{"if it was packed before"});
  v("height", r.height, "now", v0::Unit::kBytes);
  v("lower_bound", r.lower_bound, "no packing is smaller", v0::Unit::kBytes);
  v("optimal", r.optimal, "the bound is reached");
  v("xla_height", r.xla_height, "by XLA's rule", v0::Unit::kBytes);
  v("method", r.method, "that found it");
  v("unusable", r.unusable, "why it was not packed", v0::When{"if it was not"});
}

struct PackOffset {
  std::string id;
  int64_t offset = 0;
};

template <class V>
void Fields(V& v, PackOffset& r) {
  v("id", r.id, "of a CSV's row");
  v("offset", r.offset, "of the buffer", v0::Unit::kBytes);
}

struct PackResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.pack.v1";

  std::optional<int64_t> capacity;
  std::optional<std::string> fits;
  double seconds = 0;
  std::vector<PackHeap> heaps;
  std::vector<PackOffset> offsets;
};

template <class V>
void Fields(V& v, PackResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("capacity", r.capacity, "as requested", v0::Unit::kBytes);
  v("fits", r.fits, "whether each heap fits in the capacity", v0::Choices{"pack_fits"});
  v("seconds", r.seconds, "that packing took");
  v("heaps", r.heaps, "");
  v("offsets", r.offsets, "of a CSV");
}

}  // namespace documents

// An error if a value cannot be used.
Result<PackRequest> RequestOf(const documents::PackRequest& asked);

documents::PackResult PackDocument(const PackResult& result);
std::string PackJson(const PackResult& result);

}  // namespace halo

#endif  // HALO_API_MEMORY_PACK_DOCUMENT_H_
