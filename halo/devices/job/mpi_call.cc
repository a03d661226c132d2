// Asks MPI for the text of an error code.
#include "halo/devices/job/mpi_call.h"

#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

std::optional<Diagnostic> MpiProblem(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return std::nullopt;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return MakeBinaryDiagnostic(
      diag::kCannotEvaluate, 0,
      std::string(what) + ": " + std::string(text.data(), static_cast<size_t>(length)));
}

void KeepForMpi(std::shared_ptr<const void> buffers) {
  static std::mutex mutex;
  // Never destroyed: MPI may still work while the process ends.
  static auto* const kept = new std::vector<std::shared_ptr<const void>>();
  const std::scoped_lock lock(mutex);
  kept->push_back(std::move(buffers));
}

}  // namespace halo
