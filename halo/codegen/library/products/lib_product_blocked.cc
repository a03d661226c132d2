// GEMM for the types that oneDNN does not support (f64, 32- and 64-bit integers), by the usual
// scheme: blocks of a and b are packed into panels that a microkernel multiplies in registers.
#include <algorithm>
#include <cstring>
#include <vector>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kPanelRows = 8;
constexpr int64_t kBlockRows = 192, kBlockDepth = 256, kBlockColumns = 384;

template <class T>
using Vector = T __attribute__((vector_size(64)));
template <class T>
constexpr int64_t kWidth = 64 / sizeof(T);
template <class T>
constexpr int64_t kPanelColumns = 3 * kWidth<T>;

// out[8][columns] += panel of a (depth x 8) times panel of b (depth x columns).
template <class T>
HALO_INLINE void MultiplyPanels(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  Vector<T> sums[kPanelRows][3];
  for (int64_t i = 0; i < kPanelRows; ++i) {
    std::memcpy(&sums[i][0], out + i * out_row, sizeof sums[i]);
  }
  for (int64_t p = 0; p < depth; ++p) {
    Vector<T> row[3];
    std::memcpy(&row[0], b, sizeof row);
    for (int64_t i = 0; i < kPanelRows; ++i) {
      for (int64_t j = 0; j < 3; ++j) sums[i][j] += a[i] * row[j];
    }
    a += kPanelRows;
    b += kPanelColumns<T>;
  }
  for (int64_t i = 0; i < kPanelRows; ++i) {
    std::memcpy(out + i * out_row, &sums[i][0], sizeof sums[i]);
  }
}
template <class T>
void Multiply(const T* a, const T* b, int64_t depth, T* out, int64_t out_row) {
  ForCpu([=](auto) HALO_INLINED { MultiplyPanels(a, b, depth, out, out_row); });
}

// At least one multiple of `step`.
constexpr int64_t RoundUp(int64_t count, int64_t step) {
  return std::max<int64_t>((count + step - 1) / step, 1) * step;
}

// Panels of `wide` lines: element (line, p) of a panel is at p * wide + line; the last panel is
// padded with zeros.
template <class T>
void Pack(const T* from, int64_t line_step, int64_t depth_step, int64_t lines, int64_t depth,
          int64_t wide, T* to) {
  for (int64_t first = 0; first < lines; first += wide) {
    const int64_t count = std::min(wide, lines - first);
    const T* panel = from + first * line_step;
    if (depth_step == 1 && line_step != 1) {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t p = 0; p < depth; ++p) to[p * wide + i] = panel[i * line_step + p];
      }
    } else {
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < count; ++i) {
          to[p * wide + i] = panel[p * depth_step + i * line_step];
        }
      }
    }
    for (int64_t p = 0; p < depth; ++p) std::fill(to + p * wide + count, to + (p + 1) * wide, T{});
    to += wide * depth;
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
    // Use smaller blocks if that keeps all threads busy.
    while (Tasks() < TeamSize() && columns_ > 2 * kPanelColumns<T>) {
      columns_ = RoundUp(columns_ / 2, kPanelColumns<T>);
    }
    while (Tasks() < TeamSize() && rows_ >= 2 * kPanelRows) {
      rows_ = rows_ / (2 * kPanelRows) * kPanelRows;
    }
    small_ = p.m * p.n * p.k < (1 << 15);
  }

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    const int64_t grain =
        small_ ? std::max<int64_t>(1, (1 << 15) / (product_.m * product_.n * product_.k)) : 1;
    TeamFor(Tasks(), grain, [&](int64_t begin, int64_t end) {
      Workspace workspace(rows_, columns_, std::min(product_.k, kBlockDepth));
      for (int64_t task = begin; task < end; ++task) {
        Block(task, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
              workspace);
      }
    });
    return true;
  }
  [[nodiscard]] std::string Text() const override {
    return "blocked GEMM " + std::string(TextOf(product_.c_type)) + " " + product_.SizeText();
  }

 private:
  struct Workspace {
    Workspace(int64_t rows, int64_t columns, int64_t depth)
        : out(static_cast<size_t>(rows * columns)),
          a(static_cast<size_t>(rows * depth)),
          b(static_cast<size_t>(columns * depth)) {}
    std::vector<T> out, a, b;
  };

  [[nodiscard]] int64_t RowBlocks() const { return (product_.m + rows_ - 1) / rows_; }
  [[nodiscard]] int64_t ColumnBlocks() const { return (product_.n + columns_ - 1) / columns_; }
  [[nodiscard]] int64_t Tasks() const { return product_.batches() * RowBlocks() * ColumnBlocks(); }

  void Block(int64_t task, const T* a, const T* b, T* c, Workspace& workspace) const {
    const Product& p = product_;
    const BatchOffsets at = OffsetsOf(p, task / (RowBlocks() * ColumnBlocks()));
    const int64_t row = task / ColumnBlocks() % RowBlocks() * rows_;
    const int64_t column = task % ColumnBlocks() * columns_;
    const int64_t rows = std::min(rows_, p.m - row);
    const int64_t columns = std::min(columns_, p.n - column);
    std::fill(workspace.out.begin(), workspace.out.end(), T{});
    for (int64_t depth = 0; depth < p.k; depth += kBlockDepth) {
      const int64_t length = std::min(kBlockDepth, p.k - depth);
      Pack(a + at.a + row * p.a.row + depth * p.a.column, p.a.row, p.a.column, rows, length,
           kPanelRows, workspace.a.data());
      Pack(b + at.b + depth * p.b.row + column * p.b.column, p.b.column, p.b.row, columns, length,
           kPanelColumns<T>, workspace.b.data());
      for (int64_t j = 0; j < columns; j += kPanelColumns<T>) {
        for (int64_t i = 0; i < rows; i += kPanelRows) {
          Multiply(workspace.a.data() + i * length, workspace.b.data() + j * length, length,
                   workspace.out.data() + i * columns_ + j, columns_);
        }
      }
    }
    T* to = c + at.c + row * p.c.row + column * p.c.column;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        T& position = to[i * p.c.row + j * p.c.column];
        T sum = static_cast<T>(p.alpha) * workspace.out[static_cast<size_t>(i * columns_ + j)];
        if (p.beta != 0) sum += static_cast<T>(p.beta) * position;
        position = sum;
      }
    }
  }

  Product product_;
  int64_t rows_ = kBlockRows;
  int64_t columns_ = kBlockColumns / kPanelColumns<T> * kPanelColumns<T>;
  bool small_ = false;
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
