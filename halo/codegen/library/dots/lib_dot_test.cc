// Checks dots against the evaluator, with many generated dimension numbers, layouts and types.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

std::string ListText(const std::vector<int64_t>& list) {
  std::string text;
  for (const int64_t value : list) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

class DotMaker {
 public:
  explicit DotMaker(uint64_t seed) : random_(seed) {}

  std::string Make(const std::string& lhs, const std::string& rhs, const std::string& result,
                   int64_t largest) {
    std::vector<int64_t> batch;
    std::vector<int64_t> summed;
    std::vector<int64_t> rows;
    std::vector<int64_t> columns;
    Fill(batch, Pick(3), 4);
    Fill(summed, Pick(3), largest);
    Fill(rows, Pick(3), largest);
    Fill(columns, Pick(3), largest);
    std::vector<int64_t> result_dims = batch;
    result_dims.insert(result_dims.end(), rows.begin(), rows.end());
    result_dims.insert(result_dims.end(), columns.begin(), columns.end());
    const Side left = MakeSide(batch, summed, rows);
    const Side right = MakeSide(batch, summed, columns);
    return "HloModule m\nENTRY e {\n a = " + lhs + Shape(left.dims) + " parameter(0)\n b = " + rhs +
           Shape(right.dims) + " parameter(1)\n ROOT r = " + result + Shape(result_dims) +
           " dot(a, b), lhs_batch_dims={" + ListText(left.batch) + "}, lhs_contracting_dims={" +
           ListText(left.summed) + "}, rhs_batch_dims={" + ListText(right.batch) +
           "}, rhs_contracting_dims={" + ListText(right.summed) + "}\n}\n";
  }

 private:
  struct Side {
    std::vector<int64_t> dims, batch, summed;
  };

  int64_t Pick(int64_t below) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(below));
  }
  void Fill(std::vector<int64_t>& dims, int64_t count, int64_t largest) {
    for (int64_t i = 0; i < count; ++i) dims.push_back(1 + Pick(largest));
  }
  // Batch, contracting and free dimensions in any order.
  Side MakeSide(const std::vector<int64_t>& batch, const std::vector<int64_t>& summed,
                const std::vector<int64_t>& free) {
    std::vector<int64_t> all = batch;
    all.insert(all.end(), summed.begin(), summed.end());
    all.insert(all.end(), free.begin(), free.end());
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    Side side;
    side.dims.resize(all.size());
    std::vector<int64_t> position(all.size());
    for (size_t i = 0; i < order.size(); ++i) {
      side.dims[order[i]] = all[i];
      position[i] = static_cast<int64_t>(order[i]);
    }
    // Free dimensions keep their order in the result.
    std::sort(position.begin() + static_cast<std::ptrdiff_t>(batch.size() + summed.size()),
              position.end());
    for (size_t i = 0; i < free.size(); ++i) {
      side.dims[static_cast<size_t>(position[batch.size() + summed.size() + i])] = free[i];
    }
    side.batch.assign(position.begin(),
                      position.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    side.summed.assign(
        position.begin() + static_cast<std::ptrdiff_t>(batch.size()),
        position.begin() + static_cast<std::ptrdiff_t>(batch.size() + summed.size()));
    return side;
  }
  std::string Shape(const std::vector<int64_t>& dims) {
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    if (Pick(2) == 0) std::sort(order.begin(), order.end(), std::greater<>());
    return "[" + ListText(dims) + "]{" + ListText(order) + "}";
  }

  std::mt19937_64 random_;
};

struct TypeCase {
  const char *lhs, *rhs, *result;
  double tolerance;
};

