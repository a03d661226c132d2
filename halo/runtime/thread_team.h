// The threads that kernels and libraries share: those of libgomp, which oneDNN runs on, so that
// nothing competes for the cores. Ranges are cut into equal stretches, so that what an iteration
// computes never depends on timing.
#ifndef HALO_RUNTIME_THREAD_TEAM_H_
#define HALO_RUNTIME_THREAD_TEAM_H_

#include <cstdint>
#include <functional>

namespace halo {

// How many threads the next parallel work may use; at first as many as there are cores.
void SetTeamSize(int threads);
int TeamSize();

// Calls body(begin, end) for stretches that together are [0, count), none shorter than `grain`
// unless it is the only one.
void TeamFor(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end)>& body);

}  // namespace halo

#endif  // HALO_RUNTIME_THREAD_TEAM_H_
