// Two states: either pieces are read alone and together report what a read of the whole text would
// (`are_pieces_exact_`), or what the last read of the whole reported is shown, moved with its
// lines, until the next one. Edits that change which computations exist lead to the second state.
#include "halo/lsp/document/open_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "halo/api/document/find_definitions.h"
#include "halo/ir/attributes/attr.h"
#include "halo/lsp/document/statement_text.h"
#include "halo/memory/explain/origins.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/framing/framing.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostErrorsAlone = 64;            // pieces
constexpr size_t kMostCalled = size_t{1} << 20;    // bytes of called computations read with one
constexpr size_t kMostVerified = size_t{4} << 20;  // bytes of a computation verified at once

bool IsMissingComputation(const CheckNote& note) {
  return !note.rule && note.diagnostic.code == diag::kUnknownComputation;
}

bool IsReadingError(const CheckNote& note) {
  return !note.rule && note.diagnostic.severity == Severity::kError;
}

auto KeyOf(const CheckNote& note) {
  return std::tuple(note.diagnostic.location.line, note.diagnostic.location.column, note.label(),
                    std::string_view(note.diagnostic.message));
}

void SortNotes(std::vector<CheckNote>& notes) {
  std::sort(notes.begin(), notes.end(),
            [](const CheckNote& a, const CheckNote& b) { return KeyOf(a) < KeyOf(b); });
}

bool SameNotes(const std::vector<CheckNote>& a, const std::vector<CheckNote>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const CheckNote& x, const CheckNote& y) { return KeyOf(x) == KeyOf(y); });
}

std::string SourceAt(std::string_view file, int64_t line) {
  Origin origin;
  origin.file = file;
  origin.line = line;
  return SourceText(origin);
}

bool IsComputation(const Piece& piece) {
  return piece.kind == PieceKind::kComputation || piece.kind == PieceKind::kEntry;
}

}  // namespace

OpenText::OpenText(std::string uri, int64_t version, std::string text,
                   const OpenTextOptions& options)
    : uri_(std::move(uri)),
      version_(version),
      options_(options),
      text_(std::move(text)),
      edits_(options.first_edit),
      models_(options.large_bytes) {
  known_.resize(text_.size());
  for (const Piece& each : text_.pieces()) CountPiece(each, 1);
  CheckIfSmall();
  PrepareLarge();
}

void OpenText::PrepareLarge() {
  for (size_t i = 0; i < text_.size(); ++i) {
    if (models_.IsLarge(text_[i])) Model(i);
  }
}

void OpenText::CountPiece(const Piece& piece, int change) {
  const auto add = [change](size_t& count) { count += static_cast<size_t>(change); };
  if (piece.kind == PieceKind::kHeader) add(headers_);
  if (piece.kind == PieceKind::kOther) add(others_);
  if (piece.kind == PieceKind::kEntry) add(entries_);
  if (!IsComputation(piece)) return;
  uint32_t& count = names_[std::string(piece.name)];
  if (change > 0 ? count++ > 0 : --count > 0) add(duplicates_);
  if (count == 0) names_.erase(std::string(piece.name));
}

bool OpenText::IsRegular() const {
  return text_.size() > 0 && text_[0].kind == PieceKind::kHeader && headers_ == 1 && others_ == 0 &&
         entries_ == 1 && duplicates_ == 0;
}

void OpenText::SetText(std::string text) {
  ++edits_;
  text_ = PieceText(std::move(text));
  models_.Clear();
  computations_.clear();
  known_.assign(text_.size(), {});
  whole_notes_.clear();
  names_.clear();
  duplicates_ = headers_ = entries_ = others_ = 0;
  for (const Piece& each : text_.pieces()) CountPiece(each, 1);
  are_pieces_exact_ = is_verified_ = is_whole_read_ = false;
  CheckIfSmall();
  PrepareLarge();
}

