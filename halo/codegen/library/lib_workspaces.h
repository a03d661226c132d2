// The results of a library call behind those it is about: zeros if anybody looks at them, as the
// evaluator says, and left alone otherwise.
#ifndef HALO_CODEGEN_LIBRARY_LIB_WORKSPACES_H_
#define HALO_CODEGEN_LIBRARY_LIB_WORKSPACES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class Workspaces {
 public:
  Workspaces() = default;
  // The call's own results are its first `known`.
  Workspaces(const Module& module, InstId call, size_t known);

  void Clear(std::span<void* const> buffers) const;

 private:
  std::vector<std::pair<size_t, int64_t>> buffers_;  // and their bytes
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_WORKSPACES_H_
