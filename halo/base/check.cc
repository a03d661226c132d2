// The only place where the library aborts the program: on a bug in the library itself.
#include "halo/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace halo {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "halo: internal error at %s:%d: %s does not hold; please report this\n",
               file, line, condition);
  std::abort();
}

}  // namespace halo
