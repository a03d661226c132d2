// Keeps the memory of each thread.
#include "halo/codegen/library/products/packing.h"

#include <memory>
#include <new>

namespace halo {

float* PackingMemory(int64_t floats) {
  constexpr std::align_val_t kCacheLine{64};
  struct Free {
    void operator()(float* each) const { operator delete(each, kCacheLine); }
  };
  thread_local std::unique_ptr<float, Free> memory;
  thread_local int64_t size = 0;
  if (size < floats) {
    memory.reset();
    memory.reset(
        static_cast<float*>(operator new(static_cast<size_t>(floats) * sizeof(float), kCacheLine)));
    size = floats;
  }
  return memory.get();
}

}  // namespace halo
