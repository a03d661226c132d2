// The threads that kernels and our own library loops share. A thread with nothing left to do takes
// what another one has not begun, so no loop waits for a thread that is still asleep.
// oneDNN has libgomp's threads; the two never work at the same time, and both sleep soon.
#ifndef HALO_RUNTIME_THREAD_TEAM_H_
#define HALO_RUNTIME_THREAD_TEAM_H_

#include <cstdint>
#include <functional>

namespace halo {

// Number of threads that the next parallel loop may use; initially the number of cores. Any thread
// may ask while another one sets it.
void SetTeamSize(int threads);
int TeamSize();

// Calls body(begin, end) for chunks that together cover [0, count). Each thread has `chunks` of
// them, none shorter than `grain` / `chunks` unless it is the only one. Chunks depend on the
// arguments and the team's size alone, so that results never depend on timing. A loop inside
// another one, or beside one that another thread has started, is run by its own thread.
void TeamFor(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end)>& body, int64_t chunks = 1);

// While one of these exists, libraries that its thread calls use as many threads as the team has,
// or only this one, for work that is done before another thread would have woken up. OpenMP keeps
// the number for each thread that calls, so every call of such a library needs one of these. The
// team keeps its threads meanwhile.
class LibraryThreadsScope {
 public:
  explicit LibraryThreadsScope(bool only_this_one);
  LibraryThreadsScope(const LibraryThreadsScope&) = delete;
  LibraryThreadsScope& operator=(const LibraryThreadsScope&) = delete;
  ~LibraryThreadsScope();

 private:
  int before_;
};

}  // namespace halo

#endif  // HALO_RUNTIME_THREAD_TEAM_H_
