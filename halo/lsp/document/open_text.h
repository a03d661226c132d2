// A text that an editor has open: its pieces, what is wrong with each, and what is known about the
// program as a whole. After an edit only the touched computations are read again; the caller has
// the whole text read when typing pauses.
#ifndef HALO_LSP_DOCUMENT_OPEN_TEXT_H_
#define HALO_LSP_DOCUMENT_OPEN_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/lsp/document/piece_model.h"
#include "halo/lsp/document/whole_program.h"
#include "halo/lsp/text/piece_text.h"

namespace halo::lsp {

struct OpenTextOptions {
  // Texts up to this size are checked as a whole after every edit.
  size_t check_whole_bytes = size_t{256} << 10;
  // Computations beyond this size are not read again after an edit, only the lines around it; the
  // rest when the whole text is.
  size_t large_bytes = size_t{4} << 20;
  // Requests about whole texts are numbered from here.
  int64_t first_edit = 0;
};

// Lines are those of the text at present.
struct TextNotes {
  std::vector<CheckNote> notes;
  // What the reader reports is what it would report about the whole text.
  bool is_exact = false;
  // What the verifier reports is, too.
  bool is_verified = false;
};

class OpenText {
 public:
  OpenText(std::string uri, int64_t version, std::string text, const OpenTextOptions& options = {});

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] int64_t version() const { return version_; }
  [[nodiscard]] const PieceText& text() const { return text_; }

  void SetVersion(int64_t version) { version_ = version; }
  void Edit(Range range, Encoding encoding, std::string_view text);
  void SetText(std::string text);

  // Of the present text, as far as it is known.
  [[nodiscard]] TextNotes Notes() const;
  // True if the whole text should be read in its present state.
  [[nodiscard]] bool NeedsWhole() const { return !is_whole_read_; }
  [[nodiscard]] WholeRequest RequestWhole();
  // Takes the result of such a request. False if the text has changed since; what was found about
  // memory and time is shown nevertheless.
  bool Accept(WholeProgram program);

  // Null if there is none yet. Its version may be an earlier one.
  [[nodiscard]] const WholeProgram* whole() const { return whole_.get(); }

  // A piece, read.
  std::shared_ptr<const PieceModel> Model(size_t piece);
  // The piece that defines a computation; nothing if there is none.
  std::optional<size_t> FindComputation(std::string_view name);
  // "model.py:12" of an instruction's metadata, also by the stack frames of the header.
  std::string SourceOf(const Module& module, const Inst& inst);

 private:
  // What is known about one piece. Lines are counted from the piece's first, which is 1.
  struct Known {
    std::vector<CheckNote> reading;   // by the reader, except for missing computations
    std::vector<CheckNote> findings;  // by the verifier
    std::vector<ComputationReadResult::Mention> missing;  // computations that were when it was read
  };

  // Counts the names and kinds of pieces.
  void CountPiece(const Piece& piece, int change);
  // False if reading the piece alone may report something else than reading the whole text.
  bool ReadAlone(size_t piece);
  void VerifyAlone(size_t piece);
  // An edit within a large computation, of which only the lines around it are read. False if it has
  // to be read as a whole.
  bool EditWithin(const PieceChange& change, Known known);
  void ReadStatements(size_t piece, const SyntaxChange& change);
  // Whether pieces can be read alone: one header first, then computations with different names, one
  // of which is the entry.
  [[nodiscard]] bool IsRegular() const;
  // Takes what was found about the whole text as it is now.
  void TakeNotes(WholeProgram& program);
  // True if reading the pieces with errors alone reports the same.
  bool ReadErrorsAlone();
  void CheckIfSmall();
  // Reads large computations, so that requests and edits find them read.
  void PrepareLarge();
  int64_t StackFrames();

  std::string uri_;
  int64_t version_ = 0;
  OpenTextOptions options_;
  PieceText text_;
  std::vector<Known> known_;  // by piece
  std::unordered_map<std::string, uint32_t>
      names_;              // of computations, and how often each is defined
  size_t duplicates_ = 0;  // definitions beyond the first of each name
  size_t headers_ = 0, entries_ = 0, others_ = 0;
  int64_t edits_ = 0;
  std::vector<CheckNote> whole_notes_;  // about no piece
  bool are_pieces_exact_ = false;
  bool is_verified_ = false;
  bool is_whole_read_ = false;
  std::unique_ptr<WholeProgram> whole_;
  PieceModels models_;
  std::unordered_map<std::string_view, size_t> computations_;  // pieces by name; empty if unknown
};

// The path of a file: URI; the URI itself if it is another one.
std::string PathOfUri(std::string_view uri);

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_OPEN_TEXT_H_
