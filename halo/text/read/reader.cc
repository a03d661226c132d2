// Helpers that every part of the grammar uses, and error reporting.
#include "halo/text/read/reader.h"

#include "halo/base/strings/escape.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr int kMaxNesting = 200;

}  // namespace

Reader::Reader(std::string_view text, Module& m, Diagnostics& d)
    : cursor(text), module(m), diagnostics(d), continued_names(m), names(m) {}

bool Reader::Error(DiagCode code, const char* where, std::string message) {
  if (doubt_ == nullptr) {
    Report(code, where, std::move(message));
  } else if (!doubt_->code) {
    doubt_->code = code;
    doubt_->where = where;
    doubt_->message = std::move(message);
  }
  return false;
}

bool Reader::Wrong(DiagCode code, const char* where, std::string message) {
  if (doubt_ != nullptr) doubt_->is_wrong = true;
  return Error(code, where, std::move(message));
}

void Reader::Report(DiagCode code, const char* where, std::string message) {
  if (diagnostics.full()) {
    diagnostics.Count(code);
    return;
  }
  const char* begin = cursor.at() - cursor.offset();
  const std::string_view text(begin, static_cast<size_t>(cursor.end() - begin));
  diagnostics.Add(MakeDiagnostic(code, text, cursor.OffsetOf(where), std::move(message), lines_));
}

std::string Reader::Quote(const char* at) const {
  if (at >= cursor.end()) return "the end of the file";
  const auto first = static_cast<unsigned char>(*at);
  if (first < 0x20 || first >= 0x7F) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    return std::string("the byte 0x") + kHex[first >> 4] + kHex[first & 15];
  }
  const char* stop = at + 1;
  if (IsClass(*at, kNameChar)) {
    while (IsClass(*stop, kNameChar) && stop - at < 40) ++stop;
  }
  return "'" + std::string(at, stop) + "'";
}

bool Reader::Expected(std::string_view what) {
  const auto c = static_cast<unsigned char>(cursor.peek());
  DiagCode code = diag::kUnexpectedText;
  if (cursor.at_end()) {
    code = diag::kUnexpectedEnd;
  } else if (c >= 0x7F || (c < 0x20 && !IsClass(static_cast<char>(c), kBlank))) {
    code = diag::kInvalidCharacter;
  }
  return Error(code, "expected " + std::string(what) + ", found " + Quote(cursor.at()));
}

bool Reader::UnterminatedComment() {
  Error(diag::kUnterminatedComment, "this comment is not terminated");
  cursor.MoveTo(cursor.end());
  return false;
}

bool Reader::ExpectedChar(char c) {
  // An unterminated comment was already reported.
  if (cursor.at_end() && !diagnostics.ok()) return false;
  return Expected(std::string("'") + c + "'");
}

bool Reader::ExpectedInt() {
  int64_t value = 0;
  if (cursor.TakeInt(value) == Cursor::IntStatus::kOverflow) {
    return Error(diag::kIntegerOutOfRange, "this integer does not fit in 64 bits");
  }
  if (cursor.at_end()) return Expected("an integer");
  return Error(diag::kBadInteger, "expected an integer, found " + Quote(cursor.at()));
}

bool Reader::ReadBool(bool& value) {
  if (!Skip()) return false;
  if (cursor.TakeWord("true") || cursor.TakeWord("1")) {
    value = true;
    return true;
  }
  if (cursor.TakeWord("false") || cursor.TakeWord("0")) {
    value = false;
    return true;
  }
  return Expected("true or false");
}

bool Reader::ReadString(std::string_view& value) {
  if (!Skip()) return false;
  if (cursor.peek() != '"' && cursor.peek() != '\'') return Expected("a quoted string");
  const char* start = cursor.at();
  bool escaped = false;
  const auto raw = cursor.TakeQuoted(escaped);
  if (!raw) return Error(diag::kUnterminatedString, start, "this string is not terminated");
  if (!escaped) {
    value = *raw;
    return true;
  }
  auto plain = CUnescaped(*raw);
  if (!plain) return Error(diag::kBadEscape, start, "this string holds a malformed escape");
  string_scratch_ = std::move(*plain);
  value = string_scratch_;
  return true;
}

