// ragged-dot: a dot whose lhs is divided, along one dimension, into groups of given sizes. If that
// dimension is free, each group is multiplied by its own slice of the rhs; if it is contracted,
// each group gives a separate result; if it is a batch dimension, elements beyond all groups are
// zero. Sizes may differ for each index of the dimensions before the ragged one.
#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "halo/eval/context/box_copy.h"
#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/lanes/sum_type.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

namespace {

using Ints = std::vector<int64_t>;

int64_t Find(const Ints& list, int64_t value) {
  const auto at = std::find(list.begin(), list.end(), value);
  return at == list.end() ? -1 : at - list.begin();
}

template <class T>
void AddBox(const Array& box, std::span<const int64_t> starts, Array& array) {
  const Dims strides = RowMajorStrides(array.dims());
  const auto to = array.Mutable<T>();
  Dims index(box.rank(), 0);
  for (const T& value : box.as<T>()) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += (starts[i] + index[i]) * strides[i];
    to[static_cast<size_t>(at)] += value;
    NextIndex(box.dims(), index);
  }
}

class RaggedDot {
 public:
  explicit RaggedDot(OpContext& cx)
      : cx_(cx),
        lhs_(cx.array(0)),
        rhs_(cx.array(1)),
        sizes_(cx.array(2)),
        dims_{Copy(AttrKey::k_lhs_batch_dims), Copy(AttrKey::k_rhs_batch_dims),
              Copy(AttrKey::k_lhs_contracting_dims), Copy(AttrKey::k_rhs_contracting_dims)},
        ragged_(cx.ints(AttrKey::k_lhs_ragged_dims)[0]),
        sum_(SumTypeOf({lhs_.type(), rhs_.type(), cx.type()})) {
    for (int64_t i = 0; i < static_cast<int64_t>(lhs_.rank()); ++i) {
      if (Find(dims_.lhs_batch, i) < 0 && Find(dims_.lhs_contracting, i) < 0) free_.push_back(i);
    }
    contracting_ = Find(dims_.lhs_contracting, ragged_);
    batch_ = Find(dims_.lhs_batch, ragged_);
    // The dimensions before the ragged one, for which group sizes may differ.
    if (sizes_.rank() > 1) {
      prefix_ = dims_.lhs_batch;
      const Ints& last = batch_ >= 0 ? Ints() : contracting_ >= 0 ? dims_.lhs_contracting : free_;
      prefix_.insert(prefix_.end(), last.begin(), last.end());
      prefix_.resize(std::min(sizes_.rank() - 1, prefix_.size()));
    }
  }

  Result<Value> Run() {
    if (auto error = Check()) return *std::move(error);
    Array sums = cx_.Make(sum_, cx_.dims());
    const int64_t groups = sizes_.dim(sizes_.rank() - 1);
    Dims prefix_dims(sizes_.dims().begin(), sizes_.dims().end() - 1);
    prefix_dims.resize(prefix_.size());
    if (sums.count() == 0 || sizes_.count() == 0) return Value(Converted(cx_, sums, cx_.type()));
    Dims index(prefix_.size(), 0);
    const int64_t length = lhs_.dim(static_cast<size_t>(ragged_));
    int64_t row = 0;
    do {
      int64_t end = 0;
      for (int64_t g = 0; g < groups; ++g) {
        const int64_t start = std::clamp<int64_t>(end, 0, length);
        const int64_t size =
            LoadInt(sizes_.type(), sizes_.bytes() + static_cast<size_t>(row * groups + g) *
                                                        sizes_.element_bytes());
        if (__builtin_add_overflow(end, size, &end)) end = size > 0 ? length : 0;
        const int64_t stop = std::clamp<int64_t>(end, 0, length);
        if (stop <= start) continue;
        if (auto error = AddGroup(index, g, start, stop - start, sums)) return *std::move(error);
      }
      ++row;
    } while (NextIndex(prefix_dims, index));
    return Value(Converted(cx_, sums, cx_.type()));
  }

 private:
  [[nodiscard]] Ints Copy(AttrKey key) const {
    return {cx_.ints(key).begin(), cx_.ints(key).end()};
  }

  // Checks that the dimensions that both sides and the group sizes share are equal.
  [[nodiscard]] std::optional<Diagnostic> Check() const {
    Dims left;
    Dims right;
    for (int64_t i = 0; i < static_cast<int64_t>(lhs_.rank()); ++i) {
      if (Partner(i) < 0) continue;
      left.push_back(lhs_.dim(static_cast<size_t>(i)));
      right.push_back(rhs_.dim(static_cast<size_t>(Partner(i))));
    }
    for (size_t i = 0; i < prefix_.size(); ++i) {
      left.push_back(lhs_.dim(static_cast<size_t>(prefix_[i])));
      right.push_back(sizes_.dim(i));
    }
    for (const int64_t dim : cx_.ints(AttrKey::k_rhs_group_dims)) {
      left.push_back(sizes_.dim(sizes_.rank() - 1));
      right.push_back(rhs_.dim(static_cast<size_t>(dim)));
    }
    return DemandSameDims(cx_, left, right);
  }

