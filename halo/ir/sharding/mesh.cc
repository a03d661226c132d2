// Parses and prints meshes and axis references.
#include "halo/ir/sharding/mesh.h"

#include <charconv>

namespace halo {
namespace {

bool Fail(std::string* why, std::string text) {
  if (why != nullptr) *why = std::move(text);
  return false;
}

bool Contradiction(Scanner& scan, std::string* why, std::string text) {
  scan.MarkContradiction();
  return Fail(why, std::move(text));
}

bool EatOneDevice(Scanner& scan) {
  return scan.EatWord("single_device") || scan.EatWord("maximal_mesh");
}

bool ParseDeviceIds(Scanner& scan, Mesh& mesh, std::string* why) {
  if (!scan.Eat('=') || !scan.Eat('(')) return Fail(why, "expected =( after device_ids");
  const auto count = CheckedProduct(mesh.sizes());
  if (scan.Peek() == '[') {
    if (!ParseIotaOrder(scan, mesh.order, why)) return false;
    if (CheckedProduct(mesh.order.reshape) != count) {
      return Contradiction(scan, why,
                           "device_ids and the mesh's axes name different numbers of devices");
    }
  } else {
    if (!scan.Ints(mesh.order.devices)) return Fail(why, "expected device numbers in device_ids");
    if (static_cast<int64_t>(mesh.order.devices.size()) != count) {
      return Contradiction(scan, why,
                           "device_ids and the mesh's axes name different numbers of devices");
    }
  }
  return scan.Eat(')') || Fail(why, "expected ) at the end of device_ids");
}

}  // namespace

std::vector<int64_t> Mesh::sizes() const {
  std::vector<int64_t> out;
  out.reserve(axes.size());
  for (const MeshAxis& axis : axes) out.push_back(axis.size);
  return out;
}

bool AtMesh(Scanner& scan) {
  const char next = scan.Peek();
  const size_t before = scan.position();
  const bool found = (next == 'm' || next == 's') && (scan.EatWord("mesh") || EatOneDevice(scan));
  scan.Rewind(before);
  return found;
}

bool ParseMesh(Scanner& scan, Mesh& mesh, std::string* why) {
  if (EatOneDevice(scan)) {
    if (!scan.Eat('[') || !scan.EatWord("device_id") || !scan.Eat('=')) {
      return Fail(why, "expected [device_id=N] after single_device");
    }
    mesh.only_device = scan.Int();
    return (mesh.only_device && scan.Eat(']')) || Fail(why, "expected a device number");
  }
  if (!scan.EatWord("mesh") || !scan.Eat('[')) return Fail(why, "expected mesh[");
  if (!scan.Eat(']')) {
    do {
      auto name = scan.Quoted();
      if (!name || !scan.Eat('=')) return Fail(why, "expected 'axis'=size in mesh[...]");
      const auto size = scan.Int();
      if (!size) return Fail(why, "expected the size of a mesh axis");
      mesh.axes.push_back({std::move(*name), *size});
    } while (scan.Eat(','));
    if (!scan.Eat(']')) return Fail(why, "expected ] after the axes of a mesh");
  }
  const auto count = CheckedProduct(mesh.sizes());
  if (!count) return Contradiction(scan, why, "the mesh is too large or has a negative axis");
  const size_t before = scan.position();
  if (scan.Eat(',') && scan.EatWord("device_ids")) return ParseDeviceIds(scan, mesh, why);
  scan.Rewind(before);
  if (!mesh.axes.empty()) mesh.order = PlainOrder(*count);
  return true;
}

bool ParseAxisRef(Scanner& scan, const Mesh& mesh, AxisRef& ref, std::string* why) {
  const auto name = scan.Quoted();
  if (!name) return Fail(why, "expected the name of a mesh axis in quotes");
  size_t found = 0;
  while (found < mesh.axes.size() && mesh.axes[found].name != *name) ++found;
  if (found == mesh.axes.size()) {
    // An axis may also be given by its position.
    const auto [end, error] = std::from_chars(name->data(), name->data() + name->size(), found);
    if (error != std::errc() || end != name->data() + name->size() || found >= mesh.axes.size()) {
      return Contradiction(scan, why, "the mesh has no axis '" + *name + "'");
    }
  }
  ref = AxisRef{static_cast<int64_t>(found), 0, 0};
  if (!scan.Eat(':')) return true;
  const bool opened = scan.Eat('(');
  const auto pre_size = opened ? scan.Int() : std::nullopt;
  const auto size = pre_size && scan.Eat(')') ? scan.Int() : std::nullopt;
  if (!size || *size < 1 || *pre_size < 1) {
    return Fail(why, "expected (preceding)size, both positive, after an axis name and ':'");
  }
  ref.pre_size = *pre_size;
  ref.size = *size;
  return true;
}

bool ParseAxisRefs(Scanner& scan, const Mesh& mesh, std::vector<AxisRef>& refs, std::string* why) {
  if (!scan.Eat('{')) return Fail(why, "expected { before a list of mesh axes");
  if (scan.Eat('}')) return true;
  do {
    if (!ParseAxisRef(scan, mesh, refs.emplace_back(), why)) return false;
  } while (scan.Eat(','));
  return scan.Eat('}') || Fail(why, "expected } after a list of mesh axes");
}

void PrintMesh(const Mesh& mesh, TextBuffer& out) {
  if (mesh.only_device) {
    out << "single_device[device_id=" << *mesh.only_device << ']';
    return;
  }
  out << "mesh[";
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (i != 0) out << ',';
    out << '\'' << mesh.axes[i].name << "'=" << mesh.axes[i].size;
  }
  out << ']';
  if (mesh.axes.empty() || mesh.order.is_plain()) return;
  out << ", device_ids=(";
  PrintDeviceOrder(mesh.order, out);
  out << ')';
}

void PrintAxisRef(const Mesh& mesh, const AxisRef& ref, TextBuffer& out) {
  out << '\'' << mesh.axes[static_cast<size_t>(ref.axis)].name << '\'';
  if (ref.is_part()) out << ":(" << ref.pre_size << ')' << ref.size;
}

void PrintAxisRefs(const Mesh& mesh, const std::vector<AxisRef>& refs, std::string_view separator,
                   TextBuffer& out) {
  out << '{';
  for (size_t i = 0; i < refs.size(); ++i) {
    if (i != 0) out << separator;
    PrintAxisRef(mesh, refs[i], out);
  }
  out << '}';
}

}  // namespace halo
