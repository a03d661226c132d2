// Requests are answered in order, each from the text as it is then, so that none is ever out of
// date or needs to be cancelled.
#include "halo/lsp/server/lsp_server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "halo/api/document/version.h"
#include "halo/lsp/features/features.h"
#include "halo/lsp/server/capabilities.h"

namespace halo::lsp {
namespace {

constexpr auto kNotInitialized = static_cast<rpc::RpcError>(-32002);
constexpr auto kRequestFailed = static_cast<rpc::RpcError>(-32803);
constexpr std::string_view kNull = "null";

struct Method {
  std::string_view name;
  Refusal (*answer)(const Asked&, JsonWriter&);
};
constexpr std::array kMethods = {
    Method{"textDocument/definition", Definition},
    Method{"textDocument/references", References},
    Method{"textDocument/documentHighlight", Highlights},
    Method{"textDocument/prepareRename", PrepareRename},
    Method{"textDocument/rename", Rename},
    Method{"textDocument/documentSymbol", DocumentSymbols},
    Method{"textDocument/foldingRange", FoldingRanges},
    Method{"textDocument/hover", Hover},
    Method{"textDocument/completion", Completion},
    Method{"textDocument/prepareCallHierarchy", PrepareCalls},
    Method{"callHierarchy/incomingCalls", IncomingCalls},
    Method{"callHierarchy/outgoingCalls", OutgoingCalls},
    Method{"textDocument/semanticTokens/full", TokensOfText},
    Method{"textDocument/semanticTokens/range", TokensOfRange},
    Method{"textDocument/inlayHint", InlayHints},
    Method{"textDocument/codeLens", CodeLenses},
    Method{"textDocument/codeAction", CodeActions},
    Method{"codeAction/resolve", ResolveAction},
    Method{"textDocument/formatting", Formatting},
};

// Where a request names its text; most do it in the same way.
std::string_view UriOf(const JsonValue& params) {
  for (const JsonValue* each :
       {&params["textDocument"]["uri"], &params["item"]["uri"], &params["data"]["uri"]}) {
    if (each->kind == JsonValue::Kind::kString) return each->AsString();
  }
  return {};
}

}  // namespace

std::vector<std::string_view> AnsweredMethods() {
  std::vector<std::string_view> names;
  for (const Method& each : kMethods) names.push_back(each.name);
  return names;
}

void Server::Handle(rpc::Message message, const Sender& send) {
  switch (message.kind) {
    case rpc::Message::Kind::kMalformed:
      send(rpc::ErrorMessage(message.id, message.error, message.problem));
      return;
    case rpc::Message::Kind::kResponse: return;
    case rpc::Message::Kind::kNotification: return Notify(message, send);
    case rpc::Message::Kind::kRequest: break;
  }
  if (message.method == "initialize") return Initialize(message, send);
  if (state_ == State::kNew) {
    return send(rpc::ErrorMessage(message.id, kNotInitialized, "send `initialize` first"));
  }
  if (state_ != State::kReady) {
    return send(rpc::ErrorMessage(message.id, rpc::RpcError::kInvalidRequest,
                                  "the server is shut down; send `exit`"));
  }
  if (message.method == "shutdown") {
    state_ = State::kShutDown;
    return send(rpc::ResultMessage(message.id, kNull));
  }
  Answer(message, send);
}

void Server::Initialize(const rpc::Message& message, const Sender& send) {
  if (state_ != State::kNew) {
    return send(rpc::ErrorMessage(message.id, rpc::RpcError::kInvalidRequest,
                                  "the server is already initialized"));
  }
  const JsonValue& capabilities = message.params["capabilities"];
  for (const JsonValue& each : capabilities["general"]["positionEncodings"].items) {
    if (each.AsString() == "utf-8") encoding_ = Encoding::kUtf8;
  }
  const JsonValue& workspace = capabilities["workspace"];
  refreshes_hints_ = workspace["inlayHint"]["refreshSupport"].AsBool(false);
  refreshes_lenses_ = workspace["codeLens"]["refreshSupport"].AsBool(false);
  state_ = State::kReady;
  JsonWriter json;
  json.BeginObject().Key("capabilities");
  WriteCapabilities(encoding_, json);
  json.Key("serverInfo").BeginObject().Field("name", "halo lsp").Field("version", Version());
  json.EndObject().EndObject();
  send(rpc::ResultMessage(message.id, json.view()));
}

void Server::Notify(rpc::Message& message, const Sender& send) {
  if (message.method == "exit") {
    was_shut_down_ = state_ == State::kShutDown;
    state_ = State::kExited;
    return;
  }
  if (state_ != State::kReady) return;
  if (message.method == "textDocument/didOpen") return Open(message.params, send);
  if (message.method == "textDocument/didChange") return Change(message.params, send);
  if (message.method == "textDocument/didClose") {
    const auto found = texts_.find(UriOf(message.params));
    if (found == texts_.end()) return;
    JsonWriter json;
    json.BeginObject().Field("uri", found->first).Key("diagnostics").BeginArray().EndArray();
    json.EndObject();
    texts_.erase(found);
    send(rpc::NotificationMessage("textDocument/publishDiagnostics", json.view()));
  }
}

void Server::Open(JsonValue& params, const Sender& send) {
  JsonValue document = params.Take("textDocument");
  const std::string uri(document["uri"].AsString());
  const int64_t version = document["version"].AsInt(0);
  JsonValue text = document.Take("text");
  if (uri.empty() || text.kind != JsonValue::Kind::kString) return;
  texts_.erase(uri);
  Entry& entry = texts_[uri];
  // A result about a text that was closed meanwhile is never taken for one about this.
  options_.first_edit += int64_t{1} << 32;
  entry.text = std::make_unique<OpenText>(uri, version, std::move(text.text), options_);
  if (entry.text->text().bytes() <= options_.check_whole_bytes) Publish(entry, send);
}

void Server::Change(const JsonValue& params, const Sender& send) {
  const auto found = texts_.find(UriOf(params));
  if (found == texts_.end()) return;
  OpenText& text = *found->second.text;
  text.SetVersion(params["textDocument"]["version"].AsInt(text.version()));
  for (const JsonValue& each : params["contentChanges"].items) {
    if (each["text"].kind != JsonValue::Kind::kString) continue;
    if (each["range"].is_null()) {
      text.SetText(std::string(each["text"].AsString()));
    } else if (const std::optional<Range> range = ReadRange(each["range"])) {
      text.Edit(*range, encoding_, each["text"].AsString());
    }
  }
  Publish(found->second, send);
}

void Server::Publish(Entry& entry, const Sender& send) {
  JsonWriter list;
  WriteDiagnostics(*entry.text, encoding_, list);
  if (list.view() == entry.published) return;
  entry.published = list.view();
  JsonWriter json;
  json.BeginObject().Field("uri", entry.text->uri()).Field("version", entry.text->version());
  json.Key("diagnostics").Raw(list.view()).EndObject();
  send(rpc::NotificationMessage("textDocument/publishDiagnostics", json.view()));
}

void Server::Answer(const rpc::Message& message, const Sender& send) {
  for (const Method& method : kMethods) {
    if (method.name != message.method) continue;
    const std::string_view uri = UriOf(message.params);
    const auto found = texts_.find(uri);
    if (found == texts_.end()) {
      return send(rpc::ErrorMessage(message.id, rpc::RpcError::kInvalidParams,
                                    uri.empty() ? "the request names no document"
                                                : "the document is not open; open it first"));
    }
    JsonWriter json;
    const Refusal refusal = method.answer({*found->second.text, encoding_, message.params}, json);
    if (!refusal.empty()) return send(rpc::ErrorMessage(message.id, kRequestFailed, refusal));
    return send(rpc::ResultMessage(message.id, json.view()));
  }
  send(rpc::ErrorMessage(message.id, rpc::RpcError::kNoMethod,
                         "`" + message.method.substr(0, 80) + "` is not supported"));
}

bool Server::NeedsWhole() const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [](const auto& each) { return each.second.text->NeedsWhole(); });
}

std::optional<WholeRequest> Server::NextWhole() {
  for (const auto& [uri, entry] : texts_) {
    if (entry.text->NeedsWhole()) return entry.text->RequestWhole();
  }
  return std::nullopt;
}

void Server::Accept(WholeProgram program, const Sender& send) {
  const auto found = texts_.find(program.uri);
  if (found == texts_.end()) return;
  found->second.text->Accept(std::move(program));
  Publish(found->second, send);
  Refresh(send);
}

void Server::Refresh(const Sender& send) {
  const auto ask = [&](std::string_view method) {
    send("{\"jsonrpc\":\"2.0\",\"id\":\"halo-" + std::to_string(++requests_) + "\",\"method\":\"" +
         std::string(method) + "\"}");
  };
  if (refreshes_hints_) ask("workspace/inlayHint/refresh");
  if (refreshes_lenses_) ask("workspace/codeLens/refresh");
}

}  // namespace halo::lsp