void OpenText::Edit(Range range, Encoding encoding, std::string_view text) {
  ++edits_;
  is_verified_ = is_whole_read_ = false;
  computations_.clear();
  const PieceChange change = text_.Replace(range, encoding, text);
  for (const Piece& old : change.removed) {
    CountPiece(old, -1);
    if (!IsComputation(old)) are_pieces_exact_ = false;
  }
  for (size_t i = 0; i < change.added; ++i) {
    const Piece& fresh = text_[change.first + i];
    CountPiece(fresh, 1);
    if (!IsComputation(fresh)) are_pieces_exact_ = false;
  }
  const bool loses_names =
      std::any_of(change.removed.begin(), change.removed.end(), [this](const Piece& old) {
        return IsComputation(old) && !names_.contains(std::string(old.name));
      });
  if (loses_names || !IsRegular()) are_pieces_exact_ = false;
  const auto at = known_.begin() + static_cast<ptrdiff_t>(change.first);
  Known before;
  if (!change.removed.empty()) before = std::move(*at);
  known_.erase(at, at + static_cast<ptrdiff_t>(change.removed.size()));
  known_.insert(known_.begin() + static_cast<ptrdiff_t>(change.first), change.added, Known());
  if (text_.bytes() <= options_.check_whole_bytes) {
    for (const Piece& old : change.removed) models_.Remove(old);
    return CheckIfSmall();
  }
  if (EditWithin(change, std::move(before))) return;
  for (const Piece& old : change.removed) models_.Remove(old);
  for (size_t i = change.first; i < change.first + change.added; ++i) {
    if (!IsComputation(text_[i])) continue;
    if (!ReadAlone(i)) are_pieces_exact_ = false;
    VerifyAlone(i);
  }
}

void OpenText::CheckIfSmall() {
  if (text_.bytes() > options_.check_whole_bytes) return;
  WholeRequest request = RequestWhole();
  request.analyze = false;
  WholeProgram program = ReadWhole(request);
  TakeNotes(program);
}

bool OpenText::EditWithin(const PieceChange& change, Known known) {
  if (change.removed.size() != 1 || change.added != 1) return false;
  const Piece& before = change.removed[0];
  const Piece& after = text_[change.first];
  if (before.kind != after.kind || before.name != after.name) return false;
  SyntaxChange read;
  const ByteEdit edit = {change.begin, change.old_end, change.new_end};
  if (!models_.Update(before, after, edit, read)) return false;
  are_pieces_exact_ = false;
  // What is known about the lines that were not read again moves with them.
  PositionCounter old_lines(before.text, 0, Encoding::kUtf8, before.line_marks());
  PositionCounter new_lines(after.text, 0, Encoding::kUtf8, after.line_marks());
  const uint32_t first = old_lines.At(read.begin).line;
  const uint32_t last = old_lines.At(read.old_end).line;
  const uint32_t moved = new_lines.At(read.new_end).line - last;
  const auto move = [&](std::vector<CheckNote>& notes) {
    std::erase_if(notes, [&](CheckNote& note) {
      SourceLocation& at = note.diagnostic.location;
      if (at.line <= first) return false;
      if (at.line <= last) return true;
      at.line += moved;
      at.offset = at.offset - read.old_end + read.new_end;
      return false;
    });
  };
  move(known.reading);
  move(known.findings);
  std::erase_if(known.missing, [&](ComputationReadResult::Mention& mention) {
    if (mention.offset < read.begin) return false;
    if (mention.offset < read.old_end) return true;
    mention.offset = mention.offset - read.old_end + read.new_end;
    return false;
  });
  known_[change.first] = std::move(known);
  ReadStatements(change.first, read);
  return true;
}

