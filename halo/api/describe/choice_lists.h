// The lists of values that texts of requests and results may have, by the names that descriptions
// use for them (v0::Choices). Each list comes from where its values are defined.
#ifndef HALO_API_DESCRIBE_CHOICE_LISTS_H_
#define HALO_API_DESCRIBE_CHOICE_LISTS_H_

#include <string_view>
#include <vector>

namespace halo {

// Empty if there is no such list.
std::vector<std::string_view> ChoicesNamed(std::string_view list);

}  // namespace halo

#endif  // HALO_API_DESCRIBE_CHOICE_LISTS_H_
