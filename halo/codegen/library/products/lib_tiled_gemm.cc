// GEMM of bytes and of bf16 with the processor's tile registers (AMX), where the rows of a are
// contiguous. Columns of b are distributed to the threads in chunks. Each thread packs its chunk in
// tile format, small enough for its nearer caches, and multiplies all rows of a by it. Sums are f32
// or s32 and never leave the registers before they are complete.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/library/products/lib_tile_packing.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HALO_TILES __attribute__((target("amx-tile,amx-int8,amx-bf16,avx512f,avx512bw,avx512vbmi")))

namespace halo {
namespace {

using namespace tiles;

constexpr int64_t kChunkBytes = 1 << 20;  // of b, at most, unless a single block is larger

// The processor has tile registers, and the operating system lets this process use them.
bool HasTiles() {
  static const bool kHas = [] {
    if (!MayUseNewestExtensions()) return false;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    constexpr unsigned kNeeded = (1U << 22) | (1U << 24) | (1U << 25);  // bf16, tile, int8
    if ((d & kNeeded) != kNeeded || !__builtin_cpu_supports("avx512vbmi")) return false;
    constexpr int64_t kRequestPermission = 0x1023;
    constexpr int64_t kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return kHas;
}

struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

HALO_TILES void UseTiles() {
  TileConfig config;
  for (int i = 0; i < 8; ++i) {
    config.row_bytes[i] = kLine;
    config.rows[i] = kRows;
  }
  _tile_loadconfig(&config);
}
HALO_TILES void LeaveTiles() { _tile_release(); }

// The rows of a from which tiles are loaded. Strides are in bytes.
struct Rows {
  const uint8_t* at;
  int64_t row;   // to the next row
  int64_t line;  // to the next tile along k
};
struct Sums {
  uint8_t* at;
  int64_t row;
  bool add;  // to the existing sums
};

enum class Kind { kBF16, kSS, kSU, kUS, kUU };

template <Kind kKind>
HALO_TILES inline __attribute__((always_inline)) void MultiplyAll() {
  // Tiles 0 to 3 are the sums, 4 and 5 rows of a, 6 and 7 columns of b.
  if constexpr (kKind == Kind::kBF16) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  } else if constexpr (kKind == Kind::kSS) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  } else if constexpr (kKind == Kind::kSU) {
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
  } else if constexpr (kKind == Kind::kUS) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  } else {
    _tile_dpbuud(0, 4, 6);
    _tile_dpbuud(1, 4, 7);
    _tile_dpbuud(2, 5, 6);
    _tile_dpbuud(3, 5, 7);
  }
}

