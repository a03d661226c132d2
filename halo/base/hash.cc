// The keys of this process. Linux gives every process random bytes when it starts. Elsewhere the
// keys are constants, since no order can be asked for in which files are initialized.
#include "halo/base/hash.h"

#if defined(__linux__) && !defined(__wasm__)
#include <sys/auxv.h>
#endif

namespace halo {
namespace {

HashKeys MakeTableKeys() {
  HashKeys keys = kDigestKeys;
#if defined(__linux__) && !defined(__wasm__)
  if (const auto random = getauxval(AT_RANDOM); random != 0) {
    HashKeys given;
    std::memcpy(&given, reinterpret_cast<const void*>(random), sizeof(given));
    keys.k0 ^= given.k0;
    keys.k1 ^= given.k1;
  }
#endif
  return keys;
}

}  // namespace

#if defined(__linux__) && !defined(__wasm__)
// Before any table of another file is filled.
[[gnu::init_priority(101)]]
#endif
const HashKeys kTableKeys = MakeTableKeys();

}  // namespace halo
