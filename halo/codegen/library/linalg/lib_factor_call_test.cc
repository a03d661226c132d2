// Checks the LAPACK calls that factor and solve against the evaluator's.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

struct FactorPrecision {
  std::string type, letter;
  double tolerance;
};
const std::vector<FactorPrecision> kFactorPrecisions = {{"f32", "s", 2e-6}, {"f64", "d", 1e-13}};

struct FactorSizes {
  std::string batch;
  int rows, columns;
  std::string layout;
  int least() const { return std::min(rows, columns); }
  std::string matrix() const {
    return "[" + batch + std::to_string(rows) + "," + std::to_string(columns) + "]" + layout;
  }
  std::string vector() const { return "[" + batch + std::to_string(least()) + "]"; }
  std::string scalar() const {
    return "[" + (batch.empty() ? batch : batch.substr(0, batch.size() - 1)) + "]";
  }
};
const std::vector<FactorSizes> kFactorSizes = {{"", 1, 1, ""},        {"", 5, 5, "{0,1}"},
                                               {"", 40, 33, "{0,1}"}, {"", 33, 40, ""},
                                               {"3,2,", 9, 9, ""},    {"4,", 12, 7, "{1,2,0}"}};

std::string FactorCallText(const std::string& parameters, const std::string& result,
                           const std::string& operands, const std::string& target,
                           const std::string& config = "{}") {
  return "HloModule m\nENTRY e {\n" + parameters + " ROOT r = " + result + " custom-call(" +
         operands + "), custom_call_target=\"" + target +
         "\", api_version=API_VERSION_TYPED_FFI, backend_config={" +
         config.substr(1, config.size() - 2) + "}\n}\n";
}

TEST(LibFactorCallTest, Lu) {
  for (const FactorPrecision& p : kFactorPrecisions) {
    for (const FactorSizes& sizes : kFactorSizes) {
      const std::string text = FactorCallText(
          " x = " + p.type + sizes.matrix() + " parameter(0)\n",
          "(" + p.type + sizes.matrix() + ", s32" + sizes.vector() + ", s32" + sizes.scalar() + ")",
          "x", "lapack_" + p.letter + "getrf_ffi");
      EXPECT_EQ(CheckLibraryOp(text, {.seed = 5,
                                      .tolerance = p.tolerance,
                                      .result_over_operand = std::pair<size_t, size_t>(0, 0),
                                      .make = MakeOwnCallOp}),
                "")
          << text;
      // A column of zeros has no pivot.
      const auto singular = [](std::vector<Array>& inputs) {
        std::fill_n(inputs[0].MutableBytes(), inputs[0].byte_count(), uint8_t{0});
      };
      EXPECT_EQ(CheckLibraryOp(
                    text, {.tolerance = p.tolerance, .prepare = singular, .make = MakeOwnCallOp}),
                "")
          << text;
    }
  }
}

TEST(LibFactorCallTest, Cholesky) {
  for (const FactorPrecision& p : kFactorPrecisions) {
    for (const FactorSizes& sizes : kFactorSizes) {
      if (sizes.rows != sizes.columns) continue;
      for (const char* triangle : {"{uplo = 76 : ui8}", "{uplo = 85 : ui8}"}) {
        const std::string text =
            FactorCallText(" x = " + p.type + sizes.matrix() + " parameter(0)\n",
                           "(" + p.type + sizes.matrix() + ", s32" + sizes.scalar() + ")", "x",
                           "lapack_" + p.letter + "potrf_ffi", triangle);
        const LibraryCheck check = {
            .seed = 6, .tolerance = p.tolerance, .prepare = MakeDefinite, .make = MakeOwnCallOp};
        EXPECT_EQ(CheckLibraryOp(text, check), "") << text;
        // Without a factor, the call says in which column; what it leaves in the matrix is not
        // specified.
        EXPECT_EQ(CheckLibraryOp(text, {.seed = 6, .skip_first_part = true}), "") << text;
      }
    }
  }
}

