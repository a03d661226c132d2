// A group whose members are on several machines: which member is where, and which members of two
// machines exchange messages with each other.
#ifndef HALO_DEVICES_TRANSPORT_HOST_GROUP_H_
#define HALO_DEVICES_TRANSPORT_HOST_GROUP_H_

#include <cstddef>
#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

#include "halo/devices/transport/shared_transfer.h"

namespace halo {

struct HostGroup {
  std::vector<int64_t> devices;            // of all members, in the group's order
  std::vector<std::vector<size_t>> hosts;  // members by machine, machines by their first member
  std::vector<size_t> host_of;             // by member
  std::vector<size_t> local_of;            // by member: its position among those of its machine
  size_t me = 0;
  size_t most_slices = 1;
  bool in_order = false;  // the members of each machine follow each other in the group's order
  SharedGroup local;      // where the members of this machine rendezvous
  MPI_Comm comm = MPI_COMM_NULL;                   // its ranks are the members
  std::function<std::string(int64_t op)> name_of;  // for diagnostics

  [[nodiscard]] size_t host() const { return host_of[me]; }
  [[nodiscard]] const std::vector<size_t>& local_members() const { return hosts[host()]; }
  // A reduction is divided between the members of a machine: as many slices as the largest machine
  // has members, but no more than the smallest has cores. TakerOf is the member that takes a slice
  // on a machine.
  [[nodiscard]] size_t slices() const;
  [[nodiscard]] size_t TakerOf(size_t slice, size_t host) const {
    return hosts[host][slice % hosts[host].size()];
  }

  // Fills in everything but `local` and `comm`. `machine_of` gives each device's machine.
  static HostGroup Of(const std::vector<int64_t>& devices, int64_t self,
                      const std::vector<int64_t>& machine_of);
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_HOST_GROUP_H_
