// The LAPACK calls by which JAX factors real matrices on the CPU, one matrix of the batch per
// thread: getrf, potrf, geqrf and orgqr, in the type that the call names, and syevd, in double like
// the evaluator's. For machines without LAPACK, and where these loops are faster
// (make_library_op.cc).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/linalg/dense_factor.h"
#include "halo/codegen/library/linalg/dense_matrix.h"
#include "halo/codegen/library/linalg/dense_reflect.h"
#include "halo/codegen/library/linalg/symmetric_eigen.h"
#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

// One matrix with its further operands and results, all dense. `a` is the first operand, rows x
// columns as it was loaded, and becomes the first result.
template <class T>
struct FactorArguments {
  T* a;
  int64_t rows, columns;
  const T* vector_in;  // of orgqr
  int64_t vector_size;
  void* vector_out;  // pivots, as 32-bit integers, or scales of reflections or values
  int32_t* info;
  T* workspace;  // as large as `a`

  [[nodiscard]] T* numbers_out() const { return static_cast<T*>(vector_out); }
};

// Pivots are counted from 1, and so is the column without one. The matrix is transposed, and so are
// its rows and columns here.
template <class T>
void FactorLuColumns(const FactorArguments<T>& call) {
  auto* pivots = static_cast<int32_t*>(call.vector_out);
  *call.info = static_cast<int32_t>(FactorDenseLu(call.a, call.columns, call.rows, pivots) + 1);
  for (int64_t k = 0; k < std::min(call.rows, call.columns); ++k) ++pivots[k];
}

// The lower factor; the other triangle stays as it is. Stops at the first column that has none.
template <class T>
void FactorCholeskyColumns(const FactorArguments<T>& call) {
  *call.info = static_cast<int32_t>(FactorDenseCholesky(call.a, call.rows, false) + 1);
}

template <class T>
void FactorQrColumns(const FactorArguments<T>& call) {
  FactorDenseQr(call.a, call.columns, call.rows, call.numbers_out());
}

template <class T>
void FormQColumns(const FactorArguments<T>& call) {
  const int64_t least = std::min(call.rows, call.columns);
  std::fill(call.a + least * call.columns, call.a + call.rows * call.columns, T{});
  FormDenseQ(call.a, call.columns, least, call.vector_in, std::min(call.vector_size, least));
}

