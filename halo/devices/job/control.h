// Small exchanges between all devices, used for agreement and at the end of a run. They use
// messages, and waiting is bounded.
#ifndef HALO_DEVICES_JOB_CONTROL_H_
#define HALO_DEVICES_JOB_CONTROL_H_

#include <functional>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

class Control {
 public:
  // `give_up` is called while waiting. It returns a diagnostic if waiting any longer is pointless.
  using GiveUp = std::function<std::optional<Diagnostic>(double waited)>;
  Control(MPI_Comm comm, GiveUp give_up);

  std::optional<Diagnostic> Barrier();
  Result<std::vector<std::string>> Gather(std::string_view mine);
  Result<std::string> Broadcast(std::string_view text, int64_t root);

 private:
  // `buffers` are what the request reads and writes.
  std::optional<Diagnostic> Finish(MPI_Request request, std::shared_ptr<const void> buffers);

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  GiveUp give_up_;
};

}  // namespace halo

#endif  // HALO_DEVICES_JOB_CONTROL_H_
