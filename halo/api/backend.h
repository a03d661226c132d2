// For which kind of device a module was compiled, guessed from what only that backend writes, with
// the reason. A module that was not compiled yet gives no clue, and none is made up.
#ifndef HALO_API_BACKEND_H_
#define HALO_API_BACKEND_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

enum class Backend : uint8_t { kUnknown, kCpu, kGpu, kTpu };

struct BackendGuess {
  Backend backend = Backend::kUnknown;
  std::string why;
};

std::string_view TextOf(Backend backend);

// `file_name` only decides where the module itself says nothing.
BackendGuess GuessBackend(const Module& module, std::string_view file_name);

}  // namespace halo

#endif  // HALO_API_BACKEND_H_
