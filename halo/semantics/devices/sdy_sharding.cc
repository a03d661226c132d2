// Reads what manual computations need: meshes and closed dimensions. Sub-axes, and meshes that list
// their devices, are supported only as far as the text states them explicitly.
#include "halo/semantics/devices/sdy_sharding.h"

#include <algorithm>

#include "halo/ir/frontend_attributes.h"
#include "halo/ir/sharding/scanner.h"

namespace halo {
namespace {

// The text may still contain its escapes or not.
std::string WithoutEscapes(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '\\') plain += c;
  }
  return plain;
}

std::optional<std::string> Quoted(Scanner& scan) {
  if (!scan.Eat('"')) return std::nullopt;
  std::string name(scan.Word());
  if (!scan.Eat('"')) return std::nullopt;
  return name;
}

// name = #sdy.mesh<["x"=2, "y"=4], device_ids=[...]>
std::optional<Mesh> ReadMesh(Scanner& scan) {
  Mesh mesh;
  if (!scan.Eat("#sdy.mesh<") || !scan.Eat('[')) return std::nullopt;
  int64_t count = 1;
  while (!scan.Eat(']')) {
    std::optional<std::string> name = Quoted(scan);
    const std::optional<int64_t> size = name && scan.Eat('=') ? scan.Int() : std::nullopt;
    if (!size || *size <= 0 || __builtin_mul_overflow(count, *size, &count)) return std::nullopt;
    mesh.axes.push_back({std::move(*name), *size});
    scan.Eat(',');
  }
  mesh.order = PlainOrder(count);
  if (scan.Eat(',')) {
    if (!scan.Eat("device_ids") || !scan.Eat('=') || !scan.Eat('[')) return std::nullopt;
    mesh.order = {};
    if (!scan.Ints(mesh.order.devices) || !scan.Eat(']')) return std::nullopt;
  }
  if (!scan.Eat('>')) return std::nullopt;
  return mesh;
}

std::optional<Mesh> FindMesh(const Module& module, std::string_view wanted) {
  const std::string text =
      WithoutEscapes(FrontendAttribute(module, module.attrs, "xla.sdy.meshes").value_or(""));
  Scanner scan(text);
  if (!scan.Eat('{')) return std::nullopt;
  while (!scan.AtEnd() && scan.Peek() != '}') {
    const std::string_view name = scan.Word();
    if (name.empty() || !scan.Eat('=')) return std::nullopt;
    std::optional<Mesh> mesh = ReadMesh(scan);
    if (!mesh || name == wanted) return mesh;
    scan.Eat(',');
  }
  return std::nullopt;
}

class ShardingReader {
 public:
  ShardingReader(const Module& module, Scanner& scan, const std::vector<std::string>* only_axes)
      : module_(module), scan_(scan), only_axes_(only_axes) {}

  // <@mesh, [{"x"}, {}], replicated={...}>
  std::optional<Sharding> Read() {
    if (!scan_.Eat('<') || !scan_.Eat('@')) return std::nullopt;
    const std::optional<Mesh> mesh = FindMesh(module_, scan_.Word());
    if (!mesh || !scan_.Eat(',') || !scan_.Eat('[')) return std::nullopt;
    Sharding sharding;
    sharding.kind = ShardingKind::kNamed;
    sharding.mesh = *mesh;
    while (!scan_.Eat(']')) {
      if (!ReadDimension(sharding)) return std::nullopt;
      scan_.Eat(',');
    }
    if (scan_.Eat(',')) {  // replicated={...}: shards nothing
      while (!scan_.AtEnd() && !scan_.Eat('}')) {
        if (scan_.Word().empty() && !scan_.Eat('"') && !scan_.Eat(',') && !scan_.Eat('=') &&
            !scan_.Eat('{')) {
          return std::nullopt;
        }
      }
    }
    if (!scan_.Eat('>')) return std::nullopt;
    return sharding;
  }

 private:
  bool ReadDimension(Sharding& sharding) {
    DimensionAxes dimension;
    if (!scan_.Eat('{')) return false;
    while (!scan_.Eat('}')) {
      if (scan_.Eat('?')) {
        dimension.open = true;
      } else {
        const std::optional<std::string> name = Quoted(scan_);
        const auto axis = std::ranges::find(sharding.mesh.axes, name.value_or(""), &MeshAxis::name);
        if (!name || axis == sharding.mesh.axes.end()) return false;
        const bool counts =
            only_axes_ == nullptr || std::ranges::find(*only_axes_, *name) != only_axes_->end();
        if (counts) dimension.axes.push_back({axis - sharding.mesh.axes.begin(), 0, 0});
      }
      scan_.Eat(',');
    }
    if (scan_.Peek() == 'p') (void)scan_.Word();  // a priority
    sharding.dimensions.push_back(std::move(dimension));
    return true;
  }

  const Module& module_;
  Scanner& scan_;
  const std::vector<std::string>* only_axes_;
};

}  // namespace

std::optional<std::vector<Sharding>> ReadSdyShardings(const Module& module, std::string_view text,
                                                      const std::vector<std::string>* only_axes) {
  const std::string plain = WithoutEscapes(text);
  Scanner scan(plain);
  if (!scan.Eat("#sdy.sharding_per_value<") || !scan.Eat('[')) return std::nullopt;
  std::vector<Sharding> shardings;
  while (!scan.Eat(']')) {
    std::optional<Sharding> sharding = ShardingReader(module, scan, only_axes).Read();
    if (!sharding) return std::nullopt;
    shardings.push_back(std::move(*sharding));
    scan.Eat(',');
  }
  return shardings;
}

std::vector<std::string> ReadSdyAxes(std::string_view text) {
  const std::string plain = WithoutEscapes(text);
  Scanner scan(plain);
  std::vector<std::string> axes;
  if (!scan.Eat("#sdy<manual_axes{")) return axes;
  while (std::optional<std::string> name = Quoted(scan)) {
    axes.push_back(std::move(*name));
    scan.Eat(',');
  }
  return axes;
}

}  // namespace halo
