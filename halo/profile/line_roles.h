// Which lines of a plane carry executions of ops. Profilers show the same executions on several
// lines: by stream, by op, by name scope; each may count once only.
#ifndef HALO_PROFILE_LINE_ROLES_H_
#define HALO_PROFILE_LINE_ROLES_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class LineRole : uint8_t {
  kStream,   // executions on a stream of a GPU
  kOps,      // executions of ops, one at a time
  kModules,  // executions of programs
  kOther,    // derived from the others
};

LineRole RoleOfLine(std::string_view name);
inline bool IsDevicePlane(std::string_view name) { return name.starts_with("/device:"); }

// "fusion.3" of "%fusion.3 = f32[8]{0} fusion(...)", or the text itself.
std::string_view OpOfText(std::string_view text);

}  // namespace halo

#endif  // HALO_PROFILE_LINE_ROLES_H_