bool Reader::ReadStrId(StrId& id) {
  std::string_view value;
  if (!ReadString(value)) return false;
  id = module.Str(value);
  return true;
}

bool Reader::ReadBracedInts(std::vector<int64_t>& values) {
  values.clear();
  return ReadBraced([&] {
    int64_t value = 0;
    if (!ReadInt(value)) return false;
    values.push_back(value);
    return true;
  });
}

bool Reader::SkipBalanced(std::string_view& text) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  int depth = 0;
  for (;;) {
    const char c = cursor.peek();
    if (c == '"' || c == '\'') {
      const char* quote = cursor.at();
      bool escaped = false;
      if (!cursor.TakeQuoted(escaped)) {
        return Error(diag::kUnterminatedString, quote, "this string is not terminated");
      }
      continue;
    }
    if (c == '{' || c == '(' || c == '[') {
      if (++depth > kMaxNesting) return Error(diag::kTooNested, "brackets are nested too deeply");
    } else if (c == '}' || c == ')' || c == ']') {
      if (depth == 0) break;
      // A value that starts with a brace ends with the matching one.
      if (--depth == 0 && *start == '{') {
        cursor.Step();
        break;
      }
    } else if (depth == 0 && (c == ',' || c == '\n')) {
      break;
    } else if (cursor.at_end()) {
      if (depth == 0) break;
      return Error(diag::kUnexpectedEnd, start, "the brackets opened here are never closed");
    }
    cursor.Step();
  }
  const char* stop = cursor.at();
  while (stop > start && IsClass(stop[-1], kBlank)) --stop;
  text = {start, static_cast<size_t>(stop - start)};
  if (text.empty()) return Expected("a value");
  return true;
}

bool Reader::SkipJsonDict(std::string_view& text) {
  const char* start = cursor.at();
  int64_t depth = 0;
  for (;;) {
    const char c = cursor.peek();
    if (c == '"') {
      const char* quote = cursor.at();
      bool escaped = false;
      if (!cursor.TakeQuoted(escaped)) {
        return Error(diag::kUnterminatedString, quote, "this string is not terminated");
      }
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) break;
    if (cursor.at_end()) {
      return Error(diag::kUnexpectedEnd, start, "the brace opened here is never closed");
    }
    cursor.Step();
  }
  cursor.Step();
  text = {start, static_cast<size_t>(cursor.at() - start)};
  return true;
}

uint32_t Reader::InstNamed(std::string_view name, uint32_t hash) const {
  uint32_t found = names.Find(name, hash);
  for (size_t i = 0; i < earlier_names.size() && found == InstId::kNoneValue; ++i) {
    found = earlier_names[i].Find(name, hash);
  }
  return found;
}

bool Reader::AddEarlierNames(NameMap part) {
  // A Bloom filter with one bit per hash: names are compared only where the bit is already set.
  const auto sift = [this](uint32_t hash) {
    uint64_t& word = earlier_bloom_filter[(hash >> 6) % earlier_bloom_filter.size()];
    const uint64_t bit = uint64_t{1} << (hash & 63);
    const bool taken = (word & bit) != 0;
    word |= bit;
    return taken;
  };
  if (earlier_bloom_filter.empty()) {
    earlier_bloom_filter.resize((names.size() + part.size()) / 2 + 1024);
    names.ForEachHash([&](uint32_t hash, uint32_t) { return sift(hash), true; });
  }
  const bool distinct = part.ForEachHash([&](uint32_t hash, uint32_t inst) {
    return !sift(hash) || InstNamed(module.name_of(module.insts[inst]), hash) == InstId::kNoneValue;
  });
  earlier_names.push_back(std::move(part));
  return distinct;
}

CompId Reader::CompNamed(StrId name, uint64_t offset) {
  if (name.index() >= comp_of.size()) comp_of.resize(name.index() + 64, CompId::kNoneValue);
  uint32_t& slot = comp_of[name.index()];
  if (slot == CompId::kNoneValue) {
    slot = static_cast<uint32_t>(module.comps.size());
    Computation fresh;
    fresh.name = name;
    module.comps.push_back(fresh);
    comp_refs.push_back({CompId(slot), offset});
  }
  return CompId(slot);
}

}  // namespace halo
