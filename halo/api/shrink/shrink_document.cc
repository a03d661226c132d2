// Reads sizes and constants as users write them, and puts what was found where the document has it.
#include "halo/api/shrink/shrink_document.h"

#include <algorithm>
#include <charconv>

#include "halo/api/describe/bad_request.h"
#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

Diagnostic Refusal(std::string why) { return MakeBinaryDiagnostic(kBadRequest, 0, std::move(why)); }

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// OLD=NEW.
std::optional<std::pair<int64_t, int64_t>> DimOf(std::string_view text) {
  const size_t sign = text.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  const auto from = Number(text.substr(0, sign));
  const auto to = Number(text.substr(sign + 1));
  if (!from || !to) return std::nullopt;
  return std::pair(*from, *to);
}

// NAME=1,2,3.
std::optional<std::pair<std::string, std::vector<int64_t>>> ConstantOf(std::string_view text) {
  const size_t sign = text.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  std::vector<int64_t> values;
  for (size_t at = sign; at < text.size();) {
    const size_t comma = std::min(text.find(',', at + 1), text.size());
    const auto value = Number(text.substr(at + 1, comma - at - 1));
    if (!value) return std::nullopt;
    values.push_back(*value);
    at = comma;
  }
  std::string name(text.substr(0, sign));
  if (name.starts_with('%')) name.erase(0, 1);
  return std::pair(std::move(name), std::move(values));
}

documents::ShrunkDimension DimensionOf(const FoundDim& from) {
  documents::ShrunkDimension dim;
  dim.size = from.size;
  dim.new_size = from.new_size;
  dim.meaning = from.meaning;
  dim.uses = from.uses;
  dim.example = from.example;
  dim.device_axis = from.device;
  if (!from.pinned.empty()) {
    dim.stays_because = from.pinned;
    dim.stays_for = from.pinned_by;
  }
  return dim;
}

}  // namespace

Result<ShrinkOptions> RequestOf(const documents::ShrinkRequest& asked) {
  if (std::optional<Diagnostic> problem = ProblemOf(asked)) return *std::move(problem);
  ShrinkOptions wanted;
  wanted.bytes = asked.to;
  if (asked.devices.value_or(0) != 0) wanted.devices = asked.devices;
  wanted.smallest = asked.smallest;
  for (const std::string& text : asked.dim) {
    const auto dim = DimOf(text);
    if (!dim) return Refusal("--dim takes OLD=NEW, not " + text);
    wanted.dims.push_back(*dim);
  }
  for (const std::string& text : asked.constant) {
    auto constant = ConstantOf(text);
    if (!constant) return Refusal("--constant takes NAME=1,2,3, not " + text);
    wanted.constants.push_back(*std::move(constant));
  }
  if (!wanted.bytes && !wanted.devices && wanted.dims.empty() && wanted.constants.empty()) {
    return Refusal("specify the target size with --to SIZE, --dim OLD=NEW or --devices N");
  }
  return wanted;
}

documents::ShrinkResult ShrinkDocument(const Document& document, const ShrinkResult& result) {
  documents::ShrinkResult shown;
  shown.inputs.push_back(InputOf(document));
  AppendReadingDiagnostics(document, shown.diagnostics);
  shown.ok = result.refused.empty() && document.errors() == 0;
  shown.refused = result.refused;
  shown.devices = {result.devices, result.new_devices};
  shown.bytes_per_device = {result.bytes, result.new_bytes};
  for (const FoundDim& each : result.dims) shown.dimensions.push_back(DimensionOf(each));
  for (const RecoveredConstant& each : result.recovered) {
    shown.recovered_constants.push_back({each.name, each.how, each.values});
  }
  for (const ChangedConstant& each : result.constants) {
    shown.changed_constants.push_back({each.name, each.before, each.after, each.because});
  }
  return shown;
}

std::string ShrinkJson(const Document& document, const ShrinkResult& result) {
  return describe::DocumentJson(ShrinkDocument(document, result));
}

std::string ShrunkText(const ShrinkResult& result) { return HloText(result.module); }

}  // namespace halo
