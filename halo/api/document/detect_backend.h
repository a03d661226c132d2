// For which kind of device a module was compiled, guessed from what only that backend writes, with
// the reason. A module that was not compiled yet gives no clue, and none is made up.
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

// "cpu", "gpu", "tpu"; "unknown" without one.
std::string_view BackendText(std::optional<Backend> backend);

// `file_name` only decides where the module itself says nothing.
BackendGuess GuessBackend(const Module& module, std::string_view file_name);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_DETECT_BACKEND_H_
