// Where in a text instructions and computations are defined. Modules do not store places; the few
// that are asked for are found again by their names.
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

// The offset of each name in the text of one module; nothing for those that do not stand at the
// beginning of a line, as XLA prints them. One pass over the text.
std::vector<std::optional<size_t>> FindDefinitions(std::string_view text,
                                                   std::span<const Definition> wanted);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_FIND_DEFINITIONS_H_
