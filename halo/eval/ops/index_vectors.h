// Iterates over the index vectors of gather and scatter and yields where in the operand each one
// points. The ops decide what happens to vectors that point outside.
#ifndef HALO_EVAL_OPS_INDEX_VECTORS_H_
#define HALO_EVAL_OPS_INDEX_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"

namespace halo {

class IndexVectors {
 public:
  // Element i of a vector is an index along dimension to_operand[i]. Along operand_batching[i], the
  // index is the position along dimension indices_batching[i] of the indices.
  IndexVectors(const Array& indices, int64_t index_vector_dim, std::span<const int64_t> to_operand,
               std::span<const int64_t> operand_batching, std::span<const int64_t> indices_batching,
               size_t operand_rank);

  // The dimensions of the indices without index_vector_dim.
  [[nodiscard]] std::span<const int64_t> batch() const { return batch_; }
  // The position of the current vector within batch(), and where it points. Not valid for empty
  // batches.
  [[nodiscard]] std::span<const int64_t> index() const { return index_; }
  [[nodiscard]] std::span<const int64_t> start() const { return start_; }
  // Returns false after the last one.
  bool Next();

 private:
  void Load();

  const Array& indices_;
  std::span<const int64_t> to_operand_, operand_batching_;
  Dims batching_;  // indices_batching as dimensions of batch()
  Dims batch_, strides_, index_, start_;
  int64_t vector_stride_ = 0;
};

}  // namespace halo

#endif  // HALO_EVAL_OPS_INDEX_VECTORS_H_
