// Makes random edits to texts as `halo lsp` has them open, and compares with a plain string and a
// fresh read after each: the text, where its pieces begin, their words, and what the reader and the
// verifier report. Every other file has its computations edited as large ones are. Asks every
// request at random places. Usage: lsp_edits SEED EDITS FILE...
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
  size_t edits = 0, exact = 0, settled = 0, requests = 0, with_errors = 0, within = 0;
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

// Prints what only one of the two has.
bool Same(const std::vector<NoteKey>& have, const std::vector<NoteKey>& want) {
  if (have == want) return true;
  const auto print = [](const char* who, const std::vector<NoteKey>& a,
                        const std::vector<NoteKey>& b) {
    std::vector<NoteKey> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    for (const auto& [line, column, label, message] : only) {
      std::printf("only %s: %u:%u %s: %s\n", who, line, column, label.c_str(), message.c_str());
    }
  };
  print("the editor's", have, want);
  print("a fresh read's", want, have);
  return false;
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
  Session(std::string text, uint64_t seed, Encoding encoding, bool is_large, Counts& counts)
      : original_(std::move(text)),
        random_(seed),
        encoding_(encoding),
        is_large_(is_large),
        counts_(counts) {
    Reopen();
  }

  // False if anything differs.
  bool Edit() {
    if (text_.size() > 2 * original_.size() + 1000 || text_.empty() || Below(24) == 0) Reopen();
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
    if (is_large_) options.large_bytes = 0;
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
    if (is_large_ && !SameWords()) return Fail("the words differ from those of the whole text");
    const halo::lsp::TextNotes notes = open_->Notes();
    if (notes.is_exact) {
      ++counts_.exact;
      const std::vector<NoteKey> keys = KeysOf(notes.notes, false);
      if (!keys.empty()) ++counts_.with_errors;
      if (!Same(keys, FreshKeys(text_, false))) return Fail("the reader reports something else");
    }
    if (!notes.is_exact || Below(16) == 0) {
      ++counts_.settled;
      open_->Accept(halo::lsp::ReadWhole(Request(Below(64) == 0)));
      if (!Same(KeysOf(open_->Notes().notes, true), FreshKeys(text_, true))) {
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

  // Words of large computations follow edits; these are those of the text.
  bool SameWords() {
    for (size_t i = 0; i < open_->text().size(); ++i) {
      const auto model = open_->Model(i);
      if (!model->is_read_old) continue;
      ++counts_.within;
      const halo::lsp::Syntax fresh = halo::lsp::ReadSyntax(model->text());
      const halo::lsp::Syntax& kept = model->syntax;
      const auto same_word = [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.length, a.kind, a.instruction) ==
               std::tie(b.begin, b.length, b.kind, b.instruction);
      };
      const auto same_inst = [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name, a.opcode, a.operands, a.operands_end, a.computation,
                        a.is_root) == std::tie(b.begin, b.end, b.name, b.opcode, b.operands,
                                               b.operands_end, b.computation, b.is_root);
      };
      const auto same_comp = [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name, a.first, a.count, a.is_entry) ==
               std::tie(b.begin, b.end, b.name, b.first, b.count, b.is_entry);
      };
      if (!std::equal(fresh.words.begin(), fresh.words.end(), kept.words.begin(), kept.words.end(),
                      same_word) ||
          !std::equal(fresh.instructions.begin(), fresh.instructions.end(),
                      kept.instructions.begin(), kept.instructions.end(), same_inst) ||
          !std::equal(fresh.computations.begin(), fresh.computations.end(),
                      kept.computations.begin(), kept.computations.end(), same_comp)) {
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
  bool is_large_;
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
    Session session(std::move(text), seed * 1000 + i, encoding, (i / 2 + seed) % 2 == 1, counts);
    const size_t until = wanted * (i + 1) / files;
    while (counts.edits < until) {
      if (session.Edit()) continue;
      std::printf("%s: after %zu edits %s\n%s\n", argv[i + 3], counts.edits,
                  session.problem().c_str(), session.text().c_str());
      return 1;
    }
  }
  std::printf("texts %d edits %zu exact %zu with_errors %zu settled %zu within %zu requests %zu\n",
              argc - 3, counts.edits, counts.exact, counts.with_errors, counts.settled,
              counts.within, counts.requests);
  return 0;
}
