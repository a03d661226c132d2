// The index vectors of gather and scatter, one after the other: where in the operand each one
// points. What happens to those that point outside is theirs to decide.
#ifndef HALO_EVAL_OPS_INDEX_VECTORS_H_
#define HALO_EVAL_OPS_INDEX_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "halo/eval/lanes/array.h"

namespace halo {

class IndexVectors {
 public:
  // Element i of a vector is an index along dimension to_operand[i]; along operand_batching[i] it
  // is the place along dimension indices_batching[i] of the indices.
  IndexVectors(const Array& indices, int64_t index_vector_dim, std::span<const int64_t> to_operand,
               std::span<const int64_t> operand_batching, std::span<const int64_t> indices_batching,
               size_t operand_rank);

  // The dimensions of the indices without the one that vectors lie along.
  [[nodiscard]] std::span<const int64_t> batch() const { return batch_; }
  // The present vector's place among these, and where it points. Not for empty batches.
  [[nodiscard]] std::span<const int64_t> index() const { return index_; }
  [[nodiscard]] std::span<const int64_t> start() const { return start_; }
  // False after the last one.
  bool Next();

 private:
  void Load();

  const Array& indices_;
  std::span<const int64_t> to_operand_, operand_batching_;
  Dims batching_;  // of indices_batching, as dimensions of batch()
  Dims batch_, strides_, index_, start_;
  int64_t vector_stride_ = 0;
};

}  // namespace halo

#endif  // HALO_EVAL_OPS_INDEX_VECTORS_H_
