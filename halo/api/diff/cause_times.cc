// Kernels count with all their runs, collectives and asynchronous work with the time that kernels
// wait for them. A kernel that a cause names several times counts once.
#include "halo/api/diff/cause_times.h"

#include <algorithm>
#include <optional>

#include "halo/api/time/time.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// Seconds of a step by instruction; negative if there are none.
std::vector<double> SecondsOf(const Module& module, const TimeResult& time) {
  std::vector<double> seconds(module.insts.size(), -1);
  for (const TimedOp& op : time.ops) {
    if (op.inst.index() >= seconds.size()) continue;
    double& known = seconds[op.inst.index()];
    known = std::max(known, 0.0) + (IsTimedKernel(module, op) ? op.total() : op.exposed * op.runs);
  }
  return seconds;
}

// Of the kernels together; nothing if none has a time.
std::optional<double> SumOf(std::vector<InstId> kernels, const std::vector<double>& seconds) {
  std::sort(kernels.begin(), kernels.end());
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
  std::optional<double> sum;
  for (const InstId kernel : kernels) {
    const double known = kernel.index() < seconds.size() ? seconds[kernel.index()] : -1;
    if (known >= 0) sum = sum.value_or(0) + known;
  }
  return sum;
}

}  // namespace

bool IsTimedKernel(const Module& module, const TimedOp& op) {
  const Opcode opcode = module.inst(op.inst).opcode;
  return !HasTrait(opcode, kAsyncStart) && PropertiesOf(opcode).group == CollectiveFamily::kNone &&
         op.group_size == 0;
}

void TimeCauses(const Module& before_module, const TimeResult& before, const Module& after_module,
                const TimeResult& after, std::vector<DiffCause>& causes) {
  const std::vector<double> old_seconds = SecondsOf(before_module, before);
  const std::vector<double> new_seconds = SecondsOf(after_module, after);
  for (DiffCause& cause : causes) {
    const std::optional<double> from = SumOf(cause.kernels_before, old_seconds);
    const std::optional<double> to = SumOf(cause.kernels_after, new_seconds);
    if (from || to) cause.seconds = to.value_or(0) - from.value_or(0);
  }
  RankCauses(causes);
}

}  // namespace halo
