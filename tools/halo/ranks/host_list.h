// The hosts that --hosts names, and how many ranks each of them takes. Only the command line
// chooses hosts; nothing that a dump contains does. mpirun_process.h starts the ranks there.
#ifndef TOOLS_HALO_RANKS_HOST_LIST_H_
#define TOOLS_HALO_RANKS_HOST_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo::tool {

struct RankHost {
  std::string name;  // or an IPv4 address
  int64_t ranks = 1;
};

struct HostList {
  std::vector<RankHost> hosts;
  std::string problem;  // what is wrong with the text; empty if nothing is

  [[nodiscard]] int64_t ranks() const;
  // As mpirun's --host expects it.
  [[nodiscard]] std::string Text() const;
};

// Reads "a:4,b:4". A host without a number takes one rank.
HostList ParseHosts(std::string_view text);

// This machine's own name.
std::string HostName();

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_HOST_LIST_H_
