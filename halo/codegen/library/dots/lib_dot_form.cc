// Within a group, dimensions may come in any order as long as both arrays use the same one. The
// order of the larger array is used.
#include "halo/codegen/library/dots/lib_dot_form.h"

#include <algorithm>

namespace halo {
namespace {

// Collapses adjacent axes where the strides of every side allow it.
std::vector<DotAxis> Joined(std::vector<DotAxis> axes, DotSide lead) {
  std::erase_if(axes, [](const DotAxis& axis) { return axis.size == 1; });
  std::ranges::sort(
      axes, [&](const DotAxis& a, const DotAxis& b) { return a.strides[lead] > b.strides[lead]; });
  std::vector<DotAxis> out;
  for (const DotAxis& axis : axes) {
    const bool joins = !out.empty() && [&] {
      for (size_t side = 0; side < 3; ++side) {
        if (out.back().strides[side] != axis.strides[side] * axis.size) return false;
      }
      return true;
    }();
    if (joins) {
      out.back() = {out.back().size * axis.size, axis.strides};
    } else {
      out.push_back(axis);
    }
  }
  return out;
}

std::vector<size_t> FreeDims(const Placed& side, std::span<const int64_t> batch,
                             std::span<const int64_t> contracting) {
  std::vector<size_t> free;
  for (size_t i = 0; i < side.dims.size(); ++i) {
    const auto dim = static_cast<int64_t>(i);
    if (std::ranges::find(batch, dim) == batch.end() &&
        std::ranges::find(contracting, dim) == contracting.end()) {
      free.push_back(i);
    }
  }
  return free;
}

// The stride of a group within one side if it is uniform: that of its innermost axis.
std::optional<int64_t> EvenStep(std::span<const DotAxis> axes, DotSide side) {
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    if (axes[i].strides[side] != axes[i + 1].strides[side] * axes[i + 1].size) return std::nullopt;
  }
  return axes.empty() ? 0 : axes.back().strides[side];
}

int64_t SmallestStep(std::span<const DotAxis> axes, DotSide side) {
  int64_t step = INT64_MAX;
  for (const DotAxis& axis : axes) step = std::min(step, axis.strides[side]);
  return step;
}

}  // namespace

int64_t SizeOf(std::span<const DotAxis> axes) {
  int64_t size = 1;
  for (const DotAxis& axis : axes) size *= axis.size;
  return size;
}

DotForm::DotForm(const Placed& lhs, const Placed& rhs, const Placed& result, const DotDims& dims) {
  size_t next = 0;  // dimension of the result
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i, ++next) {
    const auto l = static_cast<size_t>(dims.lhs_batch[i]);
    const auto r = static_cast<size_t>(dims.rhs_batch[i]);
    batch.push_back({lhs.dims[l], {lhs.strides[l], rhs.strides[r], result.strides[next]}});
  }
  for (const size_t dim : FreeDims(lhs, dims.lhs_batch, dims.lhs_contracting)) {
    m.push_back({lhs.dims[dim], {lhs.strides[dim], 0, result.strides[next++]}});
  }
  for (const size_t dim : FreeDims(rhs, dims.rhs_batch, dims.rhs_contracting)) {
    n.push_back({rhs.dims[dim], {0, rhs.strides[dim], result.strides[next++]}});
  }
  for (size_t i = 0; i < dims.lhs_contracting.size(); ++i) {
    const auto l = static_cast<size_t>(dims.lhs_contracting[i]);
    const auto r = static_cast<size_t>(dims.rhs_contracting[i]);
    k.push_back({lhs.dims[l], {lhs.strides[l], rhs.strides[r], 0}});
  }
  const auto larger = [](const Placed& a, DotSide a_side, const Placed& b, DotSide b_side) {
    return a.count() >= b.count() ? a_side : b_side;
  };
  batch = Joined(std::move(batch), kResult);
  m = Joined(std::move(m), larger(lhs, kLhs, result, kResult));
  n = Joined(std::move(n), larger(rhs, kRhs, result, kResult));
  k = Joined(std::move(k), larger(lhs, kLhs, rhs, kRhs));
}

std::optional<MatrixStrides> DotForm::InStoredOrder(DotSide side) const {
  const std::optional<int64_t> row = EvenStep(rows(side), side);
  const std::optional<int64_t> column = EvenStep(columns(side), side);
  if (!row || !column) return std::nullopt;
  MatrixStrides out = {.row = *row, .column = *column, .batch = {}};
  for (const DotAxis& axis : batch) out.batch.push_back(axis.strides[side]);
  return out;
}

MatrixStrides DotForm::Dense(DotSide side, bool by_rows) const {
  const int64_t height = SizeOf(rows(side));
  const int64_t width = SizeOf(columns(side));
  MatrixStrides out = {.row = width, .column = 1, .batch = {}};
  if (!by_rows && SmallestStep(rows(side), side) < SmallestStep(columns(side), side)) {
    out.row = 1;
    out.column = height;
  }
  out.batch.resize(batch.size());
  int64_t step = height * width;
  for (size_t i = batch.size(); i-- > 0;) {
    out.batch[i] = step;
    step *= batch[i].size;
  }
  return out;
}

std::vector<MoveAxis> DotForm::ToDense(DotSide side, const MatrixStrides& dense) const {
  std::vector<MoveAxis> axes;
  for (size_t i = 0; i < batch.size(); ++i) {
    axes.push_back({batch[i].size, batch[i].strides[side], dense.batch[i]});
  }
  const auto append = [&](std::span<const DotAxis> group, int64_t step) {
    for (size_t i = group.size(); i-- > 0;) {
      axes.push_back({group[i].size, group[i].strides[side], step});
      step *= group[i].size;
    }
  };
  append(rows(side), dense.row);
  append(columns(side), dense.column);
  return axes;
}

}  // namespace halo
