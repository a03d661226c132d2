// Pieces are told apart by their address: a kept model keeps its text.
#include "halo/lsp/document/piece_model.h"

#include <algorithm>
#include <utility>

#include "halo/base/parallel.h"
#include "halo/lsp/document/find_instruction.h"

namespace halo::lsp {
namespace {

constexpr size_t kKept = 64;
constexpr size_t kKeptBytes = size_t{4} << 20;     // of text; models take several times as much
constexpr size_t kAlwaysKept = 2;                  // the header and another one
constexpr size_t kLargeBytes = size_t{128} << 20;  // of text of large pieces that are kept

bool IsSamePiece(const Piece& a, const Piece& b) {
  return a.text.data() == b.text.data() && a.text.size() == b.text.size();
}

auto FindPiece(std::vector<std::shared_ptr<PieceModel>>& kept, const Piece& piece) {
  return std::find_if(kept.begin(), kept.end(),
                      [&](const auto& each) { return IsSamePiece(each->piece, piece); });
}

void DropOldest(size_t most, size_t bytes_limit, size_t always,
                std::vector<std::shared_ptr<PieceModel>>& kept) {
  size_t bytes = 0;
  for (const auto& each : kept) bytes += each->piece.text.size();
  while (kept.size() > always && (kept.size() > most || bytes > bytes_limit)) {
    bytes -= kept.front()->piece.text.size();
    kept.erase(kept.begin());
  }
}

bool IsComputationPart(const Piece& piece) {
  return piece.kind == PieceKind::kComputation || piece.kind == PieceKind::kEntry;
}

std::shared_ptr<const ComputationReadResult> ReadPiece(const Piece& piece, int64_t stack_frames) {
  auto result = std::make_shared<ComputationReadResult>();
  if (IsComputationPart(piece)) {
    *result = ReadHloComputation(piece.text, stack_frames);
  } else {
    TextReadResult read = ReadHloText(piece.text);
    result->module = std::move(read.module);
    result->diagnostics = std::move(read.diagnostics);
  }
  return result;
}

}  // namespace

std::string_view PieceModel::NameOf(const ComputationSyntax& comp) const {
  if (comp.name >= syntax.words.size()) return {};
  return TextOf(text(), syntax.words[comp.name]);
}

std::string_view PieceModel::NameOf(const InstructionSyntax& inst) const {
  if (inst.name >= syntax.words.size()) return {};
  return TextOf(text(), syntax.words[inst.name]);
}

const Word* PieceModel::WordAt(size_t byte) const {
  const Word* word = syntax.At(byte);
  const bool is_percent = byte < text().size() && text()[byte] == '%';
  if (is_percent && (word == nullptr || word->begin <= byte)) {
    if (const Word* next = syntax.At(byte + 1); next != nullptr && next->begin == byte + 1) {
      return next;
    }
  }
  return word;
}

const ComputationSyntax* PieceModel::ComputationOf(const InstructionSyntax& inst) const {
  return inst.computation < syntax.computations.size() ? &syntax.computations[inst.computation]
                                                       : nullptr;
}

const InstructionSyntax* PieceModel::Find(const ComputationSyntax& comp,
                                          std::string_view instruction) const {
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    if (NameOf(syntax.instructions[i]) == instruction) return &syntax.instructions[i];
  }
  return nullptr;
}

InstId PieceModel::FindInst(const InstructionSyntax& inst) const {
  const ComputationSyntax* comp = ComputationOf(inst);
  const std::string_view name = NameOf(inst);
  if (name.empty()) return {};
  // Instructions outside computations are read as one of this name.
  return FindInstruction(read->module, comp == nullptr ? "entry" : NameOf(*comp), name);
}

bool PieceModels::IsLarge(const Piece& piece) const {
  return piece.text.size() > large_bytes_ && IsComputationPart(piece);
}

void PieceModels::Clear() {
  kept_.clear();
  large_.clear();
}

void PieceModels::Remove(const Piece& piece) {
  if (const auto found = FindPiece(large_, piece); found != large_.end()) large_.erase(found);
}

std::shared_ptr<const PieceModel> PieceModels::Get(const Piece& piece, int64_t stack_frames) {
  const bool is_large = IsLarge(piece);
  Kept& kept = is_large ? large_ : kept_;
  if (const auto found = FindPiece(kept, piece); found != kept.end()) {
    std::rotate(found, found + 1, kept.end());
    return kept.back();
  }
  auto model = std::make_shared<PieceModel>();
  model->piece = piece;
  constexpr int kWords = 0;
  ParallelFor(2, 1, is_large, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i == kWords) {
        model->syntax = ReadSyntax(piece.text);
      } else {
        model->read = ReadPiece(piece, stack_frames);
      }
    }
  });
  kept.push_back(model);
  if (is_large) {
    DropOldest(SIZE_MAX, kLargeBytes, 1, kept);
  } else {
    DropOldest(kKept, kKeptBytes, kAlwaysKept, kept);
  }
  return model;
}

bool PieceModels::Update(const Piece& before, const Piece& after, const ByteEdit& edit,
                         SyntaxChange& change) {
  const auto found = FindPiece(large_, before);
  if (found == large_.end() || !IsLarge(after)) return false;
  PieceModel& model = **found;
  if (!UpdateSyntax(before.text, after.text, edit, model.syntax, change)) return false;
  model.piece = after;
  model.is_read_old = true;
  return true;
}

std::vector<Piece> PieceModels::Outdated() const {
  std::vector<Piece> pieces;
  for (const auto& each : large_) {
    if (each->is_read_old) pieces.push_back(each->piece);
  }
  return pieces;
}

void PieceModels::Take(const Piece& piece, std::shared_ptr<const ComputationReadResult> read) {
  const auto found = FindPiece(large_, piece);
  if (found == large_.end()) return;
  (*found)->read = std::move(read);
  (*found)->is_read_old = false;
}

}  // namespace halo::lsp
