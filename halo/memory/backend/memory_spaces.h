// Numbers of memory spaces: S(n) in a layout is "color n" of an allocation. What each memory space
// is, how it is aligned and whether it counts against the device's memory is in the backends'
// descriptions.
#ifndef HALO_MEMORY_BACKEND_MEMORY_SPACES_H_
#define HALO_MEMORY_BACKEND_MEMORY_SPACES_H_

#include <cstdint>

namespace halo {

// The same on every backend; XLA's layout.h names both.
inline constexpr int32_t kMainSpace = 0;
inline constexpr int32_t kHostSpace = 5;

inline constexpr int32_t kGpuCollectiveSpace = 1;

inline constexpr int32_t kTpuVmemSpace = 1;
inline constexpr int32_t kTpuSemaphoreSpace = 2;
inline constexpr int32_t kTpuCmemSpace = 3;
inline constexpr int32_t kTpuCallStateSpace = 4;
inline constexpr int32_t kTpuSmemSpace = 6;

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_MEMORY_SPACES_H_
