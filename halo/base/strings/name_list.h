// Lists of names in one text, as a command line gives them.
#ifndef HALO_BASE_STRINGS_NAME_LIST_H_
#define HALO_BASE_STRINGS_NAME_LIST_H_

#include <string>
#include <string_view>
#include <vector>

namespace halo {

// Names separated by commas; a comma between braces belongs to a name. Empty names are left out.
std::vector<std::string> SplitNames(std::string_view text);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_NAME_LIST_H_
