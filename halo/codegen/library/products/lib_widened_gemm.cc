// GEMM of f32, bf16, f16 and 8-bit floats, in any combination, and of bytes, by instructions for
// f32. Rows of a are widened to f32 in the nearest cache and their elements broadcast; columns
// of b are widened into panels in the second-level cache. So each operand is read from memory in
// its own type and c is summed in f32, in place if that is its type; sums of bytes are moved to s32
// before they can exceed the integers that f32 holds exactly. Rows that are contiguous along k need
// no transposition, so the operand that is read most should be a.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_vectors.h"
#include "halo/codegen/library/lib_widen.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/library/products/packing.h"
#include "halo/codegen/library/products/panel_kernel.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

using panels::kPanelDepth;
using panels::RowOrder;

constexpr int64_t kMostRows = 384;         // of a block of sums
constexpr int64_t kMostColumns = 512;      // of a block of sums
constexpr int64_t kKeptFloats = 1 << 18;   // panels of b up to this size are packed once
constexpr int64_t kBlockFloats = 1 << 17;  // of larger panels, packed for each block of rows
constexpr int64_t kCacheLine = 64;
// So many products of bytes sum to 2^24 at most.
constexpr int64_t kExactDepth = 2 * kPanelDepth;
static_assert(kExactDepth * 255 * 128 <= 1 << 24);

constexpr int64_t UpTo(int64_t count, int64_t step) { return (count + step - 1) / step * step; }

// The register block that computes the fewest sums beyond the m x n wanted.
struct PanelShape {
  int64_t vectors = 1, rows = 1, width = 1;
};
template <CpuLevel kLevel>
PanelShape ShapeAt(int64_t m, int64_t n) {
  PanelShape best;
  int64_t least = INT64_MAX;
  // Two vectors per row or more need fewer loads than products.
  constexpr int64_t kOrder[] = {3, 4, 2, 1};
  for (const int64_t vectors : kOrder) {
    if (vectors > panels::kMostVectors<kLevel>) continue;
    const PanelShape shape = {vectors, panels::RowsFor<kLevel>(vectors),
                              vectors * panels::kLanes<kLevel>};
    const int64_t sums = UpTo(m, shape.rows) * UpTo(n, shape.width);
    if (sums < least) best = shape;
    least = std::min(sums, least);
  }
  return best;
}
PanelShape ShapeFor(int64_t m, int64_t n) {
  switch (BestCpuLevel()) {
    case CpuLevel::kAvx512: return ShapeAt<CpuLevel::kAvx512>(m, n);
    case CpuLevel::kAvx2: return ShapeAt<CpuLevel::kAvx2>(m, n);
    default: return ShapeAt<CpuLevel::kBaseline>(m, n);
  }
}

// A matrix whose lines are summed over `p`: rows of a, or columns of b.
struct Lines {
  const uint8_t* at = nullptr;
  int64_t line = 0, p = 0;  // distances in bytes
};