TEST(LibDotTest, AgreesWithTheEvaluator) {
  constexpr TypeCase kCases[] = {{"f32", "f32", "f32", 2e-6},
                                 {"bf16", "bf16", "bf16", 4e-3},
                                 {"bf16", "bf16", "f32", 2e-6},
                                 {"f16", "f16", "f16", 1e-3},
                                 {"f16", "f16", "f32", 2e-6},
                                 {"bf16", "f32", "f32", 2e-6},
                                 {"f32", "f32", "bf16", 4e-3},
                                 {"f64", "f64", "f64", 1e-14},
                                 {"f32", "f32", "f64", 1e-14},
                                 {"f8e4m3fn", "f8e5m2", "f32", 2e-6},
                                 {"f8e4m3fn", "f8e4m3fn", "bf16", 4e-3},
                                 {"c64", "c64", "c64", 2e-6},
                                 {"c128", "c128", "c128", 1e-14},
                                 {"f32", "c64", "c64", 2e-6},
                                 {"s8", "s8", "s32", 0},
                                 {"u8", "s8", "s32", 0},
                                 {"s8", "u8", "s32", 0},
                                 {"u8", "u8", "u32", 0},
                                 {"s8", "s8", "s8", 0},
                                 {"s32", "s32", "s32", 0},
                                 {"u32", "u32", "u32", 0},
                                 {"s64", "s64", "s64", 0},
                                 {"s16", "s32", "s64", 0},
                                 {"s8", "s8", "f32", 1e-7},
                                 {"s4", "s4", "s32", 0},
                                 {"pred", "pred", "pred", 0},
                                 {"s32", "f32", "f32", 1e-7}};
  uint64_t seed = 0;
  for (const TypeCase& types : kCases) {
    for (int i = 0; i < 12; ++i) {
      DotMaker maker(++seed);
      const std::string text = maker.Make(types.lhs, types.rhs, types.result,
                                          i % 4 == 0   ? 40
                                          : i % 4 == 1 ? 3
                                                       : 12);
      EXPECT_EQ(CheckLibraryOp(text, {.seed = seed, .tolerance = types.tolerance}), "") << text;
    }
  }
}

TEST(LibDotTest, SizesAroundBlocks) {
  constexpr const char* kTypes[][2] = {
      {"f32", "f32"}, {"bf16", "bf16"}, {"f64", "f64"}, {"s32", "s32"}, {"c64", "c64"}};
  constexpr int64_t kSizes[][3] = {{1, 1000, 700}, {4, 129, 1030},  {3, 65, 64},
                                   {1, 7, 513},    {200, 300, 400}, {193, 257, 385},
                                   {8, 1, 24},     {700, 90, 2},    {1, 4000, 1},
                                   {1, 100003, 1}, {3, 70001, 50},  {17, 2048, 16}};
  for (const auto& [type, result] : kTypes) {
    for (const auto& [m, k, n] : kSizes) {
      for (const char* layout : {"{1,0}", "{0,1}"}) {
        const std::string text = "HloModule m\nENTRY e {\n a = " + std::string(type) + "[" +
                                 ListText({m, k}) + "] parameter(0)\n b = " + type + "[" +
                                 ListText({k, n}) + "]" + layout +
                                 " parameter(1)\n ROOT r = " + result + "[" + ListText({m, n}) +
                                 "] dot(a, b), lhs_contracting_dims={1}, "
                                 "rhs_contracting_dims={0}\n}\n";
        // The error of a sum grows with the square root of its length.
        const double tolerance = std::string(type) == "bf16"  ? 4e-3
                                 : std::string(type) == "s32" ? 0
                                 : std::string(type) == "f64" ? 1e-13
                                                              : 4e-7 * std::sqrt(k);
        EXPECT_EQ(CheckLibraryOp(text, {.seed = 7, .tolerance = tolerance}), "") << text;
      }
    }
  }
}

TEST(LibDotTest, EmptySums) {
  const std::string text =
      "HloModule m\nENTRY e {\n a = f32[3,0] parameter(0)\n b = f32[0,4] parameter(1)\n"
      " ROOT r = f32[3,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  EXPECT_EQ(CheckLibraryOp(text), "");
}

}  // namespace
}  // namespace halo