void OpenText::ReadStatements(size_t piece, const SyntaxChange& change) {
  const std::shared_ptr<const PieceModel> model = Model(piece);
  const std::optional<StatementText> statements = TextOfStatements(*model, change);
  if (!statements) return;
  const ComputationReadResult read = ReadHloComputation(statements->text, StackFrames());
  Known& known = known_[piece];
  PositionCounter lines(text_[piece].text, 0, Encoding::kUtf8, text_[piece].line_marks());
  const uint32_t first = lines.At(change.begin).line;
  // What is wrong with the computation as a whole is said about its first line.
  const uint32_t head = statements->first_line + (change.has_head ? 1 : 0);
  const auto is_here = [&](uint64_t offset) {
    return offset >= statements->begin && offset < statements->end;
  };
  for (const Diagnostic& each : read.diagnostics.all()) {
    if (!is_here(each.location.offset) || each.location.line <= head) continue;
    CheckNote note;
    note.diagnostic = each;
    SourceLocation& at = note.diagnostic.location;
    at.line = at.line - statements->first_line + first;
    at.offset = at.offset - statements->begin + change.begin;
    known.reading.push_back(std::move(note));
  }
  SortNotes(known.reading);
  for (const auto& mention : read.mentions) {
    if (names_.contains(mention.name) || !is_here(mention.offset)) continue;
    known.missing.push_back({mention.name, mention.offset - statements->begin + change.begin});
  }
}

bool OpenText::ReadAlone(size_t piece) {
  const std::shared_ptr<const PieceModel> kept = Model(piece);
  const PieceModel& model = *kept;
  if (model.is_read_old) return false;
  Known& known = known_[piece];
  known.reading.clear();
  known.missing.clear();
  for (const Diagnostic& each : model.read->diagnostics.all()) {
    CheckNote note;
    note.diagnostic = each;
    known.reading.push_back(std::move(note));
  }
  SortNotes(known.reading);
  for (const auto& mention : model.read->mentions) {
    if (!names_.contains(mention.name)) known.missing.push_back(mention);
  }
  const Module& module = model.read->module;
  // A module may begin within an indented line; then the text is not one module any more.
  return model.read->is_separate && !HoldsModuleOrFrame(text_[piece].text) &&
         module.text(module.comp(module.order[0]).name) == text_[piece].name;
}

void OpenText::VerifyAlone(size_t piece) {
  Known& known = known_[piece];
  known.findings.clear();
  const std::shared_ptr<const PieceModel> kept = Model(piece);
  const PieceModel& model = *kept;
  if (!model.read->diagnostics.ok() || model.text().size() > kMostVerified) return;
  // The rules look at what is called: its parameters and its result.
  std::string text;
  if (text_[0].kind == PieceKind::kHeader) {
    text = text_[0].text.substr(0, text_[0].text.find('\n'));
    text += '\n';
  }
  for (const auto& mention : model.read->mentions) {
    const std::optional<size_t> called = FindComputation(mention.name);
    if (!called || text_[*called].kind == PieceKind::kEntry) continue;
    if (text.size() + text_[*called].text.size() > kMostCalled) return;
    text += text_[*called].text;
  }
  text += text_[piece].text;
  const TextReadResult read = ReadHloText(text);
  const Module& module = read.module;
  if (module.order.empty()) return;
  const RuleFindings findings = Verify(module);
  std::vector<Definition> wanted;
  for (const RuleFinding& each : findings.all()) {
    if (!each.inst.valid() || each.comp != module.order.back()) continue;
    CheckNote note;
    note.rule = each.rule;
    note.diagnostic.severity = InfoOf(each.rule).severity;
    note.diagnostic.help = InfoOf(each.rule).help;
    note.diagnostic.message = each.message;
    note.computation = module.text(module.comp(each.comp).name);
    note.instruction = module.name_of(module.inst(each.inst));
    known.findings.push_back(std::move(note));
  }
  for (const CheckNote& each : known.findings)
    wanted.push_back({each.computation, each.instruction});
  const auto offsets = FindDefinitions(text_[piece].text, wanted);
  LineCounter lines;
  for (size_t i = 0; i < offsets.size(); ++i) {
    LocateDiagnostic(text_[piece].text, offsets[i].value_or(0), lines,
                     known.findings[i].diagnostic);
  }
}