// All rows of a register block, in one of the two orders; missing rows are zeros.
template <class From>
HALO_INLINE void WidenRows(From widened, const Lines& from, int64_t rows, int64_t padded,
                           int64_t depth, RowOrder order, float* to) {
  if (order == RowOrder::kSideBySide) {
    for (int64_t p = 0; p < depth; ++p) {
      float* column = to + p * panels::kMostRows;
      const uint8_t* at = from.at + p * from.p;
      if (rows == panels::kMostRows) {
        widen::RunOf<panels::kMostRows>(widened, at, column);
      } else {
        widen::Run(widened, at, column, rows);
        std::fill(column + rows, column + padded, 0.0F);
      }
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    const uint8_t* row = from.at + i * from.line;
    if (from.p == From::kBytes) {
      widen::Run(widened, row, to + i * kPanelDepth, depth);
    } else {
      for (int64_t p = 0; p < depth; ++p) to[i * kPanelDepth + p] = widened(row + p * from.p);
    }
  }
  for (int64_t i = rows; i < padded; ++i) std::fill_n(to + i * kPanelDepth, depth, 0.0F);
}

// Panels of `width` columns, `step` apart: column j of a panel at to[p * width + j]; missing
// columns are zeros. Here for rows of b, which are contiguous.
template <int64_t kStep, class From>
HALO_INLINE void WidenRowsOfPanels(From widened, const Lines& from, int64_t columns, int64_t width,
                                   int64_t depth, int64_t step, float* to) {
  for (int64_t p = 0; p < depth; ++p) {
    const uint8_t* row = from.at + p * from.p;
    float* line = to + p * width;
    int64_t left = columns;
    for (; left >= width; left -= width) {
      for (int64_t j = 0; j < width; j += kStep) {
        widen::RunOf<kStep>(widened, row + j * From::kBytes, line + j);
      }
      row += width * From::kBytes;
      line += step;
    }
    if (left == 0) continue;
    widen::Run(widened, row, line, left);
    std::fill(line + left, line + width, 0.0F);
  }
}

// The same for columns of b, in squares that are transposed.
template <class From>
HALO_INLINE void WidenColumnsOfPanels(From widened, const Lines& from, int64_t columns,
                                      int64_t width, int64_t depth, int64_t step, float* to) {
  for (int64_t first = 0; first < UpTo(columns, width); first += kSquare) {
    const int64_t count = std::clamp<int64_t>(columns - first, 0, kSquare);
    const uint8_t* lines = from.at + first * from.line;
    float* out = to + first / width * step + first % width;
    int64_t p = 0;
    if (count == kSquare && from.p == From::kBytes) {
      for (; p + kSquare <= depth; p += kSquare) {
        alignas(32) float square[kSquare * kSquare];
        for (int64_t i = 0; i < kSquare; ++i) {
          widen::RunOf<kSquare>(widened, lines + i * from.line + p * From::kBytes,
                                square + i * kSquare);
        }
        TransposeSquare(square, kSquare, out + p * width, width);
      }
    }
    for (; p < depth; ++p) {
      for (int64_t i = 0; i < kSquare; ++i) {
        out[p * width + i] = i < count ? widened(lines + i * from.line + p * from.p) : 0.0F;
      }
    }
  }
}

template <CpuLevel kLevel, RowOrder kOrder>
HALO_INLINE void MultiplyPanel(int64_t vectors, const float* a, const float* b, int64_t depth,
                               float* c, int64_t c_row, bool add, panels::Fetch& fetch) {
  const auto run = [&](auto count) HALO_INLINED {
    constexpr int64_t kVectors = std::min(decltype(count)::value, panels::kMostVectors<kLevel>);
    panels::Multiply<kLevel, kVectors, kOrder>(a, b, depth, c, c_row, add, fetch);
  };
  switch (vectors) {
    case 1: return run(std::integral_constant<int64_t, 1>());
    case 2: return run(std::integral_constant<int64_t, 2>());
    case 3: return run(std::integral_constant<int64_t, 3>());
    default: return run(std::integral_constant<int64_t, 4>());
  }
}

bool CanSumInPlace(const Product& p) {
  return p.c_type == ElementType::kF32 && p.alpha == 1 && p.beta == 0;
}

class WidenedGemm : public ProductKernel {
 public:
  explicit WidenedGemm(const Product& product)
      : product_(product),
        a_bytes_(static_cast<int64_t>(StoredBytes(product.a_type))),
        b_bytes_(static_cast<int64_t>(StoredBytes(product.b_type))),
        shape_(ShapeFor(product.m, product.n)),
        order_(product.a.row == 1 && product.a.column != 1 ? RowOrder::kSideBySide
                                                           : RowOrder::kRowAfterRow),
        is_whole_(product.c_type == ElementType::kS32),
        is_in_place_(CanSumInPlace(product) && (product.c.column == 1 || product.n == 1)) {
    const Product& p = product_;
    const int64_t depths = UpTo(p.k, kPanelDepth);
    // Panels that stay packed for all rows, if they can be wide enough for that to pay.
    const int64_t wide = UpTo(p.n, shape_.width);
    columns_ = std::min(wide, kMostColumns / shape_.width * shape_.width);
    keeps_panels_ = depths * std::min<int64_t>(wide, 2 * shape_.width) <= kKeptFloats;
    if (keeps_panels_) {
      columns_ = std::min(columns_, kKeptFloats / depths / shape_.width * shape_.width);
    } else {
      columns_ = std::min(columns_, kBlockFloats / kPanelDepth / shape_.width * shape_.width);
    }
    chunks_ = (p.n + columns_ - 1) / columns_;
    // About as many columns in each, and a whole number of panels.
    columns_ = UpTo((p.n + chunks_ - 1) / chunks_, shape_.width);
    chunks_ = (p.n + columns_ - 1) / columns_;
    const int64_t most =
        std::clamp<int64_t>((1 << 16) / columns_, 2 * panels::kMostRows, kMostRows);
    row_blocks_ = (p.m + most - 1) / most;
    const int64_t team = TeamSize();
    const int64_t others = p.batches() * chunks_;
    if (others < 4 * team) row_blocks_ = UpTo(row_blocks_, team);
    rows_ = UpTo((p.m + row_blocks_ - 1) / row_blocks_, shape_.rows);
    row_blocks_ = (p.m + rows_ - 1) / rows_;
  }

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    const Product& p = product_;
    const int64_t tasks = p.batches() * chunks_ * row_blocks_;
    constexpr int64_t kWorthAThread = 1 << 16;  // multiply-adds
    const int64_t work = p.k * std::min(rows_, p.m) * std::min(columns_, p.n);
    TeamFor(tasks, std::max<int64_t>(1, kWorthAThread / work), [&](int64_t begin, int64_t end) {
      const Workspace workspace(*this);
      ForCpu([=, this, &workspace](auto level) HALO_INLINED {
        int64_t packed = -1;
        for (int64_t task = begin; task < end; ++task) {
          const int64_t chunk = task / row_blocks_;
          Block<decltype(level)::value>(static_cast<const uint8_t*>(a),
                                        static_cast<const uint8_t*>(b), static_cast<float*>(c),
                                        task, packed == chunk, workspace);
          packed = chunk;
          if (!is_in_place_) Store(static_cast<uint8_t*>(c), task, workspace);
        }
      });
    });
    return true;
  }
  [[nodiscard]] std::string Text() const override {
    const Product& p = product_;
    std::string types(TextOf(p.a_type));
    if (p.b_type != p.a_type) types += " by " + std::string(TextOf(p.b_type));
    return "widened GEMM " + types + " " + p.SizeText();
  }

 private:
  // The memory of one thread: rows of a, panels of b, a block of sums (of what reaches beyond c, if
  // they are added up there), and two lines of results.
  struct Workspace {
    explicit Workspace(const WidenedGemm& gemm) {
      const int64_t depths = gemm.keeps_panels_ ? UpTo(gemm.product_.k, kPanelDepth) : kPanelDepth;
      const int64_t count = depths / kPanelDepth * (gemm.columns_ / gemm.shape_.width);
      const int64_t a_floats = panels::kMostRows * kPanelDepth;
      const int64_t b_floats = UpTo(count * gemm.PanelFloats(), 16);
      const int64_t sums_floats = UpTo(
          gemm.is_in_place_ ? gemm.shape_.rows * gemm.shape_.width : gemm.rows_ * gemm.columns_,
          16);
      const int64_t line = UpTo(std::max(gemm.rows_, gemm.columns_), 16);
      const int64_t whole_floats = gemm.is_whole_ ? sums_floats : 0;
      a = PackingMemory(a_floats + b_floats + sums_floats + whole_floats + 2 * line);
      b = a + a_floats;
      sums = b + b_floats;
      results = sums + sums_floats;
      before = results + line;
      whole = reinterpret_cast<uint32_t*>(before + line);
    }

    float *a, *b, *sums, *results, *before;
    uint32_t* whole;  // sums of bytes
  };

  struct Sums {
    float* at;
    int64_t row;
  };

  struct Position {
    BatchOffsets at;
    int64_t row = 0, rows = 0, column = 0, columns = 0;
  };
  [[nodiscard]] Position PositionOf(int64_t task) const {
    const Product& p = product_;
    Position out;
    out.at = OffsetsOf(p, task / (chunks_ * row_blocks_));
    out.row = task % row_blocks_ * rows_;
    out.rows = std::min(rows_, p.m - out.row);
    out.column = task / row_blocks_ % chunks_ * columns_;
    out.columns = std::min(columns_, p.n - out.column);
    return out;
  }

  template <CpuLevel kLevel>
  HALO_INLINE void Block(const uint8_t* a, const uint8_t* b, float* c, int64_t task, bool is_packed,
                         const Workspace& workspace) const {
    const Product& p = product_;
    const Position to = PositionOf(task);
    const Sums sums = is_in_place_ ? Sums{c + to.at.c + to.row * p.c.row + to.column, p.c.row}
                                   : Sums{workspace.sums, columns_};
    const Lines rows = {a + (to.at.a + to.row * p.a.row) * a_bytes_, p.a.row * a_bytes_,
                        p.a.column * a_bytes_};
    const Lines columns = {b + (to.at.b + to.column * p.b.column) * b_bytes_, p.b.column * b_bytes_,
                           p.b.row * b_bytes_};
    if (keeps_panels_) {
      for (int64_t first = 0; first < p.k && !is_packed; first += kPanelDepth) {
        Pack<kLevel>(columns, to.columns, first, workspace);
      }
      for (int64_t i = 0; i < to.rows; i += shape_.rows) {
        for (int64_t first = 0; first < p.k; first += kPanelDepth) {
          panels::Fetch fetch = NextRows(rows, to.rows, i, first);
          Strip<kLevel>(rows, to, i, first, sums, fetch, workspace);
        }
      }
      return;
    }
    for (int64_t first = 0; first < p.k; first += kPanelDepth) {
      Pack<kLevel>(columns, to.columns, first, workspace);
      panels::Fetch panel = NextPanels(columns, to, first);
      for (int64_t i = 0; i < to.rows; i += shape_.rows) {
        panels::Fetch fetch = NextRows(rows, to.rows, i + shape_.rows, first - kPanelDepth);
        Strip<kLevel>(rows, to, i, first, sums, panel.rows > 0 ? panel : fetch, workspace);
      }
    }
  }

  [[nodiscard]] float* PanelsAt(int64_t first, const Workspace& workspace) const {
    if (!keeps_panels_) return workspace.b;
    return workspace.b + first / kPanelDepth * (columns_ / shape_.width) * PanelFloats();
  }
  // Panels at a multiple of 4096 bytes would evict each other from the nearest cache.
  [[nodiscard]] int64_t PanelFloats() const {
    return std::min(product_.k, kPanelDepth) * shape_.width + kCacheLine / 4;
  }

  template <CpuLevel kLevel>
  HALO_INLINE void Pack(const Lines& columns, int64_t count, int64_t first,
                        const Workspace& workspace) const {
    const Lines from = {columns.at + first * columns.p, columns.line, columns.p};
    const int64_t depth = std::min(kPanelDepth, product_.k - first);
    float* to = PanelsAt(first, workspace);
    WithWidening(product_.b_type, [&](auto widened) HALO_INLINED {
      if (from.line == decltype(widened)::kBytes) {
        WidenRowsOfPanels<panels::kLanes<kLevel>>(widened, from, count, shape_.width, depth,
                                                  PanelFloats(), to);
      } else {
        WidenColumnsOfPanels(widened, from, count, shape_.width, depth, PanelFloats(), to);
      }
    });
  }

  // What is read from a after row i and depth `first`, if it is contiguous along k.
  [[nodiscard]] HALO_INLINE panels::Fetch NextRows(const Lines& rows, int64_t count, int64_t i,
                                                   int64_t first) const {
    first += kPanelDepth;
    if (first >= product_.k) {
      first = 0;
      i += shape_.rows;
    }
    if (rows.p != a_bytes_) return {};
    return {.row = rows.at + i * rows.line + first * rows.p,
            .step = rows.line,
            .rows = std::clamp<int64_t>(count - i, 0, shape_.rows),
            .bytes = std::min(kPanelDepth, product_.k - first) * a_bytes_,
            .at = 0};
  }

  // What is packed next, if its rows are contiguous.
  [[nodiscard]] HALO_INLINE panels::Fetch NextPanels(const Lines& columns, const Position& to,
                                                     int64_t first) const {
    int64_t count = to.columns;
    const uint8_t* at = columns.at;
    first += kPanelDepth;
    if (first >= product_.k) {
      first = 0;
      at += to.columns * columns.line;
      count = std::min(columns_, product_.n - to.column - to.columns);
    }
    if (columns.line != b_bytes_ || count <= 0) return {};
    return {.row = at + first * columns.p,
            .step = columns.p,
            .rows = std::min(kPanelDepth, product_.k - first),
            .bytes = count * b_bytes_,
            .at = 0};
  }

  // The rows of one register block times all panels.
  template <CpuLevel kLevel>
  HALO_INLINE void Strip(const Lines& rows, const Position& to, int64_t i, int64_t first,
                         const Sums& sums, panels::Fetch& fetch, const Workspace& workspace) const {
    const int64_t depth = std::min(kPanelDepth, product_.k - first);
    const Lines from = {rows.at + i * rows.line + first * rows.p, rows.line, rows.p};
    WithWidening(product_.a_type, [&](auto widened) HALO_INLINED {
      WidenRows(widened, from, std::min(shape_.rows, to.rows - i), shape_.rows, depth, order_,
                workspace.a);
    });
    const bool adds = is_whole_ ? first % kExactDepth > 0 : first > 0;
    const float* panel = PanelsAt(first, workspace);
    for (int64_t j = 0; j < to.columns; j += shape_.width, panel += PanelFloats()) {
      const bool fits =
          !is_in_place_ || (i + shape_.rows <= to.rows && j + shape_.width <= to.columns);
      const Sums at = {sums.at + i * sums.row + j, sums.row};
      const Sums out = fits ? at : Sums{workspace.sums, shape_.width};
      const bool adds_to_out = adds && fits;
      if (order_ == RowOrder::kRowAfterRow) {
        MultiplyPanel<kLevel, RowOrder::kRowAfterRow>(shape_.vectors, workspace.a, panel, depth,
                                                      out.at, out.row, adds_to_out, fetch);
      } else {
        MultiplyPanel<kLevel, RowOrder::kSideBySide>(shape_.vectors, workspace.a, panel, depth,
                                                     out.at, out.row, adds_to_out, fetch);
      }
      if (!fits) {
        const int64_t edge_rows = std::min(shape_.rows, to.rows - i);
        CopyEdge(out, at, edge_rows, std::min(shape_.width, to.columns - j), adds);
      }
    }
    const int64_t end = first + depth;
    if (is_whole_ && (end % kExactDepth == 0 || end == product_.k)) {
      AddWhole(to, i, end <= kExactDepth, workspace);
    }
  }

  static void CopyEdge(const Sums& from, const Sums& to, int64_t rows, int64_t columns, bool adds) {
    for (int64_t i = 0; i < rows; ++i) {
      const float* sums = from.at + i * from.row;
      float* line = to.at + i * to.row;
      for (int64_t j = 0; j < columns; ++j) line[j] = adds ? line[j] + sums[j] : sums[j];
    }
  }

  // Moves the sums of one register block's rows to s32, which they may exceed: modulo 2^32.
  HALO_INLINE void AddWhole(const Position& to, int64_t i, bool is_first,
                            const Workspace& workspace) const {
    const int64_t rows = std::min(shape_.rows, to.rows - i);
    for (int64_t row = i; row < i + rows; ++row) {
      const float* from = workspace.sums + row * columns_;
      uint32_t* whole = workspace.whole + row * columns_;
      for (int64_t j = 0; j < to.columns; ++j) {
        const auto sum = static_cast<uint32_t>(static_cast<int32_t>(from[j]));
        whole[j] = is_first ? sum : whole[j] + sum;
      }
    }
  }

  // Writes a block of sums along the contiguous dimension of c.
  HALO_INLINE void Store(uint8_t* c, int64_t task, const Workspace& workspace) const {
    const Product& p = product_;
    const Position from = PositionOf(task);
    const auto bytes = static_cast<int64_t>(StoredBytes(p.c_type));
    uint8_t* to = c + (from.at.c + from.row * p.c.row + from.column * p.c.column) * bytes;
    const bool by_rows = p.c.column == 1 || p.n == 1;
    const int64_t lines = by_rows ? from.rows : from.columns;
    const int64_t length = by_rows ? from.columns : from.rows;
    const int64_t line_step = by_rows ? p.c.row : p.c.column;
    const auto alpha = static_cast<float>(p.alpha);
    const auto beta = static_cast<float>(p.beta);
    if (is_whole_) {
      for (int64_t line = 0; line < lines; ++line) {
        const uint32_t* whole = workspace.whole + line * (by_rows ? columns_ : 1);
        for (int64_t i = 0; i < length; ++i) {
          std::memcpy(to + (line * line_step + i) * bytes, whole + i * (by_rows ? 1 : columns_),
                      sizeof *whole);
        }
      }
      return;
    }
    for (int64_t line = 0; line < lines; ++line) {
      float* sums = workspace.sums + line * (by_rows ? columns_ : 1);
      if (!by_rows) {
        for (int64_t i = 0; i < length; ++i) workspace.results[i] = sums[i * columns_];
        sums = workspace.results;
      }
      uint8_t* out = to + line * line_step * bytes;
      if (alpha != 1) {
        for (int64_t i = 0; i < length; ++i) sums[i] *= alpha;
      }
      if (beta != 0) {
        ConvertRun(p.c_type, ElementType::kF32, out, workspace.before, length);
        for (int64_t i = 0; i < length; ++i) sums[i] += beta * workspace.before[i];
      }
      ConvertRun(ElementType::kF32, p.c_type, sums, out, length);
    }
  }

  Product product_;
  int64_t a_bytes_, b_bytes_;
  PanelShape shape_;
  RowOrder order_;
  bool is_whole_;
  bool is_in_place_;                   // sums are added up in c
  int64_t rows_ = 1, row_blocks_ = 1;  // of a task
  int64_t columns_ = 1, chunks_ = 1;
  bool keeps_panels_ = false;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeWidenedGemm(const Product& p) {
  using enum ElementType;
  const auto is_byte = [](ElementType type) { return type == kS8 || type == kU8; };
  if (p.c_type == kS32) {
    // Two unsigned bytes could exceed kExactDepth.
    if (!is_byte(p.a_type) || !is_byte(p.b_type) || (p.a_type == kU8 && p.b_type == kU8) ||
        p.alpha != 1 || p.beta != 0) {
      return nullptr;
    }
  } else if (!CanWiden(p.a_type) || !CanWiden(p.b_type) ||
             (p.c_type != kF32 && p.c_type != kBF16 && p.c_type != kF16)) {
    return nullptr;
  }
  if (p.c.column != 1 && p.n != 1 && p.c.row != 1 && p.m != 1) return nullptr;
  if (CanSumInPlace(p)) {
    if (p.c.column != 1 && p.n != 1) return nullptr;
    return std::make_unique<WidenedGemm>(p);
  }
  // The side that is contiguous along k is broadcast; if both are, the larger one.
  const bool a_along_k = p.a.column == 1 || p.k == 1;
  const bool b_along_k = p.b.row == 1 || p.k == 1;
  if (a_along_k != b_along_k ? b_along_k : p.n > p.m) return nullptr;
  return std::make_unique<WidenedGemm>(p);
}

}  // namespace halo
