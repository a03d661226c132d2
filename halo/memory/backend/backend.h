// Which of XLA's backends compiled a program, and its name. What a backend decides is in its
// description (backend_description.h).
#ifndef HALO_MEMORY_BACKEND_BACKEND_H_
#define HALO_MEMORY_BACKEND_BACKEND_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace halo {

enum class Backend : uint8_t { kCpu, kGpu, kTpu };

// "cpu", "gpu", "tpu"
std::string_view BackendName(Backend backend);
std::optional<Backend> BackendFromName(std::string_view name);
// The same; "unknown" without one.
std::string_view BackendText(std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_BACKEND_H_
