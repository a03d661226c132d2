// Dots read and write dimensions in any order. A transpose (or a copy to another layout) that only
// feeds dots, or that follows one, therefore need not move any data: the dot takes the array in its
// present layout. Left alone where this would make a batch dimension the innermost one, which is
// slow for any matrix product.
#include <algorithm>
#include <string>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/physical.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

class TransposeFreer {
 public:
  explicit TransposeFreer(Module& module) : users_(module), edit_(std::move(module)) {}

  void Run(PassLog& log) {
    const size_t count = edit_.module().insts.size();
    for (size_t i = 0; i < count; ++i) {
      const InstId id(i);
      const Opcode opcode = edit_.inst(id).opcode;
      if (opcode != Opcode::kTranspose && opcode != Opcode::kCopy) continue;
      if (!edit_.module().shapes.is_array(edit_.inst(id).shape)) continue;
      const std::string name(edit_.module().name_of(edit_.inst(id)));
      if (BeforeDots(id)) {
        log.Note("%", name, " is free: only dots read it, in any order");
      } else if (BehindDot(id)) {
        log.Note("%", name, " is free: the dot writes in its order");
      }
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  // Dimension i of the result is dimension [i] of the operand.
  [[nodiscard]] std::vector<int64_t> Permutation(InstId id) const {
    std::vector<int64_t> permutation;
    if (edit_.inst(id).opcode == Opcode::kTranspose) {
      const auto dims = edit_.module().IntsOf(edit_.inst(id).attrs, AttrKey::k_dimensions);
      permutation.assign(dims.begin(), dims.end());
    } else {
      for (size_t i = 0; i < edit_.module().shapes.dims(edit_.inst(id).shape).size(); ++i) {
        permutation.push_back(static_cast<int64_t>(i));
      }
    }
    return permutation;
  }

  ShapeId WithOrder(ShapeId shape, const std::vector<int64_t>& minor_to_major) {
    return DenseShape(edit_.tables().shapes, edit_.module().shapes.type(shape),
                      edit_.module().shapes.dims(shape), minor_to_major);
  }

  [[nodiscard]] bool MinorIsBatch(ShapeId shape, std::span<const int64_t> batch) const {
    const std::vector<int64_t> order = MajorToMinor(edit_.module().shapes, shape);
    return !order.empty() && std::ranges::find(batch, order.back()) != batch.end();
  }

  // Uses the value in the order of its operand, if that suits all dots.
  bool BeforeDots(InstId id) {
    if (edit_.module().comp(edit_.inst(id).parent).root == id || users_.of(id).empty()) {
      return false;
    }
    const InstId operand = edit_.operand(id, 0);
    const std::vector<int64_t> permutation = Permutation(id);
    std::vector<int64_t> order;
    for (const int64_t dim : MinorToMajor(edit_.module().shapes, edit_.inst(operand).shape)) {
      order.push_back(std::ranges::find(permutation, dim) - permutation.begin());
    }
    const ShapeId shape = WithOrder(edit_.inst(id).shape, order);
    for (const InstId user : users_.of(id)) {
      if (edit_.inst(user).opcode != Opcode::kDot) return false;
      const std::vector<InstId> operands = edit_.operands(user);
      for (size_t side = 0; side < operands.size(); ++side) {
        if (operands[side] != id) continue;
        const auto batch =
            edit_.module().IntsOf(edit_.inst(user).attrs, side == 0 ? AttrKey::k_lhs_batch_dims
                                                                    : AttrKey::k_rhs_batch_dims);
        if (MinorIsBatch(shape, batch)) return false;
      }
    }
    edit_.Replace(id, edit_.Add(edit_.inst(id).parent, Opcode::kBitcast, shape, {operand}, {}, id));
    return true;
  }

  // Makes the dot produce its result in the order of the transpose.
  bool BehindDot(InstId id) {
    const InstId dot = edit_.operand(id, 0);
    if (edit_.inst(dot).opcode != Opcode::kDot || users_.of(dot).size() != 1) return false;
    if (edit_.module().comp(edit_.inst(dot).parent).root == dot) return false;
    const std::vector<int64_t> permutation = Permutation(id);
    std::vector<int64_t> order;
    for (const int64_t dim : MinorToMajor(edit_.module().shapes, edit_.inst(id).shape)) {
      order.push_back(permutation[static_cast<size_t>(dim)]);
    }
    const ShapeId shape = WithOrder(edit_.inst(dot).shape, order);
    const size_t batches =
        edit_.module().IntsOf(edit_.inst(dot).attrs, AttrKey::k_lhs_batch_dims).size();
    std::vector<int64_t> batch;
    for (size_t i = 0; i < batches; ++i) batch.push_back(static_cast<int64_t>(i));
    if (MinorIsBatch(shape, batch)) return false;
    edit_.SetShape(dot, shape);
    edit_.Replace(id, edit_.Add(edit_.inst(id).parent, Opcode::kBitcast, edit_.inst(id).shape,
                                {dot}, {}, id));
    return true;
  }

  Users users_;
  ModuleEditor edit_;
};

}  // namespace

bool FreeTransposes(Module& module, PassLog& log) {
  TransposeFreer freer(module);
  freer.Run(log);
  const bool changed = freer.changed();
  module = freer.Finish();
  return changed;
}

}  // namespace halo
