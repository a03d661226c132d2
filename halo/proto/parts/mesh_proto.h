// Converts meshes, axis references and iota orders between their protos and halo/ir: the parts that
// shardings and replica groups share.
#ifndef HALO_PROTO_PARTS_MESH_PROTO_H_
#define HALO_PROTO_PARTS_MESH_PROTO_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/ir/sharding/mesh.h"
#include "halo/proto/wire/wire.h"

namespace halo {

// True if `order` is an iota order over a grid that fits in 64 bits.
bool IsIota(const DeviceOrder& order);

// False if the message is damaged or its devices do not fill its axes.
bool ReadMesh(std::string_view proto, Mesh& mesh);
// False if a reference is damaged or names no axis of the mesh.
bool ReadAxisRefs(const std::vector<std::string_view>& protos, const Mesh& mesh,
                  std::vector<AxisRef>& refs);

void WriteMesh(uint32_t field, const Mesh& mesh, WireWriter& out);
void WriteAxisRefs(uint32_t field, const std::vector<AxisRef>& refs, WireWriter& out);

}  // namespace halo

#endif  // HALO_PROTO_PARTS_MESH_PROTO_H_
