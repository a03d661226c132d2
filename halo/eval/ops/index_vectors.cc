// Iterates over index vectors.
#include "halo/eval/ops/index_vectors.h"

#include "halo/eval/lanes/lane_offsets.h"

namespace halo {

IndexVectors::IndexVectors(const Array& indices, int64_t index_vector_dim,
                           std::span<const int64_t> to_operand,
                           std::span<const int64_t> operand_batching,
                           std::span<const int64_t> indices_batching, size_t operand_rank)
    : indices_(indices), to_operand_(to_operand), operand_batching_(operand_batching) {
  const Dims strides = RowMajorStrides(indices.dims());
  for (size_t i = 0; i < indices.rank(); ++i) {
    if (static_cast<int64_t>(i) == index_vector_dim) {
      vector_stride_ = strides[i];
      continue;
    }
    batch_.push_back(indices.dim(i));
    strides_.push_back(strides[i]);
  }
  for (const int64_t dim : indices_batching) {
    batching_.push_back(dim > index_vector_dim ? dim - 1 : dim);
  }
  index_.assign(batch_.size(), 0);
  start_.assign(operand_rank, 0);
  if (ElementsIn(batch_) > 0) Load();
}

bool IndexVectors::Next() {
  if (!NextIndex(batch_, index_)) return false;
  Load();
  return true;
}

void IndexVectors::Load() {
  int64_t offset = 0;
  for (size_t i = 0; i < index_.size(); ++i) offset += index_[i] * strides_[i];
  for (size_t i = 0; i < to_operand_.size(); ++i) {
    const int64_t at = offset + static_cast<int64_t>(i) * vector_stride_;
    start_[static_cast<size_t>(to_operand_[i])] = LoadIndex(
        indices_.type(), indices_.bytes() + static_cast<size_t>(at) * indices_.element_bytes());
  }
  for (size_t i = 0; i < operand_batching_.size(); ++i) {
    start_[static_cast<size_t>(operand_batching_[i])] = index_[static_cast<size_t>(batching_[i])];
  }
}

}  // namespace halo
