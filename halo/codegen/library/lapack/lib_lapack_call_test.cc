// Factorizations that LAPACK's conventions determine are checked against the evaluator's; those
// that are unique only up to signs, phases and order by what they must satisfy.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/lapack/lapack_library.h"
#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

using Number = std::complex<double>;

struct CallType {
  std::string type, letter, real, complex;
  double tolerance;
  [[nodiscard]] bool is_complex() const { return type == complex; }
};
const std::vector<CallType> kCallTypes = {{"f32", "s", "f32", "c64", 2e-6},
                                          {"f64", "d", "f64", "c128", 1e-13},
                                          {"c64", "c", "f32", "c64", 2e-6},
                                          {"c128", "z", "f64", "c128", 1e-13}};

std::string LapackText(const std::vector<std::string>& operands, const std::string& result,
                       const std::string& target, const std::string& config = "") {
  std::string text = "HloModule m\nENTRY e {\n";
  std::string names;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    text += " " + name + " = " + operands[i] + " parameter(" + std::to_string(i) + ")\n";
    names += (i > 0 ? ", " : "") + name;
  }
  return text + " ROOT r = " + result + " custom-call(" + names +
         "), custom_call_target=\"lapack_" + target +
         "_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config={" + config + "}\n}\n";
}

class LibLapackCallTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasLapack()) GTEST_SKIP() << "no LAPACK is installed";
  }
};

TEST_F(LibLapackCallTest, FactorsAreTheEvaluators) {
  for (const CallType& t : kCallTypes) {
    const LibraryCheck check = {.seed = 11, .tolerance = t.tolerance};
    for (const std::string layout : {"{2,1,0}", "{1,2,0}"}) {
      for (const std::string dims : {"[3,9,14]", "[3,14,9]"}) {
        const std::string matrix = t.type + dims + layout;
        const std::string lu =
            LapackText({matrix}, "(" + matrix + ", s32[3,9], s32[3])", t.letter + "getrf");
        EXPECT_EQ(CheckLibraryOp(lu, check), "") << lu;
        const std::string qr =
            LapackText({matrix}, "(" + matrix + ", " + t.type + "[3,9])", t.letter + "geqrf");
        EXPECT_EQ(CheckLibraryOp(qr, check), "") << qr;
      }
      const std::string square = t.type + "[3,9,9]" + layout;
      const std::string hessenberg =
          LapackText({square}, "(" + square + ", " + t.type + "[3,8], s32[3])", t.letter + "gehrd",
                     "low = 1 : i32, high = 9 : i32");
      EXPECT_EQ(CheckLibraryOp(hessenberg, check), "") << hessenberg;
    }
  }
}

TEST_F(LibLapackCallTest, CholeskyAndTriangularSystemsAreTheEvaluators) {
  for (const CallType& t : kCallTypes) {
    const LibraryCheck check = {.seed = 12, .tolerance = t.tolerance, .prepare = MakeDefinite};
    const std::string square = t.type + "[3,9,9]{1,2,0}";
    for (const std::string uplo : {"76", "85"}) {
      const std::string text = LapackText({square}, "(" + square + ", s32[3])", t.letter + "potrf",
                                          "uplo = " + uplo + " : ui8");
      // A complex matrix made so is symmetric and not Hermitian: it shows the failing column.
      EXPECT_EQ(CheckLibraryOp(text, check), "") << text;
      for (const std::string transpose : {"78", "84", "67"}) {
        for (const std::string side : {"76", "82"}) {
          const std::string b = t.type + (side == "76" ? "[3,9,4]" : "[3,4,9]");
          const std::string solve =
              LapackText({square, b}, b, t.letter + "trsm",
                         "diag = 78 : ui8, uplo = " + uplo + " : ui8, side = " + side +
                             " : ui8, trans_x = " + transpose + " : ui8");
          EXPECT_EQ(CheckLibraryOp(solve, check), "") << solve;
        }
      }
    }
  }
}

// What LAPACK refuses is computed as the instruction is defined, and so are the imaginary parts of
// a diagonal, which LAPACK does not read.
TEST_F(LibLapackCallTest, ComplexMatricesWithoutAFactorAreTheEvaluators) {
  for (const std::string lower : {"true", "false"}) {
    for (const std::complex<double> pivot : {std::complex<double>(0.0), {-1.0}, {30.0, 0.5}}) {
      for (const std::string shape : {"c64[1,1]", "c128[3,3]"}) {
        const auto prepare = [&](std::vector<Array>& inputs) {
          Array& a = inputs[0];
          for (int64_t i = 0; i < a.dim(0); ++i) {
            StoreComplex(
                a.type(), i == 0 ? 2.0 : pivot,
                a.MutableBytes() + static_cast<size_t>(i * a.dim(0) + i) * a.element_bytes());
          }
          if (a.dim(0) == 1) StoreComplex(a.type(), pivot, a.MutableBytes());
        };
        const std::string factor = "HloModule m\nENTRY e {\n x = " + shape +
                                   " parameter(0)\n ROOT r = " + shape +
                                   " cholesky(x), lower=" + lower + "\n}\n";
        EXPECT_EQ(CheckLibraryOp(factor, {.seed = 9, .tolerance = 1e-6, .prepare = prepare}), "")
            << factor << pivot;
      }
    }
  }
}

