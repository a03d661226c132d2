// What of one compilation decides whether the next call compiles again: arguments, values,
// shardings, layouts, donation, options and flags, each small enough to keep for thousands of
// compilations.
#ifndef HALO_API_RECOMPILES_COMPILE_SUMMARY_H_
#define HALO_API_RECOMPILES_COMPILE_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "haloscope/recompiles.h"

namespace halo {

struct CompiledArgument {
  std::string name;  // as the framework calls it; may be empty
  std::string type, dims, layout, sharding;
};

struct CompileSummary {
  std::vector<CompiledArgument> arguments;
  // Digests of the values, the last three without constants, precisions, and both.
  uint64_t values = 0, without_constants = 0, without_precision = 0, without_both = 0;
  uint64_t shardings = 0;  // of everything but the arguments
  uint64_t module = 0;     // of everything but names and metadata
  uint64_t text = 0;       // of the file
  std::vector<std::string> donations;
  std::string result_layouts;
  std::map<std::string, std::string> options;  // of the module's header
  std::map<std::string, std::string> flags;    // XLA flags that are not at their defaults
  bool has_flags = false;                      // the dump has them
  bool elides = false;                         // some constants are not in the dump
};

// `bytes` are those of the module's file.
CompileSummary SummarizeCompile(const Module& module, std::string_view bytes);

// Reads the flags of a .debug_options file, without those that only concern dumping.
std::map<std::string, std::string> ReadFlags(std::string_view text);

using RecompileCause = v0::RecompileCause;
inline constexpr size_t kRecompileCauses = EnumTexts(RecompileCause()).size();
std::string_view TextOf(RecompileCause cause);

struct RecompileChange {
  RecompileCause cause = RecompileCause::kUnknown;
  std::string what;
};

// Why a program was compiled although `before` had been: the first change explains the most. Never
// empty.
std::vector<RecompileChange> CompareCompiles(const CompileSummary& before,
                                             const CompileSummary& after);

}  // namespace halo

#endif  // HALO_API_RECOMPILES_COMPILE_SUMMARY_H_
