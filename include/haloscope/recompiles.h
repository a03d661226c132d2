// Why a run compiled a function more than once: `halo diff --recompiles` as a function.
#ifndef HALOSCOPE_RECOMPILES_H_
#define HALOSCOPE_RECOMPILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct RecompilesState;

struct RecompilesRequest {
  bool follow = false;  // links that point outside the folder
};

struct RecompileCause {
  std::string cause;  // "shape", "dtype", "constant", "sharding", "layout", "donation", ...
  std::string what;   // a sentence
};

struct Compilation {
  std::string function;  // the module's name
  int64_t number = -1;   // in the dump
  std::string path;
  std::optional<size_t> predecessor;  // index of the one that it is most like; nothing: the first
  std::vector<RecompileCause> causes;
};

struct RecompilesResult {
  bool succeeded = false;
  std::vector<Diagnostic> diagnostics;  // if it did not succeed, why
  int64_t functions = 0, recompiles = 0;
  std::vector<Compilation> compilations;  // in the order of the dump

  // The output of `halo diff --recompiles --json`, schema halo.recompiles.v1; halo.error.v1 if it
  // did not succeed.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const RecompilesState> state;  // what ToJson needs
};

// `path` is a dump directory or an archive of one.
HALO_EXPORT RecompilesResult Recompiles(const std::string& path,
                                        const RecompilesRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RECOMPILES_H_