// The instructions, whose other triangle is zero.
TEST_F(LibLapackCallTest, ComplexInstructionsAreTheEvaluators) {
  for (const std::string lower : {"true", "false"}) {
    const std::string factor =
        "HloModule m\nENTRY e {\n x = c64[2,1,1] parameter(0)\n"
        " ROOT r = c64[2,1,1] cholesky(x), lower=" +
        lower + "\n}\n";
    EXPECT_EQ(CheckLibraryOp(factor, {.seed = 4, .tolerance = 1e-6, .prepare = MakeDefinite}), "");
    for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      const std::string solve =
          "HloModule m\nENTRY e {\n x = c128[2,6,6] parameter(0)\n y = c128[2,6,3] parameter(1)\n"
          " ROOT r = c128[2,6,3] triangular-solve(x, y), left_side=true, lower=" +
          lower + ", unit_diagonal=false, transpose_a=" + transpose + "\n}\n";
      EXPECT_EQ(CheckLibraryOp(solve, {.seed = 5, .tolerance = 1e-13, .prepare = MakeDefinite}), "")
          << solve;
      const auto make_singular = [](std::vector<Array>& inputs) {
        MakeDefinite(inputs);
        StoreComplex(inputs[0].type(), 0.0, inputs[0].MutableBytes());
      };
      EXPECT_EQ(CheckLibraryOp(solve, {.seed = 5, .tolerance = 1e-13, .prepare = make_singular}),
                "")
          << solve;
    }
  }
}

// Runs the entry's root; every result is returned row-major as complex numbers.
std::vector<std::vector<Number>> RunLapack(const std::string& text, std::vector<Array>& inputs,
                                           double first_element = 0) {
  const TextReadResult read = ReadHloText(text);
  const InstId root = read.module.comp(read.module.entry).root;
  const std::unique_ptr<LibraryOp> op = MakeLibraryOp(read.module, root);
  if (op == nullptr) return {};
  EXPECT_NE(op->Text().find("LAPACK"), std::string::npos) << op->Text();
  const auto operands = PlacedOperands(read.module, read.module.inst(root));
  const auto results = PlacedResults(read.module, read.module.inst(root));
  std::vector<Buffer> owned;
  std::vector<void*> buffers;
  for (size_t i = 0; i < operands->size(); ++i) {
    inputs.push_back(MakeRandomInput(
        (*operands)[i].type, (*operands)[i].dims,
        {.seed = 21, .parameter = static_cast<int64_t>(i), .leaf = 0, .part = 0, .use = {}}));
    if (first_element != 0) {
      StoreComplex(inputs[i].type(), first_element, inputs[i].MutableBytes());
    }
    owned.push_back(MakeBuffer((*operands)[i].bytes()));
    Arrange((*operands)[i], inputs[i].bytes(), owned.back().get(), true);
    buffers.push_back(owned.back().get());
  }
  for (const Placed& each : *results) {
    owned.push_back(MakeBuffer(each.bytes()));
    buffers.push_back(owned.back().get());
  }
  const Buffer scratch = MakeBuffer(op->scratch_bytes());
  EXPECT_FALSE(op->Run(buffers, scratch.get()).has_value());
  std::vector<std::vector<Number>> out;
  for (size_t i = 0; i < results->size(); ++i) {
    const Placed& each = (*results)[i];
    std::vector<uint8_t> bytes(static_cast<size_t>(each.bytes()));
    Arrange(each, buffers[operands->size() + i], bytes.data(), false);
    out.emplace_back();
    for (int64_t at = 0; at < each.count(); ++at) {
      const uint8_t* element = bytes.data() + static_cast<size_t>(at) * StoredBytes(each.type);
      out.back().push_back(each.type == ElementType::kS32
                               ? static_cast<double>(LoadInt(each.type, element))
                               : LoadComplex(each.type, element));
    }
  }
  return out;
}

Number InputAt(const Array& a, int64_t at) {
  return LoadComplex(a.type(), a.bytes() + static_cast<size_t>(at) * a.element_bytes());
}

constexpr int64_t kSide = 12;
constexpr int64_t kCount = 3;

