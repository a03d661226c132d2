// What one member does in a collective that spans machines, once the members of its machine have
// arrived. There is one job per shape of op: small ones send everything in one message per machine,
// reductions pass their state from machine to machine in the group's order, and all-gathers and
// all-to-alls send each part straight to where it is used.
#ifndef HALO_DEVICES_TRANSPORT_HOST_JOB_H_
#define HALO_DEVICES_TRANSPORT_HOST_JOB_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "halo/base/diagnostics/result.h"
#include "halo/devices/combine/group_work.h"
#include "halo/devices/transport/host_group.h"
#include "halo/runtime/collective.h"

namespace halo {

// All references must outlive the job.
struct HostJobInputs {
  const CollectiveOp& op;
  GroupWork& work;
  const HostGroup& group;
  const MemberArrays& arrays;
  uint32_t number = 0;      // of the op
  uint32_t rendezvous = 0;  // of the group
};

class HostJob {
 public:
  virtual ~HostJob() = default;
  HostJob(const HostJob&) = delete;
  HostJob& operator=(const HostJob&) = delete;

  virtual std::optional<Diagnostic> Begin() = 0;
  // True once this member has done its part.
  virtual Result<bool> Advance() = 0;

 protected:
  explicit HostJob(const HostJobInputs& inputs) : in_(inputs) {}
  // Messages of one op in one direction between two members have the same tag. `slice` separates
  // what one member does for several.
  [[nodiscard]] int Tag(size_t slice, int kind) const;

  HostJobInputs in_;
};

// Whether there is a job for this op and group.
bool CanSpan(const CollectiveOp& op, const GroupWork& work, const HostGroup& group);
// CanSpan must hold.
std::unique_ptr<HostJob> MakeHostJob(const HostJobInputs& inputs);

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_HOST_JOB_H_
