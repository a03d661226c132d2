// Custom calls of LAPACK, and cholesky and triangular-solve of complex matrices, by the installed
// LAPACK: one matrix of the batch per thread. Calls compute in the type that they name, as XLA's
// do, and instructions in double, as everywhere in the engine. What its own loops do better is
// decided in make_library_op.cc.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/codegen/library/lapack/lapack_call.h"
#include "halo/codegen/library/lapack/lapack_library.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/linalg/cholesky.h"

namespace halo {
namespace {

// One array of a batch of calls: where each problem's part is stored, and its type as LAPACK sees
// it, which is the stored one or, if widened, the double of it.
class LapackArray {
 public:
  LapackArray(const Placed& array, int rank, bool widened) : type_(array.type), widened_(widened) {
    const size_t batch = array.dims.size() - static_cast<size_t>(rank);
    batch_.assign(array.dims.begin(), array.dims.begin() + static_cast<std::ptrdiff_t>(batch));
    steps_.assign(array.strides.begin(),
                  array.strides.begin() + static_cast<std::ptrdiff_t>(batch));
    if (rank > 0) {
      rows_ = array.dims[batch];
      row_step_ = array.strides[batch];
    }
    if (rank > 1) {
      columns_ = array.dims[batch + 1];
      column_step_ = array.strides[batch + 1];
    }
  }
  [[nodiscard]] const Dims& batch() const { return batch_; }
  [[nodiscard]] int64_t bytes() const {
    const bool is_widened = widened_ && (type_ == ElementType::kF32 || type_ == ElementType::kC64);
    return rows_ * columns_ * (InfoOf(type_).bits / 8) * (is_widened ? 2 : 1);
  }
  [[nodiscard]] bool IsComplex() const { return InfoOf(type_).klass == ElementClass::kComplex; }
  // Of a matrix.
  [[nodiscard]] LapackType type() const {
    const bool is_single = !widened_ && (type_ == ElementType::kF32 || type_ == ElementType::kC64);
    if (IsComplex()) return is_single ? LapackType::kComplexFloat : LapackType::kComplexDouble;
    return is_single ? LapackType::kFloat : LapackType::kDouble;
  }
  [[nodiscard]] DenseArray Describe(void* data) const {
    return {data, static_cast<int>(rows_), static_cast<int>(columns_)};
  }

  void Load(const void* from, int64_t number, void* to) const { Move<true>(from, number, to); }
  void Store(const void* from, int64_t number, void* to) const {
    // The first pointer is the stored array in both directions.
    Move<false>(to, number, const_cast<void*>(from));
  }

 private:
  template <bool kLoad>
  void Move(const void* array, int64_t number, void* dense) const {
    using enum ElementType;
    using Float = std::complex<float>;
    using Double = std::complex<double>;
    switch (type_) {
      case kF32:
        return widened_ ? Copy<kLoad, float, double>(array, number, dense)
                        : Copy<kLoad, float, float>(array, number, dense);
      case kF64: return Copy<kLoad, double, double>(array, number, dense);
      case kC64:
        return widened_ ? Copy<kLoad, Float, Double>(array, number, dense)
                        : Copy<kLoad, Float, Float>(array, number, dense);
      case kC128: return Copy<kLoad, Double, Double>(array, number, dense);
      default: return Copy<kLoad, int, int>(array, number, dense);
    }
  }
  template <bool kLoad, class Stored, class Dense>
  void Copy(const void* array, int64_t number, void* dense) const {
    int64_t at = 0;
    for (size_t i = batch_.size(); i-- > 0;) {
      at += number % batch_[i] * steps_[i];
      number /= batch_[i];
    }
    auto* stored = static_cast<Stored*>(const_cast<void*>(array)) + at;
    auto* column = static_cast<Dense*>(dense);
    for (int64_t j = 0; j < columns_; ++j, column += rows_) {
      Stored* const first = stored + j * column_step_;
      for (int64_t i = 0; i < rows_; ++i) {
        if constexpr (kLoad) {
          column[i] = static_cast<Dense>(first[i * row_step_]);
        } else {
          first[i * row_step_] = static_cast<Stored>(column[i]);
        }
      }
    }
  }

