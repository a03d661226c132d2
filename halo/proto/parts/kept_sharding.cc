// Walks the messages of a sharding and compares them with what this version knows.
#include "halo/proto/parts/kept_sharding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "halo/base/strings/escape.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

// A tuple of named shardings has six levels; the reader rejects tuples in tuples.
constexpr int kMaxLevels = 8;

constexpr std::string_view kBefore = "{proto=\"";
constexpr std::string_view kAfter = "\"}";

enum class Part : uint8_t {
  kNone,  // not a message
  kSharding,
  kMetadata,
  kPayload,
  kNamed,
  kDimension,
  kMesh,
  kMeshAxis,
  kIota,
  kAxis,
  kSubAxis,
};

struct KnownField {
  Part message;
  uint32_t number;
  Part part = Part::kNone;
  int64_t most = INT64_MAX;  // of an enum
};

constexpr std::array kKnown = {
    KnownField{Part::kSharding, pb::OpSharding::k_type, Part::kNone, 6},
    KnownField{Part::kSharding, pb::OpSharding::k_tile_assignment_dimensions},
    KnownField{Part::kSharding, pb::OpSharding::k_tile_assignment_devices},
    KnownField{Part::kSharding, pb::OpSharding::k_tuple_shardings, Part::kSharding},
    KnownField{Part::kSharding, pb::OpSharding::k_replicate_on_last_tile_dim},
    KnownField{Part::kSharding, pb::OpSharding::k_metadata, Part::kMetadata},
    KnownField{Part::kSharding, pb::OpSharding::k_last_tile_dims, Part::kNone, 6},
    KnownField{Part::kSharding, pb::OpSharding::k_iota_reshape_dims},
    KnownField{Part::kSharding, pb::OpSharding::k_iota_transpose_perm},
    KnownField{Part::kSharding, pb::OpSharding::k_is_shard_group},
    KnownField{Part::kSharding, pb::OpSharding::k_shard_group_id},
    KnownField{Part::kSharding, pb::OpSharding::k_shard_group_type, Part::kNone, 1},
    KnownField{Part::kSharding, pb::OpSharding::k_named_sharding, Part::kNamed},
    KnownField{Part::kMetadata, pb::OpMetadata::k_op_type},
    KnownField{Part::kMetadata, pb::OpMetadata::k_op_name},
    KnownField{Part::kMetadata, pb::OpMetadata::k_source_file},
    KnownField{Part::kMetadata, pb::OpMetadata::k_source_line},
    KnownField{Part::kMetadata, pb::OpMetadata::k_profile_type},
    KnownField{Part::kMetadata, pb::OpMetadata::k_deduplicated_name},
    KnownField{Part::kMetadata, pb::OpMetadata::k_stack_frame_id},
    KnownField{Part::kMetadata, pb::OpMetadata::k_scheduling_name},
    KnownField{Part::kMetadata, pb::OpMetadata::k_source_end_line},
    KnownField{Part::kMetadata, pb::OpMetadata::k_source_column},
    KnownField{Part::kMetadata, pb::OpMetadata::k_source_end_column},
    KnownField{Part::kMetadata, pb::OpMetadata::k_metadata_payload, Part::kPayload},
    KnownField{Part::kPayload, pb::Payload::k_value},
    KnownField{Part::kPayload, pb::Payload::k_id},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_mesh, Part::kMesh},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_dim_shardings, Part::kDimension},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_replicated_axes, Part::kAxis},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_unreduced_axes, Part::kAxis},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_manual_axes, Part::kAxis},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_metadata, Part::kMetadata},
    KnownField{Part::kNamed, pb::NamedShardingProto::k_reduction_op, Part::kNone, 2},
    KnownField{Part::kDimension, pb::DimensionSharding::k_axes, Part::kAxis},
    KnownField{Part::kDimension, pb::DimensionSharding::k_is_closed},
    KnownField{Part::kMesh, pb::MeshProto::k_axes, Part::kMeshAxis},
    KnownField{Part::kMesh, pb::MeshProto::k_device_ids},
    KnownField{Part::kMesh, pb::MeshProto::k_iota_transform, Part::kIota},
    KnownField{Part::kMeshAxis, pb::MeshAxisProto::k_name},
    KnownField{Part::kMeshAxis, pb::MeshAxisProto::k_size},
    KnownField{Part::kIota, pb::IotaTransform::k_reshape_dims},
    KnownField{Part::kIota, pb::IotaTransform::k_transpose_perm},
    KnownField{Part::kAxis, pb::AxisRefProto::k_mesh_axis_index},
    KnownField{Part::kAxis, pb::AxisRefProto::k_sub_axis_info, Part::kSubAxis},
    KnownField{Part::kSubAxis, pb::SubAxis::k_pre_size},
    KnownField{Part::kSubAxis, pb::SubAxis::k_size},
};

bool HasUnknown(std::string_view message, Part kind, int level) {
  if (level > kMaxLevels) return false;
  WireReader reader(message);
  while (reader.Next()) {
    const auto* known = std::find_if(kKnown.begin(), kKnown.end(), [&](const KnownField& each) {
      return each.message == kind && each.number == reader.field();
    });
    if (known == kKnown.end()) return true;
    std::string_view inner;
    if (known->part != Part::kNone) {
      if (reader.Get(inner) && HasUnknown(inner, known->part, level + 1)) return true;
    } else if (known->most != INT64_MAX) {
      std::vector<int64_t> values;
      reader.Append(values);
      if (std::any_of(values.begin(), values.end(),
                      [&](int64_t value) { return value < 0 || value > known->most; })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool HasUnknownParts(std::string_view op_sharding) {
  return HasUnknown(op_sharding, Part::kSharding, 0);
}

std::string KeptShardingText(std::string_view op_sharding) {
  std::string text(kBefore);
  text += CEscaped(op_sharding);
  text += kAfter;
  return text;
}

std::optional<std::string> KeptShardingBytes(std::string_view text) {
  if (!text.starts_with(kBefore) || !text.ends_with(kAfter) ||
      text.size() < kBefore.size() + kAfter.size()) {
    return std::nullopt;
  }
  text.remove_prefix(kBefore.size());
  text.remove_suffix(kAfter.size());
  return CUnescaped(text);
}

}  // namespace halo