TEST(LibFactorCallTest, Qr) {
  for (const FactorPrecision& p : kFactorPrecisions) {
    for (const FactorSizes& sizes : kFactorSizes) {
      const std::string matrix = p.type + sizes.matrix();
      const std::string vector = p.type + sizes.vector();
      const std::string factor =
          FactorCallText(" x = " + matrix + " parameter(0)\n", "(" + matrix + ", " + vector + ")",
                         "x", "lapack_" + p.letter + "geqrf_ffi");
      EXPECT_EQ(
          CheckLibraryOp(factor, {.seed = 7, .tolerance = p.tolerance, .make = MakeOwnCallOp}), "")
          << factor;
      const std::string form =
          FactorCallText(" x = " + matrix + " parameter(0)\n t = " + vector + " parameter(1)\n",
                         matrix, "x, t", "lapack_" + p.letter + "orgqr_ffi");
      // Only a scale of 2 / |v|^2 makes a reflection; others grow with each step.
      const auto small = [](std::vector<Array>& inputs) {
        for (Array& each : inputs) {
          for (int64_t i = 0; i < each.count(); ++i) {
            uint8_t* at = each.MutableBytes() + static_cast<size_t>(i) * each.element_bytes();
            StoreFloat(each.type(), LoadFloat(each.type(), at) / 16, at);
          }
        }
      };
      EXPECT_EQ(
          CheckLibraryOp(
              form, {.seed = 8, .tolerance = p.tolerance, .prepare = small, .make = MakeOwnCallOp}),
          "")
          << form;
    }
  }
}

TEST(LibFactorCallTest, TriangularSolve) {
  for (const FactorPrecision& p : kFactorPrecisions) {
    for (const char* side : {"L", "R"}) {
      for (const char* triangle : {"L", "U"}) {
        for (const char* transpose : {"N", "T"}) {
          const auto code = [](const char* letter) {
            return std::to_string(static_cast<int>(*letter)) + " : ui8";
          };
          const std::string config = std::string("{side = ") + code(side) +
                                     ", uplo = " + code(triangle) +
                                     ", trans_x = " + code(transpose) + ", diag = 78 : ui8}";
          const std::string b = p.type + (*side == 'L' ? "[3,12,5]" : "[3,5,12]");
          const std::string text = FactorCallText(
              " x = " + p.type + "[3,12,12] parameter(0)\n y = " + b + " parameter(1)\n", b, "x, y",
              "lapack_" + p.letter + "trsm_ffi", config);
          EXPECT_EQ(CheckLibraryOp(text, {.seed = 9,
                                          .tolerance = p.tolerance,
                                          .prepare = MakeDefinite,
                                          .make = MakeOwnCallOp}),
                    "")
              << text;
        }
      }
    }
  }
}

// The evaluator reports what is wrong with them.
TEST(LibFactorCallTest, OtherShapesAreLeftAlone) {
  for (const char* result : {"(f32[4,5], s32[5], s32[])", "(f32[5,4], s32[4], s32[])",
                             "(f32[4,5], s32[4], s32[1])", "(f32[4,5], s32[4])"}) {
    EXPECT_EQ(CheckLibraryOp(
                  FactorCallText(" x = f32[4,5] parameter(0)\n", result, "x", "lapack_sgetrf_ffi")),
              "no library op")
        << result;
  }
  EXPECT_EQ(CheckLibraryOp(FactorCallText(" x = f32[4,5] parameter(0)\n", "(f32[4,5], s32[])", "x",
                                          "lapack_spotrf_ffi")),
            "no library op");
  EXPECT_EQ(
      CheckLibraryOp(FactorCallText(" x = f32[4,4] parameter(0)\n y = f32[5,4] parameter(1)\n",
                                    "f32[5,4]", "x, y", "lapack_strsm_ffi", "{side = 76 : ui8}")),
      "no library op");
}

}  // namespace
}  // namespace halo
