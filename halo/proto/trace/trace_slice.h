// One slice of a timeline, as the writers of traces take it. Texts are views of the caller's.
#ifndef HALO_PROTO_TRACE_TRACE_SLICE_H_
#define HALO_PROTO_TRACE_TRACE_SLICE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace halo {

struct TraceSlice {
  std::string_view name, category;
  std::span<const std::pair<std::string_view, std::string_view>> annotations = {};
  uint64_t flow_from = 0, flow_to = 0;  // a flow that leaves, or ends here; 0: none
  // Of an instruction: its kind, and what it costs. Empty for waits and for what is not one.
  std::string_view kind = {};
  double flops = 0, bytes = 0;
};

}  // namespace halo

#endif  // HALO_PROTO_TRACE_TRACE_SLICE_H_
