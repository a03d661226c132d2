// A set of instructions that becomes one kernel. The fusion pass collects them consumers first,
// then their producers. A cluster knows in how many ways each of its values is read (an index map),
// how often, and which form of kernel it is. What is worth fusing is decided in
// fusion_partition.cc.
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
#include "halo/passes/fusion/kernel_form.h"

namespace halo {

// How a fusion may treat an instruction.
enum class FusedOp : uint8_t {
  kElementwise,  // element i depends on elements i
  kMovement,     // element i depends on elements at other indices
  kReduce,
  kUpdate,
  kNone,
};

FusedOp FusedOpOf(const Module& module, InstId id);

// How the reduced dimensions of a reduce are laid out.
struct ReduceShape {
  bool is_row = false;        // exactly the minor ones are reduced
  bool is_column = false;     // the minor one is kept
  int64_t folded = 1;         // elements per result
  std::vector<int64_t> kept;  // indices among the dimensions larger than 1, in their order
  ShapeId input;
  ShapeId result;  // of the first value
};
ReduceShape ReduceShapeOf(const Module& module, InstId reduce);

inline constexpr int64_t kSmallFold = 64;

// The number of elements of an array; for a tuple, of its first array.
int64_t ElementsOf(const Module& module, InstId id);

class Cluster {
 public:
  using MapId = uint32_t;
  using Maps = std::vector<MapId>;

  // A cluster of one instruction.
  Cluster(const Module& module, InstId root, int64_t position);

  [[nodiscard]] KernelForm form() const { return form_; }
  [[nodiscard]] const std::vector<InstId>& roots() const { return roots_; }
  [[nodiscard]] const std::vector<InstId>& nodes() const { return nodes_; }
  [[nodiscard]] const std::unordered_set<uint32_t>& inputs() const { return inputs_; }
  [[nodiscard]] bool contains(InstId id) const { return maps_of_.contains(id.value); }
  [[nodiscard]] ShapeId domain() const { return domain_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] int64_t position() const { return position_; }
  void set_position(int64_t position) { position_ = position; }
  // What its reductions reduce, for kRow and kColumn.
  [[nodiscard]] const std::optional<ReduceShape>& reduction() const { return reduction_; }

  // The maps through which the cluster's instructions among `users` read `value`; nothing if one of
  // them cannot have it fused.
  std::optional<Maps> Reads(InstId value, std::span<const InstId> users);
  // Number of elements computed when the value is read through these maps.
  [[nodiscard]] double Count(const Maps& maps) const;

  // Returns true if a loop that reads a value this way could become a row kernel with the value as
  // one of its results.
  [[nodiscard]] bool IsPerRow(const Maps& maps) const;

  // Adds an instruction whose value is read through these maps. Returns false, and sets `why`, if
  // no form of kernel is left. As a root, its value becomes a result as well.
  bool Add(InstId id, Maps maps, bool as_root, std::string_view& why);
  // Returns true if the value may be an additional result.
  [[nodiscard]] bool MayBeRoot(InstId id) const;
  // Absorbs another cluster of the same form and domain. Returns false if the result would be too
  // large.
  bool Merge(const Cluster& other);

 private:
  struct Map {
    MapId parent = 0;
    uint32_t through = 0;            // the op that changes indices
    std::vector<int64_t> kept = {};  // for a broadcast: the dimensions it reads along
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
  KernelForm form_ = KernelForm::kLoop;
  std::vector<InstId> nodes_, roots_;
  std::unordered_map<uint32_t, Maps> maps_of_;
  std::unordered_set<uint32_t> inputs_;
  std::vector<Map> maps_;
  std::map<std::vector<int64_t>, MapId> known_maps_;
  ShapeId domain_;
  MapId whole_ = 0;  // the domain's own index
  MapId hero_ = 0;   // with reductions: the index of their inputs
  MapId row_ = 0;    // with reductions: the index of their results
  std::optional<ReduceShape> reduction_;
  bool folds_small_ = false;  // a loop that contains small reductions
  size_t size_ = 0;
  int64_t position_ = 0;
};

}  // namespace halo

#endif  // HALO_PASSES_FUSION_FUSION_CLUSTER_H_
