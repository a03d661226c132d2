// Puts the parts of a comparison of devices where the document has them.
#include "halo/api/run/compare_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {
namespace {

documents::DeviceDifference DifferenceOf(const RankDifference& from) {
  documents::DeviceDifference to;
  to.instruction = from.location.name;
  to.opcode = from.location.opcode;
  to.execution = from.execution;
  if (from.is_tuple) to.leaf = static_cast<int64_t>(from.leaf);
  to.devices = {from.device, from.other};
  to.type = TextOf(from.type);
  to.dims = from.dims;
  to.elements = from.count;
  if (from.has_values) {
    to.different = from.different;
    to.index = from.index;
    to.values = {from.value, from.other_value};
  }
  for (const OperandState& each : from.operands) {
    to.operands.push_back(
        {.instruction = each.name, .same = each.is_same, .must_be_same = each.must_be});
  }
  to.path = from.location.path;
  to.op_name = from.location.op_name;
  to.source = from.location.source;
  return to;
}

}  // namespace

documents::CompareResult CompareDocument(const RunResult& result) {
  documents::CompareResult document;
  document.inputs.push_back(InputOf(result.document));
  AppendReadingDiagnostics(result.document, document.diagnostics);
  AppendDiagnostics(result.diagnostics, result.document.path, document.diagnostics);
  document.program = result.program;
  document.engine = TextOf(result.engine);
  document.replicas = result.replicas;
  document.partitions = result.partitions;
  document.ranks = result.ranks;
  document.seconds = result.seconds;
  document.not_compiled_because = result.report.declined;
  document.sandbox = result.sandbox;
  if (!result.agreement) return document;
  const RankAgreement& found = *result.agreement;
  document.agree = !found.difference;
  document.instructions_that_must_agree = found.instructions;
  document.values_compared = found.compared;
  document.first_difference.emplace();
  document.first_divergence.emplace();
  if (found.difference) *document.first_difference = DifferenceOf(*found.difference);
  if (found.divergence) *document.first_divergence = DifferenceOf(*found.divergence);
  return document;
}

std::string CompareRanksJson(const RunResult& result) {
  return describe::DocumentJson(CompareDocument(result));
}

}  // namespace halo