// The largest element of A V - V diag(w) over all matrices of the batch.
double EigenResidual(const Array& a, const std::vector<Number>& w, const std::vector<Number>& v,
                     bool left) {
  double worst = 0;
  for (int64_t b = 0; b < kCount; ++b) {
    const auto at = [&](int64_t i, int64_t j) {
      return static_cast<size_t>((b * kSide + i) * kSide + j);
    };
    for (int64_t i = 0; i < kSide; ++i) {
      for (int64_t j = 0; j < kSide; ++j) {
        Number sum = 0;
        for (int64_t k = 0; k < kSide; ++k) {
          sum += left ? std::conj(InputAt(a, static_cast<int64_t>(at(k, i)))) * v[at(k, j)]
                      : InputAt(a, static_cast<int64_t>(at(i, k))) * v[at(k, j)];
        }
        const Number value = w[static_cast<size_t>(b * kSide + j)];
        worst = std::max(worst, std::abs(sum - v[at(i, j)] * (left ? std::conj(value) : value)));
      }
    }
  }
  return worst;
}

TEST_F(LibLapackCallTest, GeneralEigenvectors) {
  for (const CallType& t : kCallTypes) {
    const std::string matrix = t.type + "[3,12,12]{1,2,0}";
    const std::string vectors = t.complex + "[3,12,12]{1,2,0}";
    const std::string values =
        t.is_complex() ? t.type + "[3,12]" : t.type + "[3,12], " + t.type + "[3,12]";
    const std::string text =
        LapackText({matrix}, "(" + values + ", " + vectors + ", " + vectors + ", s32[3])",
                   t.letter + "geev", "compute_left = 86 : ui8, compute_right = 86 : ui8");
    std::vector<Array> inputs;
    auto out = RunLapack(text, inputs);
    ASSERT_EQ(out.size(), t.is_complex() ? 4U : 5U) << text;
    std::vector<Number> w = out[0];
    if (!t.is_complex()) {
      for (size_t i = 0; i < w.size(); ++i) w[i] = {out[0][i].real(), out[1][i].real()};
      EXPECT_TRUE(std::ranges::any_of(w, [](Number each) { return each.imag() != 0; }));
    }
    const double bound = 20 * t.tolerance;
    EXPECT_LT(EigenResidual(inputs[0], w, out[out.size() - 2], false), bound) << text;
    EXPECT_LT(EigenResidual(inputs[0], w, out[out.size() - 3], true), bound) << text;
    for (const Number info : out.back()) EXPECT_EQ(info, 0.0);
  }
}

TEST_F(LibLapackCallTest, SchurForms) {
  for (const CallType& t : kCallTypes) {
    const std::string matrix = t.type + "[3,12,12]{1,2,0}";
    const std::string values =
        t.is_complex() ? t.type + "[3,12]" : t.type + "[3,12], " + t.type + "[3,12]";
    std::vector<Array> inputs;
    const auto out = RunLapack(
        LapackText({matrix}, "(" + matrix + ", " + matrix + ", " + values + ", s32[3], s32[3])",
                   t.letter + "gees", "mode = 86 : ui8, sort = 78 : ui8"),
        inputs);
    ASSERT_EQ(out.size(), t.is_complex() ? 5U : 6U);
    const std::vector<Number>& schur = out[0];
    const std::vector<Number>& z = out[1];
    double worst = 0;
    for (int64_t b = 0; b < kCount; ++b) {
      const auto at = [&](int64_t i, int64_t j) {
        return static_cast<size_t>((b * kSide + i) * kSide + j);
      };
      for (int64_t i = 0; i < kSide; ++i) {
        for (int64_t j = 0; j < kSide; ++j) {
          // A Z = Z T
          Number sum = 0;
          for (int64_t k = 0; k < kSide; ++k) {
            sum += InputAt(inputs[0], static_cast<int64_t>(at(i, k))) * z[at(k, j)] -
                   z[at(i, k)] * schur[at(k, j)];
          }
          worst = std::max(worst, std::abs(sum));
          if (i > j + (t.is_complex() ? 0 : 1)) EXPECT_EQ(schur[at(i, j)], 0.0);
        }
      }
    }
    EXPECT_LT(worst, 20 * t.tolerance) << t.type;
  }
}

TEST_F(LibLapackCallTest, SingularVectors) {
  for (const CallType& t : kCallTypes) {
    if (t.type == "f32") continue;  // not LAPACK's
    for (const bool full : {false, true}) {
      const int64_t rows = 14;
      const int64_t columns = 9;
      const int64_t u_columns = full ? rows : columns;
      const auto matrix = [&](int64_t m, int64_t n) {
        return t.type + "[" + std::to_string(m) + "," + std::to_string(n) + "]{0,1}";
      };
      std::vector<Array> inputs;
      const auto out = RunLapack(
          LapackText({matrix(rows, columns)},
                     "(" + matrix(rows, columns) + ", " + t.real + "[9], " +
                         matrix(rows, u_columns) + ", " + matrix(columns, columns) + ", s32[])",
                     t.letter + "gesdd", full ? "mode = 65 : ui8" : "mode = 83 : ui8"),
          inputs);
      ASSERT_EQ(out.size(), 5U);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          Number sum = -InputAt(inputs[0], i * columns + j);
          for (int64_t k = 0; k < columns; ++k) {
            sum += out[2][static_cast<size_t>(i * u_columns + k)] * out[1][static_cast<size_t>(k)] *
                   out[3][static_cast<size_t>(k * columns + j)];
          }
          EXPECT_LT(std::abs(sum), 20 * t.tolerance);
        }
      }
      for (size_t k = 1; k < 9; ++k) EXPECT_GE(out[1][k - 1].real(), out[1][k].real());
    }
  }
}

