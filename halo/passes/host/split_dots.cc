// Splits a dot whose operands were concatenated, and whose result is then sliced along the same
// boundaries, into several dots, so that nothing need be concatenated. Compilers for other devices
// concatenate to have fewer kernels; here that would copy all weights.
#include <algorithm>
#include <optional>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

struct Piece {
  int64_t begin, end;
  InstId operand;  // of the concatenate
};

class DotSplitter {
 public:
  explicit DotSplitter(Module& module) : users_(module), edit_(std::move(module)) {}

  void Run(PassLog& log) {
    const size_t count = edit_.module().insts.size();
    for (size_t i = 0; i < count; ++i) {
      const InstId id(i);
      if (edit_.inst(id).opcode != Opcode::kDot) continue;
      for (const size_t side : {0, 1}) {
        if (edit_.Current(id) == id && Split(id, side)) {
          log.Note("%", edit_.module().name_of(edit_.inst(id)),
                   " is split: its result is sliced where its operand was concatenated");
        }
      }
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  [[nodiscard]] std::span<const int64_t> Ints(InstId id, AttrKey key) const {
    return edit_.module().IntsOf(edit_.inst(id).attrs, key);
  }
  [[nodiscard]] std::vector<int64_t> DimsOf(InstId id) const {
    const std::span<const int64_t> dims = edit_.module().shapes.dims(edit_.inst(id).shape);
    return {dims.begin(), dims.end()};
  }

  // The result dimension that an operand's free dimension becomes; none if it is not free.
  [[nodiscard]] std::optional<size_t> ResultDim(InstId dot, size_t side, int64_t dim) const {
    const auto batch = Ints(dot, side == 0 ? AttrKey::k_lhs_batch_dims : AttrKey::k_rhs_batch_dims);
    const auto summed =
        Ints(dot, side == 0 ? AttrKey::k_lhs_contracting_dims : AttrKey::k_rhs_contracting_dims);
    const auto taken = [&](int64_t each) {
      return std::ranges::find(batch, each) != batch.end() ||
             std::ranges::find(summed, each) != summed.end();
    };
    if (taken(dim)) return std::nullopt;
    size_t at = batch.size();
    if (side == 1) {
      at = DimsOf(dot).size();
      for (int64_t i = 0; i < static_cast<int64_t>(DimsOf(edit_.operand(dot, 1)).size()); ++i) {
        if (!taken(i)) --at;
      }
    }
    for (int64_t i = 0; i < dim; ++i) at += taken(i) ? 0 : 1;
    return at;
  }

  // Finds the slices of a value along `dim`, possibly after conversions. Returns false if the value
  // has any other use.
  bool FindSlices(InstId value, size_t dim, const std::vector<Piece>& pieces,
                  std::vector<InstId>& slices) const {
    if (edit_.module().comp(edit_.inst(value).parent).root == value) return false;
    return std::ranges::all_of(users_.of(value), [&](InstId user) {
      if (edit_.Current(user) != user) return false;
      const Opcode opcode = edit_.inst(user).opcode;
      if (opcode == Opcode::kConvert && edit_.inst(value).opcode == Opcode::kDot) {
        return FindSlices(user, dim, pieces, slices);
      }
      if (opcode != Opcode::kSlice) return false;
      slices.push_back(user);
      return PieceOf(user, dim, pieces) != nullptr;
    });
  }

  [[nodiscard]] const Piece* PieceOf(InstId slice, size_t dim,
                                     const std::vector<Piece>& pieces) const {
    const auto cut = Ints(slice, AttrKey::k_slice);
    const auto found = std::ranges::find_if(pieces, [&](const Piece& piece) {
      return cut[dim * 3] >= piece.begin && cut[dim * 3 + 1] <= piece.end;
    });
    return found == pieces.end() ? nullptr : &*found;
  }

  bool Split(InstId dot, size_t side) {
    const InstId joined = edit_.operand(dot, side);
    if (edit_.inst(joined).opcode != Opcode::kConcatenate) return false;
    const int64_t dim = Ints(joined, AttrKey::k_dimensions)[0];
    const std::optional<size_t> result_dim = ResultDim(dot, side, dim);
    if (!result_dim) return false;
    std::vector<Piece> pieces;
    for (const InstId operand : edit_.operands(joined)) {
      const int64_t begin = pieces.empty() ? 0 : pieces.back().end;
      pieces.push_back({begin, begin + DimsOf(operand)[static_cast<size_t>(dim)], operand});
    }
    std::vector<InstId> slices;
    if (!FindSlices(dot, *result_dim, pieces, slices)) return false;
    std::vector<InstId> dots(pieces.size());
    for (const InstId slice : slices) {
      const auto number = static_cast<size_t>(PieceOf(slice, *result_dim, pieces) - pieces.data());
      const Piece& piece = pieces[number];
      if (!dots[number].valid()) dots[number] = AddDot(dot, side, *result_dim, piece);
      edit_.Replace(slice, AddSlice(slice, *result_dim, piece, dots[number], dot));
    }
    return true;
  }

  ShapeId Resized(ShapeId shape, size_t dim, int64_t size) {
    const std::span<const int64_t> stored = edit_.module().shapes.dims(shape);
    std::vector<int64_t> dims(stored.begin(), stored.end());
    dims[dim] = size;
    return DenseShape(edit_.tables().shapes, edit_.module().shapes.type(shape), dims,
                      MinorToMajor(edit_.module().shapes, shape));
  }

  InstId AddDot(InstId dot, size_t side, size_t dim, const Piece& piece) {
    std::vector<InstId> operands = edit_.operands(dot);
    operands[side] = piece.operand;
    const InstId part = edit_.Clone(dot, edit_.inst(dot).parent, operands);
    edit_.SetShape(part, Resized(edit_.inst(dot).shape, dim, piece.end - piece.begin));
    edit_.RemoveAttr(part, AttrKey::k_sharding);
    return part;
  }

  // The slice of one dot, with the same conversions as before.
  InstId AddSlice(InstId slice, size_t dim, const Piece& piece, InstId part, InstId dot) {
    const CompId comp = edit_.inst(slice).parent;
    const InstId converted = edit_.operand(slice, 0);
    InstId value = part;
    if (converted != dot) {
      const ShapeId shape = Resized(edit_.inst(converted).shape, dim, piece.end - piece.begin);
      value = edit_.Add(comp, Opcode::kConvert, shape, {part}, {}, converted);
    }
    const auto stored = Ints(slice, AttrKey::k_slice);
    std::vector<int64_t> cut(stored.begin(), stored.end());
    cut[dim * 3] -= piece.begin;
    cut[dim * 3 + 1] -= piece.begin;
    const Attr attr = edit_.tables().MakeInts(AttrKey::k_slice, cut);
    return edit_.Add(comp, Opcode::kSlice, edit_.inst(slice).shape, {value}, {&attr, 1}, slice);
  }

  Users users_;
  ModuleEditor edit_;
};

}  // namespace

bool SplitDots(Module& module, PassLog& log) {
  DotSplitter splitter(module);
  splitter.Run(log);
  const bool changed = splitter.changed();
  module = splitter.Finish();
  return changed;
}

}  // namespace halo
