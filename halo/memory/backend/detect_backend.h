// Detects which backend compiled a program from what only that backend writes, and gives the
// reason. The command, the viewer, the tests and the benches all use this. A module that is not
// compiled yet shows nothing, so its backend is unknown.
#ifndef HALO_MEMORY_BACKEND_DETECT_BACKEND_H_
#define HALO_MEMORY_BACKEND_DETECT_BACKEND_H_

#include <optional>
#include <string>
#include <string_view>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct BackendGuess {
  std::optional<Backend> backend;
  std::string why;
};

// `file_name` decides only if the module itself shows nothing.
BackendGuess DetectBackend(const Module& module, std::string_view file_name);

// For an assignment without its module: only the printed shapes give a clue.
BackendGuess DetectBackend(const Assignment& assignment);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_DETECT_BACKEND_H_
