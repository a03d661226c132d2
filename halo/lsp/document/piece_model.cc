// Pieces are told apart by their address: a kept model keeps its text.
#include "halo/lsp/document/piece_model.h"

#include <algorithm>
#include <utility>

#include "halo/lsp/document/find_instruction.h"

namespace halo::lsp {
namespace {

constexpr size_t kKept = 64;
constexpr size_t kKeptBytes = size_t{4} << 20;  // of text; models take several times as much
constexpr size_t kAlwaysKept = 2;               // the header and another one

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
  return FindInstruction(read.module, comp == nullptr ? "entry" : NameOf(*comp), name);
}

std::shared_ptr<const PieceModel> PieceModels::Get(const Piece& piece, int64_t stack_frames) {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& each) {
    return each->piece.text.data() == piece.text.data() &&
           each->piece.text.size() == piece.text.size();
  });
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back();
  }
  auto model = std::make_shared<PieceModel>();
  model->piece = piece;
  model->syntax = ReadSyntax(piece.text);
  if (piece.kind == PieceKind::kComputation || piece.kind == PieceKind::kEntry) {
    model->read = ReadHloComputation(piece.text, stack_frames);
  } else {
    TextReadResult read = ReadHloText(piece.text);
    model->read.module = std::move(read.module);
    model->read.diagnostics = std::move(read.diagnostics);
  }
  kept_.push_back(std::move(model));
  size_t bytes = 0;
  for (const auto& each : kept_) bytes += each->piece.text.size();
  while (kept_.size() > kAlwaysKept && (kept_.size() > kKept || bytes > kKeptBytes)) {
    bytes -= kept_.front()->piece.text.size();
    kept_.erase(kept_.begin());
  }
  return kept_.back();
}

}  // namespace halo::lsp
