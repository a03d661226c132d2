// Writes new sizes into a module: shapes, attributes that state sizes, constants, configurations of
// library calls, the header. It decides nothing except what an attribute becomes.
#ifndef HALO_SHRINK_REWRITE_H_
#define HALO_SHRINK_REWRITE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/shrink/dims/device_axes.h"
#include "halo/shrink/dims/dim_table.h"
#include "halo/shrink/dims/new_sizes.h"
#include "halo/shrink/relations/relations.h"

namespace halo {

class SizeRewriter {
 public:
  // `module` is a copy of the one the table was built from.
  SizeRewriter(Module& module, const DimSpace& space, const DimTable& dims,
               const DeviceAxes& devices, const Relations& relations, const NewSizes& sizes);

  // Integer constants that are sizes: their new elements, before any are removed.
  std::unordered_map<uint32_t, std::vector<int64_t>> new_values;

  // Whether to state the number of devices in the header if it does not.
  bool state_devices = false;

  // Returns what cannot be rewritten, or nothing on success.
  std::optional<std::string> Run();

 private:
  using Dims = std::span<const DimId>;

  void Header();
  void Rewrite(InstId id);
  ShapeId NewShape(ShapeId shape, Dims dims);
  void Constant(InstId id);
  std::vector<uint8_t> SliceLiteral(ShapeId shape, Dims dims, std::span<const uint8_t> bits);
  Attr NewAttr(InstId id, const Attr& attr);
  Attr Slices(InstId id, const Attr& attr);
  Attr GatherSizes(InstId id, const Attr& attr);
  Attr Padding(InstId id, const Attr& attr);
  Attr Windows(InstId id, const Attr& attr);
  Attr Constraints(InstId id, const Attr& attr);
  Attr Config(InstId id, const Attr& attr);
  // rewrite_devices.cc
  void PrepareDevices();
  Attr Groups(InstId id, const Attr& attr);
  Attr Pairs(InstId id, const Attr& attr);
  Attr Sharding(InstId id, const Attr& attr);
  bool FewerTiles(halo::Sharding& sharding) const;

  [[nodiscard]] Dims of(InstId id) const { return dims_.of(id); }
  [[nodiscard]] Dims operand_dims(InstId id, size_t i) const {
    return of(module_.operands_of(module_.inst(id))[i]);
  }
  void Refuse(InstId id, const std::string& why);

  Module& module_;
  const DimSpace& space_;
  const DimTable& dims_;
  const DeviceAxes& devices_;
  const NewSizes& sizes_;
  std::unordered_map<uint32_t, std::vector<const ConfigSize*>> configs_;
  bool fewer_devices_ = false;
  std::vector<int64_t> old_device_;  // by new device
  std::vector<int64_t> new_device_;  // by old device; -1: removed
  std::optional<std::string> refused_;
};

}  // namespace halo

#endif  // HALO_SHRINK_REWRITE_H_
