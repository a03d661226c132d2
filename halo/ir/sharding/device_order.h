// The order in which devices fill a grid: plain iota, the iota of a reshaped and transposed grid
// ([4,2]T(1,0)), or an explicit list. Iota forms stay symbolic, however many devices they
// represent. Only ExpandOrder lists individual devices, up to the caller's limit.
#ifndef HALO_IR_SHARDING_DEVICE_ORDER_H_
#define HALO_IR_SHARDING_DEVICE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/sharding/scanner.h"

namespace halo {

struct DeviceOrder {
  // Iota: 0, 1, 2, ... laid out as `reshape`, with its dimensions permuted by `transpose` (same
  // length), then flattened. Unused if `devices` is not empty.
  std::vector<int64_t> reshape;
  std::vector<int64_t> transpose;
  std::vector<int64_t> devices;

  [[nodiscard]] bool is_list() const { return !devices.empty(); }
  // One dimension: plain iota order.
  [[nodiscard]] bool is_plain() const { return !is_list() && reshape.size() == 1; }
  friend bool operator==(const DeviceOrder&, const DeviceOrder&) = default;
};

DeviceOrder PlainOrder(int64_t count);

// Product of all extents; nullopt if an extent is negative or the product overflows int64.
std::optional<int64_t> CheckedProduct(std::span<const int64_t> extents);

// Parses "[8]" or "[4,2]T(1,0)". Sets `why` on failure.
bool ParseIotaOrder(Scanner& scan, DeviceOrder& order, std::string* why);
void PrintDeviceOrder(const DeviceOrder& order, TextBuffer& out);
void PrintIntList(std::span<const int64_t> values, TextBuffer& out);

// Merges iota dimensions that stay adjacent and drops those of size one.
void SimplifyOrder(DeviceOrder& order);

// The individual devices; nullopt if there are more than `limit`.
std::optional<std::vector<int64_t>> ExpandOrder(const DeviceOrder& order, size_t limit);

// The order that fills the grid `dims` after its dimensions are permuted. A symbolic order stays
// symbolic where XLA keeps it so; nullopt if the result can only be written as a list.
std::optional<DeviceOrder> TransposeOrder(const DeviceOrder& order, std::span<const int64_t> dims,
                                          std::span<const int64_t> permutation);

// Permutes the dimensions of `values`, which is row-major with shape `dims`.
std::vector<int64_t> TransposeGrid(std::span<const int64_t> values, std::span<const int64_t> dims,
                                   std::span<const int64_t> permutation);

}  // namespace halo

#endif  // HALO_IR_SHARDING_DEVICE_ORDER_H_
