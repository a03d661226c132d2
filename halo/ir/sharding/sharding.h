// How a value is spread over devices: every notation that HLO text has used, as one struct. A
// module keeps a sharding as text; this takes the text apart when its parts are asked for, and
// prints it as XLA does. What a sharding means for sizes and communication is decided elsewhere.
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
  kManual,      // the program spreads it itself
  kUnknown,
  kUnreduced,  // every device holds a term of a sum
  kMaximal,    // one device has it all
  kTiled,      // cut into a grid of tiles
  kNamed,      // over a mesh with named axes
  kTuple,      // one sharding for each leaf
};

// What the devices along one trailing dimension of a tiled grid share.
enum class SubgroupKind : uint8_t { kReplicated, kManual, kMaximal, kUnreduced };

// Groups of values that ask to be sharded the same way.
enum class ShardGroupKind : uint8_t { kNone, kAs, kLike };

enum class Reduction : uint8_t { kSum, kMax, kMin };

// A named sharding of whole values stands as one word after the mesh.
enum class NamedForm : uint8_t { kDimensions, kReplicated, kManual, kUnreduced };

struct DimensionAxes {
  std::vector<AxisRef> axes;  // major to minor
  bool open = false;          // '?': more axes may be added
};

// metadata={...}: field names and their values as they stood, in order.
using ShardingMetadata = std::vector<std::pair<std::string, std::string>>;

struct Sharding {
  ShardingKind kind = ShardingKind::kReplicated;

  int64_t device = 0;  // kMaximal

  // kTiled: the grid has a dimension for each of the value's, then one for each subgroup.
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

// Nothing if the text is no sharding; `why`, if given, then says what is wrong.
std::optional<Sharding> ParseSharding(std::string_view text, std::string* why = nullptr);
// The same, but only says whether the text is one; a long tuple takes no memory.
bool CheckSharding(std::string_view text, std::string* why = nullptr);

// The normal form XLA brings a sharding to when it reads one: trailing subgroups merged, sorted and
// dropped where trivial, counting orders simplified, replicas within a tile sorted.
void CanonicalizeSharding(Sharding& sharding);

// A sharding given for a tuple as a whole, repeated for each of its leaves.
Sharding RepeatForLeaves(const Sharding& sharding, size_t leaves);

void PrintSharding(const Sharding& sharding, TextBuffer& out);
// What stands before element `index` of a tuple of shardings.
void PrintTupleSeparator(size_t index, TextBuffer& out);

// The text XLA prints for `text` after reading it; `text` itself if it is no sharding. For a value
// that is a tuple give the number of its leaves, else 0.
std::string CanonicalShardingText(std::string_view text, size_t tuple_leaves = 0);

}  // namespace halo

#endif  // HALO_IR_SHARDING_SHARDING_H_