  ElementType type_;
  bool widened_;
  Dims batch_, steps_;
  int64_t rows_ = 1, columns_ = 1, row_step_ = 0, column_step_ = 0;
};

class LapackCallOp : public LibraryOp {
 public:
  LapackCallOp(const LapackFunction& function, std::vector<LapackArray> in,
               std::vector<LapackArray> out, const LapackProblem& sizes, bool is_cholesky)
      : function_(function),
        in_(std::move(in)),
        out_(std::move(out)),
        how_(sizes.how),
        is_cholesky_(is_cholesky),
        type_(in_[0].type()) {
    const DenseArray& a = sizes.in[0];
    batches_ = ElementsIn(in_[0].batch());
    shares_ = !LapackHasLocks() ? 1 : ShareCount(batches_, a.count() * std::min(a.rows, a.columns));
    rows_ = a.rows;
    columns_ = a.columns;
    for (const auto* arrays : {&in_, &out_}) {
      for (const LapackArray& each : *arrays) at_.push_back(share_.Take(each.bytes()));
    }
    const LapackMemory memory = function_.memory(sizes);
    work_size_ = function_.has_work ? BestWork(sizes) : 0;
    work_at_ = share_.Take(work_size_ * 16);
    reals_at_ = share_.Take(memory.reals * 8);
    integers_at_ = share_.Take(memory.integers * 4);
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * share_.bytes(); }
  [[nodiscard]] std::string Text() const override {
    return "LAPACK " + std::string(1, "sdcz"[static_cast<size_t>(type_)]) +
           std::string(function_.name) + ", " + std::to_string(batches_) + " of " +
           std::to_string(rows_) + "x" + std::to_string(columns_);
  }
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    ForShares(batches_, shares_, [&](int64_t share, int64_t begin, int64_t end) {
      uint8_t* own = static_cast<uint8_t*>(scratch) + share * share_.bytes();
      for (int64_t i = begin; i < end; ++i) RunOne(buffers, i, own);
    });
    return std::nullopt;
  }

 private:
  void RunOne(std::span<void* const> buffers, int64_t number, uint8_t* own) const {
    LapackProblem problem;
    problem.how = how_;
    problem.work = own + work_at_;
    problem.work_size = static_cast<int>(work_size_);
    problem.reals = own + reals_at_;
    problem.integers = reinterpret_cast<int*>(own + integers_at_);
    for (size_t i = 0; i < in_.size(); ++i) {
      in_[i].Load(buffers[i], number, own + at_[i]);
      problem.in.push_back(in_[i].Describe(own + at_[i]));
    }
    for (size_t i = 0; i < out_.size(); ++i) {
      uint8_t* data = own + at_[in_.size() + i];
      problem.out.push_back(out_[i].Describe(data));
    }
    // A cholesky instruction has no result for it.
    int info = 0;
    if (is_cholesky_) problem.out.push_back({&info, 1, 1});
    Call(problem);
    if (is_cholesky_) {
      // LAPACK has overwritten the matrix; the memory of the result is still unused.
      const DenseArray a = in_[0].Describe(own + at_[in_.size()]);
      in_[0].Load(buffers[0], number, a.data);
      const bool lower = how_.uplo == 'L';
      if (info == 0) {
        CompleteFactor(a, problem.out[0]);
      } else {
        // The instruction defines what a matrix without a factor gives, LAPACK does not.
        CholeskyInPlace(a.as<std::complex<double>>(), a.rows, lower ? 1 : a.rows,
                        lower ? a.rows : 1);
        problem.out[0] = a;
      }
    }
    for (size_t i = 0; i < out_.size(); ++i) {
      out_[i].Store(problem.out[i].data, number, buffers[in_.size() + i]);
    }
  }

  // What the instruction defines and LAPACK leaves out: zeros in the other triangle, and imaginary
  // parts of the diagonal, which change nothing else.
  void CompleteFactor(const DenseArray& matrix, const DenseArray& factor) const {
    const auto* a = matrix.as<std::complex<double>>();
    auto* l = factor.as<std::complex<double>>();
    const int64_t n = factor.rows;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t begin = how_.uplo == 'L' ? 0 : j + 1;
      const int64_t end = how_.uplo == 'L' ? j : n;
      std::fill(l + j * n + begin, l + j * n + end, 0.0);
      std::complex<double>& root = l[j * n + j];
      if (n > 1) root.imag(a[j * n + j].imag() / root.real());
    }
  }

