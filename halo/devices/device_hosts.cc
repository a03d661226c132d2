// Sets up groups that span machines: where the members of this machine rendezvous, and the
// communicator for messages between machines.
#include <algorithm>
#include <cstring>
#include <map>
#include <unistd.h>

#include "halo/base/machine_cores.h"
#include "halo/devices/device_service.h"
#include "halo/devices/job/mpi_call.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/runtime/cpu_level.h"

namespace halo {

namespace {

// What a device says about itself when it joins.
struct DeviceFacts {
  int64_t machine = 0;
  int64_t cores = 0;
  char host[64] = {};
  char build[40] = {};
  uint32_t cpu = 0;
};

uint32_t CpuOf() {
  return static_cast<uint32_t>(BestCpuLevel()) * 2 + (MayUseNewestExtensions() ? 1 : 0);
}

}  // namespace

// Programs of other builds exchange other messages, and other CPUs give other bits.
std::optional<Diagnostic> DeviceService::FindMachines() {
  DeviceFacts own;
  own.machine = local_devices_.front();
  own.cores = MachineCores();
  gethostname(own.host, sizeof own.host - 1);
  std::strncpy(own.build, options_.build.c_str(), sizeof own.build - 1);
  own.cpu = CpuOf();
  std::vector<DeviceFacts> all(static_cast<size_t>(size_));
  if (auto failed = MpiProblem(
          MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, world_),
          "joining devices")) {
    return failed;
  }
  fewest_cores_ = own.cores;
  for (size_t device = 0; device < all.size(); ++device) {
    const DeviceFacts& each = all[device];
    machine_of_.push_back(each.machine);
    hosts_.emplace_back(each.host);
    fewest_cores_ = std::min(fewest_cores_, each.cores);
    const bool is_same_build = std::strcmp(each.build, all[0].build) == 0;
    if (is_same_build && each.cpu == all[0].cpu) continue;
    return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                "rank " + std::to_string(device) + " on " + each.host +
                                    (is_same_build ? " has a CPU with other vector extensions than"
                                                   : " runs another build of halo than") +
                                    " rank 0 on " + all[0].host);
  }
  return std::nullopt;
}

// Every process on a machine opens all groups that have members there, in the same order.
std::optional<Diagnostic> DeviceService::OpenHosts(size_t first_op, bool enough, bool* opened) {
  constexpr const char* kWhat = "preparing collectives";
  const bool spans = static_cast<int64_t>(local_.size()) < size_;
  if (!spans) return std::nullopt;
  struct Opening {
    HostGroup group;
    size_t arrays = 0;
    int64_t offset = 0;
  };
  std::map<Members, Opening> openings;
  for (size_t i = first_op; i < ops_.size(); ++i) {
    const CollectiveOp& op = ops_[i]->op;
    if (IsTransfer(op)) continue;
    for (const Members& members : op.groups) {
      const auto is_here = [&](int64_t device) { return local_.contains(device); };
      if (IsLocal(members) || std::ranges::none_of(members, is_here)) continue;
      Opening& opening = openings[members];
      opening.arrays = std::max(opening.arrays, op.operands.size() + op.results.size());
    }
  }
  std::erase_if(openings, [&](const auto& entry) {
    const auto known = host_groups_.find(entry.first);
    return known != host_groups_.end() &&
           known->second->local.rendezvous->arrays() >= entry.second.arrays;
  });
  int64_t bytes = 0;
  for (auto& [members, opening] : openings) {
    opening.group = HostGroup::Of(members, rank_, machine_of_);
    opening.group.most_slices = static_cast<size_t>(fewest_cores_);
    opening.offset = bytes;
    size_t locals = 0;
    for (const int64_t device : members) locals += local_.contains(device) ? 1 : 0;
    bytes += Rendezvous::BytesFor(locals, opening.arrays);
  }
  const bool makes = local_.at(rank_) == 0;
  int has_memory = enough && shares_ ? 1 : 0;
  int64_t segment_number = 0;
  if (has_memory != 0 && bytes > 0) {
    const Result<std::optional<int64_t>> segment = memory_->Add(makes ? bytes : 0);
    if (!segment) return segment.error();
    has_memory = segment->has_value() ? 1 : 0;
    segment_number = segment->value_or(0);
  }
  // Machines must do the same: one that acts for its members cannot talk to one that does not.
  int all = 0;
  if (auto failed =
          MpiProblem(MPI_Allreduce(&has_memory, &all, 1, MPI_INT, MPI_MIN, world_), kWhat)) {
    return failed;
  }
  *opened = all != 0;
  if (all == 0) return std::nullopt;
  for (auto& [members, opening] : openings) {
    SharedGroup local;
    for (const int64_t device : members) {
      if (!local_.contains(device)) continue;
      if (device == rank_) local.me = local.devices.size();
      local.devices.push_back(device);
      local.processes.push_back(local_.at(device));
    }
    local.rendezvous.emplace(memory_->Address(0, {segment_number, opening.offset}),
                             local.devices.size(), opening.arrays);
    if (makes) local.rendezvous->Open();
    std::unique_ptr<HostGroup>& group = host_groups_[members];
    if (group == nullptr) group = std::make_unique<HostGroup>(std::move(opening.group));
    group->local = std::move(local);
    group->name_of = [this](int64_t op) { return NameOf(op); };
  }
  return MpiProblem(MPI_Barrier(node_), kWhat);
}

std::optional<Diagnostic> DeviceService::OpenHostGroup(const Members& members, HostGroup& group) {
  if (group.comm != MPI_COMM_NULL) return std::nullopt;
  const Result<MPI_Comm> comm = OpenComm(members);
  if (!comm) return comm.error();
  group.comm = *comm;
  return std::nullopt;
}

}  // namespace halo
