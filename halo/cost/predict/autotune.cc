// An entry names its instruction by result, operand shapes with layouts, target and configuration.
// Shapes, target and contracted dimensions identify it; configurations differ between generations
// in fields that do not change the time.
#include "halo/cost/predict/autotune.h"

#include <algorithm>
#include <charconv>

#include "halo/base/strings/text_buffer.h"

namespace halo {
namespace {

// The text between `begin` and `end` after `at`; empty if either is missing. Moves `at` behind it.
std::string_view Between(std::string_view text, std::string_view begin, std::string_view end,
                         size_t& at) {
  const size_t from = text.find(begin, at);
  if (from == std::string_view::npos) return {};
  const size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return {};
  at = to + end.size();
  return text.substr(from + begin.size(), to - from - begin.size());
}

double NumberAfter(std::string_view text, std::string_view key) {
  size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  at = text.find_first_of("0123456789", at + key.size());
  if (at == std::string_view::npos) return 0;
  int64_t value = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return static_cast<double>(value);
}

// "(bf16[8,4]{1,0}, s8[64]{0}) custom-call(bf16[8,2]{1,0}, ...), custom_call_target=\"x\"..." as
// the key of its first result, its operands and its target. Quotes are still escaped.
std::string KeyOfEntry(std::string_view hlo) {
  size_t at = 0;
  constexpr std::string_view kCall = " custom-call(";
  const size_t call = hlo.find(kCall);
  if (call == std::string_view::npos) return {};
  std::string_view result = hlo.substr(0, call);
  if (result.starts_with('(')) {
    result.remove_prefix(1);
    // The layout ends the first element: commas also occur inside of it.
    const size_t end = result.find('}');
    if (end == std::string_view::npos) return {};
    result = result.substr(0, end + 1);
  }
  at = call;
  const std::string_view operands = Between(hlo, kCall, ")", at);
  const std::string_view target = Between(hlo, "custom_call_target=\\\"", "\\\"", at);
  if (target.empty()) return {};
  std::string key(result);
  key.append("<-").append(operands).append("@").append(target);
  return key;
}

std::string KeyOfInst(const Module& module, const Inst& inst) {
  const ShapeTable& shapes = module.shapes;
  const std::span<const ShapeId> parts = shapes.elements(inst.shape);
  TextBuffer key;
  shapes.Print(parts.empty() ? inst.shape : parts[0], /*with_layout=*/true, key);
  key << "<-";
  bool first = true;
  for (const InstId operand : module.operands_of(inst)) {
    if (!operand.valid()) return {};
    if (!first) key << ", ";
    first = false;
    shapes.Print(module.inst(operand).shape, /*with_layout=*/true, key);
  }
  key << "@" << module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  return std::string(key.view());
}

}  // namespace

AutotuneTable::AutotuneTable(std::string_view text) {
  constexpr std::string_view kEntry = "\nresults {";
  size_t at = text.find(kEntry);
  while (at != std::string_view::npos) {
    const size_t next = text.find(kEntry, at + 1);
    const std::string_view entry =
        text.substr(at, next == std::string_view::npos ? text.size() - at : next - at);
    at = next;
    size_t within = 0;
    const std::string_view device = Between(entry, "device: \"", "\"\n", within);
    if (device_.empty()) device_ = device;
    within = 0;
    const std::string key = KeyOfEntry(Between(entry, "hlo: \"", "\"\n", within));
    const size_t time = entry.find("run_time {");
    if (key.empty() || time == std::string_view::npos) continue;
    const std::string_view run_time = entry.substr(time, entry.find('}', time) - time);
    const double seconds =
        NumberAfter(run_time, "seconds:") + NumberAfter(run_time, "nanos:") * 1e-9;
    if (seconds > 0) seconds_[key].push_back(seconds);
  }
  for (auto& [key, times] : seconds_) std::sort(times.begin(), times.end());
}

std::optional<double> AutotuneTable::Find(const Module& module, const Inst& inst) const {
  if (seconds_.empty()) return std::nullopt;
  const auto found = seconds_.find(KeyOfInst(module, inst));
  if (found == seconds_.end()) return std::nullopt;
  // Several entries differ in their epilogue or in what they add.
  return found->second[found->second.size() / 2];
}

}  // namespace halo
