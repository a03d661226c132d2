// Converts between names and positions.
#include "halo/api/inputs/array_names.h"

#include <charconv>

namespace halo {
namespace {

std::optional<int64_t> Digits(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || text.front() == '-' || error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::string MakeArrayName(std::string_view prefix, size_t leaf, std::optional<int64_t> device) {
  std::string name = std::string(prefix) + "_" + std::to_string(leaf);
  if (device) name += "_d" + std::to_string(*device);
  return name;
}

DeviceSuffix SplitDevice(std::string_view name) {
  const size_t at = name.rfind("_d");
  if (at == std::string_view::npos) return {name, std::nullopt};
  const std::optional<int64_t> device = Digits(name.substr(at + 2));
  if (!device) return {name, std::nullopt};
  return {name.substr(0, at), device};
}

std::optional<ArrayName> ParseArrayName(std::string_view name, std::string_view prefix) {
  const DeviceSuffix split = SplitDevice(name);
  std::string_view stem = split.stem;
  if (!stem.starts_with(prefix)) return std::nullopt;
  stem.remove_prefix(prefix.size());
  if (!prefix.empty() && stem.starts_with('_')) stem.remove_prefix(1);
  const std::optional<int64_t> leaf = Digits(stem);
  if (!leaf) return std::nullopt;
  return ArrayName{static_cast<size_t>(*leaf), split.device};
}

}  // namespace halo
