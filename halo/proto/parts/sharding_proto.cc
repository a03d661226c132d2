// OpSharding and NamedShardingProto, one function per message and direction.
#include "halo/proto/parts/sharding_proto.h"

#include <algorithm>
#include <array>
#include <string>

#include "halo/base/strings/escape.h"
#include "halo/proto/parts/mesh_proto.h"
#include "halo/proto/wire/fields.h"

namespace halo {
namespace {

// More than in any real value, and small enough to be harmless.
constexpr size_t kMaxDimensions = 256;

// OpSharding.Type
enum : int64_t {
  kTypeReplicated = 0,
  kTypeMaximal = 1,
  kTypeTuple = 2,
  kTypeOther = 3,
  kTypeManual = 4,
  kTypeUnknown = 5,
  kTypeUnreduced = 6,
};

// ---- Metadata of shardings, as name and text

std::string Quoted(std::string_view text) { return '"' + CEscaped(text) + '"'; }

bool ReadMetadata(std::string_view proto, ShardingMetadata& metadata) {
  using pb::OpMetadata;
  std::vector<int64_t> profile_types;
  WireReader reader(proto);
  while (reader.Next()) {
    std::string_view text;
    int64_t number = 0;
    const auto string = [&](const char* name) {
      if (reader.Get(text) && !text.empty()) metadata.emplace_back(name, Quoted(text));
    };
    const auto integer = [&](const char* name) {
      if (reader.Get(number) && number != 0) metadata.emplace_back(name, std::to_string(number));
    };
    switch (reader.field()) {
      case OpMetadata::k_op_type: string("op_type"); break;
      case OpMetadata::k_op_name: string("op_name"); break;
      case OpMetadata::k_source_file: string("source_file"); break;
      case OpMetadata::k_source_line: integer("source_line"); break;
      case OpMetadata::k_source_end_line: integer("source_end_line"); break;
      case OpMetadata::k_source_column: integer("source_column"); break;
      case OpMetadata::k_source_end_column: integer("source_end_column"); break;
      case OpMetadata::k_profile_type: reader.Append(profile_types); break;
      case OpMetadata::k_deduplicated_name: string("deduplicated_name"); break;
      case OpMetadata::k_scheduling_name: string("scheduling_name"); break;
      case OpMetadata::k_stack_frame_id: integer("stack_frame_id"); break;
      default: break;
    }
  }
  if (!profile_types.empty()) {
    TextBuffer list;
    list << '{';
    PrintIntList(profile_types, list);
    list << '}';
    metadata.emplace_back("profile_type", list.str());
  }
  return reader.ok();
}

void WriteMetadata(uint32_t field, const ShardingMetadata& metadata, WireWriter& out) {
  using pb::OpMetadata;
  const size_t mark = out.Begin(field);
  for (const auto& [name, value] : metadata) {
    Scanner scan(value);
    const auto string = [&](uint32_t number) {
      if (const auto text = scan.Quoted()) out.BytesIf(number, *text);
    };
    const auto integer = [&](uint32_t number) { out.IntIf(number, scan.Int().value_or(0)); };
    if (name == "op_type") string(OpMetadata::k_op_type);
    if (name == "op_name") string(OpMetadata::k_op_name);
    if (name == "source_file") string(OpMetadata::k_source_file);
    if (name == "source_line") integer(OpMetadata::k_source_line);
    if (name == "source_end_line") integer(OpMetadata::k_source_end_line);
    if (name == "source_column") integer(OpMetadata::k_source_column);
    if (name == "source_end_column") integer(OpMetadata::k_source_end_column);
    if (name == "deduplicated_name") string(OpMetadata::k_deduplicated_name);
    if (name == "scheduling_name") string(OpMetadata::k_scheduling_name);
    if (name == "stack_frame_id") integer(OpMetadata::k_stack_frame_id);
    std::vector<int64_t> types;
    if (name == "profile_type" && scan.Eat('{') && scan.Ints(types)) {
      out.PackedInts(OpMetadata::k_profile_type, types);
    }
  }
  out.End(mark);
}

// ---- Named shardings

// True if `refs` names every axis, in order. Axes of size one may be omitted.
bool NamesWholeMesh(const Mesh& mesh, const std::vector<AxisRef>& refs) {
  size_t next = 0;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (next < refs.size() && refs[next].axis == static_cast<int64_t>(i) && !refs[next].is_part()) {
      ++next;
    } else if (mesh.axes[i].size != 1) {
      return false;
    }
  }
  return !refs.empty() && next == refs.size();
}

std::vector<AxisRef> WholeMesh(const Mesh& mesh) {
  std::vector<AxisRef> refs;
  for (size_t i = 0; i < mesh.axes.size(); ++i) refs.push_back({static_cast<int64_t>(i), 0, 0});
  return refs;
}

// If no dimensions are listed, a sharding of the whole value is written as one word.
void ChooseForm(Sharding& sharding) {
  if (sharding.mesh.only_device || !sharding.dimensions.empty()) return;
  if (NamesWholeMesh(sharding.mesh, sharding.manual_axes)) {
    sharding.form = NamedForm::kManual;
    sharding.manual_axes.clear();
  } else if (NamesWholeMesh(sharding.mesh, sharding.unreduced_axes)) {
    sharding.form = NamedForm::kUnreduced;
    sharding.unreduced_axes.clear();
  } else if (sharding.manual_axes.empty() && sharding.unreduced_axes.empty() &&
             sharding.replicated_axes.empty()) {
    sharding.form = NamedForm::kReplicated;
  }
}

bool ReadNamed(std::string_view proto, Sharding& sharding) {
  using pb::NamedShardingProto;
  sharding.kind = ShardingKind::kNamed;
  std::string_view mesh;
  std::vector<std::string_view> dimensions, replicated, unreduced, manual;
  int64_t reduction = 0;
  WireReader reader(proto);
  while (reader.Next()) {
    std::string_view text;
    switch (reader.field()) {
      case NamedShardingProto::k_mesh: reader.Get(mesh); break;
      case NamedShardingProto::k_dim_shardings: reader.Append(dimensions); break;
      case NamedShardingProto::k_replicated_axes: reader.Append(replicated); break;
      case NamedShardingProto::k_unreduced_axes: reader.Append(unreduced); break;
      case NamedShardingProto::k_manual_axes: reader.Append(manual); break;
      case NamedShardingProto::k_reduction_op: reader.Get(reduction); break;
      case NamedShardingProto::k_metadata:
        if (reader.Get(text) && !ReadMetadata(text, sharding.metadata.emplace_back())) return false;
        break;
      default: break;
    }
  }
  if (!reader.ok() || !ReadMesh(mesh, sharding.mesh)) return false;
  if (dimensions.size() > kMaxDimensions) return false;
  for (const std::string_view dimension : dimensions) {
    DimensionAxes& axes = sharding.dimensions.emplace_back();
    std::vector<std::string_view> refs;
    bool closed = false;
    WireReader fields(dimension);
    while (fields.Next()) {
      if (fields.field() == pb::DimensionSharding::k_axes) fields.Append(refs);
      if (fields.field() == pb::DimensionSharding::k_is_closed) fields.Get(closed);
    }
    axes.open = !closed;
    if (!fields.ok() || !ReadAxisRefs(refs, sharding.mesh, axes.axes)) return false;
  }
  if (reduction == 1) sharding.reduction = Reduction::kMax;
  if (reduction == 2) sharding.reduction = Reduction::kMin;
  if (!ReadAxisRefs(replicated, sharding.mesh, sharding.replicated_axes) ||
      !ReadAxisRefs(unreduced, sharding.mesh, sharding.unreduced_axes) ||
      !ReadAxisRefs(manual, sharding.mesh, sharding.manual_axes)) {
    return false;
  }
  ChooseForm(sharding);
  return true;
}

void WriteNamed(const Sharding& sharding, WireWriter& out) {
  using pb::NamedShardingProto;
  const size_t mark = out.Begin(pb::OpSharding::k_named_sharding);
  WriteMesh(NamedShardingProto::k_mesh, sharding.mesh, out);
  for (const DimensionAxes& dimension : sharding.dimensions) {
    const size_t inner = out.Begin(NamedShardingProto::k_dim_shardings);
    WriteAxisRefs(pb::DimensionSharding::k_axes, dimension.axes, out);
    out.BoolIf(pb::DimensionSharding::k_is_closed, !dimension.open);
    out.End(inner);
  }
  WriteAxisRefs(NamedShardingProto::k_replicated_axes, sharding.replicated_axes, out);
  const bool whole_unreduced =
      sharding.form == NamedForm::kUnreduced && sharding.unreduced_axes.empty();
  WriteAxisRefs(NamedShardingProto::k_unreduced_axes,
                whole_unreduced ? WholeMesh(sharding.mesh) : sharding.unreduced_axes, out);
  for (const ShardingMetadata& metadata : sharding.metadata) {
    WriteMetadata(NamedShardingProto::k_metadata, metadata, out);
  }
  const bool whole_manual = sharding.form == NamedForm::kManual && sharding.manual_axes.empty();
  WriteAxisRefs(NamedShardingProto::k_manual_axes,
                whole_manual ? WholeMesh(sharding.mesh) : sharding.manual_axes, out);
  out.IntIf(NamedShardingProto::k_reduction_op, static_cast<int64_t>(sharding.reduction));
  out.End(mark);
}

// ---- Tiled shardings

bool ReadSubgroups(const std::vector<int64_t>& types, std::vector<SubgroupKind>& subgroups) {
  for (const int64_t type : types) {
    switch (type) {
      case kTypeReplicated: subgroups.push_back(SubgroupKind::kReplicated); break;
      case kTypeMaximal: subgroups.push_back(SubgroupKind::kMaximal); break;
      case kTypeManual: subgroups.push_back(SubgroupKind::kManual); break;
      case kTypeUnreduced: subgroups.push_back(SubgroupKind::kUnreduced); break;
      default: return false;
    }
  }
  return true;
}

int64_t TypeOf(SubgroupKind kind) {
  switch (kind) {
    case SubgroupKind::kReplicated: return kTypeReplicated;
    case SubgroupKind::kMaximal: return kTypeMaximal;
    case SubgroupKind::kManual: return kTypeManual;
    case SubgroupKind::kUnreduced: return kTypeUnreduced;
  }
  return kTypeReplicated;
}

bool FinishTiled(Sharding& sharding) {
  const bool one_device =
      sharding.order.is_list()
          ? sharding.order.devices.size() == 1
          : std::all_of(sharding.order.reshape.begin(), sharding.order.reshape.end(),
                        [](int64_t size) { return size == 1; });
  if (one_device && (sharding.order.is_list() || !sharding.order.reshape.empty())) {
    sharding.kind = ShardingKind::kReplicated;
    sharding.tile_dims.clear();
    sharding.order = {};
    sharding.subgroups.clear();
    return true;
  }
  sharding.kind = ShardingKind::kTiled;
  const auto tiles = CheckedProduct(sharding.tile_dims);
  if (!tiles || sharding.tile_dims.empty()) return false;
  if (sharding.subgroups.size() > sharding.tile_dims.size()) return false;
  if (sharding.order.is_list()) {
    return static_cast<int64_t>(sharding.order.devices.size()) == *tiles;
  }
  return IsIota(sharding.order) && CheckedProduct(sharding.order.reshape) == tiles;
}

bool ReadOne(std::string_view proto, Sharding& sharding, bool in_tuple) {
  using pb::OpSharding;
  int64_t type = 0, group_type = 0;
  bool is_group = false, replicate_last = false;
  std::string_view named;
  std::vector<int64_t> last_tile_dims;
  std::vector<std::string_view> elements;
  WireReader reader(proto);
  while (reader.Next()) {
    std::string_view text;
    switch (reader.field()) {
      case OpSharding::k_type: reader.Get(type); break;
      case OpSharding::k_tile_assignment_dimensions: reader.Append(sharding.tile_dims); break;
      case OpSharding::k_tile_assignment_devices: reader.Append(sharding.order.devices); break;
      case OpSharding::k_tuple_shardings: reader.Append(elements); break;
      case OpSharding::k_replicate_on_last_tile_dim: reader.Get(replicate_last); break;
      case OpSharding::k_metadata:
        if (reader.Get(text) && !ReadMetadata(text, sharding.metadata.emplace_back())) return false;
        break;
      case OpSharding::k_last_tile_dims: reader.Append(last_tile_dims); break;
      case OpSharding::k_iota_reshape_dims: reader.Append(sharding.order.reshape); break;
      case OpSharding::k_iota_transpose_perm: reader.Append(sharding.order.transpose); break;
      case OpSharding::k_is_shard_group: reader.Get(is_group); break;
      case OpSharding::k_shard_group_id: reader.Get(sharding.group_id); break;
      case OpSharding::k_shard_group_type: reader.Get(group_type); break;
      case OpSharding::k_named_sharding: reader.Get(named); break;
      default: break;
    }
  }
  if (!reader.ok()) return false;
  if (named.data() != nullptr) {
    sharding = Sharding();
    return ReadNamed(named, sharding);
  }
  if (is_group) sharding.group = group_type == 1 ? ShardGroupKind::kLike : ShardGroupKind::kAs;
  switch (type) {
    case kTypeReplicated: sharding.kind = ShardingKind::kReplicated; return true;
    case kTypeManual: sharding.kind = ShardingKind::kManual; return true;
    case kTypeUnknown: sharding.kind = ShardingKind::kUnknown; return true;
    case kTypeUnreduced: sharding.kind = ShardingKind::kUnreduced; return true;
    case kTypeMaximal:
      if (sharding.order.devices.size() != 1) return false;
      sharding.kind = ShardingKind::kMaximal;
      sharding.device = sharding.order.devices[0];
      return true;
    case kTypeTuple:
      if (in_tuple) return false;
      sharding.kind = ShardingKind::kTuple;
      for (const std::string_view element : elements) {
        if (!ReadOne(element, sharding.elements.emplace_back(), true)) return false;
      }
      return true;
    case kTypeOther:
      if (!ReadSubgroups(last_tile_dims, sharding.subgroups)) return false;
      if (replicate_last) sharding.subgroups.push_back(SubgroupKind::kReplicated);
      return FinishTiled(sharding);
    default: return false;
  }
}

void WriteTiled(const Sharding& sharding, WireWriter& out) {
  using pb::OpSharding;
  out.Int(OpSharding::k_type, kTypeOther);
  out.PackedInts(OpSharding::k_tile_assignment_dimensions, sharding.tile_dims);
  out.PackedInts(OpSharding::k_tile_assignment_devices, sharding.order.devices);
  const bool one_replicated =
      sharding.subgroups.size() == 1 && sharding.subgroups[0] == SubgroupKind::kReplicated;
  out.BoolIf(OpSharding::k_replicate_on_last_tile_dim, one_replicated);
  if (!one_replicated) {
    std::vector<int64_t> types;
    for (const SubgroupKind kind : sharding.subgroups) types.push_back(TypeOf(kind));
    out.PackedInts(OpSharding::k_last_tile_dims, types);
  }
  if (!sharding.order.is_list()) {
    out.PackedInts(OpSharding::k_iota_reshape_dims, sharding.order.reshape);
    out.PackedInts(OpSharding::k_iota_transpose_perm, sharding.order.transpose);
  }
}

}  // namespace

