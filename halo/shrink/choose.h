// Chooses the new sizes: as requested by --dim and --devices, and otherwise the largest that fit in
// the allowed bytes, shrinking first the sizes that the most bytes depend on.
#ifndef HALO_SHRINK_CHOOSE_H_
#define HALO_SHRINK_CHOOSE_H_

#include <optional>
#include <string>
#include <vector>

#include "halo/shrink/dims/device_axes.h"
#include "halo/shrink/dims/dim_space.h"
#include "halo/shrink/dims/new_sizes.h"
#include "halo/shrink/estimate.h"
#include "halo/shrink/relations/relations.h"
#include "halo/shrink/shrink.h"

namespace halo {

class Chooser {
 public:
  Chooser(const Module& module, DimSpace& space, const DimTable& dims, const DeviceAxes& devices,
          const Relations& relations, const Estimate& estimate);

  // Returns why the request cannot be met, or nothing if `sizes` meets it.
  std::optional<std::string> Choose(const ShrinkOptions& options, NewSizes& sizes);

  // The undivided nodes in values, by first appearance; device axes come first.
  [[nodiscard]] const std::vector<DimId>& leaves() const { return leaves_; }
  [[nodiscard]] bool is_device(DimId leaf) const;

 private:
  std::optional<std::string> ChooseDevices(int64_t count, NewSizes& sizes);
  std::optional<std::string> ChooseDim(int64_t from, int64_t to, NewSizes& sizes);
  void Fit(const ShrinkOptions& options, NewSizes& sizes);
  // The next smaller size of a leaf; 0 if it would make a dimension too small.
  int64_t Smaller(size_t leaf, int64_t smallest, NewSizes& sizes) const;
  void KeepAtLeast(NewSizes& sizes);
  [[nodiscard]] bool IsFree(size_t leaf) const;
  [[nodiscard]] bool IsDependent(size_t leaf) const;
  [[nodiscard]] std::string WhyPinned(DimId leaf) const;
  size_t IndexOf(DimId leaf) const;

  const Module& module_;
  DimSpace& space_;
  const DimTable& dims_;
  const DeviceAxes& devices_;
  const Relations& relations_;
  const Estimate& estimate_;
  std::vector<DimId> leaves_;
  std::vector<DimId> device_leaves_;
  std::vector<bool> fixed_;
  std::vector<bool> small_;                       // mostly occurs alone, as a small dimension
  std::vector<std::vector<DimId>> dims_with_;     // per leaf, every distinct dimension once
  std::vector<std::vector<uint32_t>> leaves_of_;  // per instruction, as indices
};

}  // namespace halo

#endif  // HALO_SHRINK_CHOOSE_H_
