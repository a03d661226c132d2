// What a document contains: `halo info` as a function.
#ifndef HALOSCOPE_INFO_H_
#define HALOSCOPE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct InfoState;

struct InfoRequest {
  size_t largest = 10;  // values to list for each module
};

struct InfoCount {
  std::string name;
  int64_t count = 0;
  int64_t bytes = 0;
};

struct InfoCollective {
  std::string opcode;     // "all-gather" includes all-gather-start
  int64_t count = 0;      // instructions
  int64_t bytes = 0;      // the larger of operands and results, summed over the instructions
  int64_t runs = 0;       // executions per run of the program, loops included
  int64_t run_bytes = 0;  // bytes over those executions
};

struct InfoValue {
  std::string name, opcode, shape, op_name;
  int64_t bytes = 0;
};

struct InfoModule {
  std::string name;
  std::string backend;  // "cpu", "gpu", "tpu" or "unknown"
  bool is_scheduled = false;
  int64_t replica_count = 1, num_partitions = 1;
  int64_t computations = 0, instructions = 0;
  int64_t parameter_bytes = 0, output_bytes = 0, aliased_bytes = 0, constant_bytes = 0;
  std::vector<InfoCount> opcodes;       // by count
  std::vector<InfoCount> dtypes;        // by bytes
  std::vector<InfoCount> custom_calls;  // by target
  std::vector<InfoCollective> collectives;
  std::vector<InfoValue> largest;  // results outside of fusions, largest first
};

struct InfoResult {
  std::vector<InfoModule> modules;
  // The output of `halo info --json`, schema halo.info.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const InfoState> state;  // what ToJson needs
};

HALO_EXPORT InfoResult Info(const Document& document, const InfoRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_INFO_H_
