// LAPACK and its GPU counterparts, as JAX calls them: the last two dimensions are a matrix, all
// leading dimensions are batches, and info is the last result. Each routine sees one matrix of the
// batch at a time.
#include "halo/eval/calls/lapack/lapack_calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "halo/eval/calls/known_calls.h"

namespace halo {
namespace {

// Returns the trailing `rank` dimensions as rows and columns. A vector is a column.
std::pair<int64_t, int64_t> MatrixDims(std::span<const int64_t> dims, size_t rank) {
  if (rank == 0) return {1, 1};
  if (rank == 1) return {dims[dims.size() - 1], 1};
  return {dims[dims.size() - 2], dims[dims.size() - 1]};
}

struct Batched {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> values;
};

// The operands, and the number of matrices in each of them, which is the same for all.
struct Loaded {
  std::vector<Batched> operands;
  int64_t batch = 1;
};

Result<Loaded> LoadOperands(const OpContext& cx, const LapackRoutine& routine) {
  Loaded loaded;
  if (auto bad = NeedArrays(cx, routine.operand_ranks.size())) return *std::move(bad);
  for (size_t i = 0; i < routine.operand_ranks.size(); ++i) {
    const Array& array = cx.array(i);
    const size_t rank = routine.operand_ranks[i];
    if (array.rank() < rank) return BadCall(cx, "an operand has too few dimensions");
    Batched operand;
    std::tie(operand.rows, operand.columns) = MatrixDims(array.dims(), rank);
    Result<std::vector<Complex>> values = LoadComplexes(cx, array);
    if (!values) return values.error();
    operand.values = *std::move(values);
    const int64_t batch = ElementsIn(array.dims().first(array.rank() - rank));
    if (i > 0 && batch != loaded.batch) return BadCall(cx, "its operands differ in their batches");
    loaded.batch = batch;
    loaded.operands.push_back(std::move(operand));
  }
  return loaded;
}

Matrix TakeMatrix(const Batched& operand, int64_t at) {
  Matrix matrix(operand.rows, operand.columns);
  const auto size = static_cast<std::ptrdiff_t>(matrix.elements.size());
  std::copy_n(operand.values.begin() + at * size, size, matrix.elements.begin());
  return matrix;
}

// Returns the rows and columns of each declared result, as the routine must fill it.
std::vector<std::pair<int64_t, int64_t>> DeclaredSizes(const OpContext& cx, size_t batch_rank) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (size_t i = 0; i < cx.parts(); ++i) {
    const std::span<const int64_t> dims = cx.module.shapes.dims(cx.shape(i));
    const size_t rank =
        dims.size() > batch_rank ? std::min<size_t>(2, dims.size() - batch_rank) : 0;
    out.push_back(MatrixDims(dims, rank));
  }
  return out;
}

// Returns a diagnostic unless the results are declared as large as those of one matrix, `out`,
// times the batch. Checked after the first matrix, so that no more is computed than is declared.
std::optional<Diagnostic> CheckDeclared(const OpContext& cx, const std::vector<Matrix>& out,
                                        int64_t batch) {
  for (size_t i = 0; i < cx.parts() && i < out.size(); ++i) {
    const ShapeId part = cx.shape(i);
    const auto count = static_cast<int64_t>(out[i].elements.size());
    if (!cx.module.shapes.is_array(part) ||
        cx.module.shapes.ElementCount(part) != ProductOrMax({count, batch})) {
      return BadCall(cx, "result " + std::to_string(i) + " is declared " +
                             cx.module.shapes.Text(part) + ", which its operands do not give");
    }
  }
  return std::nullopt;
}

Result<Value> StoreResults(const OpContext& cx, const std::vector<std::vector<Complex>>& results) {
  std::vector<Array> arrays;
  for (size_t i = 0; i < cx.parts() && i < results.size(); ++i) {
    const ShapeId part = cx.shape(i);
    arrays.push_back(
        StoreComplexes(cx, cx.module.shapes.type(part), cx.module.shapes.dims(part), results[i]));
  }
  return FinishCall(cx, std::move(arrays));
}

Result<Value> RunRoutine(OpContext& cx, const LapackRoutine& routine) {
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  Result<Loaded> loaded = LoadOperands(cx, routine);
  if (!loaded) return loaded.error();
  if (cx.parts() < routine.results) {
    return BadCall(cx, "yields " + std::to_string(routine.results) + " results");
  }
  const Batched& first = loaded->operands[0];
  if (routine.square && first.rows != first.columns) return BadCall(cx, "takes square matrices");
  const int64_t side = std::max(first.rows, first.columns);
  if (auto spent = cx.Spend(ProductOrMax({loaded->batch, side, side, side, 16}))) {
    return *std::move(spent);
  }
  if (auto full = cx.CheckBudget(ProductOrMax({side, 64}))) return *std::move(full);
  LapackArguments call{*config, {}, {}, {}, false};
  call.is_complex = InfoOf(cx.array(0).type()).klass == ElementClass::kComplex;
  call.declared = DeclaredSizes(cx, cx.array(0).rank() - routine.operand_ranks[0]);
  std::vector<std::vector<Complex>> results;
  for (int64_t at = 0; at < loaded->batch; ++at) {
    call.in.clear();
    call.out.clear();
    for (const Batched& operand : loaded->operands) call.in.push_back(TakeMatrix(operand, at));
    if (const std::string_view wrong = routine.run(call); !wrong.empty()) {
      return BadCall(cx, std::string(wrong));
    }
    // Further results are not asked for.
    if (call.out.size() > cx.parts()) call.out.resize(cx.parts());
    if (at == 0) {
      if (auto bad = CheckDeclared(cx, call.out, loaded->batch)) return *std::move(bad);
      results.resize(call.out.size());
    }
    // However many matrices there are, none has a result.
    if (std::ranges::all_of(call.out, [](const Matrix& out) { return out.elements.empty(); })) {
      break;
    }
    for (size_t i = 0; i < call.out.size(); ++i) {
      results[i].insert(results[i].end(), call.out[i].elements.begin(), call.out[i].elements.end());
    }
  }
  if (loaded->batch == 0) return FinishCall(cx, {});
  return StoreResults(cx, results);
}

}  // namespace

void RegisterRoutine(CustomCallRegistry& registry, std::string target,
                     const LapackRoutine& routine) {
  registry.Register(std::move(target),
                    [routine](OpContext& cx) { return RunRoutine(cx, routine); });
}

void RegisterLapack(CustomCallRegistry& registry) {
  RegisterLapackSolvers(registry);
  RegisterLapackFactors(registry);
  RegisterLapackEigen(registry);
}

}  // namespace halo
