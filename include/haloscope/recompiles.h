// Why a run compiled a function more than once: `halo diff --recompiles` as a function.
#ifndef HALOSCOPE_RECOMPILES_H_
#define HALOSCOPE_RECOMPILES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"
#include "haloscope/ranks.h"

namespace halo {
HALO_V0_BEGIN

using RecompilesRequest = FolderRequest;

// Why a function was compiled although an earlier compilation of it is in the dump.
enum class RecompileCause : uint8_t {
  kArguments,
  kShape,
  kDtype,
  kSharding,
  kLayout,
  kDonation,
  kConstant,
  kCode,
  kOption,
  kFlag,
  kMetadata,
  kIdentical,
  kUnknown,
};
constexpr std::array<std::string_view, 13> EnumTexts(RecompileCause /*type*/) {
  return {"arguments", "shape",  "dtype", "sharding",      "layout",    "donation", "constant",
          "code",      "option", "flag",  "metadata only", "identical", "unknown"};
}

struct RecompileChange {
  std::string cause, what;
};

template <class V>
void Fields(V& v, RecompileChange& r) {
  v("cause", r.cause, "`unknown` if constants are elided", Choices{"recompile_cause"});
  v("what", r.what, "in words");
}

struct Compilation {
  std::string function;
  int64_t number = -1;
  std::string path, rank, refused;
  std::optional<int64_t> predecessor;
  std::vector<RecompileChange> changes;
};

template <class V>
void Fields(V& v, Compilation& r) {
  v("function", r.function, "the module's name");
  v("number", r.number, "its number in the dump");
  v("path", r.path, "the file that was read");
  v("rank", r.rank, "its folder", FieldFlag::kIfAny);
  v("refused", r.refused, "why it could not be read", FieldFlag::kIfAny);
  v("predecessor", r.predecessor, "the number of the earlier compilation that differs least",
    When{"absent for the first"});
  v("changes", r.changes, "why it was compiled again; the first explains the most");
}

struct RecompilesResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.recompiles.v1";

  bool succeeded = false;  // false: the diagnostics say why, and nothing else is set
  uint64_t compiles = 0;
  int64_t functions = 0, recompiles = 0, unreadable = 0;
  std::vector<Compilation> list;

  // The output of `halo diff --recompiles --json`; schema halo.error.v1 if it did not succeed.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = SIZE_MAX) const;
};

template <class V>
void Fields(V& v, RecompilesResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("compiles", r.compiles, "compilations in the dump");
  v("functions", r.functions, "distinct names of modules in each folder");
  v("recompiles", r.recompiles, "compilations that had a predecessor of the same name");
  v("unreadable", r.unreadable, "modules that cannot be read");
  v("list", r.list, "every compilation, in the order of the dump", FieldFlag::kTop);
}

// `path` is a dump directory or an archive of one.
HALO_EXPORT RecompilesResult Recompiles(const std::string& path,
                                        const RecompilesRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RECOMPILES_H_