TextNotes OpenText::Notes() const {
  TextNotes result;
  result.notes = whole_notes_;
  bool has_errors = false;
  size_t reading = 0;
  std::vector<std::string_view> reported;  // missing computations are reported once
  const auto add = [&](CheckNote note, size_t piece) {
    note.diagnostic.location.line += text_.line(piece);
    note.diagnostic.location.offset += text_.offset(piece);
    if (IsReadingError(note)) has_errors = true;
    if (!note.rule) ++reading;
    result.notes.push_back(std::move(note));
  };
  for (size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    for (const CheckNote& each : known.reading) add(each, i);
    for (const auto& mention : known.missing) {
      if (names_.contains(mention.name)) continue;
      if (std::find(reported.begin(), reported.end(), mention.name) != reported.end()) continue;
      reported.push_back(mention.name);
      CheckNote note;
      note.diagnostic =
          MakeDiagnostic(diag::kUnknownComputation, text_[i].text, mention.offset,
                         "computation '" + mention.name.substr(0, 80) + "' is not defined");
      add(std::move(note), i);
    }
  }
  // The verifier looks only at modules that were read without errors. What it said about the whole
  // text stands until the text is read again: with several modules, an error in one does not
  // concern the others.
  if (!has_errors || !are_pieces_exact_) {
    for (size_t i = 0; i < known_.size(); ++i) {
      for (const CheckNote& each : known_[i].findings) add(each, i);
    }
  }
  result.is_exact = are_pieces_exact_ && reading < Diagnostics::kMaxKept;
  result.is_verified = is_verified_;
  SortNotes(result.notes);
  return result;
}

WholeRequest OpenText::RequestWhole() {
  return {uri_, PathOfUri(uri_), edits_, text_.pieces(), true, models_.Outdated(), StackFrames()};
}

bool OpenText::Accept(WholeProgram program) {
  const bool is_current = program.edits == edits_;
  for (auto& [piece, read] : program.readings) models_.Take(piece, std::move(read));
  program.readings.clear();
  if (is_current) {
    TakeNotes(program);
    is_whole_read_ = true;
  }
  program.notes.clear();
  if (is_current || program.module != nullptr) {
    whole_ = std::make_unique<WholeProgram>(std::move(program));
  }
  return is_current;
}

void OpenText::TakeNotes(WholeProgram& program) {
  std::vector<CheckNote> notes = std::move(program.notes);
  known_.assign(text_.size(), {});
  whole_notes_.clear();
  size_t reading = 0;
  size_t piece = 0;
  for (CheckNote& each : notes) {
    Diagnostic& diagnostic = each.diagnostic;
    if (diagnostic.location.line == 0 || text_.size() == 0) {
      whole_notes_.push_back(std::move(each));
      continue;
    }
    const uint32_t line = diagnostic.location.line - 1;
    while (piece > 0 && text_.line(piece) > line) --piece;
    while (piece + 1 < text_.size() && text_.line(piece + 1) <= line) ++piece;
    diagnostic.location.line -= text_.line(piece);
    diagnostic.location.offset -=
        std::min<uint64_t>(diagnostic.location.offset, text_.offset(piece));
    if (!each.rule) ++reading;
    Known& known = known_[piece];
    (each.rule ? known.findings : known.reading).push_back(std::move(each));
  }
  is_verified_ = true;
  const bool is_about_file = std::any_of(whole_notes_.begin(), whole_notes_.end(),
                                         [](const CheckNote& each) { return !each.rule; });
  // Computations that are indented or within a comment are not known by the pieces' names.
  const bool are_all_pieces =
      program.computations == names_.size() &&
      std::all_of(text_.pieces().begin(), text_.pieces().end(),
                  [](const Piece& each) { return !IsComputation(each) || !each.name.empty(); });
  are_pieces_exact_ = IsRegular() && are_all_pieces && !is_about_file &&
                      reading < Diagnostics::kMaxKept && ReadErrorsAlone();
}