std::optional<Sharding> ReadOpSharding(std::string_view proto) {
  Sharding sharding;
  if (!ReadOne(proto, sharding, false)) return std::nullopt;
  return sharding;
}

bool PrintOpSharding(std::string_view proto, size_t leaves, TextBuffer& out) {
  int64_t type = 0;
  WireReader reader(proto);
  while (reader.Next()) {
    if (reader.field() == pb::OpSharding::k_type) reader.Get(type);
    if (reader.field() == pb::OpSharding::k_named_sharding) type = kTypeOther;
  }
  if (!reader.ok()) return false;
  const auto print = [](std::string_view one, TextBuffer& text) {
    Sharding sharding;
    if (!ReadOne(one, sharding, true)) return false;
    CanonicalizeSharding(sharding);
    PrintSharding(sharding, text);
    return true;
  };
  if (type != kTypeTuple && leaves == 0) return print(proto, out);
  out << '{';
  if (type == kTypeTuple) {
    size_t index = 0;
    WireReader elements(proto);
    while (elements.Next()) {
      std::string_view element;
      if (elements.field() != pb::OpSharding::k_tuple_shardings || !elements.Get(element)) continue;
      PrintTupleSeparator(index++, out);
      if (!print(element, out)) return false;
    }
  } else {
    TextBuffer text;
    if (!print(proto, text)) return false;
    for (size_t i = 0; i < leaves; ++i) {
      PrintTupleSeparator(i, out);
      out << text.view();
    }
  }
  out << '}';
  return true;
}