// Vectors are left as rows.
void DecomposeSymmetric(const FactorArguments<double>& call) {
  const int64_t n = call.rows;
  const bool found = SymmetricEigen(call.a, n, call.numbers_out(), call.workspace);
  *call.info = found ? 0 : 1;
  if (found) {
    std::copy_n(call.workspace, n * n, call.a);
  } else {
    std::fill_n(call.a, n * n, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(call.numbers_out(), n, std::numeric_limits<double>::quiet_NaN());
  }
}

template <class T>
struct FactorRoutine {
  const char* name;
  void (*run)(const FactorArguments<T>& call);
  bool transposed = false;        // works on columns
  bool gives_transposed = false;  // whatever form it takes, the matrix it gives is transposed
  bool takes_vector = false, gives_vector = false, gives_pivots = false, gives_info = false;
};

template <class T>
class FactorCallOp : public LibraryOp {
 public:
  FactorCallOp(const FactorRoutine<T>& routine, bool transposed, const PlacedArrays& operands,
               const PlacedArrays& results)
      : routine_(routine),
        from_(operands[0], {.transposed = transposed, .dense = kDense}),
        to_(results[0], {.transposed = transposed || routine.gives_transposed, .dense = kDense}) {
    if (routine.takes_vector) {
      vector_in_ = MatrixMove(operands[1], {.rank = 1, .dense = kDense});
    }
    const ElementType out = routine.gives_pivots ? ElementType::kS32 : kDense;
    if (routine.gives_vector) vector_out_ = MatrixMove(results[1], {.rank = 1, .dense = out});
    if (routine.gives_info) {
      info_ = MatrixMove(results.back(), {.rank = 0, .dense = ElementType::kS32});
    }
    shares_ = ShareCount(from_.batches(), from_.rows() * from_.columns() * from_.rows());
    for (int64_t* at : {&matrix_at_, &workspace_at_}) {
      *at = share_.Take(from_.rows() * from_.columns() * static_cast<int64_t>(sizeof(T)));
    }
    vector_in_at_ = share_.Take(vector_in_.rows() * 8);
    vector_out_at_ = share_.Take(vector_out_.rows() * 8);
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * share_.bytes(); }
  [[nodiscard]] std::string Text() const override {
    return std::string(routine_.name) + ", " + std::to_string(from_.batches()) + " of " +
           std::to_string(from_.rows()) + "x" + std::to_string(from_.columns());
  }
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    const size_t operands = routine_.takes_vector ? 2 : 1;
    ForShares(from_.batches(), shares_, [&](int64_t share, int64_t begin, int64_t end) {
      uint8_t* own = static_cast<uint8_t*>(scratch) + share * share_.bytes();
      auto* const vector_in = reinterpret_cast<T*>(own + vector_in_at_);
      for (int64_t i = begin; i < end; ++i) {
        int32_t info = 0;
        // The result's memory, if the matrix has the same form there.
        T* a = to_.IsDense() ? to_.View<T>(buffers[operands], i).at
                             : reinterpret_cast<T*>(own + matrix_at_);
        if (!from_.IsDense() || from_.View<T>(buffers[0], i).at != a) from_.Load(buffers[0], i, a);
        if (routine_.takes_vector) vector_in_.Load(buffers[1], i, vector_in);
        routine_.run({.a = a,
                      .rows = from_.rows(),
                      .columns = from_.columns(),
                      .vector_in = vector_in,
                      .vector_size = vector_in_.rows(),
                      .vector_out = own + vector_out_at_,
                      .info = &info,
                      .workspace = reinterpret_cast<T*>(own + workspace_at_)});
        if (!to_.IsDense()) to_.Store(a, i, buffers[operands]);
        if (routine_.gives_vector) StoreVector(own + vector_out_at_, i, buffers[operands + 1]);
        if (routine_.gives_info) info_.Store(&info, i, buffers.back());
      }
    });
    return std::nullopt;
  }

 private:
  void StoreVector(const uint8_t* vector, int64_t number, void* to) const {
    if (routine_.gives_pivots) {
      vector_out_.Store(reinterpret_cast<const int32_t*>(vector), number, to);
    } else {
      vector_out_.Store(reinterpret_cast<const T*>(vector), number, to);
    }
  }

  static constexpr ElementType kDense =
      std::is_same_v<T, float> ? ElementType::kF32 : ElementType::kF64;

  FactorRoutine<T> routine_;
  MatrixMove from_, to_, vector_in_, vector_out_, info_;
  ScratchLayout share_;  // of one thread
  int64_t matrix_at_ = 0, workspace_at_ = 0, vector_in_at_ = 0, vector_out_at_ = 0;
  int64_t shares_ = 1;
};

Dims BatchOf(const Placed& matrix) { return {matrix.dims.begin(), matrix.dims.end() - 2}; }

bool HasDims(const Placed& array, Dims batch, std::optional<int64_t> size) {
  if (size) batch.push_back(*size);
  return array.dims == batch && InfoOf(array.type).klass != ElementClass::kComplex;
}

// Nothing has checked the operands of a call. If this returns null, the evaluator reports what is
// wrong with them.
template <class T>
bool Fits(const FactorRoutine<T>& routine, const PlacedArrays& operands,
          const PlacedArrays& results) {
  const size_t wanted = 1 + (routine.gives_vector ? 1 : 0) + (routine.gives_info ? 1 : 0);
  if (operands.size() != (routine.takes_vector ? 2 : 1) || results.size() != wanted) return false;
  const Placed& a = operands[0];
  if (InfoOf(a.type).klass != ElementClass::kFloat || a.dims.size() < 2 || a.count() == 0 ||
      results[0].type != a.type || results[0].dims != a.dims) {
    return false;
  }
  // Pivots are 32-bit integers.
  if (std::ranges::any_of(a.dims, [](int64_t size) { return size > INT32_MAX; })) return false;
  const Dims batch = BatchOf(a);
  const int64_t least = std::min(a.dims[a.dims.size() - 2], a.dims.back());
  if (routine.takes_vector) {
    const Placed& vector = operands[1];
    if (vector.dims.empty() || vector.count() == 0 || !HasDims(vector, batch, vector.dims.back())) {
      return false;
    }
  }
  if (routine.gives_vector && !HasDims(results[1], batch, least)) return false;
  return !routine.gives_info || HasDims(results.back(), batch, std::nullopt);
}

