// Memory over time as CSV: bytes of each role at each position.
#include <algorithm>
#include <string>
#include <vector>

#include "halo/api/memory/memory.h"

namespace halo {

std::string MemoryCsv(const MemoryResult& result) {
  std::string out = "time,instruction,total";
  std::vector<size_t> roles;
  for (size_t role = 0; role < result.role_profile.size(); ++role) {
    const std::vector<int64_t>& bytes = result.role_profile[role];
    if (std::all_of(bytes.begin(), bytes.end(), [](int64_t each) { return each == 0; })) continue;
    roles.push_back(role);
    out += ',';
    out += ValueRoleText(static_cast<ValueRole>(role));
  }
  out += '\n';
  const MemoryExplanation& all = result.explanation;
  for (size_t time = 0; time < all.profile.size(); ++time) {
    out += std::to_string(time) + ',';
    const Assignment& assignment = result.assignment;
    if (time < assignment.sequence.size()) out += assignment.text(assignment.sequence[time]);
    out += ',' + std::to_string(all.held_bytes + all.profile[time]);
    for (const size_t role : roles) {
      out += ',' + std::to_string(result.role_profile[role][time]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace halo
