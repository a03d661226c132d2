// The folders that a server may read. Every path that a client names is resolved here, links
// included; what leads out of the folders is refused in the same words whether it exists or not.
#ifndef HALO_MCP_FILES_ROOTS_H_
#define HALO_MCP_FILES_ROOTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo::mcp {

class Roots {
 public:
  // Fails if one is not a folder.
  static Result<Roots> Make(std::span<const std::string> folders);

  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }
  // The path of an existing file or folder without links; of a member of an archive, that of the
  // archive followed by the member's name. Relative paths are below the first folder that has
  // them; an empty one is the first folder.
  [[nodiscard]] Result<std::string> Resolve(std::string_view given) const;
  // False for a path that does not exist or leads out of the folders.
  [[nodiscard]] bool Contains(const std::string& path) const;
  // A resolved path as clients see it and may name it again: relative to its folder or, if there
  // are several folders, absolute.
  [[nodiscard]] std::string Shown(std::string_view path) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace halo::mcp

#endif  // HALO_MCP_FILES_ROOTS_H_
