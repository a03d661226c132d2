// Sums of costs. The product type of a sum is that of the larger part.
#include "halo/cost/count/cost.h"

namespace halo {

void Work::Add(const Work& other, double times) {
  if (other.product_flops * times > product_flops) product_type = other.product_type;
  flops += other.flops * times;
  product_flops += other.product_flops * times;
  transcendentals += other.transcendentals * times;
}

void Traffic::Add(const Traffic& other, double times) {
  read += other.read * times;
  written += other.written * times;
  near += other.near * times;
  host += other.host * times;
}

void Cost::Add(const Cost& other, double times) {
  work.Add(other.work, times);
  traffic.Add(other.traffic, times);
  sent += other.sent * times;
  known = known && other.known;
}

}  // namespace halo
