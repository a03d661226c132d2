// Which framework made a program, as far as its metadata shows. Only the wording of advice depends
// on it, never a plan.
#ifndef HALO_MEMORY_ADVISE_FRONTEND_H_
#define HALO_MEMORY_ADVISE_FRONTEND_H_

#include <cstdint>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

enum class Frontend : uint8_t { kUnknown, kJax, kTorchXla, kTensorFlow };

// "JAX", "PyTorch/XLA", "TensorFlow"; empty if unknown.
std::string_view FrontendName(Frontend frontend);

Frontend DetectFrontend(const Module& module);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_FRONTEND_H_