// Computes one block of sums over some lines. The tiles of b are consecutive; for each line, the
// second half of the columns follows the first.
template <Kind kKind>
HALO_TILES void SumBlock(const Rows& a, int64_t lines, const uint8_t* b, const Sums& to) {
  uint8_t* const lower = to.at + kRows * to.row;
  if (to.add) {
    _tile_loadd(0, to.at, to.row);
    _tile_loadd(1, to.at + kLine, to.row);
    _tile_loadd(2, lower, to.row);
    _tile_loadd(3, lower + kLine, to.row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const uint8_t* from = a.at;
  for (int64_t i = 0; i < lines; ++i) {
    _tile_loadd(4, from, a.row);
    _tile_loadd(6, b, kLine);
    _tile_loadd(7, b + kRows * kLine, kLine);
    _tile_loadd(5, from + kRows * a.row, a.row);
    MultiplyAll<kKind>();
    b += 2 * kRows * kLine;
    from += a.line;
  }
  _tile_stored(0, to.at, to.row);
  _tile_stored(1, to.at + kLine, to.row);
  _tile_stored(2, lower, to.row);
  _tile_stored(3, lower + kLine, to.row);
}

using BlockFunction = void (*)(const Rows&, int64_t, const uint8_t*, const Sums&);

class TiledGemm : public ProductKernel {
 public:
  TiledGemm(const Product& product, BlockFunction block)
      : product_(product),
        block_(block),
        element_(static_cast<int64_t>(StoredBytes(product.a_type))),
        per_line_(kLine / element_),
        lines_((product.k + per_line_ - 1) / per_line_) {
    const Product& p = product_;
    const int64_t blocks = (p.n + kBlock - 1) / kBlock;
    chunk_blocks_ = std::clamp<int64_t>(kChunkBytes / (lines_ * kTwoTiles), 1, blocks);
    const int64_t team = TeamSize();
    // At least as many chunks as threads, all about the same size.
    int64_t chunks = (blocks + chunk_blocks_ - 1) / chunk_blocks_;
    if (p.batches() < team) chunks = std::min(blocks, (chunks + team - 1) / team * team);
    chunk_blocks_ = (blocks + chunks - 1) / chunks;
    chunks_ = (blocks + chunk_blocks_ - 1) / chunk_blocks_;
    const int64_t row_blocks = (p.m + kBlock - 1) / kBlock;
    if (p.batches() * chunks_ < team) parts_ = std::min(row_blocks, (team + chunks_ - 1) / chunks_);
    part_rows_ = (row_blocks + parts_ - 1) / parts_ * kBlock;
  }

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    const Product& p = product_;
    const int64_t tasks = p.batches() * chunks_ * parts_;
    constexpr int64_t kWorthAThread = 1 << 18;  // multiply-adds
    const int64_t work = p.k * std::min(part_rows_, p.m) * std::min(chunk_blocks_ * kBlock, p.n);
    TeamFor(tasks, std::max<int64_t>(1, kWorthAThread / work), [&](int64_t begin, int64_t end) {
      const Workspace workspace(chunk_blocks_, lines_);
      UseTiles();
      int64_t packed = -1;
      for (int64_t task = begin; task < end; ++task) {
        const BatchOffsets at = OffsetsOf(p, task / (chunks_ * parts_));
        const int64_t column = task / parts_ % chunks_ * chunk_blocks_ * kBlock;
        const int64_t columns = std::min(chunk_blocks_ * kBlock, p.n - column);
        if (packed != task / parts_) {
          Pack(static_cast<const uint8_t*>(b) + (at.b + column * p.b.column) * element_, columns,
               workspace.b);
        }
        packed = task / parts_;
        const int64_t row = task % parts_ * part_rows_;
        for (int64_t i = row; i < std::min(row + part_rows_, p.m); i += kBlock) {
          RowBlock(static_cast<const uint8_t*>(a) + (at.a + i * p.a.row) * element_,
                   std::min(kBlock, p.m - i), workspace, columns, static_cast<uint8_t*>(c),
                   at.c + i * p.c.row + column);
        }
      }
      LeaveTiles();
    });
    return true;
  }
  [[nodiscard]] std::string Text() const override {
    return "tiled GEMM " + std::string(TextOf(product_.a_type)) + " " + product_.SizeText();
  }

 private:
  static constexpr int64_t kTwoTiles = 2 * kRows * kLine;
  // This many lines of a's rows stay in the nearest cache while columns of b stream through.
  static constexpr int64_t kDepth = 16;

  // The memory of one thread: tiles of b, then of a, and a row of blocks of sums.
  struct Workspace {
    Workspace(int64_t blocks, int64_t lines)
        : memory(static_cast<uint8_t*>(operator new(
              static_cast<size_t>(blocks * lines * kTwoTiles + kDepth * kTwoTiles +
                                  blocks * kBlock * kBlock * 4),
              std::align_val_t{64}))),
          b(memory.get()),
          a(b + blocks * lines * kTwoTiles),
          sums(a + kDepth * kTwoTiles) {}

    struct Free {
      void operator()(uint8_t* each) const { operator delete(each, std::align_val_t{64}); }
    };
    std::unique_ptr<uint8_t, Free> memory;
    uint8_t *b, *a, *sums;
  };

  // Packs blocks of columns one after the other, reading them in memory order.
  void Pack(const uint8_t* b, int64_t columns, uint8_t* to) const {
    const int64_t blocks = (columns + kBlock - 1) / kBlock;
    const bool by_rows = product_.b.column == 1;
    for (int64_t i = 0; i < blocks * lines_; ++i) {
      const int64_t line = by_rows ? i / blocks : i % lines_;
      const int64_t block = by_rows ? i % blocks : i / lines_;
      PackLine(b, line, block * kBlock, std::min(kBlock, columns - block * kBlock),
               to + (block * lines_ + line) * kTwoTiles);
    }
  }

  void PackLine(const uint8_t* b, int64_t line, int64_t j, int64_t count, uint8_t* to) const {
    const Product& p = product_;
    const int64_t row = p.b.row * element_;
    const int64_t column = p.b.column * element_;
    const int64_t left = std::min(per_line_, p.k - line * per_line_);
    const uint8_t* from = b + line * per_line_ * row + j * column;
    if (left < per_line_ || count < kBlock || (p.b.column != 1 && p.b.row != 1)) {
      PackTiles({from, row, column, element_}, left, count, to);
    } else if (p.b.column != 1) {
      PackColumns(from, column, to);
    } else if (element_ == 1) {
      PackRowsOfBytes(from, row, to);
    } else {
      PackRowsOfHalves(from, row, to);
    }
  }

  void RowBlock(const uint8_t* a, int64_t rows, const Workspace& workspace, int64_t columns,
                uint8_t* c, int64_t c_at) const {
    const Product& p = product_;
    const ElementType sum = p.a_type == ElementType::kBF16 ? ElementType::kF32 : ElementType::kS32;
    const auto out_bytes = static_cast<int64_t>(StoredBytes(p.c_type));
    const int64_t row = p.a.row * element_;
    const bool in_place = p.c_type == sum && rows == kBlock && columns % kBlock == 0;
    // Rows at such distances evict each other from the nearest cache.
    const bool packed = rows < kBlock || row % 2048 == 0;
    Sums sums = {workspace.sums, columns * 4, false};
    if (in_place) {
      sums = {c + c_at * 4, p.c.row * 4, false};
    } else {
      sums.row = (columns + kBlock - 1) / kBlock * kBlock * 4;
    }
    for (int64_t line = 0; line < lines_; line += kDepth) {
      const int64_t lines = std::min(kDepth, lines_ - line);
      const int64_t bytes = std::min(lines * kLine, p.k * element_ - line * kLine);
      Rows from = {a + line * kLine, row, kLine};
      if (packed || bytes < lines * kLine) {
        PackRows(a + line * kLine, row, rows, bytes, workspace.a);
        from = {workspace.a, kLine, kTwoTiles};
      }
      for (int64_t j = 0; j < columns; j += kBlock) {
        block_(from, lines, workspace.b + (j / kBlock * lines_ + line) * kTwoTiles,
               {sums.at + j * 4, sums.row, line > 0});
      }
    }
    if (in_place) return;
    for (int64_t i = 0; i < rows; ++i) {
      uint8_t* out = c + (c_at + i * p.c.row) * out_bytes;
      if (p.c_type == sum) {
        std::memcpy(out, sums.at + i * sums.row, static_cast<size_t>(columns) * 4);
      } else {
        ConvertRun(sum, p.c_type, sums.at + i * sums.row, out, columns);
      }
    }
  }

  Product product_;
  BlockFunction block_;
  int64_t element_, per_line_;
  int64_t lines_;  // of a row of a
  int64_t chunk_blocks_ = 1, chunks_ = 1;
  int64_t parts_ = 1, part_rows_ = 0;  // of the rows
};

}  // namespace

