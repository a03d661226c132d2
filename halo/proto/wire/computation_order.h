// The order in which XLA prints computations: callees before callers, by traversal from each
// computation that is never called.
#ifndef HALO_PROTO_WIRE_COMPUTATION_ORDER_H_
#define HALO_PROTO_WIRE_COMPUTATION_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

// For each computation, the callees of each of its instructions. Instructions are in the order of
// their ids; those that call nothing may be omitted.
using CallSites = std::vector<std::vector<uint32_t>>;

// `roots_first` lists all computations in the order in which to visit uncalled ones.
std::vector<uint32_t> ComputationPrintOrder(std::span<const CallSites> calls,
                                            std::span<const uint32_t> roots_first);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_COMPUTATION_ORDER_H_
