// Finds where instructions and computations are defined in a text. Modules do not store source
// locations; the few that are needed are looked up by name.
#ifndef HALO_API_DOCUMENT_FIND_DEFINITIONS_H_
#define HALO_API_DOCUMENT_FIND_DEFINITIONS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct Definition {
  std::string_view computation;  // empty: the module's header
  std::string_view instruction;  // empty: the computation's header
};

// The offset of each name in the text of one module; nothing for names that are not at the start of
// a line, where XLA prints them. Makes one pass over the text.
std::vector<std::optional<size_t>> FindDefinitions(std::string_view text,
                                                   std::span<const Definition> wanted);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_FIND_DEFINITIONS_H_