  struct Box {
    explicit Box(const Array& array)
        : starts(array.rank(), 0), sizes(array.dims().begin(), array.dims().end()) {}
    void Narrow(int64_t dim, int64_t start, int64_t size) {
      starts[static_cast<size_t>(dim)] = start;
      sizes[static_cast<size_t>(dim)] = size;
    }
    Dims starts, sizes;
  };

  // Returns the dimension of the rhs that pairs with dimension `dim` of the lhs; -1 if that is
  // free.
  [[nodiscard]] int64_t Partner(int64_t dim) const {
    if (const int64_t at = Find(dims_.lhs_batch, dim); at >= 0) {
      return dims_.rhs_batch[static_cast<size_t>(at)];
    }
    if (const int64_t at = Find(dims_.lhs_contracting, dim); at >= 0) {
      return dims_.rhs_contracting[static_cast<size_t>(at)];
    }
    return -1;
  }

  // Returns the dimension of a plain dot's result that corresponds to dimension `dim` of the lhs;
  // -1 if it is contracted.
  [[nodiscard]] int64_t ResultDim(int64_t dim) const {
    if (const int64_t at = Find(dims_.lhs_batch, dim); at >= 0) return at;
    const int64_t at = Find(free_, dim);
    return at < 0 ? -1 : at + static_cast<int64_t>(dims_.lhs_batch.size());
  }

  std::optional<Diagnostic> AddGroup(std::span<const int64_t> index, int64_t group, int64_t start,
                                     int64_t size, Array& sums) const {
    Box left(lhs_);
    Box right(rhs_);
    Dims position(sums.rank(), 0);
    const size_t shift = contracting_ >= 0 ? 1 : 0;  // the group dimension comes first
    if (shift != 0) position[0] = group;
    const auto narrow = [&](int64_t dim, int64_t from, int64_t length) {
      left.Narrow(dim, from, length);
      if (const int64_t partner = Partner(dim); partner >= 0) right.Narrow(partner, from, length);
      if (const int64_t to = ResultDim(dim); to >= 0)
        position[static_cast<size_t>(to) + shift] = from;
    };
    for (size_t i = 0; i < prefix_.size(); ++i) narrow(prefix_[i], index[i], 1);
    narrow(ragged_, start, size);
    DotDims dims = dims_;
    const bool picks = contracting_ < 0 && batch_ < 0;
    const std::span<const int64_t> group_dims = cx_.ints(AttrKey::k_rhs_group_dims);
    if (picks) right.Narrow(group_dims[0], group, 1);
    Array rhs = TakeBox(cx_, rhs_, right.starts, right.sizes);
    if (picks) {
      right.sizes.erase(right.sizes.begin() + group_dims[0]);
      rhs = rhs.Reshaped(right.sizes);
      for (Ints* list : {&dims.rhs_batch, &dims.rhs_contracting}) {
        for (int64_t& dim : *list) dim -= dim > group_dims[0] ? 1 : 0;
      }
    }
    Result<Array> product =
        DotGeneral(cx_, TakeBox(cx_, lhs_, left.starts, left.sizes), rhs, dims, sum_);
    if (!product) return product.error();
    Dims box(product->dims().begin(), product->dims().end());
    if (shift != 0) box.insert(box.begin(), 1);
    const Array part = product->Reshaped(box);
    if (sum_ == ElementType::kF64) AddBox<double>(part, position, sums);
    if (sum_ == ElementType::kC128) AddBox<std::complex<double>>(part, position, sums);
    if (sum_ == ElementType::kU64) AddBox<uint64_t>(part, position, sums);
    return std::nullopt;
  }

  const OpContext& cx_;
  const Array& lhs_;
  const Array& rhs_;
  const Array& sizes_;
  DotDims dims_;
  int64_t ragged_;
  ElementType sum_;
  int64_t contracting_ = -1, batch_ = -1;
  Ints free_, prefix_;
};

}  // namespace

Result<Value> EvalRaggedDot(OpContext& cx) {
  if (cx.ints(AttrKey::k_lhs_ragged_dims).size() != 1 || cx.array(2).rank() == 0) {
    return cx.Fail(diag::kCannotEvaluate, "exactly one dimension of the lhs is ragged");
  }
  return RaggedDot(cx).Run();
}

}  // namespace halo
