// triangular-solve: solves op(a) x = b or x op(a) = b for each matrix of a batch, by substitution
// in double. Only a's triangle is read, without the diagonal if that is all ones.
#include <complex>
#include <limits>
#include <utility>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"

namespace halo {

namespace {

struct Triangle {
  bool left_side, lower, unit_diagonal, transpose, conjugate;
};

template <class T>
T Conjugate(T value, bool yes) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return yes ? std::conj(value) : value;
  }
}

// A complex system with a zero on the diagonal has no solution and yields NaN, as XLA and LAPACK
// give; an infinity would have no direction.
template <class T>
T Quotient(T value, T divisor) {
  if constexpr (!std::is_same_v<T, double>) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    if (divisor == T()) return T(kNan, kNan);
  }
  return value / divisor;
}

// Replaces b [rows, columns] with x. Solves op(a) x = b; the right-side form is transposed to it.
template <class T>
void Solve(const Triangle& how, const T* a, int64_t n, T* b, int64_t rows, int64_t columns) {
  const bool transposed = how.transpose != !how.left_side;
  const auto entry = [&](int64_t i, int64_t j) {
    return Conjugate(transposed ? a[j * n + i] : a[i * n + j], how.conjugate);
  };
  const int64_t vectors = how.left_side ? columns : rows;
  const int64_t along = how.left_side ? columns : 1;  // stride from one unknown to the next
  const int64_t across = how.left_side ? 1 : columns;
  const bool forward = how.lower != transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    for (int64_t v = 0; v < vectors; ++v) {
      T* x = b + v * across;
      T rest = x[i * along];
      for (int64_t done = 0; done < step; ++done) {
        const int64_t j = forward ? done : n - 1 - done;
        rest -= entry(i, j) * x[j * along];
      }
      x[i * along] = how.unit_diagonal ? rest : Quotient(rest, entry(i, i));
    }
  }
}

template <class T>
void SolveAll(const Triangle& how, const Array& a, Array& b) {
  const int64_t n = a.dim(a.rank() - 1);
  const int64_t rows = b.dim(b.rank() - 2);
  const int64_t columns = b.dim(b.rank() - 1);
  const int64_t batch = b.count() / (rows * columns);
  T* x = b.Mutable<T>().data();
  for (int64_t i = 0; i < batch; ++i) {
    Solve(how, a.as<T>().data() + i * n * n, n, x + i * rows * columns, rows, columns);
  }
}

}  // namespace

Result<Value> EvalTriangularSolve(OpContext& cx) {
  const std::string_view transpose = cx.text(AttrKey::k_transpose_a, "NO_TRANSPOSE");
  const Triangle how = {.left_side = cx.flag(AttrKey::k_left_side),
                        .lower = cx.flag(AttrKey::k_lower),
                        .unit_diagonal = cx.flag(AttrKey::k_unit_diagonal),
                        .transpose = transpose == "TRANSPOSE" || transpose == "ADJOINT",
                        .conjugate = transpose == "ADJOINT"};
  const Array& b = cx.array(1);
  const bool complex = LaneKindOf(cx.type()) == LaneKind::kComplex;
  const ElementType type = complex ? ElementType::kC128 : ElementType::kF64;
  if (auto over = cx.CheckBudget((cx.array(0).count() + b.count()) * 16)) return *std::move(over);
  const Array wide_a = Converted(cx, cx.array(0), type);
  Array x = Converted(cx, b, type);
  if (x.count() > 0) {
    if (auto over = cx.Spend(x.count() * wide_a.dim(wide_a.rank() - 1))) return *std::move(over);
    if (complex) {
      SolveAll<std::complex<double>>(how, wide_a, x);
    } else {
      SolveAll<double>(how, wide_a, x);
    }
  }
  return Value(Converted(cx, x, cx.type()));
}

}  // namespace halo
