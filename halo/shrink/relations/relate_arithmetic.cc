// Ops that combine elements along dimensions: products, reductions, windows, sorts, generators.
#include <algorithm>

#include "halo/base/containers/contains.h"
#include "halo/ir/attributes/window.h"
#include "halo/semantics/facts/conv_labels.h"
#include "halo/shrink/relations/relations.h"

namespace halo {
// Result: batch dimensions, then the remaining ones of lhs and of rhs.
void Relations::Product(InstId id, Dims lhs, Dims rhs, Dims result,
                        const std::span<const int64_t> batch[2],
                        const std::span<const int64_t> contracted[2]) {
  for (size_t i = 0; i < std::min(contracted[0].size(), contracted[1].size()); ++i) {
    space_.Unify(lhs[static_cast<size_t>(contracted[0][i])],
                 rhs[static_cast<size_t>(contracted[1][i])], id);
  }
  size_t at = 0;
  for (size_t i = 0; i < std::min(batch[0].size(), batch[1].size()); ++i, ++at) {
    const DimId left = lhs[static_cast<size_t>(batch[0][i])];
    space_.Unify(left, rhs[static_cast<size_t>(batch[1][i])], id);
    if (at < result.size()) space_.Unify(left, result[at], id);
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (Contains(batch[0], i) || Contains(contracted[0], i)) continue;
    if (at < result.size()) space_.Unify(lhs[i], result[at], id);
    ++at;
  }
  for (size_t i = 0; i < rhs.size(); ++i) {
    if (Contains(batch[1], i) || Contains(contracted[1], i)) continue;
    if (at < result.size()) space_.Unify(rhs[i], result[at], id);
    ++at;
  }
}

void Relations::RelateDot(InstId id) {
  const std::span<const int64_t> batch[2] = {ints(id, AttrKey::k_lhs_batch_dims),
                                             ints(id, AttrKey::k_rhs_batch_dims)};
  const std::span<const int64_t> contracted[2] = {ints(id, AttrKey::k_lhs_contracting_dims),
                                                  ints(id, AttrKey::k_rhs_contracting_dims)};
  Product(id, operand_dims(id, 0), operand_dims(id, 1), of(id), batch, contracted);
}

void Relations::RelateReduce(InstId id) {
  const auto reduced = ints(id, AttrKey::k_dimensions);
  const size_t inputs = operand_count(id) / 2;
  for (size_t n = 0; n < inputs; ++n) {
    const Dims from = operand_dims(id, n);
    const Dims to = inputs == 1 ? of(id) : dims_.element(id, static_cast<int64_t>(n));
    Same(from, operand_dims(id, 0), id);
    size_t at = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      if (Contains(reduced, i)) continue;
      if (at < to.size()) space_.Unify(from[i], to[at], id);
      ++at;
    }
  }
}

// A window that covers a whole dimension up to each element is a running sum, and its size follows
// the dimension.
void Relations::RelateWindows(InstId id) {
  const Window window = DecodeWindow(ints(id, AttrKey::k_window));
  const size_t inputs = operand_count(id) / 2;
  for (size_t n = 0; n < std::max<size_t>(inputs, 1); ++n) {
    const Dims from = operand_dims(id, n);
    const Dims to = inputs <= 1 ? of(id) : dims_.element(id, static_cast<int64_t>(n));
    if (window.dims.size() != from.size() || to.size() != from.size()) return;
    for (size_t i = 0; i < from.size(); ++i) {
      const WindowDim& w = window.dims[i];
      const int64_t size = space_.size(from[i]);
      const bool plain = w.stride == 1 && w.lhs_dilate == 1 && w.rhs_dilate == 1;
      const bool running = plain && w.size == size && w.pad_low + w.pad_high == size - 1 &&
                           (w.pad_low == 0 || w.pad_high == 0);
      if (running || (plain && w.size == 1 && w.pad_low == 0 && w.pad_high == 0)) {
        space_.Unify(from[i], to[i], id);
      } else {
        space_.Pin(from[i], id, "windows of it are taken");
        space_.Pin(to[i], id, "windows are taken");
      }
    }
  }
}

