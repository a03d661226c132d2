// How a value is distributed over devices: every notation that HLO text has used, as one struct. A
// module keeps a sharding as text; this file parses the text on request and prints it as XLA does.
// What a sharding means for sizes and communication is decided elsewhere.
#ifndef HALO_IR_SHARDING_SHARDING_H_
#define HALO_IR_SHARDING_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/sharding/device_order.h"
#include "halo/ir/sharding/mesh.h"

namespace halo {

enum class ShardingKind : uint8_t {
  kReplicated,  // a copy on every device
  kManual,      // the program partitions it explicitly
  kUnknown,
  kUnreduced,  // every device holds one term of a sum
  kMaximal,    // one device holds the whole value
  kTiled,      // split into a grid of tiles
  kNamed,      // over a mesh with named axes
  kTuple,      // one sharding for each leaf
};

// What the devices along one trailing dimension of a tiled grid have in common.
enum class SubgroupKind : uint8_t { kReplicated, kManual, kMaximal, kUnreduced };

// Groups of values that request the same sharding.
enum class ShardGroupKind : uint8_t { kNone, kAs, kLike };

enum class Reduction : uint8_t { kSum, kMax, kMin };

// A named sharding of whole values is written as one word after the mesh.
enum class NamedForm : uint8_t { kDimensions, kReplicated, kManual, kUnreduced };

struct DimensionAxes {
  std::vector<AxisRef> axes;  // major to minor
  bool open = false;          // '?': more axes may be added
};

// metadata={...}: field names and their original values, in order.
using ShardingMetadata = std::vector<std::pair<std::string, std::string>>;

struct Sharding {
  ShardingKind kind = ShardingKind::kReplicated;

  int64_t device = 0;  // kMaximal

  // kTiled: the grid has one dimension per dimension of the value, then one per subgroup.
  std::vector<int64_t> tile_dims;
  DeviceOrder order;
  std::vector<SubgroupKind> subgroups;

  // kNamed
  Mesh mesh;
  NamedForm form = NamedForm::kDimensions;
  std::vector<DimensionAxes> dimensions;
  std::vector<AxisRef> replicated_axes, unreduced_axes, manual_axes;
  Reduction reduction = Reduction::kSum;

  ShardGroupKind group = ShardGroupKind::kNone;
  int64_t group_id = 0;
  std::vector<ShardingMetadata> metadata;

  std::vector<Sharding> elements;  // kTuple; never tuples themselves
};

// Nullopt if the text is not a sharding. `why`, if given, then says what is wrong, and
// `contradicts` whether the notation is known but its parts do not fit together.
std::optional<Sharding> ParseSharding(std::string_view text, std::string* why = nullptr,
                                      bool* contradicts = nullptr);
// The same check without a result; a long tuple takes no memory.
bool CheckSharding(std::string_view text, std::string* why = nullptr);

// Applies the normal form that XLA uses when it reads a sharding: trailing subgroups are merged and
// sorted, trivial ones dropped, iota orders simplified, replicas within a tile sorted.
void CanonicalizeSharding(Sharding& sharding);

// Repeats a sharding given for a whole tuple for each of its leaves.
Sharding RepeatForLeaves(const Sharding& sharding, size_t leaves);

void PrintSharding(const Sharding& sharding, TextBuffer& out);
// Prints the separator before element `index` of a tuple of shardings.
void PrintTupleSeparator(size_t index, TextBuffer& out);

// The text that XLA prints after reading `text`; `text` itself if it is not a sharding. For a tuple
// value, pass the number of its leaves, else 0.
std::string CanonicalShardingText(std::string_view text, size_t tuple_leaves = 0);

}  // namespace halo

#endif  // HALO_IR_SHARDING_SHARDING_H_