template <class T>
std::unique_ptr<LibraryOp> MakeFactorCall(const Module& module, InstId id,
                                          const FactorRoutine<T>& routine, bool is_square) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!operands || !results || !config || !Fits(routine, *operands, *results)) return nullptr;
  const Placed& a = (*operands)[0];
  // Matrices of a batch are replaced one after the other.
  if (module.Find(inst, AttrKey::k_output_to_operand_aliasing) != nullptr &&
      a.strides != (*results)[0].strides) {
    return nullptr;
  }
  if (is_square && a.dims[a.dims.size() - 2] != a.dims.back()) return nullptr;
  const bool is_upper = is_square && (*config)["uplo"].AsInt('L') != 'L';
  return std::make_unique<FactorCallOp<T>>(routine, routine.transposed != is_upper, *operands,
                                           *results);
}

// The type that the routine's name says.
bool IsInFloats(const Module& module, InstId id) {
  return module.TextOr(module.inst(id).attrs, AttrKey::k_custom_call_target)
      .starts_with("lapack_s");
}

template <class T>
std::unique_ptr<LibraryOp> MakeGetrf(const Module& module, InstId inst) {
  return MakeFactorCall<T>(module, inst,
                           {.name = "LU factors",
                            .run = FactorLuColumns<T>,
                            .transposed = true,
                            .gives_vector = true,
                            .gives_pivots = true,
                            .gives_info = true},
                           false);
}

template <class T>
std::unique_ptr<LibraryOp> MakePotrf(const Module& module, InstId inst) {
  return MakeFactorCall<T>(module, inst,
                           {.name = "cholesky factors",
                            .run = FactorCholeskyColumns<T>,
                            .transposed = true,
                            .gives_info = true},
                           true);
}

template <class T>
std::unique_ptr<LibraryOp> MakeGeqrf(const Module& module, InstId inst) {
  return MakeFactorCall<T>(
      module, inst,
      {.name = "QR factors", .run = FactorQrColumns<T>, .transposed = true, .gives_vector = true},
      false);
}

template <class T>
std::unique_ptr<LibraryOp> MakeOrgqr(const Module& module, InstId inst) {
  return MakeFactorCall<T>(module, inst,
                           {.name = "Q of reflections",
                            .run = FormQColumns<T>,
                            .transposed = true,
                            .takes_vector = true},
                           false);
}

}  // namespace

std::unique_ptr<LibraryOp> MakeGetrfCallOp(const Module& module, InstId inst) {
  return IsInFloats(module, inst) ? MakeGetrf<float>(module, inst)
                                  : MakeGetrf<double>(module, inst);
}

std::unique_ptr<LibraryOp> MakePotrfCallOp(const Module& module, InstId inst) {
  return IsInFloats(module, inst) ? MakePotrf<float>(module, inst)
                                  : MakePotrf<double>(module, inst);
}

std::unique_ptr<LibraryOp> MakeGeqrfCallOp(const Module& module, InstId inst) {
  return IsInFloats(module, inst) ? MakeGeqrf<float>(module, inst)
                                  : MakeGeqrf<double>(module, inst);
}

std::unique_ptr<LibraryOp> MakeOrgqrCallOp(const Module& module, InstId inst) {
  return IsInFloats(module, inst) ? MakeOrgqr<float>(module, inst)
                                  : MakeOrgqr<double>(module, inst);
}

std::unique_ptr<LibraryOp> MakeSyevdCallOp(const Module& module, InstId inst) {
  return MakeFactorCall<double>(module, inst,
                                {.name = "eigenvectors",
                                 .run = DecomposeSymmetric,
                                 .gives_transposed = true,
                                 .gives_vector = true,
                                 .gives_info = true},
                                true);
}

}  // namespace halo
