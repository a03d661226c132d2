// First tries every array in place, then all of them packed densely. A complex GEMM is one real
// GEMM: the interleaved parts of lhs, [m, 2k], times the rows (re, im) and (-im, re) of each row of
// rhs, [2k, 2n], give the interleaved parts of the result.
#include "halo/codegen/library/dots/lib_dot_kernel.h"

#include <algorithm>
#include <utility>

#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

// Each row of complex numbers becomes two rows of parts.
template <class T>
void SpreadParts(const T* from, T* to, int64_t rows, int64_t columns) {
  TeamFor(rows, std::max<int64_t>(1, (1 << 14) / columns), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* in = from + row * columns * 2;
      T* first = to + row * columns * 4;
      T* second = first + columns * 2;
      for (int64_t i = 0; i < columns; ++i) {
        first[2 * i] = in[2 * i];
        first[2 * i + 1] = in[2 * i + 1];
        second[2 * i] = -in[2 * i + 1];
        second[2 * i + 1] = in[2 * i];
      }
    }
  });
}

MatrixStrides OfParts(const MatrixStrides& s) {
  MatrixStrides out = {.row = 2 * s.row, .column = 1, .batch = s.batch};
  for (int64_t& step : out.batch) step *= 2;
  return out;
}

}  // namespace

std::optional<DotKernel> DotKernel::Make(const Placed& lhs, const Placed& rhs, const Placed& result,
                                         const DotDims& dims, DotScale scale) {
  const DotForm form(lhs, rhs, result, dims);
  const int64_t summed = SizeOf(form.k);
  if (result.count() == 0 || summed == 0) {
    if (scale.beta != 0) return std::nullopt;
    DotKernel plan;
    plan.zero_bytes_ = result.bytes();
    return plan;
  }
  for (const DotTypes& types : ChooseDotTypes(lhs.type, rhs.type, result.type, summed)) {
    for (const bool dense : {false, true}) {
      DotKernel plan;
      if (!plan.Prepare({lhs, rhs, result}, form, types, dense, scale)) continue;
      plan.flops_ = 2.0 * static_cast<double>(result.count()) * static_cast<double>(summed);
      return plan;
    }
  }
  return std::nullopt;
}

bool DotKernel::Prepare(const Sides& sides, const DotForm& form, const DotTypes& types, bool dense,
                        DotScale scale) {
  Product p = {.a_type = types.a,
               .b_type = types.b,
               .c_type = types.c,
               .batch = {},
               .m = SizeOf(form.m),
               .n = SizeOf(form.n),
               .k = SizeOf(form.k),
               .a = {},
               .b = {},
               .c = {},
               .alpha = scale.alpha,
               .beta = scale.beta};
  for (const DotAxis& axis : form.batch) p.batch.push_back(axis.size);
  // The element type of a side as kernels see it; both parts together if it is complex.
  const auto whole = [&](ElementType part) { return types.complex ? types.sum : part; };
  const auto position = [&](DotSide side, const Placed& array, ElementType type,
                            MatrixStrides& to) {
    const std::optional<MatrixStrides> stored = form.InStoredOrder(side);
    const bool by_rows = types.complex || side == kResult;
    const bool usable = stored && !dense && SameRepresentation(array.type, whole(type)) &&
                        (!types.complex || stored->column == 1) &&
                        (stored->row == 1 || stored->column == 1);
    to = usable ? *stored : form.Dense(side, by_rows);
    return !usable;
  };
  const auto pack = [&](DotSide side, const Placed& array, ElementType type,
                        const MatrixStrides& to) {
    const Placed packed = {.type = whole(type), .dims = {array.count()}, .strides = {1}};
    return Packed{Move(array.type, packed.type, form.ToDense(side, to)),
                  scratch_.Take(packed.bytes())};
  };
  if (position(kLhs, sides.lhs, types.a, p.a)) lhs_ = pack(kLhs, sides.lhs, types.a, p.a);
  if (types.complex) {
    PackRhsParts(form, types, p);
    rhs_->move = Move(sides.rhs.type, types.sum, form.ToDense(kRhs, form.Dense(kRhs, true)));
  } else if (position(kRhs, sides.rhs, types.b, p.b)) {
    rhs_ = pack(kRhs, sides.rhs, types.b, p.b);
  }
  if (position(kResult, sides.result, types.c, p.c)) {
    if (scale.beta != 0) before_ = pack(kResult, sides.result, types.sum, p.c);
    std::vector<MoveAxis> back = form.ToDense(kResult, p.c);
    for (MoveAxis& axis : back) std::swap(axis.from, axis.to);
    after_ = before_ ? *before_ : pack(kResult, sides.result, types.c, p.c);
    after_->move = Move(types.sum, sides.result.type, std::move(back));
  }
  if (types.complex) {
    p.k *= 2;
    p.n *= 2;
    p.a = OfParts(p.a);
    p.c = OfParts(p.c);
  }
  kernel_ = MakeProductKernel(p);
  if (kernel_ == nullptr) return false;
  kernel_scratch_ = scratch_.Take(kernel_->scratch_bytes());
  return true;
}

void DotKernel::PackRhsParts(const DotForm& form, const DotTypes& types, Product& product) {
  const int64_t elements = product.batches() * product.k * product.n;
  const auto bytes = static_cast<int64_t>(StoredBytes(types.sum));
  rhs_ = Packed{Move(), scratch_.Take(elements * bytes)};
  rhs_parts_ = scratch_.Take(2 * elements * bytes);
  rhs_columns_ = product.n;
  rhs_elements_ = elements;
  single_parts_ = types.b == ElementType::kF32;
  product.b = {.row = 2 * product.n, .column = 1, .batch = form.Dense(kRhs, true).batch};
  for (int64_t& step : product.b.batch) step *= 4;
}

bool DotKernel::Run(const void* lhs, const void* rhs, void* result, void* scratch) const {
  if (kernel_ == nullptr) {
    std::fill_n(static_cast<uint8_t*>(result), zero_bytes_, uint8_t{0});
    return true;
  }
  auto* workspace = static_cast<uint8_t*>(scratch);
  const auto packed = [&](const std::optional<Packed>& side, const void* from) -> const void* {
    if (!side) return from;
    side->move.Run(from, workspace + side->at);
    return workspace + side->at;
  };
  const void* a = packed(lhs_, lhs);
  const void* b = packed(rhs_, rhs);
  if (rhs_parts_) {
    const int64_t rows = rhs_elements_ / rhs_columns_;
    void* parts = workspace + *rhs_parts_;
    if (single_parts_) {
      SpreadParts(static_cast<const float*>(b), static_cast<float*>(parts), rows, rhs_columns_);
    } else {
      SpreadParts(static_cast<const double*>(b), static_cast<double*>(parts), rows, rhs_columns_);
    }
    b = parts;
  }
  packed(before_, result);
  void* c = after_ ? workspace + after_->at : result;
  if (!kernel_->Run(a, b, c, workspace + kernel_scratch_)) return false;
  if (after_) after_->move.Run(c, result);
  return true;
}

std::string DotKernel::Text() const {
  if (kernel_ == nullptr) return "zeros";
  std::string text = kernel_->Text();
  if (lhs_ || rhs_) text += lhs_ && rhs_ ? ", both packed" : lhs_ ? ", lhs packed" : ", rhs packed";
  if (after_) text += ", result unpacked";
  return text;
}

}  // namespace halo
