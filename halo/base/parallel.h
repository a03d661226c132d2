// Splits a loop over the machine's cores. The work is divided into equal chunks, and what each
// index computes never depends on the number of threads.
#ifndef HALO_BASE_PARALLEL_H_
#define HALO_BASE_PARALLEL_H_

#include <cstdint>
#include <functional>

namespace halo {

// Calls body(begin, end) for chunks that together cover [0, count). The calls run in parallel if
// `allowed` is set, threads are built in, and there are at least `grain` indices per chunk.
void ParallelFor(int64_t count, int64_t grain, bool allowed,
                 const std::function<void(int64_t begin, int64_t end)>& body);

}  // namespace halo

#endif  // HALO_BASE_PARALLEL_H_
