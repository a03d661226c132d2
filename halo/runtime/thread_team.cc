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

namespace halo {
namespace {

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

void RunTeamRange(void* data) {
  const TeamRange& work = *static_cast<TeamRange*>(data);
  const int64_t member = omp_get_thread_num();
  const int64_t members = std::min<int64_t>(work.members, omp_get_num_threads());
  if (member >= members) return;
  const int64_t share = work.count / members;
  const int64_t rest = work.count % members;
  const int64_t begin = member * share + std::min(member, rest);
  const int64_t end = begin + share + (member < rest ? 1 : 0);
  if (begin < end) (*work.body)(begin, end);
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
  GOMP_parallel(RunTeamRange, &work, static_cast<unsigned>(Size()), 0);
}

OneThreadScope::OneThreadScope(bool is_wanted) : is_wanted_(is_wanted && Size() > 1) {
  if (is_wanted_) omp_set_num_threads(1);
}

OneThreadScope::~OneThreadScope() {
  if (is_wanted_) omp_set_num_threads(Size());
}

}  // namespace halo
