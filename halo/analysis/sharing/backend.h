// Which of XLA's backends compiled a program. Analyses that mirror a backend's own rules take it as
// an argument; detecting it is halo/memory/backend's business.
#ifndef HALO_ANALYSIS_SHARING_BACKEND_H_
#define HALO_ANALYSIS_SHARING_BACKEND_H_

#include <cstdint>

namespace halo {

enum class Backend : uint8_t { kCpu, kGpu, kTpu };

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_BACKEND_H_
