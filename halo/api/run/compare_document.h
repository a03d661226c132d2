// The result of `halo compare --ranks` as users see it, in every front end.
#ifndef HALO_API_RUN_COMPARE_DOCUMENT_H_
#define HALO_API_RUN_COMPARE_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/run/run.h"
#include "haloscope/parts.h"
#include "haloscope/run.h"

namespace halo {
namespace documents {

struct DeviceOperand {
  std::string instruction;
  bool same = false, must_be_same = false;
};

template <class V>
void Fields(V& v, DeviceOperand& r) {
  v("instruction", r.instruction, "that has the value");
  v("same", r.same, "it is the same on both devices");
  v("must_be_same", r.must_be_same, "according to the program");
}

// Two devices that differ at one instruction.
struct DeviceDifference {
  std::string instruction, opcode;
  int64_t execution = 0;
  std::optional<int64_t> leaf;
  std::vector<int64_t> devices;
  std::string type;
  std::vector<int64_t> dims;
  int64_t elements = 0;
  std::optional<int64_t> different;
  std::optional<std::vector<int64_t>> index;
  std::optional<std::vector<std::string>> values;
  std::vector<DeviceOperand> operands;
  std::vector<std::string> path;
  std::string op_name, source;
};

template <class V>
void Fields(V& v, DeviceDifference& r) {
  v("instruction", r.instruction, "at which they differ");
  v("opcode", r.opcode, "");
  v("execution", r.execution, "from 0", v0::FieldFlag::kDetail);
  v("leaf", r.leaf, "which part of a tuple", v0::FieldFlag::kDetail);
  v("devices", r.devices, "two");
  v("type", r.type, "element type", v0::FieldFlag::kDetail);
  v("dims", r.dims, "dimensions");
  v("elements", r.elements, "how many", v0::FieldFlag::kDetail);
  v("different", r.different, "elements that differ");
  v("index", r.index, "of the first element that differs");
  v("values", r.values, "of that element, on the two devices");
  v("operands", r.operands, "what it is computed from");
  v("path", r.path, "the calls that lead to it");
  v("op_name", r.op_name, "from metadata", v0::FieldFlag::kIfAny, v0::FieldFlag::kDetail);
  v("source", r.source, "`file:line` of the user's program", v0::FieldFlag::kIfAny);
}

struct CompareResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.compare.v1";

  std::string program, engine;
  int64_t replicas = 1, partitions = 1, ranks = 0;
  double seconds = 0;
  std::string not_compiled_because;
  std::optional<v0::Sandbox> sandbox;
  std::optional<bool> agree;
  std::optional<int64_t> instructions_that_must_agree, values_compared;
  // Empty inside if there is none.
  std::optional<std::optional<DeviceDifference>> first_difference, first_divergence;
};

template <class V>
void Fields(V& v, CompareResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("program", r.program, "the module's name; empty if it could not be read");
  v("engine", r.engine, "what ran it", v0::Choices{"engine"});
  v("replicas", r.replicas, "how many");
  v("partitions", r.partitions, "how many");
  v("ranks", r.ranks, "processes that ran it, one for each device; 0: one for all");
  v("seconds", r.seconds, "of the run", v0::Unit::kSeconds);
  v("not_compiled_because", r.not_compiled_because, "why the reference engine ran instead",
    v0::FieldFlag::kIfAny);
  v("sandbox", r.sandbox, "what the process that ran the devices could not reach",
    v0::When{"absent if none ran it"});
  constexpr v0::When kRan{"absent if the module did not run"};
  v("agree", r.agree, "devices that must agree do", kRan);
  v("instructions_that_must_agree", r.instructions_that_must_agree,
    "instructions at which some devices must agree", kRan);
  v("values_compared", r.values_compared, "how many", kRan);
  v("first_difference", r.first_difference,
    "between devices that must agree; null if there is none", kRan);
  v("first_divergence", r.first_divergence,
    "between devices that need not agree; null if there is none", kRan);
}

}  // namespace documents

// For a result with compare_ranks.
documents::CompareResult CompareDocument(const RunResult& result);
std::string CompareRanksJson(const RunResult& result);

}  // namespace halo

#endif  // HALO_API_RUN_COMPARE_DOCUMENT_H_