namespace {

// Without a mesh, the message has no other place for it; XLA writes and reads it here.
void WriteReductionAsMetadata(Reduction reduction, WireWriter& out) {
  if (reduction == Reduction::kSum) return;
  const ShardingMetadata metadata = {
      {"op_type", "\"sdy::reduction_op\""},
      {"op_name", reduction == Reduction::kMax ? "\"MAX\"" : "\"MIN\""}};
  WriteMetadata(pb::OpSharding::k_metadata, metadata, out);
}

}  // namespace

void WriteOpSharding(const Sharding& sharding, WireWriter& out) {
  using pb::OpSharding;
  switch (sharding.kind) {
    case ShardingKind::kReplicated: break;
    case ShardingKind::kManual: out.Int(OpSharding::k_type, kTypeManual); break;
    case ShardingKind::kUnknown: out.Int(OpSharding::k_type, kTypeUnknown); break;
    case ShardingKind::kUnreduced:
      out.Int(OpSharding::k_type, kTypeUnreduced);
      WriteReductionAsMetadata(sharding.reduction, out);
      break;
    case ShardingKind::kMaximal:
      out.Int(OpSharding::k_type, kTypeMaximal);
      out.PackedInts(OpSharding::k_tile_assignment_devices, std::array{sharding.device});
      break;
    case ShardingKind::kTiled: WriteTiled(sharding, out); break;
    case ShardingKind::kNamed: return WriteNamed(sharding, out);
    case ShardingKind::kTuple:
      out.Int(OpSharding::k_type, kTypeTuple);
      for (const Sharding& element : sharding.elements) {
        const size_t mark = out.Begin(OpSharding::k_tuple_shardings);
        WriteOpSharding(element, out);
        out.End(mark);
      }
      return;
  }
  for (const ShardingMetadata& metadata : sharding.metadata) {
    WriteMetadata(OpSharding::k_metadata, metadata, out);
  }
  if (sharding.group == ShardGroupKind::kNone) return;
  out.BoolIf(OpSharding::k_is_shard_group, true);
  out.IntIf(OpSharding::k_shard_group_id, sharding.group_id);
  out.IntIf(OpSharding::k_shard_group_type, sharding.group == ShardGroupKind::kLike ? 1 : 0);
}

}  // namespace halo
