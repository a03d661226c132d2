// Runs parallel loops on libgomp's team by calling its entry point directly. The compiler's OpenMP
// would bring in a second runtime with its own threads.
#include "halo/runtime/thread_team.h"

#include <algorithm>

#include "halo/base/machine_cores.h"

extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
void omp_set_num_threads(int threads);
}

// ThreadSanitizer does not see libgomp's barriers. These tell it what they order: what was written
// before a loop happens before the loop, and the loop before what follows it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HALO_TSAN 1
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif
#endif

namespace halo {
namespace {

void PublishTo([[maybe_unused]] void* address) {
#ifdef HALO_TSAN
  __tsan_release(address);
#endif
}
void ReceiveFrom([[maybe_unused]] void* address) {
#ifdef HALO_TSAN
  __tsan_acquire(address);
#endif
}

int& Size() {
  // libgomp knows OMP_NUM_THREADS.
  static int size = std::clamp(MachineCores(), 1, std::max(1, omp_get_max_threads()));
  return size;
}

struct TeamRange {
  const std::function<void(int64_t, int64_t)>* body;
  int64_t count;
  int64_t members;
};

void RunShare(const TeamRange& work) {
  const int64_t member = omp_get_thread_num();
  const int64_t members = std::min<int64_t>(work.members, omp_get_num_threads());
  if (member >= members) return;
  const int64_t share = work.count / members;
  const int64_t rest = work.count % members;
  const int64_t begin = member * share + std::min(member, rest);
  const int64_t end = begin + share + (member < rest ? 1 : 0);
  if (begin < end) (*work.body)(begin, end);
}

void RunTeamRange(void* data) {
  ReceiveFrom(data);
  RunShare(*static_cast<TeamRange*>(data));
  PublishTo(data);
}

}  // namespace

void SetTeamSize(int threads) {
  Size() = std::max(1, threads);
  omp_set_num_threads(Size());
}

int TeamSize() { return Size(); }

void TeamFor(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end)>& body) {
  if (count <= 0) return;
  const int64_t members = std::min<int64_t>(Size(), count / std::max<int64_t>(grain, 1));
  if (members <= 1) return body(0, count);
  TeamRange work{&body, count, members};
  // Always the whole team: libgomp ends threads when a team shrinks and starts them again when it
  // grows. Members without a share return at once.
  PublishTo(&work);
  GOMP_parallel(RunTeamRange, &work, static_cast<unsigned>(Size()), 0);
  ReceiveFrom(&work);
}

OneThreadScope::OneThreadScope(bool is_wanted) : is_wanted_(is_wanted && Size() > 1) {
  if (is_wanted_) omp_set_num_threads(1);
}

OneThreadScope::~OneThreadScope() {
  if (is_wanted_) omp_set_num_threads(Size());
}

}  // namespace halo
