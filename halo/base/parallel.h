// Splitting a loop over the machine's cores. Work is cut into equal stretches, so that what each
// index computes never depends on how many threads there are.
#ifndef HALO_BASE_PARALLEL_H_
#define HALO_BASE_PARALLEL_H_

#include <cstdint>
#include <functional>

namespace halo {

// Calls body(begin, end) for stretches that together are [0, count); at once, if `allowed`, threads
// are built in and there are at least `grain` indices for each.
void ParallelFor(int64_t count, int64_t grain, bool allowed,
                 const std::function<void(int64_t begin, int64_t end)>& body);

}  // namespace halo

#endif  // HALO_BASE_PARALLEL_H_