  // In elements. LAPACK touches nothing else when it is asked.
  int64_t BestWork(const LapackProblem& sizes) const {
    LapackProblem query = sizes;
    // Each has its own memory: the routine stores sizes and info.
    std::vector<std::complex<double>> unused(query.in.size() + query.out.size() + 2);
    size_t next = 0;
    for (auto* arrays : {&query.in, &query.out}) {
      for (DenseArray& each : *arrays) each.data = &unused[next++];
    }
    std::complex<double> best = 0;
    query.work = &best;
    query.work_size = -1;
    query.reals = &unused[next++];
    query.integers = reinterpret_cast<int*>(&unused[next]);
    Call(query);
    // A float holds sizes above 2^24 rounded, perhaps down.
    const bool is_single = type_ == LapackType::kFloat || type_ == LapackType::kComplexFloat;
    float rounded = 0;
    std::memcpy(&rounded, &best, sizeof rounded);
    const double size = is_single ? std::nextafter(rounded, HUGE_VALF) : best.real();
    return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(size)));
  }

  void Call(LapackProblem& problem) const { function_.run[static_cast<size_t>(type_)](problem); }

  const LapackFunction& function_;
  std::vector<LapackArray> in_, out_;
  LapackChoices how_;
  bool is_cholesky_;
  LapackType type_;  // of the matrix, for LAPACK
  int64_t batches_ = 1, shares_ = 1, rows_ = 0, columns_ = 0, work_size_ = 0;
  ScratchLayout share_;  // of one thread
  std::vector<int64_t> at_;
  int64_t work_at_ = 0, reals_at_ = 0, integers_at_ = 0;
};

bool IsKnownType(const Placed& array) {
  using enum ElementType;
  return array.type == kF32 || array.type == kF64 || array.type == kC64 || array.type == kC128 ||
         array.type == kS32;
}

// Arrays with these ranks after their batches, which are the same for all. Nothing has checked the
// operands of a call; if they do not fit, the evaluator reports what is wrong with them.
bool FitRanks(const PlacedArrays& arrays, const std::vector<int>& ranks, const Dims& batch) {
  if (arrays.size() != ranks.size()) return false;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Placed& each = arrays[i];
    // Dimensions are 32-bit integers for LAPACK, and so are the sizes it derives from them.
    constexpr int64_t kMostSize = 16384;
    if (!IsKnownType(each) || each.dims.size() != batch.size() + static_cast<size_t>(ranks[i]) ||
        !std::equal(batch.begin(), batch.end(), each.dims.begin()) || each.count() == 0 ||
        std::ranges::any_of(each.dims.begin() + static_cast<std::ptrdiff_t>(batch.size()),
                            each.dims.end(), [](int64_t size) { return size > kMostSize; })) {
      return false;
    }
  }
  return true;
}

// Types are as the routine needs them: integers for pivots and info, reals for what is real even of
// complex matrices, and the matrix's own elsewhere.
bool FitTypes(const LapackFunction& function, const PlacedArrays& in, const PlacedArrays& out) {
  using enum ElementType;
  const ElementType matrix = in[0].type;
  const bool is_complex = matrix == kC64 || matrix == kC128;
  if (!is_complex && matrix != kF32 && matrix != kF64) return false;
  const bool is_single = matrix == kF32 || matrix == kC64;
  for (size_t i = 1; i < in.size(); ++i) {
    if (in[i].type != (function.name == "geqp3" ? kS32 : matrix)) return false;
  }
  const std::vector<int>& ranks = function.out_ranks_of(is_complex);
  for (size_t i = 0; i < out.size(); ++i) {
    const bool wants_integer = ranks[i] == 0 || (function.name == "getrf" && i == 1) ||
                               (function.name == "geqp3" && i == 1);
    const bool wants_real = (function.name == "syevd" && i == 1) ||
                            (function.name == "gesdd" && i == 1) ||
                            (function.name == "sytrd" && (i == 1 || i == 2));
    const bool wants_complex =
        !wants_real && (is_complex || (function.name == "geev" && ranks[i] == 2));
    if (out[i].type != (wants_integer   ? kS32
                        : wants_complex ? (is_single ? kC64 : kC128)
                                        : (is_single ? kF32 : kF64))) {
      return false;
    }
  }
  return true;
}

