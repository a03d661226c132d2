// Sums of totals.
#include "halo/cost/timeline/step_time.h"

namespace halo {

void StepTime::Add(const StepTime& other, double times) {
  floor += other.floor * times;
  estimate += other.estimate * times;
  serial += other.serial * times;
  compute += other.compute * times;
  gaps += other.gaps * times;
  exposed += other.exposed * times;
  hidden += other.hidden * times;
  stalled += other.stalled * times;
  unknown += other.unknown * times;
  floor_compute += other.floor_compute * times;
  floor_links += other.floor_links * times;
  critical_links += other.critical_links * times;
}

}  // namespace halo
