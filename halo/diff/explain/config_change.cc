// Walks both trees together; the depth of a tree is bounded by its reader.
#include "halo/diff/explain/config_change.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "halo/base/json/json_reader.h"

namespace halo {
namespace {

constexpr size_t kMostFields = 6;
constexpr size_t kMostText = 40;

std::string ValueText(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: return "none";
    case JsonValue::Kind::kBool: return value.truth ? "true" : "false";
    case JsonValue::Kind::kNumber:
    case JsonValue::Kind::kString: return value.text.substr(0, kMostText);
    case JsonValue::Kind::kArray:
    case JsonValue::Kind::kObject: {
      std::string out;
      for (size_t i = 0; i < value.items.size() && out.size() < kMostText; ++i) {
        if (i != 0) out += ",";
        if (i < value.keys.size()) out += value.keys[i] + ":";
        out += ValueText(value.items[i]);
      }
      return value.kind == JsonValue::Kind::kArray ? "[" + out + "]" : "{" + out + "}";
    }
  }
  return "";
}

void CompareFields(const std::string& name, const JsonValue& before, const JsonValue& after,
                   std::vector<std::string>& out) {
  if (before.is_object() && after.is_object()) {
    for (size_t i = 0; i < before.keys.size(); ++i) {
      CompareFields(before.keys[i], before.items[i], after[before.keys[i]], out);
    }
    for (size_t i = 0; i < after.keys.size(); ++i) {
      if (before[after.keys[i]].is_null()) {
        CompareFields(after.keys[i], JsonValue(), after.items[i], out);
      }
    }
    return;
  }
  const std::string old_text = ValueText(before);
  const std::string new_text = ValueText(after);
  if (old_text != new_text) out.push_back(name + ": " + old_text + " became " + new_text);
}

// The numbers of an object's fields, in the order of their names.
std::vector<size_t> ByName(const JsonValue& object) {
  std::vector<size_t> out(object.keys.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::sort(out.begin(), out.end(), [&](size_t i, size_t j) {
    return std::tie(object.keys[i], i) < std::tie(object.keys[j], j);
  });
  return out;
}

bool IsSameTree(const JsonValue& a, const JsonValue& b) {
  if (a.kind != b.kind || a.truth != b.truth || a.text != b.text ||
      a.keys.size() != b.keys.size() || a.items.size() != b.items.size()) {
    return false;
  }
  if (!a.is_object()) {
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), IsSameTree);
  }
  const std::vector<size_t> of_a = ByName(a);
  const std::vector<size_t> of_b = ByName(b);
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (a.keys[of_a[i]] != b.keys[of_b[i]]) return false;
    if (!IsSameTree(a.items[of_a[i]], b.items[of_b[i]])) return false;
  }
  return true;
}

}  // namespace

bool IsSameConfig(std::string_view before, std::string_view after) {
  if (before == after) return true;
  const std::optional<JsonValue> old_tree = ParseJson(before);
  const std::optional<JsonValue> new_tree = ParseJson(after);
  return old_tree && new_tree && IsSameTree(*old_tree, *new_tree);
}

std::string DescribeConfigChange(std::string_view before, std::string_view after) {
  const std::optional<JsonValue> old_tree = ParseJson(before);
  const std::optional<JsonValue> new_tree = ParseJson(after);
  std::vector<std::string> fields;
  if (old_tree && new_tree) CompareFields("backend_config", *old_tree, *new_tree, fields);
  if (fields.empty()) return "other backend_config";
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i == kMostFields) return out + ", and more";
    out += (i == 0 ? "" : ", ") + fields[i];
  }
  return out;
}

}  // namespace halo
