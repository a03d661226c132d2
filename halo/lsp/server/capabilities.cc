// A list of what lsp_server.cc answers.
#include "halo/lsp/server/capabilities.h"

#include <array>
#include <span>
#include <string_view>

#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

void WriteList(std::string_view key, std::span<const std::string_view> items, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string_view each : items) json.String(each);
  json.EndArray();
}

}  // namespace

void WriteCapabilities(Encoding encoding, JsonWriter& json) {
  json.BeginObject();
  json.Field("positionEncoding", encoding == Encoding::kUtf8 ? "utf-8" : "utf-16");
  json.Key("textDocumentSync")
      .BeginObject()
      .Field("openClose", true)
      .Field("change", 2)  // incremental
      .EndObject();
  json.Field("hoverProvider", true)
      .Field("definitionProvider", true)
      .Field("referencesProvider", true)
      .Field("documentHighlightProvider", true)
      .Field("documentSymbolProvider", true)
      .Field("foldingRangeProvider", true)
      .Field("callHierarchyProvider", true)
      .Field("inlayHintProvider", true)
      .Field("documentFormattingProvider", true);
  json.Key("codeLensProvider").BeginObject().Field("resolveProvider", false).EndObject();
  json.Key("codeActionProvider").BeginObject().Field("resolveProvider", true);
  WriteList("codeActionKinds", std::to_array<std::string_view>({"quickfix", "source.format"}),
            json);
  json.EndObject().Key("completionProvider").BeginObject();
  WriteList("triggerCharacters", std::to_array<std::string_view>({"%", "(", ",", "=", "{", " "}),
            json);
  json.EndObject().Key("semanticTokensProvider").BeginObject().Key("legend").BeginObject();
  WriteList("tokenTypes", TokenTypes(), json);
  WriteList("tokenModifiers", TokenModifiers(), json);
  json.EndObject().Field("full", true).Field("range", true).EndObject();
  json.Key("renameProvider").BeginObject().Field("prepareProvider", true).EndObject();
  json.EndObject();
}

}  // namespace halo::lsp
