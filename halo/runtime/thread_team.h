// The threads that kernels and libraries share. They are libgomp's, which oneDNN also uses, so that
// nothing competes for the cores. Ranges are split into equal chunks, so that the result of an
// iteration never depends on timing.
#ifndef HALO_RUNTIME_THREAD_TEAM_H_
#define HALO_RUNTIME_THREAD_TEAM_H_

#include <cstdint>
#include <functional>

namespace halo {

// Number of threads that the next parallel loop may use; initially the number of cores.
void SetTeamSize(int threads);
int TeamSize();

// Calls body(begin, end) for chunks that together cover [0, count). No chunk is shorter than
// `grain` unless it is the only one.
void TeamFor(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end)>& body);

// While one of these exists, libraries that its thread calls use no other threads. For work that is
// done before another thread would have woken up. The team keeps its threads meanwhile.
class OneThreadScope {
 public:
  // Does nothing unless `is_wanted`.
  explicit OneThreadScope(bool is_wanted);
  OneThreadScope(const OneThreadScope&) = delete;
  OneThreadScope& operator=(const OneThreadScope&) = delete;
  ~OneThreadScope();

 private:
  bool is_wanted_;
};

}  // namespace halo

#endif  // HALO_RUNTIME_THREAD_TEAM_H_
