// In which order devices fill a grid: row-major counting, counting through a reshaped and
// transposed grid ([4,2]T(1,0)), or a written list. The counting forms stay symbolic, however many
// devices they stand for; only Expand writes devices out, up to the caller's limit.
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
  // Counting: 0, 1, 2, ... laid out as `reshape`, its dimensions then taken in the order
  // `transpose` (same length), flattened. Not used if `devices` has any.
  std::vector<int64_t> reshape;
  std::vector<int64_t> transpose;
  std::vector<int64_t> devices;

  [[nodiscard]] bool is_list() const { return !devices.empty(); }
  // One dimension: plain counting.
  [[nodiscard]] bool is_plain() const { return !is_list() && reshape.size() == 1; }
  friend bool operator==(const DeviceOrder&, const DeviceOrder&) = default;
};

DeviceOrder PlainOrder(int64_t count);

// Product of all extents; nothing if one is negative or it passes int64.
std::optional<int64_t> CheckedProduct(std::span<const int64_t> extents);

// Reads "[8]" or "[4,2]T(1,0)". On failure says why.
bool ParseCountingOrder(Scanner& scan, DeviceOrder& order, std::string* why);
void PrintDeviceOrder(const DeviceOrder& order, TextBuffer& out);
void PrintIntList(std::span<const int64_t> values, TextBuffer& out);

// Merges counting dimensions that stay together and drops those of size one.
void SimplifyOrder(DeviceOrder& order);

// The devices one by one; nothing if there are more than `limit`.
std::optional<std::vector<int64_t>> ExpandOrder(const DeviceOrder& order, size_t limit);

// The order that fills the grid `dims` after its dimensions are permuted, kept symbolic if it is
// and XLA would keep it so; nothing if it can only be written as a list.
std::optional<DeviceOrder> TransposeOrder(const DeviceOrder& order, std::span<const int64_t> dims,
                                          std::span<const int64_t> permutation);

// `values`, laid out row-major as `dims`, with the dimensions permuted.
std::vector<int64_t> TransposeGrid(std::span<const int64_t> values, std::span<const int64_t> dims,
                                   std::span<const int64_t> permutation);

}  // namespace halo

#endif  // HALO_IR_SHARDING_DEVICE_ORDER_H_
