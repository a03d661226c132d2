// The findings of a check as a SARIF 2.1.0 log: one run, one rule for each label that occurs, and
// one result for each finding.
#include <map>
#include <string>

#include "halo/api/check/check_document.h"
#include "halo/api/document/json_parts.h"
#include "halo/base/json/json_writer.h"

namespace halo {
namespace {

std::string_view LevelOf(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
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

void RuleSarif(std::string_view label, const CheckNote& note, JsonWriter& json) {
  json.BeginObject().Field("id", label);
  const std::string_view help = note.rule ? InfoOf(*note.rule).help : note.diagnostic.code.help;
  json.Key("shortDescription").BeginObject().Field("text", label).EndObject();
  json.Key("help").BeginObject().Field("text", help.empty() ? label : help).EndObject();
  json.Key("defaultConfiguration")
      .BeginObject()
      .Field("level", LevelOf(note.diagnostic.severity))
      .EndObject();
  json.EndObject();
}

void ResultSarif(std::string_view path, const CheckNote& note, size_t rule, JsonWriter& json) {
  const Diagnostic& diagnostic = note.diagnostic;
  json.BeginObject().Field("ruleId", note.label()).Field("ruleIndex", rule);
  json.Field("level", LevelOf(diagnostic.severity));
  json.Key("message").BeginObject().Field("text", diagnostic.message).EndObject();
  json.Key("locations").BeginArray().BeginObject();
  json.Key("physicalLocation").BeginObject();
  json.Key("artifactLocation").BeginObject().Field("uri", UriOf(path)).EndObject();
  if (diagnostic.location.line != 0) {
    json.Key("region")
        .BeginObject()
        .Field("startLine", diagnostic.location.line)
        .Field("startColumn", diagnostic.location.column)
        .EndObject();
  }
  json.EndObject();
  if (!note.computation.empty()) {
    std::string name = note.computation;
    if (!note.instruction.empty()) name += "/" + note.instruction;
    json.Key("logicalLocations").BeginArray().BeginObject();
    json.Field("fullyQualifiedName", name).EndObject().EndArray();
  }
  json.EndObject().EndArray().EndObject();
}

}  // namespace

std::string CheckSarif(std::span<const CheckedFile> files) {
  std::map<std::string_view, std::pair<size_t, const CheckNote*>> rules;
  for (const CheckedFile& file : files) {
    for (const CheckNote& note : file.notes) rules.try_emplace(note.label(), 0, &note);
  }
  JsonWriter json;
  json.BeginObject()
      .Field("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      .Field("version", "2.1.0");
  json.Key("runs").BeginArray().BeginObject();
  json.Key("tool").BeginObject().Key("driver").BeginObject();
  json.Field("name", "halo").Field("version", Version());
  json.Key("rules").BeginArray();
  size_t index = 0;
  for (auto& [label, rule] : rules) {
    rule.first = index++;
    RuleSarif(label, *rule.second, json);
  }
  json.EndArray().EndObject().EndObject();
  json.Key("results").BeginArray();
  for (const CheckedFile& file : files) {
    for (const CheckNote& note : file.notes) {
      ResultSarif(file.path, note, rules.at(note.label()).first, json);
    }
  }
  json.EndArray().EndObject().EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace halo