// Batch and feature dimensions may change, as long as neither is grouped; windows pin the spatial
// dimensions.
void Relations::RelateConvolution(InstId id) {
  const auto labels =
      ParseConvLabels(module_.TextOr(inst(id).attrs, AttrKey::k_dim_labels, std::string_view()));
  const bool grouped = module_.IntOr(inst(id).attrs, AttrKey::k_feature_group_count, 1) != 1 ||
                       module_.IntOr(inst(id).attrs, AttrKey::k_batch_group_count, 1) != 1;
  if (!labels || grouped) {
    PinAll(id, "it is a grouped convolution");
    return;
  }
  const Dims in = operand_dims(id, 0), kernel = operand_dims(id, 1), out = of(id);
  const auto at = [](Dims dims, size_t i) { return dims[i]; };
  space_.Unify(at(in, labels->input.batch), at(out, labels->output.batch), id);
  space_.Unify(at(in, labels->input.feature), at(kernel, labels->kernel.batch), id);
  space_.Unify(at(kernel, labels->kernel.feature), at(out, labels->output.feature), id);
  for (size_t i = 0; i < labels->spatial(); ++i) {
    for (const DimId dim : {at(in, labels->input.spatial[i]), at(out, labels->output.spatial[i]),
                            at(kernel, labels->kernel.spatial[i])}) {
      space_.Pin(dim, id, "a convolution's window moves over it");
    }
  }
}

bool Relations::RelateArithmetic(InstId id) {
  switch (inst(id).opcode) {
    case Opcode::kMap:
      for (const InstId each : module_.operands_of(inst(id))) Same(of(each), of(id), id);
      return true;
    case Opcode::kDot: RelateDot(id); return true;
    case Opcode::kReduce: RelateReduce(id); return true;
    case Opcode::kReduceWindow: RelateWindows(id); return true;
    case Opcode::kConvolution: RelateConvolution(id); return true;
    case Opcode::kSort:
      for (size_t i = 0; i < operand_count(id); ++i) {
        Same(operand_dims(id, i), operand_dims(id, 0), id);
        Same(operand_dims(id, i),
             operand_count(id) == 1 ? of(id) : dims_.element(id, static_cast<int64_t>(i)), id);
      }
      return true;
    case Opcode::kTopK: {
      const Dims from = operand_dims(id, 0), values = dims_.element(id, 0);
      Same(values, dims_.element(id, 1), id);
      if (from.empty() || values.size() != from.size()) return true;
      Same(from.first(from.size() - 1), values.first(from.size() - 1), id);
      space_.Pin(values.back(), id, "so many are asked for");
      at_least_.emplace_back(from.back(), space_.size(values.back()));
      return true;
    }
    case Opcode::kCholesky:
      Same(operand_dims(id, 0), of(id), id);
      if (of(id).size() >= 2) space_.Unify(of(id)[of(id).size() - 2], of(id).back(), id);
      return true;
    case Opcode::kTriangularSolve: {
      const Dims a = operand_dims(id, 0), b = operand_dims(id, 1);
      Same(b, of(id), id);
      if (a.size() < 2 || a.size() != b.size()) return true;
      Same(a.first(a.size() - 2), b.first(b.size() - 2), id);
      space_.Unify(a[a.size() - 2], a.back(), id);
      const bool left = module_.BoolOr(inst(id).attrs, AttrKey::k_left_side, false);
      space_.Unify(a.back(), left ? b[b.size() - 2] : b.back(), id);
      return true;
    }
    case Opcode::kFft: {
      const size_t lines = ints(id, AttrKey::k_fft_length).size();
      const Dims from = operand_dims(id, 0), to = of(id);
      if (from.size() != to.size() || lines > to.size()) return true;
      Same(from.first(from.size() - lines), to.first(to.size() - lines), id);
      PinDims(from.last(lines), id, "it is transformed");
      PinDims(to.last(lines), id, "it is transformed");
      return true;
    }
    case Opcode::kRng: return true;
    case Opcode::kRngBitGenerator:
      PinDims(operand_dims(id, 0), id, "it is a generator's state");
      if (module_.shapes.is_tuple(inst(id).shape)) {
        PinDims(dims_.element(id, 0), id, "it is a generator's state");
      }
      return true;
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormGrad: {
      const auto feature =
          static_cast<size_t>(module_.IntOr(inst(id).attrs, AttrKey::k_feature_index, 0));
      const Dims x = operand_dims(id, 0);
      if (feature >= x.size()) return true;
      const auto relate = [&](Dims dims) {
        if (dims.size() == x.size()) {
          Same(dims, x, id);
        } else if (dims.size() == 1) {
          space_.Unify(dims[0], x[feature], id);
        }
      };
      for (size_t i = 1; i < operand_count(id); ++i) relate(operand_dims(id, i));
      if (module_.shapes.is_tuple(inst(id).shape)) {
        for (int64_t i = 0; i < 3; ++i) relate(dims_.element(id, i));
      } else {
        relate(of(id));
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace halo
