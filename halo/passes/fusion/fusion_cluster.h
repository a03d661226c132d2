// Instructions that become one kernel, while the fusion pass gathers them: consumers first, then
// what they read. A cluster knows in how many ways each of its values is read (an index map), how
// often, and which form of kernel it is; what is worth fusing is fuse.cc's.
#ifndef HALO_PASSES_FUSION_FUSION_CLUSTER_H_
#define HALO_PASSES_FUSION_FUSION_CLUSTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

enum class FusionForm : uint8_t {
  kLoop,    // an element of every result per index of the domain
  kRow,     // reductions of the minor dimensions of the domain, results of its shape or of rows'
  kColumn,  // reductions that keep the minor dimension, and elementwise ops behind them
  kUpdate,  // a dynamic-update-slice in place; the domain is its update's
};

// What a fusion may do with an instruction.
enum class FusedOp : uint8_t {
  kElementwise,  // element i from elements i
  kMovement,     // element i from elements at other indices
  kReduce,
  kUpdate,
  kNone,
};

FusedOp FusedOpOf(const Module& module, InstId id);

// How the folded dimensions of a reduce lie.
struct ReduceShape {
  bool is_row = false;        // exactly the minor ones are folded
  bool is_column = false;     // the minor one is kept
  int64_t folded = 1;         // elements per result
  std::vector<int64_t> kept;  // among the dimensions of more than one element, in their order
  ShapeId input;
  ShapeId result;  // of the first value
};
ReduceShape ReduceShapeOf(const Module& module, InstId reduce);

inline constexpr int64_t kSmallFold = 64;

// Elements of an array, of the first one for a tuple.
int64_t ElementsOf(const Module& module, InstId id);

class Cluster {
 public:
  using MapId = uint32_t;
  using Maps = std::vector<MapId>;

  // A cluster of one instruction.
  Cluster(const Module& module, InstId root, int64_t position);

  [[nodiscard]] FusionForm form() const { return form_; }
  [[nodiscard]] const std::vector<InstId>& roots() const { return roots_; }
  [[nodiscard]] const std::vector<InstId>& nodes() const { return nodes_; }
  [[nodiscard]] const std::unordered_set<uint32_t>& inputs() const { return inputs_; }
  [[nodiscard]] bool contains(InstId id) const { return maps_of_.contains(id.value); }
  [[nodiscard]] ShapeId domain() const { return domain_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] int64_t position() const { return position_; }
  void set_position(int64_t position) { position_ = position; }
  // What its reductions fold, for kRow and kColumn.
  [[nodiscard]] const std::optional<ReduceShape>& reduction() const { return reduction_; }

  // In which ways the cluster's instructions among `users` read `value`; nothing if one of them
  // cannot have it inside.
  std::optional<Maps> Reads(InstId value, std::span<const InstId> users);
  // Elements computed when it is read in these ways.
  [[nodiscard]] double Count(const Maps& maps) const;

  // A loop that reads a value so could become a kernel of rows, and the value one of its results.
  [[nodiscard]] bool IsPerRow(const Maps& maps) const;

  // Takes an instruction in whose value is read in these ways; false, and why, if that leaves no
  // form of kernel. As a root its value is a result as well.
  bool Add(InstId id, Maps maps, bool as_root, std::string_view& why);
  // True if the value may be one more result.
  [[nodiscard]] bool MayBeRoot(InstId id) const;
  // Takes all of another cluster of the same form and domain; false if it would be too large.
  bool Merge(const Cluster& other);

 private:
  struct Map {
    MapId parent = 0;
    uint32_t through = 0;            // the op that changes indices
    std::vector<int64_t> kept = {};  // of a broadcast: dimensions it reads along
    bool is_broadcast = false;
    double count = 0;  // elements
  };

  static constexpr MapId kScalar = 0;

  std::optional<MapId> Transfer(InstId user, size_t slot, InstId value, MapId map);
  MapId NewMap(MapId parent, InstId through, size_t slot, double count);
  MapId BroadcastMap(MapId parent, std::vector<int64_t> kept, double count);
  bool AddReduce(InstId id, const Maps& maps, std::string_view& why);
  bool JoinRow(InstId id, const Maps& maps, const ReduceShape& shape);
  bool JoinColumn(InstId id, const Maps& maps, const ReduceShape& shape);
  [[nodiscard]] bool IsRowOf(MapId map, const ReduceShape& shape) const;
  [[nodiscard]] bool BehindIsAligned(InstId id, MapId a, MapId b) const;
  [[nodiscard]] bool IsOnlyElementwise() const;
  [[nodiscard]] bool MayBeInColumn(InstId id, const Maps& maps) const;
  [[nodiscard]] bool ReadsUpdated(InstId id) const;
  [[nodiscard]] MapId RootMap(InstId id) const;
  [[nodiscard]] bool IsMajorPart(const std::vector<int64_t>& kept) const;
  void Take(InstId id, const Maps& maps, bool as_root);

  const Module* module_;
  FusionForm form_ = FusionForm::kLoop;
  std::vector<InstId> nodes_, roots_;
  std::unordered_map<uint32_t, Maps> maps_of_;
  std::unordered_set<uint32_t> inputs_;
  std::vector<Map> maps_;
  std::map<std::vector<int64_t>, MapId> known_maps_;
  ShapeId domain_;
  MapId whole_ = 0;  // the domain's own index
  MapId hero_ = 0;   // where there are reductions: the index of what they fold
  MapId row_ = 0;    // and of what they yield
  std::optional<ReduceShape> reduction_;
  bool folds_small_ = false;  // a loop with small reductions in it
  size_t size_ = 0;
  int64_t position_ = 0;
};

}  // namespace halo

#endif  // HALO_PASSES_FUSION_FUSION_CLUSTER_H_
