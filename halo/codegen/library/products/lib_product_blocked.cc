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

constexpr int64_t kPanelRows = 8;
constexpr int64_t kWorthThreads = int64_t{1} << 20;  // products
constexpr int64_t kBlockRows = 192, kBlockDepth = 256, kBlockColumns = 384;

template <class T>
constexpr int64_t kPanelColumns = 192 / sizeof(T);

// Sums, a row of b and a factor fill the registers: 32 of 64 bytes, or 16 of 32 or 16 bytes.
template <CpuLevel kLevel>
constexpr int64_t kVectorBytes = kLevel == CpuLevel::kAvx512 ? 64
                                 : kLevel == CpuLevel::kAvx2 ? 32
                                                             : 16;
template <CpuLevel kLevel>
constexpr int64_t kTileRows = kLevel == CpuLevel::kAvx512 ? 8 : 4;
constexpr int64_t kTileVectors = 3;

template <class T, CpuLevel kLevel>
struct TileVector {
  using Type = T __attribute__((vector_size(kVectorBytes<kLevel>)));
};

// out[rows][columns] += rows of a panel of a (depth x 8) times columns of a panel of b.
template <class T, CpuLevel kLevel>
HALO_INLINE void MultiplyTile(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  using Vector = typename TileVector<T, kLevel>::Type;
  constexpr int64_t kLanes = kVectorBytes<kLevel> / sizeof(T);
  constexpr int64_t kRows = kTileRows<kLevel>;
  Vector sums[kRows][kTileVectors];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kTileVectors; ++j) {
      std::memcpy(&sums[i][j], out + i * out_row + j * kLanes, sizeof(Vector));
    }
  }
  for (int64_t p = 0; p < depth; ++p) {
    Vector row[kTileVectors];
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kTileVectors; ++j) {
      std::memcpy(&row[j], b + p * kPanelColumns<T> + j * kLanes, sizeof(Vector));
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kRows; ++i) {
      const T factor = a[p * kPanelRows + i];
#pragma clang loop unroll(full)
      for (int64_t j = 0; j < kTileVectors; ++j) sums[i][j] += factor * row[j];
    }
  }
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kTileVectors; ++j) {
      std::memcpy(out + i * out_row + j * kLanes, &sums[i][j], sizeof(Vector));
    }
  }
}

// out[8][columns] += panel of a (depth x 8) times panel of b (depth x columns).
template <class T>
void Multiply(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  ForCpu([=](auto level) HALO_INLINED {
    constexpr CpuLevel kLevel = decltype(level)::value;
    constexpr int64_t kColumns = kTileVectors * kVectorBytes<kLevel> / sizeof(T);
    for (int64_t j = 0; j < kPanelColumns<T>; j += kColumns) {
      for (int64_t i = 0; i < kPanelRows; i += kTileRows<kLevel>) {
        MultiplyTile<T, kLevel>(a + i, b + j, depth, out + i * out_row + j, out_row);
      }
    }
  });
}

// At least one multiple of `step`.
constexpr int64_t RoundUp(int64_t count, int64_t step) {
  return std::max<int64_t>((count + step - 1) / step, 1) * step;
}

// Panels of kWide lines: element (line, p) of a panel is at p * kWide + line; the last panel is
// padded with zeros.
template <int64_t kWide, class T>
void Pack(const T* from, int64_t line_step, int64_t depth_step, int64_t lines, int64_t depth,
          T* to) {
  for (int64_t first = 0; first < lines; first += kWide) {
    const int64_t count = std::min(kWide, lines - first);
    const T* panel = from + first * line_step;
    for (int64_t p = 0; p < depth; ++p, to += kWide) {
      const T* line = panel + p * depth_step;
      if (line_step == 1 && count == kWide) {
        std::memcpy(to, line, kWide * sizeof(T));
        continue;
      }
      for (int64_t i = 0; i < count; ++i) to[i] = line[i * line_step];
      for (int64_t i = count; i < kWide; ++i) to[i] = T{};
    }
  }
}

template <class T>
class BlockedProduct : public ProductKernel {
 public:
  explicit BlockedProduct(const Product& product) : product_(product) {
    const Product& p = product_;
    // Blocks larger than the product would only be memory to clear.
    rows_ = std::min(rows_, RoundUp(p.m, kPanelRows));
    columns_ = std::min(columns_, RoundUp(p.n, kPanelColumns<T>));
    // Use smaller blocks if that keeps all threads busy, unless one is done before another wakes
    // up.
    const bool is_small = p.batches() * p.m * p.n * p.k <= kWorthThreads;
    const int threads = is_small ? 1 : TeamSize();
    while (Tasks() < threads && columns_ > 2 * kPanelColumns<T>) {
      columns_ = RoundUp(columns_ / 2, kPanelColumns<T>);
    }
    while (Tasks() < threads && rows_ >= 2 * kPanelRows) {
      rows_ = rows_ / (2 * kPanelRows) * kPanelRows;
    }
    shares_ = std::clamp<int64_t>(Tasks(), 1, threads);
    depth_ = std::min(p.k, kBlockDepth);
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
    for (int64_t depth = 0; depth < p.k; depth += kBlockDepth) {
      const int64_t length = std::min(kBlockDepth, p.k - depth);
      Pack<kPanelRows>(a + at.a + row * p.a.row + depth * p.a.column, p.a.row, p.a.column, rows,
                       length, workspace.a);
      Pack<kPanelColumns<T>>(b + at.b + depth * p.b.row + column * p.b.column, p.b.column, p.b.row,
                             columns, length, workspace.b);
      for (int64_t j = 0; j < columns; j += kPanelColumns<T>) {
        for (int64_t i = 0; i < rows; i += kPanelRows) {
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
  int64_t rows_ = kBlockRows;
  int64_t columns_ = kBlockColumns / kPanelColumns<T> * kPanelColumns<T>;
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
