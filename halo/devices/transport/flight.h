// One collective under way on this device, whichever way it goes: through shared memory or
// messages.
#ifndef HALO_DEVICES_TRANSPORT_FLIGHT_H_
#define HALO_DEVICES_TRANSPORT_FLIGHT_H_

#include <cstdint>

#include "halo/base/diagnostics/result.h"

namespace halo {

class Flight {
 public:
  virtual ~Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Goes on as far as it can without waiting, doing at most so many pieces of work. True once the
  // results are there; not called again after that.
  virtual Result<bool> Advance(int pieces) = 0;
  // Gives the core away until there may be something to do, at most so many seconds.
  virtual void Sleep(double seconds) = 0;
  // Tells others that it has advanced that far; for diagnostics.
  [[nodiscard]] virtual uint32_t meeting() const { return 0; }

  [[nodiscard]] uint32_t op() const { return op_; }

 protected:
  explicit Flight(uint32_t op) : op_(op) {}

 private:
  uint32_t op_;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_FLIGHT_H_
