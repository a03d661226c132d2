// Rows are added as long as the complete message fits. Long strings are shortened first where even
// the figures, or a single row, would not fit.
#include "halo/mcp/reply/tool_reply.h"

#include <algorithm>
#include <charconv>

#include "halo/base/hash.h"

namespace halo::mcp {
namespace {

// What remains for the result beside the members of a response, its id and the newline.
constexpr size_t kMostResult = kMaxReply - kMaxId - 64;
constexpr size_t kMostFigures = kMostResult / 2;
constexpr size_t kLongestFigure = 2000;
constexpr size_t kShortest = 16;
constexpr size_t kLongestText = 1200;  // of a conclusion or a problem

std::string Digits(uint64_t hash) {
  std::string text(8, '0');
  for (size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

std::string Shorter(std::string_view text, size_t longest) {
  JsonValue value = MakeText(text);
  ShortenStrings(longest, value);
  return value.text;
}

// The message under construction.
struct Draft {
  std::string conclusion;
  JsonValue figures;
  std::vector<JsonValue> rows;
  const ToolReply& reply;
  std::string_view request;

  [[nodiscard]] bool has_more() const { return reply.first + rows.size() < reply.total; }
  [[nodiscard]] std::string cursor() const {
    return CursorText(reply.first + rows.size(), request);
  }

  [[nodiscard]] std::string Text() const {
    std::string text = conclusion + "\n" + PlainText(figures);
    if (!rows.empty()) {
      JsonValue columns = MakeArray();
      for (const JsonValue& row : rows) AddColumns(row, columns);
      text += "\n" + PlainHeader(columns);
      for (const JsonValue& row : rows) text += PlainRow(row, columns);
    }
    if (has_more()) {
      text += "rows " + std::to_string(reply.first + 1) + " to " +
              std::to_string(reply.first + rows.size()) + " of " + std::to_string(reply.total) +
              "; for more: the same request with \"cursor\": \"" + cursor() + "\"\n";
    }
    for (const std::string& each : reply.next) text += "next: " + each + "\n";
    return text;
  }

  [[nodiscard]] JsonValue Structured() const {
    JsonValue all = MakeObject();
    Put(all, "conclusion", std::string_view(conclusion));
    for (size_t i = 0; i < figures.keys.size(); ++i) Put(all, figures.keys[i], figures.items[i]);
    if (reply.row) {
      JsonValue list = MakeArray();
      list.items = rows;
      Put(all, "from", reply.first);
      Put(all, "total", reply.total);
      Put(all, "rows", std::move(list));
    }
    if (has_more()) Put(all, "cursor", std::string_view(cursor()));
    return all;
  }

  [[nodiscard]] std::string Json() const {
    return "{\"content\":[{\"type\":\"text\",\"text\":" + CompactJson(MakeText(Text())) +
           "}],\"structuredContent\":" + CompactJson(Structured()) + ",\"isError\":false}";
  }
};

Draft Fit(const ToolReply& reply, std::string_view request) {
  Draft draft{Shorter(reply.conclusion, kLongestText), reply.figures, {}, reply, request};
  for (size_t longest = kLongestFigure; longest >= kShortest; longest /= 2) {
    draft.figures = reply.figures;
    ShortenStrings(longest, draft.figures);
    if (draft.Json().size() <= kMostFigures) break;
  }
  if (!reply.row) return draft;
  for (size_t i = reply.first; i < reply.total; ++i) {
    const JsonValue whole = reply.row(i);
    bool fits = false;
    for (size_t longest = reply.longest_cell; longest >= kShortest && !fits; longest /= 2) {
      JsonValue row = whole;
      ShortenStrings(longest, row);
      draft.rows.push_back(std::move(row));
      fits = draft.Json().size() <= kMostResult;
      if (!fits) draft.rows.pop_back();
      // Later rows are sent with the next page instead.
      if (!draft.rows.empty()) break;
    }
    if (!fits) break;
  }
  return draft;
}

}  // namespace

ToolReply Refuse(std::string_view problem, std::string_view instead) {
  ToolReply reply;
  reply.problem = problem;
  reply.instead = instead;
  return reply;
}

ToolReply Refuse(const Diagnostic& why, std::string_view instead) {
  return Refuse(why.message, instead.empty() ? std::string_view(why.help) : instead);
}

std::string CursorText(size_t position, std::string_view request) {
  return std::to_string(position) + "-" + Digits(HashBytes(request.data(), request.size()));
}

std::optional<size_t> PositionOf(std::string_view cursor, std::string_view request) {
  size_t position = 0;
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), position);
  if (error != std::errc() || CursorText(position, request) != cursor) return std::nullopt;
  return position;
}

std::string ToolResultJson(const ToolReply& reply, std::string_view request) {
  if (reply.problem.empty()) return Fit(reply, request).Json();
  return "{\"content\":[{\"type\":\"text\",\"text\":" +
         CompactJson(MakeText(ReplyText(reply, request))) + "}],\"isError\":true}";
}

std::string ReplyText(const ToolReply& reply, std::string_view request) {
  if (reply.problem.empty()) return Fit(reply, request).Text();
  std::string text = Shorter(reply.problem, kLongestText) + "\n";
  if (!reply.instead.empty()) text += "instead: " + Shorter(reply.instead, kLongestText) + "\n";
  return text;
}

}  // namespace halo::mcp