TEST_F(LibLapackCallTest, HermitianEigenvaluesAreTheEvaluators) {
  for (const CallType& t : kCallTypes) {
    if (!t.is_complex()) continue;  // not LAPACK's
    const std::string matrix = t.type + "[3,12,12]{1,2,0}";
    const std::string text = LapackText({matrix}, "(" + matrix + ", " + t.real + "[3,12], s32[3])",
                                        t.letter + "heevd", "mode = 86 : ui8, uplo = 76 : ui8");
    std::vector<Array> inputs;
    const auto out = RunLapack(text, inputs);
    ASSERT_EQ(out.size(), 3U) << text;
    const TextReadResult read = ReadHloText(text);
    const auto evaluated = Evaluate(read.module, {{inputs.begin(), inputs.end()}});
    ASSERT_TRUE(evaluated.ok());
    std::vector<Array> want;
    ForEachArray(evaluated->results[0], [&](const Array& array) { want.push_back(array); });
    for (int64_t i = 0; i < want[1].count(); ++i) {
      EXPECT_NEAR(out[1][static_cast<size_t>(i)].real(), InputAt(want[1], i).real(),
                  20 * t.tolerance);
    }
  }
}

TEST_F(LibLapackCallTest, TridiagonalSystemsAreSolved) {
  for (const CallType& t : kCallTypes) {
    const std::string vector = t.type + "[7]";
    const std::string b = t.type + "[7,2]{0,1}";
    std::vector<Array> inputs;
    const auto out =
        RunLapack(LapackText({vector, vector, vector, b},
                             "(" + vector + ", " + vector + ", " + vector + ", " + b + ", s32[])",
                             t.letter + "gtsv"),
                  inputs);
    ASSERT_EQ(out.size(), 5U);
    double largest = 1;
    for (const Number each : out[3]) largest = std::max(largest, std::abs(each));
    for (int64_t i = 0; i < 7; ++i) {
      for (int64_t j = 0; j < 2; ++j) {
        const auto x = [&](int64_t row) { return out[3][static_cast<size_t>(row * 2 + j)]; };
        Number sum = InputAt(inputs[1], i) * x(i) - InputAt(inputs[3], i * 2 + j);
        if (i > 0) sum += InputAt(inputs[0], i) * x(i - 1);
        if (i < 6) sum += InputAt(inputs[2], i) * x(i + 1);
        EXPECT_LT(std::abs(sum), 20 * t.tolerance * largest);
      }
    }
  }
}

// LAPACK is not called for them; it might not return.
TEST_F(LibLapackCallTest, MatricesWithoutEigenvaluesGiveNan) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<Array> inputs;
    const auto out = RunLapack(
        LapackText({"f64[1,12,12]"}, "(f64[1,12], f64[1,12], c128[1,12,12], c128[1,12,12], s32[1])",
                   "dgeev"),
        inputs, bad);
    ASSERT_EQ(out.size(), 5U);
    EXPECT_TRUE(std::isnan(out[0][3].real()));
    EXPECT_TRUE(std::isnan(out[3][5].real()));
    EXPECT_LT(out[4][0].real(), 0);
  }
}

// The evaluator reports what is wrong with them.
TEST_F(LibLapackCallTest, OtherShapesAreLeftAlone) {
  for (const auto& [operand, result] :
       {std::pair("f64[4,5]", "(f64[4], f64[4], c128[4,4], c128[4,4], s32[])"),
        std::pair("f64[4,4]", "(f64[4], f64[4], c128[4,4], c128[4,5], s32[])"),
        std::pair("f64[4,4]", "(f64[4], f64[4], f64[4,4], f64[4,4], s32[])"),
        std::pair("f64[4,4]", "(f64[4], c128[4,4], c128[4,4], s32[])"),
        std::pair("s32[4,4]", "(f64[4], f64[4], c128[4,4], c128[4,4], s32[])")}) {
    EXPECT_EQ(CheckLibraryOp(LapackText({operand}, result, "dgeev")), "no library op") << result;
  }
}

}  // namespace
}  // namespace halo