std::unique_ptr<LibraryOp> MakeLapackOp(const Module& module, const Inst& inst,
                                        std::string_view name, const LapackChoices& how) {
  const bool is_call = inst.opcode == Opcode::kCustomCall;
  const bool is_cholesky = inst.opcode == Opcode::kCholesky;
  const LapackFunction* function = FindLapackFunction(name);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (function == nullptr || !operands || !results || operands->empty()) return nullptr;
  const Placed& a = (*operands)[0];
  const auto rank = static_cast<size_t>(function->in_ranks[0]);
  if (a.dims.size() < rank) return nullptr;
  const bool is_complex = InfoOf(a.type).klass == ElementClass::kComplex;
  const Dims batch(a.dims.begin(), a.dims.end() - static_cast<std::ptrdiff_t>(rank));
  std::vector<int> ranks = function->out_ranks_of(is_complex);
  if (is_cholesky) ranks.pop_back();
  if (!FitRanks(*operands, function->in_ranks, batch) || !FitRanks(*results, ranks, batch) ||
      !FitTypes(*function, *operands, *results)) {
    return nullptr;
  }
  // Matrices of a batch are replaced one after the other.
  if (module.Find(inst, AttrKey::k_output_to_operand_aliasing) != nullptr) {
    for (size_t i = 0; i < std::min(operands->size(), results->size()); ++i) {
      const Placed& from = (*operands)[i];
      const Placed& to = (*results)[i];
      if (from.dims == to.dims && from.strides != to.strides) return nullptr;
    }
  }
  std::vector<LapackArray> in;
  std::vector<LapackArray> out;
  LapackProblem sizes;
  sizes.how = how;
  for (size_t i = 0; i < operands->size(); ++i) {
    in.emplace_back((*operands)[i], function->in_ranks[i], !is_call);
    sizes.in.push_back(in.back().Describe(nullptr));
  }
  for (size_t i = 0; i < results->size(); ++i) {
    out.emplace_back((*results)[i], ranks[i], !is_call);
    sizes.out.push_back(out.back().Describe(nullptr));
  }
  if (is_cholesky) sizes.out.push_back({});
  if (!function->fits(sizes)) return nullptr;
  if (!HasLapack()) return nullptr;
  return std::make_unique<LapackCallOp>(*function, std::move(in), std::move(out), sizes,
                                        is_cholesky);
}

// "lapack_zheevd_ffi" -> "syevd": complex routines go by the names of the real ones. Empty for the
// targets of other libraries.
std::string RealName(std::string_view target) {
  constexpr std::string_view kPrefix = "lapack_";
  constexpr std::string_view kSuffix = "_ffi";
  if (!target.starts_with(kPrefix) || !target.ends_with(kSuffix)) return {};
  target.remove_prefix(kPrefix.size());
  target.remove_suffix(kSuffix.size());
  if (target.empty()) return {};
  std::string name(target.substr(1));
  if (name == "gesvd") return "gesdd";
  for (const auto& [complex, real] : {std::pair("he", "sy"), std::pair("un", "or")}) {
    if (name.starts_with(complex)) name.replace(0, 2, real);
  }
  return name;
}

}  // namespace

std::unique_ptr<LibraryOp> MakeLapackCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const std::string name = RealName(module.TextOr(inst.attrs, AttrKey::k_custom_call_target));
  if (name.empty()) return nullptr;
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!config) return nullptr;
  const auto letter = [&](const char* key, char otherwise) {
    return static_cast<char>((*config)[key].AsInt(otherwise));
  };
  if (letter("sort", 'N') != 'N') return nullptr;
  LapackChoices how = {.side = letter("side", 'L'),
                       .uplo = letter("uplo", 'L'),
                       .diagonal = letter("diag", 'N'),
                       .transpose = letter("trans_x", 'N'),
                       .mode = letter("mode", 'V') == 'N' ? 'N' : 'V',
                       .left = letter("compute_left", 'V'),
                       .right = letter("compute_right", 'V'),
                       .low = (*config)["low"].AsInt(1),
                       .high = (*config)["high"].AsInt(0)};
  if (!(*config)["left"].AsBool(true)) how.side = 'R';
  if ((*config)["transpose"].AsBool(false)) how.transpose = 'T';
  const auto is_one_of = [](char value, std::string_view letters) {
    return letters.find(value) != std::string_view::npos;
  };
  if (!is_one_of(how.side, "LR") || !is_one_of(how.uplo, "LU") || !is_one_of(how.diagonal, "NU") ||
      !is_one_of(how.transpose, "NTC") || !is_one_of(how.left, "NV") ||
      !is_one_of(how.right, "NV")) {
    return nullptr;
  }
  return MakeLapackOp(module, inst, name, how);
}

std::unique_ptr<LibraryOp> MakeLapackCholeskyOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const bool lower = module.BoolOr(inst.attrs, AttrKey::k_lower, false);
  return MakeLapackOp(module, inst, "potrf", {.uplo = lower ? 'L' : 'U'});
}

std::unique_ptr<LibraryOp> MakeLapackTriangularSolveOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const std::string_view transpose =
      module.TextOr(inst.attrs, AttrKey::k_transpose_a, "NO_TRANSPOSE");
  const auto is = [&](AttrKey key) { return module.BoolOr(inst.attrs, key, false); };
  return MakeLapackOp(module, inst, "trsm",
                      {.side = is(AttrKey::k_left_side) ? 'L' : 'R',
                       .uplo = is(AttrKey::k_lower) ? 'L' : 'U',
                       .diagonal = is(AttrKey::k_unit_diagonal) ? 'U' : 'N',
                       .transpose = transpose == "ADJOINT"     ? 'C'
                                    : transpose == "TRANSPOSE" ? 'T'
                                                               : 'N'});
}

}  // namespace halo
