// Guesses which kind of device a module was compiled for from what only that backend writes, and
// gives the reason. A module that has not been compiled yet gives no clue; then there is no guess.
#ifndef HALO_API_DOCUMENT_DETECT_BACKEND_H_
#define HALO_API_DOCUMENT_DETECT_BACKEND_H_

#include <optional>
#include <string>
#include <string_view>

#include "halo/analysis/sharing/backend.h"
#include "halo/ir/module.h"

namespace halo {

struct BackendGuess {
  std::optional<Backend> backend;
  std::string why;
};

// "cpu", "gpu", "tpu"; "unknown" if there is no backend.
std::string_view BackendText(std::optional<Backend> backend);

// `file_name` is used only if the module itself gives no clue.
BackendGuess GuessBackend(const Module& module, std::string_view file_name);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_DETECT_BACKEND_H_
