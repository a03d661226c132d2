// Definitions, uses and renaming. A rename replaces names only: percent signs stay as they are.
#include <algorithm>
#include <vector>

#include "halo/lsp/features/features.h"
#include "halo/lsp/features/names.h"

namespace halo::lsp {
namespace {

bool IsValidName(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
         });
}

// The definition and all uses, in the order of the text.
std::vector<Span> AllOf(const Asked& asked, const Target& target, const Named& named) {
  std::vector<Span> all = UsesOf(asked, target, named);
  if (named.definition) all.push_back(*named.definition);
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) {
    return std::pair(a.piece, a.begin) < std::pair(b.piece, b.begin);
  });
  return all;
}

bool IsTaken(const Asked& asked, const Target& target, const Named& named, std::string_view name) {
  if (named.kind == Named::Kind::kComputation) return asked.text.FindComputation(name).has_value();
  return target.computation != nullptr && target.model->Find(*target.computation, name) != nullptr;
}

}  // namespace

Refusal Definition(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  const std::optional<Named> named = NamedAt(asked, target);
  if (!named || !named->definition) return json.Null(), Refusal();
  SpanWriter spans(asked.text.text(), asked.encoding);
  spans.WriteLocation(asked.text.uri(), *named->definition, json);
  return {};
}

Refusal References(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  const std::optional<Named> named = NamedAt(asked, target);
  json.BeginArray();
  if (named) {
    const bool with_definition = asked.params["context"]["includeDeclaration"].AsBool(true);
    SpanWriter spans(asked.text.text(), asked.encoding);
    const std::vector<Span> all =
        with_definition ? AllOf(asked, target, *named) : UsesOf(asked, target, *named);
    for (const Span& each : all) spans.WriteLocation(asked.text.uri(), each, json);
  }
  json.EndArray();
  return {};
}

Refusal Highlights(const Asked& asked, JsonWriter& json) {
  constexpr int kRead = 2;
  constexpr int kWrite = 3;
  const Target target = TargetOf(asked);
  const std::optional<Named> named = NamedAt(asked, target);
  json.BeginArray();
  if (named) {
    SpanWriter spans(asked.text.text(), asked.encoding);
    for (const Span& each : AllOf(asked, target, *named)) {
      const bool is_definition = named->definition && named->definition->piece == each.piece &&
                                 named->definition->begin == each.begin;
      json.BeginObject().Key("range");
      spans.Write(each, json);
      json.Field("kind", is_definition ? kWrite : kRead).EndObject();
    }
  }
  json.EndArray();
  return {};
}

Refusal PrepareRename(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  const std::optional<Named> named = NamedAt(asked, target);
  if (!named || !named->definition) return json.Null(), Refusal();
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginObject().Key("range");
  spans.Write(named->word, json);
  json.Field("placeholder", named->name).EndObject();
  return {};
}

Refusal Rename(const Asked& asked, JsonWriter& json) {
  std::string_view fresh = asked.params["newName"].AsString();
  if (fresh.starts_with('%')) fresh.remove_prefix(1);
  if (!IsValidName(fresh)) {
    return "a name begins with a letter or _ and has only letters, digits, _, . and -";
  }
  const Target target = TargetOf(asked);
  const std::optional<Named> named = NamedAt(asked, target);
  if (!named || !named->definition) return "there is no instruction or computation here to rename";
  if (named->name != fresh && IsTaken(asked, target, *named, fresh)) {
    return "'" + std::string(fresh.substr(0, 80)) + "' is already defined; choose another name";
  }
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginObject().Key("changes").BeginObject().Key(asked.text.uri()).BeginArray();
  for (const Span& each : AllOf(asked, target, *named)) {
    json.BeginObject().Key("range");
    spans.Write(each, json);
    json.Field("newText", fresh).EndObject();
  }
  json.EndArray().EndObject().EndObject();
  return {};
}

}  // namespace halo::lsp
