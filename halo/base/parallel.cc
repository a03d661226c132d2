// Starts threads for one loop and joins them at its end. Loops worth splitting run for
// milliseconds.
#include "halo/base/parallel.h"

#include <algorithm>
#include <vector>

#ifdef HALO_WITH_THREADS
#include <thread>
#endif

#include "halo/base/machine_cores.h"

namespace halo {

void ParallelFor(int64_t count, int64_t grain, bool allowed,
                 const std::function<void(int64_t begin, int64_t end)>& body) {
#ifdef HALO_WITH_THREADS
  const int64_t cores = allowed ? MachineCores() : 1;
  const int64_t parts = std::min(cores, grain > 0 ? count / grain : count);
  if (parts <= 1) return body(0, count);
  const auto start_of = [&](int64_t part) {
    return count / parts * part + count % parts * part / parts;
  };
  std::vector<std::thread> helpers;
  for (int64_t part = 1; part < parts; ++part) {
    helpers.emplace_back([&, part] { body(start_of(part), start_of(part + 1)); });
  }
  body(0, start_of(1));
  for (std::thread& helper : helpers) helper.join();
#else
  (void)grain;
  (void)allowed;
  body(0, count);
#endif
}

}  // namespace halo
