// One in-flight collective on this device, through either transport: shared memory or messages.
#ifndef HALO_DEVICES_TRANSPORT_TRANSFER_H_
#define HALO_DEVICES_TRANSPORT_TRANSFER_H_

#include <cstdint>

#include "halo/base/diagnostics/result.h"

namespace halo {

class Transfer {
 public:
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Advances as far as possible without waiting, doing at most `pieces` pieces of work. Returns
  // true once the results are available; must not be called again after that.
  virtual Result<bool> Advance(int pieces) = 0;
  // Gives up the core until there may be something to do, for at most `seconds`.
  virtual void Sleep(double seconds) = 0;
  // The number of the rendezvous that this op has reached; the service publishes it for
  // diagnostics.
  [[nodiscard]] virtual uint32_t rendezvous() const { return 0; }

  [[nodiscard]] uint32_t op() const { return op_; }

 protected:
  explicit Transfer(uint32_t op) : op_(op) {}

 private:
  uint32_t op_;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_TRANSFER_H_
