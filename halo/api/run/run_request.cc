// Checks the values, and that given arrays are what they claim to be.
#include "halo/api/run/run_request.h"

#include <optional>
#include <string>
#include <utility>

#include "halo/api/describe/bad_request.h"
#include "halo/api/document/run_diagnostics.h"
#include "halo/base/capped.h"

namespace halo {
namespace {

// Why an input is not a valid array; empty if it is.
std::string WhyNoArray(const v0::Array& array) {
  const std::optional<ElementType> type = ElementTypeFromText(array.type);
  if (!type || !IsArrayType(*type)) return "no element type is called `" + array.type + "`";
  int64_t count = 1;
  for (const int64_t dim : array.dims) {
    if (dim < 0) return "a dimension is negative";
    count = MultiplyCapped(count, dim);
  }
  const int64_t bytes = MultiplyCapped(count, static_cast<int64_t>(StoredBytes(*type)));
  if (static_cast<uint64_t>(bytes) != array.bytes) {
    return "its dimensions take " + std::to_string(bytes) + " bytes, and it holds " +
           std::to_string(array.bytes);
  }
  if (array.bytes != 0 && array.data == nullptr) return "it has no data";
  return {};
}

// Returns what is wrong with them.
std::string TakeArrays(const v0::ExecutionRequest& asked, RunRequest& request) {
  std::string problems;
  for (const v0::Array& each : asked.inputs) {
    if (const std::string problem = WhyNoArray(each); !problem.empty()) {
      problems += (problems.empty() ? "input " : "; input ") + each.name + ": " + problem;
      continue;
    }
    request.arrays.push_back(
        {each.name, Array::Borrowed(*ElementTypeFromText(each.type), each.dims,
                                    static_cast<const uint8_t*>(each.data.get()), each.data)});
  }
  return problems;
}

std::string TakeExecution(const v0::ExecutionRequest& asked, RunRequest& request) {
  request.inputs = asked.input_files;
  request.random = asked.random;
  request.devices = asked.devices.value_or(0);
  request.max_bytes = asked.max_memory.value_or(0);
  request.max_steps = asked.max_steps.value_or(INT64_MAX);
  request.fill_elided = FillElidedFrom(asked.fill_elided);
  request.custom_calls = asked.custom_call;
  return TakeArrays(asked, request);
}

}  // namespace

FillElided FillElidedFrom(std::string_view text) {
  if (text == "zeros") return FillElided::kZeros;
  if (text == "ones") return FillElided::kOnes;
  if (text == "iota") return FillElided::kIota;
  return FillElided::kRefuse;
}

Result<RunRequest> RequestOf(const v0::ExecutionRequest& asked) {
  if (std::optional<Diagnostic> problem = ProblemOf(asked)) return *std::move(problem);
  RunRequest request;
  if (std::string why = TakeExecution(asked, request); !why.empty()) {
    return MakeBinaryDiagnostic(diag::kInputUnsupported, 0, std::move(why));
  }
  return request;
}

Result<RunRequest> RequestOf(const v0::RunRequest& asked) {
  if (std::optional<Diagnostic> problem = ProblemOf(asked)) return *std::move(problem);
  RunRequest request;
  if (std::string why = TakeExecution(asked, request); !why.empty()) {
    return MakeBinaryDiagnostic(diag::kInputUnsupported, 0, std::move(why));
  }
  request.opened_module = asked.module;
  request.replicas = asked.replicas.value_or(0);
  request.partitions = asked.partitions.value_or(0);
  request.compiling.repeat = asked.repeat;
  request.compiling.without = asked.without;
  request.compiling.wants_profile = asked.profile;
  request.compiling.wants_decisions = asked.decisions;
  request.compiling.steps.feeds_back = asked.feed_back;
  request.gather = asked.join;
  request.gather_by = asked.join_by;
  request.compare = asked.compare;
  request.tolerance = {.rtol = asked.rtol,
                       .atol = asked.atol,
                       .largest_ulp = asked.ulp_of_largest,
                       .ulp = asked.ulp};
  request.worst = static_cast<size_t>(asked.worst);
  request.trace = asked.trace;
  request.find_nan = asked.find_nan;
  return request;
}

}  // namespace halo
