// The order in which XLA prints computations: callees before callers, found by walking each
// computation nobody calls.
#ifndef HALO_PROTO_WIRE_COMPUTATION_ORDER_H_
#define HALO_PROTO_WIRE_COMPUTATION_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

// For each computation, the computations each of its instructions calls; instructions stand in the
// order of their ids, those that call nothing may be left out.
using CallSites = std::vector<std::vector<uint32_t>>;

// `roots_first` lists all computations in the order in which uncalled ones are to be visited.
std::vector<uint32_t> ComputationPrintOrder(std::span<const CallSites> calls,
                                            std::span<const uint32_t> roots_first);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_COMPUTATION_ORDER_H_
