// How arrays of a run are named in archives: in_0, out_2, with several devices in_0_d3, or by
// parameter name.
#ifndef HALO_API_INPUTS_ARRAY_NAMES_H_
#define HALO_API_INPUTS_ARRAY_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct ArrayName {
  size_t leaf = 0;
  std::optional<int64_t> device;  // none: the same on all devices
};

std::string MakeArrayName(std::string_view prefix, size_t leaf, std::optional<int64_t> device);

// Parses "in_3" and "in_3_d1" for prefix "in"; likewise "arg3" for "arg" and "3" for "".
std::optional<ArrayName> ParseArrayName(std::string_view name, std::string_view prefix);

// Splits "x_d3" into "x" and 3.
struct DeviceSuffix {
  std::string_view stem;
  std::optional<int64_t> device;
};
DeviceSuffix SplitDevice(std::string_view name);

}  // namespace halo

#endif  // HALO_API_INPUTS_ARRAY_NAMES_H_
