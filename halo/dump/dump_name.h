// Parses the name of one file in a dump, in every generation of the naming scheme:
//   [TIMESTAMP.]module_NNNN.NAME[.cl_N].SUFFIX, compressed or not.
// A module's NAME may contain dots, so it is certain only where a stage follows it. Otherwise the
// names of other files of the same module decide (group.h).
#ifndef HALO_DUMP_DUMP_NAME_H_
#define HALO_DUMP_DUMP_NAME_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/io/source_buffer.h"
#include "halo/dump/file_role.h"

namespace halo {

enum class StageRole : uint8_t {
  kBefore,  // before_optimizations
  kNamed,   // another named point: after_spmd_partitioner
  kPass,    // NNNN.PIPELINE.after_A.before_B
  kAfter,   // after_optimizations, of any backend
  kOnly,    // a module that is not part of a dump
};

std::string_view TextOf(StageRole role);

// A point of compilation, parsed from its text: "0042.simplification.after_dce.before_cse".
struct StageName {
  std::string text;
  StageRole role = StageRole::kNamed;
  int64_t step = -1;     // for a pass
  std::string pipeline;  // for a pass; for a step within a pass, the name of that pass
  std::string pass;      // the pass that has just run; empty before the first
  int order = 0;         // among named points: earlier ones have smaller values
  bool is_known =
      true;  // false: the text is no point of compilation of XLA, but from a file's name
};

struct DumpName {
  bool has_module = false;  // the name contains module_NNNN
  std::string before;       // the part before that: a timestamp, or a computation's name
  int64_t number = -1;
  std::string module;    // NAME; unless is_exact, includes what is between it and the ending
  bool is_exact = true;  // the NAME is certain
  bool has_change_number = false;  // .cl_N, written by TPU compilers
  StageName stage;                 // its text is empty if the file belongs to no stage
  FileRole file_role = FileRole::kUnknown;
  Compression compression = Compression::kNone;

  [[nodiscard]] bool has_timestamp() const;
};

// `name` has no folders. Roles that only the bytes can determine are left unknown.
DumpName ParseDumpName(std::string_view name);

// Parses a stage from its text; an unknown text gives role kNamed with that text.
StageName StageFromText(std::string_view text);

// "gpu", "cpu" or "tpu" if the stage's name gives it, and the architecture ("sm_9.0a").
std::string_view BackendOfStage(std::string_view stage);
std::string_view ArchitectureOfStage(std::string_view stage);

// Removes what follows the stage in a name, such as "-live-range.txt", if present.
std::string_view WithoutStageEnding(std::string_view name);

// Removes .gz or .zst.
std::string_view WithoutCompression(std::string_view name, Compression* found = nullptr);

}  // namespace halo

#endif  // HALO_DUMP_DUMP_NAME_H_
