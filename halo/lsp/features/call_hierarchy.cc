// Which computations call which. An item is a computation; its name is enough to find it again.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/lsp/features/features.h"
#include "halo/lsp/features/names.h"

namespace halo::lsp {
namespace {

constexpr int kFunctionSymbol = 12;

// A computation where it is defined.
struct CallItem {
  std::string name;
  bool is_entry = false;
  Span all, word;
};

std::optional<CallItem> ItemIn(const PieceModel& model, size_t piece,
                               const ComputationSyntax& comp) {
  if (comp.name >= model.syntax.words.size()) return std::nullopt;
  return CallItem{std::string(model.NameOf(comp)),
                  comp.is_entry,
                  {piece, comp.begin, comp.end},
                  SpanOf(piece, model.syntax.words[comp.name])};
}

std::optional<CallItem> ItemNamed(const Asked& asked, std::string_view name) {
  const std::optional<size_t> piece = asked.text.FindComputation(name);
  if (!piece) return std::nullopt;
  // A computation can have thousands of calls, so what they call is not read.
  if (const Piece& found = asked.text.text()[*piece]; found.name == name) {
    const size_t word = static_cast<size_t>(found.name.data() - found.text.data());
    const size_t brace = found.text.rfind("\n}");
    return CallItem{std::string(name),
                    found.kind == PieceKind::kEntry,
                    {*piece, 0, brace == std::string_view::npos ? found.text.size() : brace + 2},
                    {*piece, word, word + name.size()}};
  }
  const std::shared_ptr<const PieceModel> model = asked.text.Model(*piece);
  for (const ComputationSyntax& comp : model->syntax.computations) {
    if (model->NameOf(comp) == name) return ItemIn(*model, *piece, comp);
  }
  return std::nullopt;
}

void WriteItem(const Asked& asked, const CallItem& item, JsonWriter& json) {
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginObject().Field("name", item.name).Field("kind", kFunctionSymbol);
  if (item.is_entry) json.Field("detail", "entry");
  json.Field("uri", asked.text.uri()).Key("range");
  spans.Write(item.all, json);
  json.Key("selectionRange");
  spans.Write(item.word, json);
  json.EndObject();
}

void WriteCall(const Asked& asked, std::string_view direction, const CallItem& item,
               const std::vector<Span>& at, SpanWriter& spans, JsonWriter& json) {
  json.BeginObject().Key(direction);
  WriteItem(asked, item, json);
  json.Key("fromRanges").BeginArray();
  for (const Span& each : at) spans.Write(each, json);
  json.EndArray().EndObject();
}

}  // namespace

Refusal PrepareCalls(const Asked& asked, JsonWriter& json) {
  const Target target = TargetOf(asked);
  std::optional<CallItem> item;
  const std::optional<Named> named = NamedAt(asked, target);
  if (named && named->kind == Named::Kind::kComputation) {
    item = ItemNamed(asked, named->name);
  } else if (target.computation != nullptr) {
    item = ItemIn(*target.model, target.piece, *target.computation);
  }
  if (!item) return json.Null(), Refusal();
  json.BeginArray();
  WriteItem(asked, *item, json);
  json.EndArray();
  return {};
}

Refusal IncomingCalls(const Asked& asked, JsonWriter& json) {
  const std::vector<Span> calls =
      CallsOf(asked.text.text(), asked.params["item"]["name"].AsString());
  json.BeginArray();
  // Calls come in the order of the text, so those of one computation are together.
  for (size_t i = 0; i < calls.size();) {
    const std::shared_ptr<const PieceModel> model = asked.text.Model(calls[i].piece);
    const ComputationSyntax* comp = model->syntax.ComputationAt(calls[i].begin);
    std::vector<Span> together;
    const size_t piece = calls[i].piece;
    while (i < calls.size() && calls[i].piece == piece &&
           model->syntax.ComputationAt(calls[i].begin) == comp) {
      together.push_back(calls[i++]);
    }
    const std::optional<CallItem> item =
        comp == nullptr ? std::nullopt : ItemIn(*model, piece, *comp);
    SpanWriter spans(asked.text.text(), asked.encoding);
    if (item) WriteCall(asked, "from", *item, together, spans, json);
  }
  json.EndArray();
  return {};
}

Refusal OutgoingCalls(const Asked& asked, JsonWriter& json) {
  const std::string_view name = asked.params["item"]["name"].AsString();
  const std::optional<CallItem> caller = ItemNamed(asked, name);
  json.BeginArray();
  if (caller) {
    const std::shared_ptr<const PieceModel> model = asked.text.Model(caller->all.piece);
    std::vector<std::pair<std::string_view, std::vector<Span>>> called;
    std::unordered_map<std::string_view, size_t> rows;
    for (const Word& word : model->syntax.words) {
      if (word.kind != WordKind::kComputationUse || word.begin < caller->all.begin ||
          word.begin >= caller->all.end) {
        continue;
      }
      const std::string_view callee = TextOf(model->text(), word);
      const auto [row, is_new] = rows.try_emplace(callee, called.size());
      if (is_new) called.emplace_back(callee, std::vector<Span>());
      called[row->second].second.push_back(SpanOf(caller->all.piece, word));
    }
    // All calls are in one computation, so their lines are counted once.
    SpanWriter spans(asked.text.text(), asked.encoding);
    for (const auto& [callee, at] : called) {
      const std::optional<CallItem> item = ItemNamed(asked, callee);
      if (item) WriteCall(asked, "to", *item, at, spans, json);
    }
  }
  json.EndArray();
  return {};
}

}  // namespace halo::lsp