bool OpenText::ReadErrorsAlone() {
  std::vector<std::pair<size_t, Known>> before;
  bool is_same = true;
  bool has_errors = false;
  for (size_t i = 0; i < known_.size() && is_same; ++i) {
    std::vector<CheckNote>& reading = known_[i].reading;
    const bool has_error = std::any_of(reading.begin(), reading.end(), IsReadingError);
    has_errors |= has_error;
    // That the last computation is not closed is reported only if there is no other error.
    const bool is_last = has_errors && i + 1 == known_.size();
    if (!has_error && !is_last) continue;
    is_same = IsComputation(text_[i]) && before.size() < kMostErrorsAlone;
    if (!is_same) break;
    before.emplace_back(i, known_[i]);
    is_same = ReadAlone(i);
    std::vector<CheckNote> expected = before.back().second.reading;
    std::erase_if(expected, IsMissingComputation);
    SortNotes(expected);
    is_same = is_same && SameNotes(expected, known_[i].reading);
  }
  if (is_same) return true;
  for (auto& [piece, known] : before) known_[piece] = std::move(known);
  return false;
}

std::shared_ptr<const PieceModel> OpenText::Model(size_t piece) {
  const int64_t stack_frames = piece == 0 ? 0 : StackFrames();
  return models_.Get(text_[piece], stack_frames);
}

int64_t OpenText::StackFrames() {
  if (text_.size() == 0 || text_[0].kind != PieceKind::kHeader) return 0;
  return static_cast<int64_t>(models_.Get(text_[0], 0)->read->module.stack.stack_frames.size());
}

std::optional<size_t> OpenText::FindComputation(std::string_view name) {
  if (computations_.empty()) {
    for (size_t i = 0; i < text_.size(); ++i) {
      if (IsComputation(text_[i])) computations_.try_emplace(text_[i].name, i);
    }
  }
  if (const auto found = computations_.find(name); found != computations_.end()) {
    return found->second;
  }
  // Indented computations are part of what precedes the first one that is not.
  for (size_t i = 0; i < text_.size(); ++i) {
    if (IsComputation(text_[i])) continue;
    const std::shared_ptr<const PieceModel> model = Model(i);
    for (const ComputationSyntax& comp : model->syntax.computations) {
      if (model->NameOf(comp) == name) return i;
    }
  }
  return std::nullopt;
}

std::string OpenText::SourceOf(const Module& module, const Inst& inst) {
  const AttrListId metadata = module.MetadataOf(inst);
  const std::string_view file = module.TextOr(metadata, AttrKey::k_source_file);
  if (!file.empty()) {
    return SourceAt(file, module.IntOr(metadata, AttrKey::k_source_line, 0));
  }
  const int64_t frame = module.IntOr(metadata, AttrKey::k_stack_frame_id, 0);
  if (frame <= 0 || text_.size() == 0) return {};
  const std::shared_ptr<const PieceModel> first = models_.Get(text_[0], 0);
  const Module& header = first->read->module;
  const auto row = [](const auto& table, int64_t id) {
    return id > 0 && static_cast<size_t>(id) <= table.size() ? &table[static_cast<size_t>(id) - 1]
                                                             : nullptr;
  };
  const StackFrame* stack = row(header.stack.stack_frames, frame);
  if (stack == nullptr) return {};
  const FileLocation* location = row(header.stack.file_locations, stack->file_location_id);
  if (location == nullptr) return {};
  const StrId* name = row(header.stack.file_names, location->file_name_id);
  if (name == nullptr) return {};
  return SourceAt(header.text(*name), location->line);
}

std::string PathOfUri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  std::string path;
  const std::string_view rest = uri.substr(std::min(uri.find('/', kFile.size()), uri.size()));
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '%' && i + 2 < rest.size() && digit(rest[i + 1]) >= 0 &&
        digit(rest[i + 2]) >= 0) {
      path += static_cast<char>(digit(rest[i + 1]) * 16 + digit(rest[i + 2]));
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path;
}

}  // namespace halo::lsp
