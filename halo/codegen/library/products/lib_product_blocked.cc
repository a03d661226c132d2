// GEMM for the types that oneDNN does not support (f64, 32- and 64-bit integers), by the usual
// scheme: blocks of a and b are packed into panels that a microkernel multiplies in registers.
#include <algorithm>
#include <cstring>

#include "halo/base/containers/aligned_block.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kWorthThreads = int64_t{1} << 20;  // products
constexpr int64_t kBlockRows = 192, kBlockColumns = 384;

// Sums, a row of b and a factor are in registers: 32 of 64 bytes, or 16 of 32 or 16 bytes. If they
// filled all of 16, the compiler would move sums back and forth: measured, half as fast.
template <CpuLevel kLevel>
constexpr int64_t kVectorBytes = kLevel == CpuLevel::kAvx512 ? 64
                                 : kLevel == CpuLevel::kAvx2 ? 32
                                                             : 16;
template <CpuLevel kLevel>
constexpr int64_t kPanelRows = kLevel == CpuLevel::kAvx512 ? 8 : 6;
template <CpuLevel kLevel>
constexpr int64_t kTileVectors = kLevel == CpuLevel::kAvx512 ? 3 : 2;

template <class T, CpuLevel kLevel>
constexpr int64_t kPanelColumns = kTileVectors<kLevel> * kVectorBytes<kLevel> / sizeof(T);

template <class T, CpuLevel kLevel>
struct TileVector {
  using Type = T __attribute__((vector_size(kVectorBytes<kLevel>)));
};

// Sums in registers what Multiply adds.
template <class T, CpuLevel kLevel>
HALO_INLINE void MultiplyTile(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  using Vector = typename TileVector<T, kLevel>::Type;
  constexpr int64_t kLanes = kVectorBytes<kLevel> / sizeof(T);
  constexpr int64_t kRows = kPanelRows<kLevel>;
  constexpr int64_t kVectors = kTileVectors<kLevel>;
  Vector sums[kRows][kVectors];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(&sums[i][j], out + i * out_row + j * kLanes, sizeof(Vector));
    }
  }
  for (int64_t p = 0; p < depth; ++p) {
    Vector row[kVectors];
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(&row[j], b + p * kPanelColumns<T, kLevel> + j * kLanes, sizeof(Vector));
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kRows; ++i) {
      const T factor = a[p * kRows + i];
#pragma clang loop unroll(full)
      for (int64_t j = 0; j < kVectors; ++j) sums[i][j] += factor * row[j];
    }
  }
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(out + i * out_row + j * kLanes, &sums[i][j], sizeof(Vector));
    }
  }
}

// The panels that are multiplied at a time. One of b stays in the first-level cache while those of
// a pass by.
struct PanelSizes {
  int64_t rows, columns, depth;
};
template <class T>
PanelSizes SizesOfPanels() {
  return ForCpu([](auto level) HALO_INLINED {
    constexpr CpuLevel kLevel = decltype(level)::value;
    static_assert(kBlockRows % kPanelRows<kLevel> == 0);
    return PanelSizes{.rows = kPanelRows<kLevel>,
                      .columns = kPanelColumns<T, kLevel>,
                      .depth = kLevel == CpuLevel::kAvx512 ? 128 : 256};
  });
}

// out[rows][columns] += panel of a (depth x rows) times panel of b (depth x columns).
template <class T>
void Multiply(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  ForCpu([=](auto level)
             HALO_INLINED { MultiplyTile<T, decltype(level)::value>(a, b, depth, out, out_row); });
}

// At least one multiple of `step`.
constexpr int64_t RoundUp(int64_t count, int64_t step) {
  return std::max<int64_t>((count + step - 1) / step, 1) * step;
}

// Panels of so many lines: element (line, p) of a panel is at p * kWide + line; the last panel is
// padded with zeros.
template <int64_t kWide, class T>
HALO_INLINE void Pack(const T* from, int64_t line_step, int64_t depth_step, int64_t lines,
                      int64_t depth, T* to) {
  for (int64_t first = 0; first < lines; first += kWide) {
    const int64_t count = std::min(kWide, lines - first);
    const T* line = from + first * line_step;
    if (count < kWide) {
      for (int64_t p = 0; p < depth; ++p, line += depth_step, to += kWide) {
        for (int64_t i = 0; i < count; ++i) to[i] = line[i * line_step];
        for (int64_t i = count; i < kWide; ++i) to[i] = T{};
      }
    } else if (line_step == 1) {
      for (int64_t p = 0; p < depth; ++p, line += depth_step, to += kWide) {
        std::memcpy(to, line, kWide * sizeof(T));
      }
    } else {
      for (int64_t p = 0; p < depth; ++p, line += depth_step, to += kWide) {
#pragma clang loop unroll(full)
        for (int64_t i = 0; i < kWide; ++i) to[i] = line[i * line_step];
      }
    }
  }
}
template <class T>
void PackRows(const T* from, int64_t row_step, int64_t depth_step, int64_t rows, int64_t depth,
              T* to) {
  ForCpu([=](auto level) HALO_INLINED {
    Pack<kPanelRows<decltype(level)::value>>(from, row_step, depth_step, rows, depth, to);
  });
}
template <class T>
void PackColumns(const T* from, int64_t column_step, int64_t depth_step, int64_t columns,
                 int64_t depth, T* to) {
  ForCpu([=](auto level) HALO_INLINED {
    constexpr int64_t kWide = kPanelColumns<T, decltype(level)::value>;
    Pack<kWide>(from, column_step, depth_step, columns, depth, to);
  });
}

