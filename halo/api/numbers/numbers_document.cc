// Puts the parts of a comparison of numbers where the document has them.
#include "halo/api/numbers/numbers_document.h"

#include <cmath>

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {
namespace {

std::optional<double> IfFinite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

v0::ArrayDifference DifferenceOf(ElementType type, const Dims& dims, const ArrayComparison& from) {
  v0::ArrayDifference to;
  to.type = TextOf(type);
  to.dims = dims;
  to.elements = from.count;
  to.different = from.different;
  to.beyond = from.beyond;
  if (from.beyond == 0 || from.worst.empty()) return to;
  const ElementDifference& worst = from.worst.front();
  to.worst = {.index = worst.index,
              .before = IfFinite(worst.expected),
              .after = IfFinite(worst.got),
              .before_imag = {},
              .after_imag = {},
              .absolute = IfFinite(worst.absolute)};
  if (InfoOf(type).klass == ElementClass::kComplex) {
    to.worst->before_imag.emplace(IfFinite(worst.expected_imag));
    to.worst->after_imag.emplace(IfFinite(worst.got_imag));
  }
  return to;
}

v0::DifferentValue DifferentOf(const ValueDifference& from) {
  v0::DifferentValue to;
  to.before = from.before;
  to.after = from.after;
  to.device = from.device;
  to.execution = from.execution;
  to.leaf = static_cast<int64_t>(from.leaf);
  to.confidence = from.confidence;
  to.repaired = from.repaired;
  to.difference = DifferenceOf(from.type, from.dims, from.result);
  for (const ComparedOperand& each : from.operands) {
    to.operands.push_back({.name = each.name, .agreement = std::string(TextOf(each.agreement))});
  }
  return to;
}

}  // namespace

v0::ComparedPrograms ComparedOf(const NumbersResult& result) {
  v0::ComparedPrograms to;
  to.agrees = result.agrees();
  to.wrong = result.wrong();
  to.results.emplace();
  for (const ResultComparison& each : result.results) {
    to.results->push_back({.name = each.name,
                           .ok = each.ok(),
                           .problem = each.problem,
                           .difference = DifferenceOf(each.type, each.dims, each.result)});
  }
  to.values = result.values;
  if (result.first) to.first = DifferentOf(*result.first);
  return to;
}

v0::NumbersResult NumbersDocument(const NumbersResult& result, const Document& before,
                                  const Document& after) {
  v0::NumbersResult document;
  document.inputs = {InputOf(before), InputOf(after)};
  document.ok = result.refused.empty();
  document.refused = result.refused;
  if (document.ok) static_cast<v0::ComparedPrograms&>(document) = ComparedOf(result);
  document.sandbox = result.sandbox;
  AppendDiagnostics(result.diagnostics, result.failed, document.diagnostics);
  return document;
}

std::string NumbersJson(const NumbersResult& result, const Document& before,
                        const Document& after) {
  return describe::DocumentJson(NumbersDocument(result, before, after));
}

}  // namespace halo
