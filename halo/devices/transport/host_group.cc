// Sorts the members of a group by machine.
#include "halo/devices/transport/host_group.h"

#include <algorithm>

namespace halo {

size_t HostGroup::slices() const {
  size_t most = 0;
  for (const std::vector<size_t>& members : hosts) most = std::max(most, members.size());
  return std::min(most, most_slices);
}

HostGroup HostGroup::Of(const std::vector<int64_t>& devices, int64_t self,
                        const std::vector<int64_t>& machine_of) {
  HostGroup group;
  group.devices = devices;
  group.me = static_cast<size_t>(std::ranges::find(devices, self) - devices.begin());
  std::vector<int64_t> machines;
  group.in_order = true;
  for (size_t m = 0; m < devices.size(); ++m) {
    const int64_t machine = machine_of[static_cast<size_t>(devices[m])];
    const auto host = static_cast<size_t>(std::ranges::find(machines, machine) - machines.begin());
    if (host == machines.size()) {
      machines.push_back(machine);
      group.hosts.emplace_back();
    } else if (host + 1 != machines.size()) {
      group.in_order = false;
    }
    group.host_of.push_back(host);
    group.local_of.push_back(group.hosts[host].size());
    group.hosts[host].push_back(m);
  }
  return group;
}

}  // namespace halo