template <class T>
class BlockedProduct : public ProductKernel {
 public:
  explicit BlockedProduct(const Product& product) : product_(product) {
    const Product& p = product_;
    // Blocks larger than the product would only be memory to clear.
    rows_ = std::min(rows_, RoundUp(p.m, panel_.rows));
    columns_ = std::min(columns_, RoundUp(p.n, panel_.columns));
    // Use smaller blocks if that keeps all threads busy, unless one is done before another wakes
    // up.
    const bool is_small = p.batches() * p.m * p.n * p.k <= kWorthThreads;
    const int threads = is_small ? 1 : TeamSize();
    while (Tasks() < threads && columns_ > 2 * panel_.columns) {
      columns_ = RoundUp(columns_ / 2, panel_.columns);
    }
    while (Tasks() < threads && rows_ >= 2 * panel_.rows) {
      rows_ = rows_ / (2 * panel_.rows) * panel_.rows;
    }
    shares_ = std::clamp<int64_t>(Tasks(), 1, threads);
    depth_ = std::min(p.k, panel_.depth);
  }

  // Memory is allocated if there is no scratch memory.
  bool Run(const void* a, const void* b, void* c, void* scratch) const override {
    AlignedBlock own;
    if (scratch == nullptr) {
      own = AlignedBlock(scratch_bytes());
      scratch = own.data();
      if (scratch == nullptr) return false;
    }
    TeamFor(shares_, 1, [&](int64_t first, int64_t last) {
      for (int64_t share = first; share < last; ++share) {
        const Workspace workspace(*this, static_cast<uint8_t*>(scratch) + share * ShareBytes());
        for (int64_t task = Tasks() * share / shares_; task < Tasks() * (share + 1) / shares_;
             ++task) {
          Block(task, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                workspace);
        }
      }
    });
    return true;
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * ShareBytes(); }
  [[nodiscard]] std::string Text() const override {
    return "blocked GEMM " + std::string(TextOf(product_.c_type)) + " " + product_.SizeText();
  }

 private:
  // One thread's part of the scratch memory: a block of the result, then packed blocks of a and b.
  struct Workspace {
    Workspace(const BlockedProduct& product, uint8_t* at)
        : out(reinterpret_cast<T*>(at)),
          a(out + RoundUp(product.rows_ * product.columns_, kLine)),
          b(a + RoundUp(product.rows_ * product.depth_, kLine)) {}
    T *out, *a, *b;
  };
  static constexpr int64_t kLine = 64 / sizeof(T);

  [[nodiscard]] int64_t ShareBytes() const {
    return (RoundUp(rows_ * columns_, kLine) + RoundUp(rows_ * depth_, kLine) +
            RoundUp(columns_ * depth_, kLine)) *
           static_cast<int64_t>(sizeof(T));
  }
  [[nodiscard]] int64_t RowBlocks() const { return (product_.m + rows_ - 1) / rows_; }
  [[nodiscard]] int64_t ColumnBlocks() const { return (product_.n + columns_ - 1) / columns_; }
  [[nodiscard]] int64_t Tasks() const { return product_.batches() * RowBlocks() * ColumnBlocks(); }

  void Block(int64_t task, const T* a, const T* b, T* c, const Workspace& workspace) const {
    const Product& p = product_;
    const BatchOffsets at = OffsetsOf(p, task / (RowBlocks() * ColumnBlocks()));
    const int64_t row = task / ColumnBlocks() % RowBlocks() * rows_;
    const int64_t column = task % ColumnBlocks() * columns_;
    const int64_t rows = std::min(rows_, p.m - row);
    const int64_t columns = std::min(columns_, p.n - column);
    std::fill_n(workspace.out, rows_ * columns_, T{});
    for (int64_t depth = 0; depth < p.k; depth += panel_.depth) {
      const int64_t length = std::min(panel_.depth, p.k - depth);
      PackRows(a + at.a + row * p.a.row + depth * p.a.column, p.a.row, p.a.column, rows, length,
               workspace.a);
      PackColumns(b + at.b + depth * p.b.row + column * p.b.column, p.b.column, p.b.row, columns,
                  length, workspace.b);
      for (int64_t j = 0; j < columns; j += panel_.columns) {
        for (int64_t i = 0; i < rows; i += panel_.rows) {
          Multiply(workspace.a + i * length, workspace.b + j * length, length,
                   workspace.out + i * columns_ + j, columns_);
        }
      }
    }
    T* to = c + at.c + row * p.c.row + column * p.c.column;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        T& position = to[i * p.c.row + j * p.c.column];
        T sum = static_cast<T>(p.alpha) * workspace.out[i * columns_ + j];
        if (p.beta != 0) sum += static_cast<T>(p.beta) * position;
        position = sum;
      }
    }
  }

  Product product_;
  PanelSizes panel_ = SizesOfPanels<T>();
  int64_t rows_ = kBlockRows;
  int64_t columns_ = kBlockColumns / panel_.columns * panel_.columns;
  int64_t depth_ = 0;
  int64_t shares_ = 1;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeBlockedProduct(const Product& p) {
  if (p.a_type != p.b_type || p.a_type != p.c_type) return nullptr;
  switch (p.a_type) {
    case ElementType::kF64: return std::make_unique<BlockedProduct<double>>(p);
    case ElementType::kU32: return std::make_unique<BlockedProduct<uint32_t>>(p);
    case ElementType::kU64: return std::make_unique<BlockedProduct<uint64_t>>(p);
    default: return nullptr;
  }
}

}  // namespace halo
