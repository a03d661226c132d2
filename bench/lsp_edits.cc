// Makes random edits to texts as `halo lsp` has them open, and compares with a plain string and a
// fresh read after each: the text, where its pieces begin, and what the reader and the verifier
// report. Asks every request at random places. Usage: lsp_edits SEED EDITS FILE...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "halo/api/check/check_document.h"
#include "halo/api/document/document.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/lsp/document/open_text.h"
#include "halo/lsp/features/features.h"

namespace {

using halo::CheckNote;
using halo::lsp::Encoding;
using halo::lsp::OpenText;
using halo::lsp::Position;
using halo::lsp::Range;

struct Counts {
  size_t edits = 0, exact = 0, settled = 0, requests = 0, with_errors = 0;
};

// What is compared of a note.
using NoteKey = std::tuple<uint32_t, uint32_t, std::string, std::string>;

std::vector<NoteKey> KeysOf(const std::vector<CheckNote>& notes, bool with_rules) {
  std::vector<NoteKey> keys;
  for (const CheckNote& each : notes) {
    if (each.rule && !with_rules) continue;
    keys.emplace_back(each.diagnostic.location.line, each.diagnostic.location.column,
                      std::string(each.label()), each.diagnostic.message);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<NoteKey> FreshKeys(const std::string& text, bool with_rules) {
  halo::Document document =
      halo::ReadDocument(halo::SourceBuffer::Copy(text, "fresh"), "fresh", {.keep_source = true});
  halo::RequireContents(document);
  halo::CheckOptions options;
  options.rules = with_rules;
  return KeysOf(halo::CheckDocument(document, options).notes, with_rules);
}

// A position as an editor would send it, found without the code under test.
Position PositionIn(const std::string& text, size_t byte, Encoding encoding) {
  Position position;
  for (size_t i = 0; i < byte; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      ++position.line;
      position.column = 0;
    } else if (encoding == Encoding::kUtf8) {
      ++position.column;
    } else if ((c & 0xC0) != 0x80) {
      position.column += c >= 0xF0 ? 2 : 1;
    }
  }
  return position;
}

class Session {
 public:
  Session(std::string text, uint64_t seed, Encoding encoding, Counts& counts)
      : original_(std::move(text)), random_(seed), encoding_(encoding), counts_(counts) {
    Reopen();
  }

  // False if anything differs.
  bool Edit() {
    if (text_.size() > 2 * original_.size() + 1000 || text_.empty() || Below(400) == 0) Reopen();
    size_t begin = 0;
    size_t end = 0;
    std::string inserted;
    Choose(begin, end, inserted);
    const std::string removed = text_.substr(begin, end - begin);
    if (!Apply(begin, end, inserted)) return false;
    // Most mistakes are corrected, so that texts stay close to programs.
    return Below(4) == 0 || Apply(begin, begin + inserted.size(), removed);
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void Reopen() {
    text_ = original_;
    halo::lsp::OpenTextOptions options;
    options.check_whole_bytes = 0;
    open_ = std::make_unique<OpenText>("file:///edited.hlo", 1, text_, options);
    open_->Accept(halo::lsp::ReadWhole(Request(false)));
  }

  halo::lsp::WholeRequest Request(bool analyze) {
    halo::lsp::WholeRequest request = open_->RequestWhole();
    request.analyze = analyze;
    return request;
  }

  size_t Boundary(size_t byte) const {
    while (byte < text_.size() && (static_cast<unsigned char>(text_[byte]) & 0xC0) == 0x80) ++byte;
    return byte;
  }

  void Choose(size_t& begin, size_t& end, std::string& inserted) {
    constexpr std::string_view kBytes = "(){}[],=%\"'/*-> \nax0.#_:";
    constexpr std::string_view kPieces[] = {"\xC3\xA4",
                                            "\xF0\x9F\x98\x80",
                                            "\n}\n",
                                            "{\n",
                                            "ENTRY ",
                                            "ROOT ",
                                            "/*",
                                            "*/",
                                            "HloModule x\n",
                                            "\n%c () -> f32[] {\n",
                                            "to_apply=%nowhere",
                                            "f32[4]{0}",
                                            "add",
                                            "\"",
                                            ", metadata={op_name=\"a\"}"};
    begin = Boundary(Below(text_.size() + 1));
    end = begin;
    const auto line_begin = [&](size_t at) {
      const size_t newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
      return newline == std::string::npos ? 0 : newline + 1;
    };
    const auto line_end = [&](size_t at) {
      const size_t newline = text_.find('\n', at);
      return newline == std::string::npos ? text_.size() : newline + 1;
    };
    switch (Below(8)) {
      case 0: inserted = kBytes[Below(kBytes.size())]; break;
      case 1: inserted = kPieces[Below(std::size(kPieces))]; break;
      case 2: end = Boundary(std::min(text_.size(), begin + 1 + Below(12))); break;
      case 3:
        end = Boundary(std::min(text_.size(), begin + 1));
        inserted = kBytes[Below(kBytes.size())];
        break;
      case 4:  // without a line
        begin = line_begin(begin);
        end = line_end(begin);
        break;
      case 5:  // a line twice
        begin = line_begin(begin);
        end = begin;
        inserted = text_.substr(begin, line_end(begin) - begin);
        break;
      case 6: {  // some of the text elsewhere
        const size_t from = Boundary(Below(text_.size()));
        inserted = text_.substr(from, Boundary(std::min(text_.size(), from + Below(60))) - from);
        break;
      }
      default:  // another digit
        while (begin < text_.size() && (text_[begin] < '0' || text_[begin] > '9')) ++begin;
        end = std::min(text_.size(), begin + 1);
        inserted = static_cast<char>('0' + Below(10));
        break;
    }
  }

  bool Apply(size_t begin, size_t end, const std::string& inserted) {
    const Range range = {PositionIn(text_, begin, encoding_), PositionIn(text_, end, encoding_)};
    text_.replace(begin, end - begin, inserted);
    open_->Edit(range, encoding_, inserted);
    ++counts_.edits;
    if (open_->text().Joined() != text_) return Fail("the text differs");
    if (!SamePieces()) return Fail("the pieces differ from those of the whole text");
    const halo::lsp::TextNotes notes = open_->Notes();
    if (notes.is_exact) {
      ++counts_.exact;
      const std::vector<NoteKey> keys = KeysOf(notes.notes, false);
      if (!keys.empty()) ++counts_.with_errors;
      if (keys != FreshKeys(text_, false)) return Fail("the reader reports something else");
    }
    if (!notes.is_exact || Below(16) == 0) {
      ++counts_.settled;
      open_->Accept(halo::lsp::ReadWhole(Request(Below(64) == 0)));
      if (KeysOf(open_->Notes().notes, true) != FreshKeys(text_, true)) {
        return Fail("a check after a pause reports something else");
      }
    }
    if (Below(8) == 0) Ask();
    return true;
  }

  bool SamePieces() const {
    const halo::lsp::PieceText fresh(text_);
    if (fresh.size() != open_->text().size()) return false;
    for (size_t i = 0; i < fresh.size(); ++i) {
      const halo::lsp::Piece& a = fresh[i];
      const halo::lsp::Piece& b = open_->text()[i];
      if (a.text != b.text || a.kind != b.kind || a.name != b.name || a.newlines != b.newlines ||
          fresh.line(i) != open_->text().line(i)) {
        return false;
      }
    }
    return true;
  }

  void Ask() {
    using halo::lsp::Asked;
    using Answer = halo::lsp::Refusal (*)(const Asked&, halo::JsonWriter&);
    constexpr Answer kAnswers[] = {
        halo::lsp::Definition,    halo::lsp::References,    halo::lsp::Highlights,
        halo::lsp::PrepareRename, halo::lsp::Rename,        halo::lsp::PrepareCalls,
        halo::lsp::IncomingCalls, halo::lsp::OutgoingCalls, halo::lsp::DocumentSymbols,
        halo::lsp::FoldingRanges, halo::lsp::Hover,         halo::lsp::Completion,
        halo::lsp::TokensOfText,  halo::lsp::TokensOfRange, halo::lsp::InlayHints,
        halo::lsp::CodeLenses,    halo::lsp::CodeActions,   halo::lsp::Formatting};
    const Position at = PositionIn(text_, Below(text_.size() + 1), encoding_);
    const std::string position = "{\"line\":" + std::to_string(at.line) +
                                 ",\"character\":" + std::to_string(at.column) + "}";
    halo::JsonWriter list;
    halo::lsp::WriteDiagnostics(*open_, encoding_, list);
    const auto params =
        halo::ParseJson("{\"position\":" + position + ",\"range\":{\"start\":" + position +
                        ",\"end\":{\"line\":" + std::to_string(at.line + 20) +
                        ",\"character\":0}},\"newName\":\"fresh\",\"item\":{\"name\":"
                        "\"main\"},\"context\":{\"diagnostics\":" +
                        std::string(list.view()) + "}}");
    if (!params) {
      Fail("diagnostics are not JSON");
      std::abort();
    }
    for (const Answer answer : kAnswers) {
      halo::JsonWriter json;
      const halo::lsp::Refusal refusal = answer({*open_, encoding_, *params}, json);
      ++counts_.requests;
      if (refusal.empty() && !halo::ParseJson(json.view())) {
        Fail("an answer is not JSON");
        std::abort();
      }
    }
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  std::string original_, text_, problem_;
  std::mt19937_64 random_;
  Encoding encoding_;
  Counts& counts_;
  std::unique_ptr<OpenText> open_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: lsp_edits SEED EDITS FILE...\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const size_t wanted = std::strtoull(argv[2], nullptr, 10);
  const auto files = static_cast<size_t>(argc - 3);
  Counts counts;
  for (size_t i = 0; i < files; ++i) {
    std::ifstream file(argv[i + 3], std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const Encoding encoding = i % 2 == 0 ? Encoding::kUtf16 : Encoding::kUtf8;
    Session session(std::move(text), seed * 1000 + i, encoding, counts);
    const size_t until = wanted * (i + 1) / files;
    while (counts.edits < until) {
      if (session.Edit()) continue;
      std::printf("%s: after %zu edits %s\n%s\n", argv[i + 3], counts.edits,
                  session.problem().c_str(), session.text().c_str());
      return 1;
    }
  }
  std::printf("edits %zu exact %zu with_errors %zu settled %zu requests %zu\n", counts.edits,
              counts.exact, counts.with_errors, counts.settled, counts.requests);
  return 0;
}
