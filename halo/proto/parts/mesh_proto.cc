// The readers reject what the structs cannot print: axis numbers beyond the mesh, and grids that do
// not match their devices.
#include "halo/proto/parts/mesh_proto.h"

#include <array>

#include "halo/proto/wire/fields.h"

namespace halo {
namespace {

// More than in any real mesh, and small enough to be harmless.
constexpr size_t kMaxAxes = 256;

bool IsPermutation(const std::vector<int64_t>& values) {
  std::vector<bool> seen(values.size());
  for (const int64_t value : values) {
    if (value < 0 || static_cast<size_t>(value) >= values.size()) return false;
    if (seen[static_cast<size_t>(value)]) return false;
    seen[static_cast<size_t>(value)] = true;
  }
  return true;
}

bool ReadAxisRef(std::string_view proto, const Mesh& mesh, AxisRef& ref) {
  std::string_view part;
  WireReader reader(proto);
  while (reader.Next()) {
    if (reader.field() == pb::AxisRefProto::k_mesh_axis_index) reader.Get(ref.axis);
    if (reader.field() == pb::AxisRefProto::k_sub_axis_info) reader.Get(part);
  }
  if (!reader.ok() || ref.axis < 0 || static_cast<size_t>(ref.axis) >= mesh.axes.size()) {
    return false;
  }
  if (part.data() == nullptr) return true;
  WireReader fields(part);
  while (fields.Next()) {
    if (fields.field() == pb::SubAxis::k_pre_size) fields.Get(ref.pre_size);
    if (fields.field() == pb::SubAxis::k_size) fields.Get(ref.size);
  }
  return fields.ok() && ref.pre_size > 0 && ref.size > 0;
}

}  // namespace

bool IsIota(const DeviceOrder& order) {
  return !order.reshape.empty() && order.reshape.size() == order.transpose.size() &&
         IsPermutation(order.transpose) && CheckedProduct(order.reshape).has_value();
}

bool ReadMesh(std::string_view proto, Mesh& mesh) {
  using pb::MeshProto;
  std::string_view transform;
  WireReader reader(proto);
  while (reader.Next()) {
    std::string_view inner;
    switch (reader.field()) {
      case MeshProto::k_axes: {
        if (!reader.Get(inner)) break;
        if (mesh.axes.size() == kMaxAxes) return false;
        MeshAxis& axis = mesh.axes.emplace_back();
        WireReader fields(inner);
        while (fields.Next()) {
          std::string_view name;
          if (fields.field() == pb::MeshAxisProto::k_name && fields.Get(name)) axis.name = name;
          if (fields.field() == pb::MeshAxisProto::k_size) fields.Get(axis.size);
        }
        if (!fields.ok()) return false;
        break;
      }
      case MeshProto::k_device_ids: reader.Append(mesh.order.devices); break;
      case MeshProto::k_iota_transform: reader.Get(transform); break;
      default: break;
    }
  }
  if (!reader.ok()) return false;
  if (mesh.axes.empty()) {
    if (mesh.order.devices.size() == 1) mesh.only_device = mesh.order.devices[0];
    const bool fine = mesh.order.devices.size() <= 1;
    mesh.order = {};
    return fine;
  }
  const auto count = CheckedProduct(mesh.sizes());
  if (!count) return false;
  if (mesh.order.is_list()) return static_cast<int64_t>(mesh.order.devices.size()) == *count;
  if (transform.data() == nullptr) {
    mesh.order = PlainOrder(*count);
    return true;
  }
  WireReader fields(transform);
  while (fields.Next()) {
    if (fields.field() == pb::IotaTransform::k_reshape_dims) fields.Append(mesh.order.reshape);
    if (fields.field() == pb::IotaTransform::k_transpose_perm) fields.Append(mesh.order.transpose);
  }
  return fields.ok() && IsIota(mesh.order) && CheckedProduct(mesh.order.reshape) == count;
}

bool ReadAxisRefs(const std::vector<std::string_view>& protos, const Mesh& mesh,
                  std::vector<AxisRef>& refs) {
  refs.reserve(protos.size());
  for (const std::string_view proto : protos) {
    if (!ReadAxisRef(proto, mesh, refs.emplace_back())) return false;
  }
  return true;
}

void WriteMesh(uint32_t field, const Mesh& mesh, WireWriter& out) {
  using pb::MeshProto;
  const size_t mark = out.Begin(field);
  for (const MeshAxis& axis : mesh.axes) {
    const size_t inner = out.Begin(MeshProto::k_axes);
    out.BytesIf(pb::MeshAxisProto::k_name, axis.name);
    out.IntIf(pb::MeshAxisProto::k_size, axis.size);
    out.End(inner);
  }
  if (mesh.only_device) {
    out.PackedInts(MeshProto::k_device_ids, std::array{*mesh.only_device});
  } else if (mesh.order.is_list()) {
    out.PackedInts(MeshProto::k_device_ids, mesh.order.devices);
  } else if (mesh.order.reshape.size() > 1) {
    const size_t inner = out.Begin(MeshProto::k_iota_transform);
    out.PackedInts(pb::IotaTransform::k_reshape_dims, mesh.order.reshape);
    out.PackedInts(pb::IotaTransform::k_transpose_perm, mesh.order.transpose);
    out.End(inner);
  }
  out.End(mark);
}

void WriteAxisRefs(uint32_t field, const std::vector<AxisRef>& refs, WireWriter& out) {
  for (const AxisRef& ref : refs) {
    const size_t mark = out.Begin(field);
    out.IntIf(pb::AxisRefProto::k_mesh_axis_index, ref.axis);
    if (ref.is_part()) {
      const size_t inner = out.Begin(pb::AxisRefProto::k_sub_axis_info);
      out.Int(pb::SubAxis::k_pre_size, ref.pre_size);
      out.Int(pb::SubAxis::k_size, ref.size);
      out.End(inner);
    }
    out.End(mark);
  }
}

}  // namespace halo
