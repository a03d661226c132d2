// Meshes: devices arranged along named axes, and references to an axis or a part of one. Used by
// named shardings and by replica groups over a mesh.
#ifndef HALO_IR_SHARDING_MESH_H_
#define HALO_IR_SHARDING_MESH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/sharding/device_order.h"
#include "halo/ir/sharding/scanner.h"

namespace halo {

struct MeshAxis {
  std::string name;
  int64_t size = 0;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

struct Mesh {
  // single_device[device_id=N], once written maximal_mesh[device_id=N]; no other field is set.
  std::optional<int64_t> only_device;
  std::vector<MeshAxis> axes;
  DeviceOrder order;  // plain iota unless device_ids= is given; empty without axes

  [[nodiscard]] std::vector<int64_t> sizes() const;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

struct AxisRef {
  int64_t axis = 0;      // index into Mesh::axes
  int64_t pre_size = 0;  // sub-axis: the size before it, and its own size; size 0: the whole axis
  int64_t size = 0;

  [[nodiscard]] bool is_part() const { return size != 0; }
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};

// True if the text continues with a mesh.
bool AtMesh(Scanner& scan);
bool ParseMesh(Scanner& scan, Mesh& mesh, std::string* why);
bool ParseAxisRef(Scanner& scan, const Mesh& mesh, AxisRef& ref, std::string* why);
// {'a', 'b':(2)2}
bool ParseAxisRefs(Scanner& scan, const Mesh& mesh, std::vector<AxisRef>& refs, std::string* why);

void PrintMesh(const Mesh& mesh, TextBuffer& out);
void PrintAxisRef(const Mesh& mesh, const AxisRef& ref, TextBuffer& out);
void PrintAxisRefs(const Mesh& mesh, const std::vector<AxisRef>& refs, std::string_view separator,
                   TextBuffer& out);

}  // namespace halo

#endif  // HALO_IR_SHARDING_MESH_H_
