// Shared memory that holds arrays stored elsewhere while an op is in progress.
#ifndef HALO_DEVICES_TRANSPORT_STAGING_H_
#define HALO_DEVICES_TRANSPORT_STAGING_H_

#include <cstdint>
#include <map>

namespace halo {

class Staging {
 public:
  // Allocates from `memory` from now on. Nothing may be allocated at this point.
  void Reset(uint8_t* memory, int64_t bytes);
  // Returns null if there is not enough memory left.
  uint8_t* Take(int64_t bytes);
  void Give(uint8_t* taken);
  [[nodiscard]] int64_t bytes() const { return bytes_; }

 private:
  uint8_t* memory_ = nullptr;
  int64_t bytes_ = 0;
  std::map<int64_t, int64_t> taken_;  // begin, end
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_STAGING_H_
