// What differs between two configurations of a kernel, field by field.
#ifndef HALO_DIFF_EXPLAIN_CONFIG_CHANGE_H_
#define HALO_DIFF_EXPLAIN_CONFIG_CHANGE_H_

#include <string>
#include <string_view>

namespace halo {

// "block_n: 64 became 128, num_warps: 4 became 8"; "other backend_config" if they are not JSON.
std::string DescribeConfigChange(std::string_view before, std::string_view after);

// True if they say the same: JSON may name its fields in any order.
bool IsSameConfig(std::string_view before, std::string_view after);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_CONFIG_CHANGE_H_
