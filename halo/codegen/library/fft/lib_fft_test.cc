// Checks Fourier transforms of every kind and many lengths against the evaluator.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

std::string ListText(const std::vector<int64_t>& list) {
  std::string text;
  for (const int64_t value : list) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

// A transform of the last `count` of these dimensions, which are those of the side that is not
// halved.
std::string FftText(const std::string& kind, bool wide, std::vector<int64_t> dims, size_t count,
                    const std::string& layout = "") {
  const std::string complex = wide ? "c128" : "c64";
  const std::string real = wide ? "f64" : "f32";
  std::vector<int64_t> half = dims;
  half.back() = dims.back() / 2 + 1;
  const std::vector<int64_t> lengths(dims.end() - static_cast<std::ptrdiff_t>(count), dims.end());
  const std::string from = kind == "RFFT"    ? real + "[" + ListText(dims) + "]"
                           : kind == "IRFFT" ? complex + "[" + ListText(half) + "]"
                                             : complex + "[" + ListText(dims) + "]";
  const std::string to = kind == "RFFT"    ? complex + "[" + ListText(half) + "]"
                         : kind == "IRFFT" ? real + "[" + ListText(dims) + "]"
                                           : complex + "[" + ListText(dims) + "]";
  return "HloModule m\nENTRY e {\n x = " + from + layout + " parameter(0)\n ROOT r = " + to +
         layout + " fft(x), fft_type=" + kind + ", fft_length={" + ListText(lengths) + "}\n}\n";
}

TEST(LibFftTest, AgreesWithTheEvaluator) {
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (const bool wide : {false, true}) {
      const LibraryCheck check = {.seed = 11, .tolerance = wide ? 2e-15 * 8 : 1e-6};
      for (const int64_t n : {1,  2,  3,  4,  5,   6,   7,   8,   9,    13,   15,  16,
                              30, 37, 64, 77, 101, 128, 210, 961, 1000, 1024, 1013}) {
        EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {n}, 1), check), "") << kind << n << wide;
        EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {37, n}, 1), check), "") << kind << n << wide;
        EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {3, 5, n}, 2), check), "")
            << kind << n << wide;
      }
      EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {2, 6, 7, 10}, 3), check), "") << kind << wide;
      EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {128, 64}, 2), check), "") << kind << wide;
    }
  }
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (const bool wide : {false, true}) {
      const LibraryCheck check = {.seed = 12, .tolerance = wide ? 2e-15 * 8 : 1e-6};
      for (const int64_t n : {4096, 6000, 5041, 10010, 65536, 4099}) {
        EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {3, n}, 1), check), "") << kind << n << wide;
      }
      EXPECT_EQ(CheckLibraryOp(FftText(kind, wide, {4608, 2}, 2), check), "") << kind << wide;
    }
  }
  EXPECT_EQ(CheckLibraryOp(FftText("FFT", false, {4, 6, 7}, 2, "{0,2,1}"),
                           {.seed = 1, .tolerance = 1e-6}),
            "");
}

// The scratch memory is what the op asked for when it was made.
TEST(LibFftTest, TheTeamMayGrowBeforeTheTransformRuns) {
  const int before = TeamSize();
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    LibraryCheck check = {.seed = 14, .tolerance = 1e-6};
    check.before_run = [] { SetTeamSize(8); };
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{64, 1024}, {1, 65536}, {2, 131072}}) {
      SetTeamSize(1);
      EXPECT_EQ(CheckLibraryOp(FftText(kind, false, dims, 1), check), "") << kind << dims[1];
    }
  }
  SetTeamSize(before);
}

// Real lines are transformed in pairs.
TEST(LibFftTest, ANanStaysInItsLine) {
  for (const char* kind : {"FFT", "RFFT", "IRFFT"}) {
    for (const int64_t lines : {2, 5, 37}) {
      LibraryCheck check = {.seed = 13, .tolerance = 1e-6};
      check.prepare = [lines](std::vector<Array>& inputs) {
        const int64_t line = inputs[0].count() / lines;
        const auto bytes = static_cast<size_t>(line) * inputs[0].element_bytes();
        StoreComplex(inputs[0].type(), NAN,
                     inputs[0].MutableBytes() + bytes + 3 * inputs[0].element_bytes());
        StoreComplex(inputs[0].type(), NAN,
                     inputs[0].MutableBytes() + static_cast<size_t>(lines - 1) * bytes);
      };
      EXPECT_EQ(CheckLibraryOp(FftText(kind, false, {lines, 20}, 1), check), "") << kind << lines;
    }
  }
}

}  // namespace
}  // namespace halo
