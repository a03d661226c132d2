// What the name of one file in a dump says, in all generations of names:
//   [TIMESTAMP.]module_NNNN.NAME[.cl_N].SUFFIX, compressed or not.
// A module's NAME may hold dots, so it is certain only where a stage follows it; elsewhere the
// names of other files of the same module decide (index.h).
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
  kNamed,   // another point with a name: after_spmd_partitioner
  kPass,    // NNNN.PIPELINE.after_A.before_B
  kAfter,   // after_optimizations, by whatever backend
  kOnly,    // a module that is not part of a dump
};

std::string_view TextOf(StageRole role);

// A point of compilation, from its text: "0042.simplification.after_dce.before_cse".
struct StageName {
  std::string text;
  StageRole role = StageRole::kNamed;
  int64_t step = -1;     // of a pass
  std::string pipeline;  // of a pass; its own name for one that tells of its steps
  std::string pass;      // that has just run; empty before the first
  int order = 0;         // among named points: the earlier the smaller
};

struct DumpName {
  bool has_module = false;  // it holds module_NNNN
  std::string before;       // what stands before that: a timestamp, or a computation's name
  int64_t number = -1;
  std::string module;    // NAME; if not is_exact, with what stands between it and the ending
  bool is_exact = true;  // the NAME is certain
  bool has_change_number = false;  // .cl_N, as TPU compilers write
  StageName stage;                 // its text is empty if the file belongs to no stage
  FileRole file_role = FileRole::kUnknown;
  Compression compression = Compression::kNone;

  [[nodiscard]] bool has_timestamp() const;
};

// `name` is without folders. Classes that only the bytes can tell are left unknown.
DumpName ParseDumpName(std::string_view name);

// A stage from its own text; role kNamed with the text if it is none we know.
StageName StageFromText(std::string_view text);

// "gpu", "cpu" or "tpu" if the stage's name tells, and the architecture ("sm_9.0a").
std::string_view BackendOfStage(std::string_view stage);
std::string_view ArchitectureOfStage(std::string_view stage);

// Without what follows a stage in names, as "-live-range.txt"; the whole if nothing does.
std::string_view WithoutStageEnding(std::string_view name);

// Without .gz or .zst.
std::string_view WithoutCompression(std::string_view name, Compression* found = nullptr);

}  // namespace halo

#endif  // HALO_DUMP_DUMP_NAME_H_
