// Within a node the payload is exchanged over all links of a device, within a chip over what
// connects its devices. Between nodes the part that
// leaves the node counts against the network, and both proceed at the same time.
#include "halo/cost/predict/collective_model.h"

#include <algorithm>

namespace halo {
namespace {

// Bytes that each device sends to other nodes, of a group that spans `nodes`.
double BytesBetweenNodes(const WireUse& use, int64_t nodes) {
  if (nodes <= 1 || use.group == nullptr) return 0;
  const auto count = static_cast<double>(nodes);
  const double per_node = static_cast<double>(use.group->size) / count;
  switch (use.family) {
    // Reduced or gathered within the node first: each device handles its part of the payload.
    case CollectiveFamily::kAllReduce:
      return 2 * (count - 1) / count * use.payload / std::max(per_node, 1.0);
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kReduceScatter:
      return (count - 1) / count * use.payload / std::max(per_node, 1.0);
    // Every device has something for every other one.
    case CollectiveFamily::kAllToAll:
    case CollectiveFamily::kRaggedAllToAll: return (count - 1) / count * use.payload;
    default: return use.sent;
  }
}

// Seconds on the links of a node. NCCL runs the operands of a combined collective one after the
// other, and a short one takes as long as a message needs around the ring. The longest hides its
// own in the start. If all of them are short, its protocol for short messages runs them together.
double OnLinks(const WireUse& use, double seconds, const ModelConstants& constants) {
  if (use.shares.size() < 2 || use.payload < constants.ring_least) return seconds;
  double steps = 0;
  switch (use.family) {
    case CollectiveFamily::kAllReduce: steps = 2; break;
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kReduceScatter: steps = 1; break;
    default: return seconds;
  }
  const double least =
      constants.ring_base + constants.ring_hop * steps * static_cast<double>(use.group->size - 1);
  if (constants.ring_base <= 0) return seconds;
  const double longest = *std::ranges::max_element(use.shares);
  double sum = longest * seconds - std::max(least, longest * seconds);
  for (const double share : use.shares) sum += std::max(least, share * seconds);
  return sum;
}

}  // namespace

OpTime PredictCollective(const WireUse& use, const DeviceRates& rates,
                         const ModelConstants& constants) {
  const auto per_node = static_cast<int64_t>(rates.node.value);
  return PredictCollective(use, use.group != nullptr ? use.group->Nodes(per_node) : 1, rates,
                           constants);
}

OpTime PredictCollective(const WireUse& use, int64_t nodes, const DeviceRates& rates,
                         const ModelConstants& constants) {
  OpTime time;
  if (use.group == nullptr || use.sent <= 0) return time;
  const bool is_alone = use.group->is_pairs ? use.group->devices.empty() : use.group->size <= 1;
  if (is_alone) return time;
  time.source = TimeSource::kModel;
  time.bound = TimeBound::kLink;
  const bool in_chip = rates.chip.value > 1 && rates.chip_link.value > 0 &&
                       use.group->Nodes(static_cast<int64_t>(rates.chip.value)) == 1;
  const double links = in_chip ? rates.chip_link.value : rates.node_bandwidth();
  const double outside = BytesBetweenNodes(use, nodes);
  if (links <= 0 || (outside > 0 && rates.network.value <= 0)) {
    time.source = TimeSource::kUnknown;
    time.confidence = TimeConfidence::kNone;
    time.bound = TimeBound::kUnknown;
    return time;
  }
  const double inside = std::max(use.sent - outside, 0.0);
  const double start = constants.link_start + (nodes > 1 ? constants.network_start : 0);
  const double on_links =
      OnLinks(use, inside / (links * (in_chip ? 1 : constants.link_share)), constants);
  const double on_network =
      outside > 0 ? outside / (rates.network.value * constants.network_share) : 0;
  time.seconds = start + std::max(on_links, on_network);
  time.floor = std::max(inside / links, outside > 0 ? outside / rates.network.value : 0);
  if (start > std::max(on_links, on_network)) time.bound = TimeBound::kLatency;
  const bool is_fitted = constants.fitted && nodes <= 1;
  time.confidence = is_fitted ? TimeConfidence::kMedium : TimeConfidence::kLow;
  time.low = std::max(time.floor, time.seconds * (is_fitted ? 0.8 : 0.5));
  time.high = time.seconds * (is_fitted ? 1.4 : 2.5);
  return time;
}

}  // namespace halo