std::unique_ptr<ProductKernel> MakeTiledGemm(const Product& p) {
  using enum ElementType;
  if (p.alpha != 1 || p.beta != 0 || (p.a.column != 1 && p.k != 1)) return nullptr;
  if ((p.c.column != 1 && p.n != 1) || !HasTiles()) return nullptr;
  const auto make = [&](BlockFunction block) { return std::make_unique<TiledGemm>(p, block); };
  const bool bytes = (p.a_type == kS8 || p.a_type == kU8) && (p.b_type == kS8 || p.b_type == kU8);
  if (bytes && p.c_type == kS32) {
    if (p.a_type == kS8) {
      return make(p.b_type == kS8 ? SumBlock<Kind::kSS> : SumBlock<Kind::kSU>);
    }
    return make(p.b_type == kS8 ? SumBlock<Kind::kUS> : SumBlock<Kind::kUU>);
  }
  if (p.a_type == kBF16 && p.b_type == kBF16 && (p.c_type == kBF16 || p.c_type == kF32)) {
    return make(SumBlock<Kind::kBF16>);
  }
  return nullptr;
}

}  // namespace halo

#else

namespace halo {

std::unique_ptr<ProductKernel> MakeTiledGemm(const Product& /*product*/) { return nullptr; }

}  // namespace halo

#endif
