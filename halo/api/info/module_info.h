// What `halo info` reports about one module, as a plain value: sizes, histograms, collectives,
// custom calls, loops, parameters and outputs. The command prints it, info_json.cc serializes it.
#ifndef HALO_API_INFO_MODULE_INFO_H_
#define HALO_API_INFO_MODULE_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/text/generation.h"

namespace halo {

struct Tally {
  std::string name;
  int64_t count = 0;
  int64_t bytes = 0;
};

// The number of instructions with groups of this many devices; for a permute, with this many pairs.
struct GroupSize {
  int64_t size = 0;
  int64_t count = 0;
};

struct CollectiveInfo {
  std::string opcode;     // all-gather includes all-gather-start
  int64_t count = 0;      // instructions
  int64_t async = 0;      // of these, asynchronous
  int64_t bytes = 0;      // the larger of operands and results, summed over the instructions
  int64_t runs = 0;       // per run of the program, counting loop iterations
  int64_t run_bytes = 0;  // bytes per run of the program
  bool at_least = false;  // runs in a loop of unknown trip count, or in a branch
  std::vector<GroupSize> group_sizes;
};

struct LoopInfo {
  std::string name;
  std::string body;
  std::string op_name;
  std::optional<int64_t> trip_count;
  int64_t body_instructions = 0;
  int64_t carried_bytes = 0;
  int64_t runs = 0;  // how often the loop as a whole is started
};

struct ParameterInfo {
  int64_t number = 0;
  std::string name;
  std::string shape;
  std::string op_name;
  std::string sharding;
  std::optional<int64_t> bytes;
  bool aliased = false;  // an output may or must alias it
  bool donated = false;
};

struct OutputInfo {
  std::vector<int64_t> index;
  std::string name;  // of the instruction that produces it
  std::string shape;
  std::string op_name;
  std::optional<int64_t> bytes;
  std::optional<int64_t> aliases_parameter;
};

struct BigValue {
  std::string name;
  std::string opcode;
  std::string shape;
  std::string op_name;
  int64_t bytes = 0;
};

struct ModuleInfo {
  std::string name;
  std::string section;
  GenerationGuess generation;  // kUnknown for a module not read from text
  BackendGuess backend;
  bool scheduled = false;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  int64_t computations = 0;
  int64_t instructions = 0;
  int64_t entry_instructions = 0;
  int64_t fused_instructions = 0;
  int64_t elided_constants = 0;  // printed as {...}
  int64_t constant_bytes = 0;
  int64_t parameter_bytes = 0;
  int64_t output_bytes = 0;
  int64_t aliased_bytes = 0;        // of the outputs, those that alias a parameter
  int64_t memory_bytes = 0;         // taken by this module in halo
  std::vector<Tally> opcodes;       // by count
  std::vector<Tally> dtypes;        // leaves of results, by bytes
  std::vector<Tally> fusions;       // by kind
  std::vector<Tally> custom_calls;  // by target
  std::vector<CollectiveInfo> collectives;
  std::vector<LoopInfo> loops;
  std::vector<ParameterInfo> parameters;
  std::vector<OutputInfo> outputs;
  std::vector<BigValue> largest;  // results outside of fusions, largest first
};

struct InfoOptions {
  size_t largest = 10;
};

ModuleInfo DescribeModule(const Document& document, const DocumentModule& module,
                          const InfoOptions& options = {});

}  // namespace halo

#endif  // HALO_API_INFO_MODULE_INFO_H_
