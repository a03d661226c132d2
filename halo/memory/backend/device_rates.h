// How fast a device is: bandwidths, peaks by element type, links to other devices. Data only; what
// share of a peak a program reaches is decided by the models in halo/cost/predict.
#ifndef HALO_MEMORY_BACKEND_DEVICE_RATES_H_
#define HALO_MEMORY_BACKEND_DEVICE_RATES_H_

#include <cstdint>
#include <string_view>

#include "halo/ir/types/element_type.h"

namespace halo {

enum class FigureSource : uint8_t {
  kUnknown,
#define HALO_FIGURE_SOURCE(name, text) k##name,
#include "halo/memory/backend/figure_sources.def"
};
std::string_view FigureSourceText(FigureSource source);

// A number and where it comes from; 0 if it is unknown.
struct Figure {
  double value = 0;
  FigureSource source = FigureSource::kUnknown;
};

// device_rates.def explains units.
struct DeviceRates {
  Figure bandwidth = {};  // of main memory, bytes per second
  Figure cache = {};      // bytes of the last cache before it
  Figure cores = {};
  Figure clock = {};  // Hz
  // Peaks of products in operations per second; f32 is also the peak of all other arithmetic.
  Figure f4 = {}, f8 = {}, s8 = {}, bf16 = {}, f16 = {}, tf32 = {}, f32 = {}, f64 = {};
  Figure link = {}, links = {};      // bytes per second of one; how many
  Figure hop = {};                   // seconds
  Figure network = {};               // bytes per second between nodes
  Figure node = {};                  // devices
  Figure chip = {}, chip_link = {};  // devices of a chip; bytes per second between them

  [[nodiscard]] bool known() const { return bandwidth.value > 0 && (bf16.value + f32.value) > 0; }
  // Bytes per second that a device sends to the others of its node.
  [[nodiscard]] double node_bandwidth() const { return link.value * links.value; }
};

// Calls visit(name, figure) for each figure; names are those of device files.
template <class Rates, class Visit>
void ForEachFigure(Rates& rates, const Visit& visit) {
  visit("bandwidth", rates.bandwidth);
  visit("cache", rates.cache);
  visit("cores", rates.cores);
  visit("clock", rates.clock);
  visit("f4", rates.f4);
  visit("f8", rates.f8);
  visit("s8", rates.s8);
  visit("bf16", rates.bf16);
  visit("f16", rates.f16);
  visit("tf32", rates.tf32);
  visit("f32", rates.f32);
  visit("f64", rates.f64);
  visit("link", rates.link);
  visit("links", rates.links);
  visit("hop", rates.hop);
  visit("network", rates.network);
  visit("node", rates.node);
  visit("chip", rates.chip);
  visit("chip_link", rates.chip_link);
}

// Rates of a device of devices.def by its exact name; nullptr if none are known.
const DeviceRates* FindDeviceRates(std::string_view name);

// The peak for products of this type. f32 products run as TF32 where the device can, unless full
// precision is asked for. A type that the device cannot multiply runs at the rate of a wider one.
Figure ProductPeak(const DeviceRates& rates, ElementType type, bool full_precision);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_DEVICE_RATES_H_
