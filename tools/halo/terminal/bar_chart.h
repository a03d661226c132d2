// Draws a sequence of numbers as columns of blocks, a few lines high.
#ifndef TOOLS_HALO_TERMINAL_BAR_CHART_H_
#define TOOLS_HALO_TERMINAL_BAR_CHART_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halo::tool {

struct ChartOptions {
  size_t columns = 60;
  size_t rows = 5;
  bool ascii = true;
};

// Lines from top to bottom, without newlines. Each column shows the largest number of its range;
// the full height is the largest of all.
std::vector<std::string> BarChart(std::span<const int64_t> numbers, const ChartOptions& options);

// The column that shows number `at` of `count`.
size_t ChartColumn(int64_t at, int64_t count, const ChartOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_BAR_CHART_H_
