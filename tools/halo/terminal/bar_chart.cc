// Uses blocks in steps of an eighth if the terminal can show them, otherwise plain characters with
// three heights.
#include "tools/halo/terminal/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace halo::tool {
namespace {

constexpr std::array<const char*, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 9> kPlain = {" ", ".", ".", ".", ":", ":", ":", "#", "#"};

}  // namespace

size_t ChartColumn(int64_t at, int64_t count, const ChartOptions& options) {
  if (count <= 0) return 0;
  const double column =
      static_cast<double>(at) * static_cast<double>(options.columns) / static_cast<double>(count);
  return std::min(static_cast<size_t>(column), options.columns - 1);
}

std::vector<std::string> BarChart(std::span<const int64_t> numbers, const ChartOptions& options) {
  std::vector<int64_t> tops(options.columns, 0);
  const auto count = static_cast<int64_t>(numbers.size());
  for (size_t column = 0; column < options.columns && count > 0; ++column) {
    const auto first = static_cast<int64_t>(column) * count / static_cast<int64_t>(options.columns);
    const auto last =
        (static_cast<int64_t>(column) + 1) * count / static_cast<int64_t>(options.columns);
    for (int64_t i = first; i < std::max(last, first + 1); ++i) {
      tops[column] = std::max(tops[column], numbers[static_cast<size_t>(i)]);
    }
  }
  const int64_t top = std::max<int64_t>(*std::max_element(tops.begin(), tops.end()), 1);
  const auto eighths = [&](int64_t value) {
    const double share = static_cast<double>(value) / static_cast<double>(top);
    const int64_t height = std::llround(share * static_cast<double>(options.rows) * 8);
    return value > 0 ? std::max<int64_t>(height, 1) : 0;
  };
  std::vector<std::string> lines;
  for (size_t row = options.rows; row-- > 0;) {
    std::string line;
    for (const int64_t value : tops) {
      const int64_t part =
          std::clamp<int64_t>(eighths(value) - static_cast<int64_t>(row) * 8, 0, 8);
      line += (options.ascii ? kPlain : kBlocks)[static_cast<size_t>(part)];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace halo::tool
