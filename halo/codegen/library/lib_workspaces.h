// The results of a library call that follow its actual results. If anything reads them they are
// filled with zeros, as in the evaluator; otherwise they are left alone.
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
  // The call's actual results are its first `known`.
  Workspaces(const Module& module, InstId call, size_t known);

  void Clear(std::span<void* const> buffers) const;

 private:
  std::vector<std::pair<size_t, int64_t>> buffers_;  // buffer, bytes
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_WORKSPACES_H_
