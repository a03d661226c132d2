// The findings of a check as a SARIF 2.1.0 log: one run, one rule for each label that occurs, and
// one result for each finding.
#include <map>
#include <string>

#include "halo/api/check/check_result.h"
#include "halo/api/check/rules_document.h"
#include "halo/api/document/version.h"
#include "halo/base/json/json_writer.h"

namespace halo {
namespace {

std::string_view LevelOf(v0::Severity severity) {
  return EnumTexts(severity)[static_cast<size_t>(severity)];
}

// Returns the path as a URI for SARIF: characters that a URI cannot contain are written as %XX.
std::string UriOf(std::string_view path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  static constexpr std::string_view kPlain = "/-._~!$&'()*+,;=:@";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri;
}

void RuleSarif(const v0::Diagnostic& example, std::string_view help, JsonWriter& json) {
  json.BeginObject().Field("id", example.code);
  json.Key("shortDescription").BeginObject().Field("text", example.code).EndObject();
  json.Key("help").BeginObject().Field("text", help.empty() ? example.code : help).EndObject();
  json.Key("defaultConfiguration")
      .BeginObject()
      .Field("level", LevelOf(example.severity))
      .EndObject();
  json.EndObject();
}

void ResultSarif(const v0::Diagnostic& found, size_t rule, JsonWriter& json) {
  json.BeginObject().Field("ruleId", found.code).Field("ruleIndex", rule);
  json.Field("level", LevelOf(found.severity));
  json.Key("message").BeginObject().Field("text", found.message).EndObject();
  json.Key("locations").BeginArray().BeginObject();
  json.Key("physicalLocation").BeginObject();
  json.Key("artifactLocation").BeginObject().Field("uri", UriOf(found.path)).EndObject();
  if (found.line != 0) {
    json.Key("region")
        .BeginObject()
        .Field("startLine", found.line)
        .Field("startColumn", found.column)
        .EndObject();
  }
  json.EndObject();
  if (!found.computation.empty()) {
    std::string name = found.computation;
    if (!found.instruction.empty()) name += "/" + found.instruction;
    json.Key("logicalLocations").BeginArray().BeginObject();
    json.Field("fullyQualifiedName", name).EndObject().EndArray();
  }
  json.EndObject().EndArray().EndObject();
}

}  // namespace

std::string CheckSarif(const v0::CheckResult& result) {
  std::map<std::string_view, std::pair<size_t, const v0::Diagnostic*>> rules;
  for (const v0::Diagnostic& each : result.diagnostics) rules.try_emplace(each.code, 0, &each);
  const documents::RulesResult known = AllRules();
  std::map<std::string_view, std::string_view> advice;
  for (const documents::ListedRule& each : known.rules) advice.try_emplace(each.code, each.help);
  JsonWriter json;
  json.BeginObject()
      .Field("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      .Field("version", "2.1.0");
  json.Key("runs").BeginArray().BeginObject();
  json.Key("tool").BeginObject().Key("driver").BeginObject();
  json.Field("name", "halo").Field("version", Version());
  json.Key("rules").BeginArray();
  size_t index = 0;
  for (auto& [code, rule] : rules) {
    rule.first = index++;
    RuleSarif(*rule.second, advice[code], json);
  }
  json.EndArray().EndObject().EndObject();
  json.Key("results").BeginArray();
  for (const v0::Diagnostic& each : result.diagnostics) {
    ResultSarif(each, rules.at(each.code).first, json);
  }
  json.EndArray().EndObject().EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace halo
