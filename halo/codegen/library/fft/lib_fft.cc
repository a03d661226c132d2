// The fft instruction: one pass per transformed dimension, each over all lines along it, as many at
// a time as a vector has lanes. Real lines are processed in pairs, one as the real and one as the
// imaginary part. A few long lines are left to lib_fft_long.h.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "halo/codegen/library/fft/lib_fft_lines.h"
#include "halo/codegen/library/fft/lib_fft_long.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// The lines of one array, real or complex.
struct Lines {
  Lines(const Placed& array, size_t dim) : placed(Sorted(array, dim), array.dims.size() - 1) {
    complex = InfoOf(array.type).klass == ElementClass::kComplex;
  }
  RowPositions placed;
  bool complex = true;

 private:
  // The other dimensions sorted by stride, so that consecutive lines are close to each other.
  static Placed Sorted(const Placed& array, size_t dim) {
    std::vector<size_t> order;
    for (size_t i = 0; i < array.dims.size(); ++i) {
      if (i != dim) order.push_back(i);
    }
    std::ranges::sort(order, [&](size_t a, size_t b) {
      return array.strides[a] != array.strides[b] ? array.strides[a] > array.strides[b] : a < b;
    });
    order.push_back(dim);
    Placed out = {.type = array.type, .dims = {}, .strides = {}};
    for (const size_t i : order) {
      out.dims.push_back(array.dims[i]);
      out.strides.push_back(array.strides[i]);
    }
    return out;
  }
};

template <class T>
class FftPass {
 public:
  FftPass(Lines from, Lines to, int64_t n, bool inverse)
      : from_(std::move(from)),
        to_(std::move(to)),
        inverse_(inverse),
        pairs_(!from_.complex || !to_.complex),
        transform_(std::make_shared<FftLines<T>>(n)) {
    shares_ = ShareCount(blocks(), transform_->workspace() * kLanes);
    // A few lines would leave most lanes empty.
    if (!pairs_ && lines() < kLanes / 2) long_ = LongFft<T>::Make(n);
    const Lines& real = from_.complex ? to_ : from_;
    const Lines& spectrum = from_.complex ? from_ : to_;
    if (pairs_ && lines() < kLanes / 2 && real.placed.length() == n && real.placed.stride() == 1 &&
        spectrum.placed.length() == n / 2 + 1) {
      long_real_ = LongRealFft<T>::Make(n);
    }
  }

  [[nodiscard]] int64_t lines() const { return from_.placed.rows(); }
  [[nodiscard]] int64_t scratch_bytes() const {
    if (long_ != nullptr) return long_->scratch_bytes();
    return long_real_ != nullptr ? long_real_->scratch_bytes() : shares_ * share_bytes();
  }

  void Run(const void* from, void* to, void* scratch) const {
    if (long_ == nullptr && long_real_ == nullptr) return RunBlocks(from, to, scratch);
    for (int64_t line = 0; line < lines(); ++line) {
      const T* in =
          static_cast<const T*>(from) + (from_.complex ? 2 : 1) * from_.placed.Offset(line);
      T* out = static_cast<T*>(to) + (to_.complex ? 2 : 1) * to_.placed.Offset(line);
      if (long_ != nullptr) {
        long_->Run(in, from_.placed.stride(), out, to_.placed.stride(), inverse_, scratch);
      } else if (inverse_) {
        long_real_->Inverse(in, from_.placed.stride(), out, scratch);
      } else {
        long_real_->Forward(in, out, to_.placed.stride(), scratch);
      }
    }
  }

 private:
  [[nodiscard]] int64_t share_bytes() const {
    return 2 * transform_->workspace() * static_cast<int64_t>(sizeof(FftCell<T>));
  }
  [[nodiscard]] int64_t blocks() const { return (lines() + per_cell() - 1) / per_cell(); }

  void RunBlocks(const void* from, void* to, void* scratch) const {
    ForShares(blocks(), shares_, [&](int64_t share, int64_t begin, int64_t end) {
      auto* x =
          reinterpret_cast<FftCell<T>*>(static_cast<uint8_t*>(scratch) + share * share_bytes());
      FftCell<T>* y = x + transform_->workspace();
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * per_cell();
        const Block whole = {first, std::min(per_cell(), lines() - first), Pairs::kBoth};
        if (RunBlock(static_cast<const T*>(from), whole, x, y, static_cast<T*>(to))) continue;
        for (const Pairs pairs : {Pairs::kEven, Pairs::kOdd}) {
          const Block half = {whole.first, whole.count, pairs};
          RunBlock(static_cast<const T*>(from), half, x, y, static_cast<T*>(to));
        }
      }
    });
  }

  // Which lines of pairs are transformed: both together, or one of them as both halves of its pair.
  enum class Pairs : uint8_t { kBoth, kEven, kOdd };
  struct Block {
    int64_t first = 0, count = 0;
    Pairs pairs = Pairs::kBoth;
  };

  // Returns false if an infinity or a NaN got from a line into the other one of its pair. Every
  // element of a line counts in its sum, which is the first element of the transform.
  bool RunBlock(const T* from, const Block& block, FftCell<T>* x, FftCell<T>* y, T* to) const {
    Load(from, block, x, y);
    FftCell<T>* done = transform_->Run(x, y);
    if (pairs_ && block.pairs == Pairs::kBoth && !IsFinite(*done)) return false;
    Store(done, done == x ? y : x, block, to);
    return true;
  }

  static bool IsFinite(const FftCell<T>& cell) {
    bool finite = true;
    for (int64_t l = 0; l < kLanes; ++l) {
      finite = finite && std::isfinite(cell.re[l]) && std::isfinite(cell.im[l]);
    }
    return finite;
  }

  static constexpr int64_t kLanes = FftLanes<T>::kCount;
  static constexpr int64_t kTile = 16;
  [[nodiscard]] int64_t per_cell() const { return pairs_ ? 2 * kLanes : kLanes; }

  // An inverse transform is a forward one with real and imaginary parts swapped.
  void Load(const T* from, const Block& block, FftCell<T>* cells, FftCell<T>* spare) const {
    const int64_t n = transform_->length();
    const int64_t step = from_.placed.stride();
    const T* lines[2 * kLanes];
    const bool neighbours = Begins(from_, block, from, lines);
    if (!pairs_) {
      if (!neighbours || block.count < kLanes) return LoadComplex(lines, step, n, inverse_, cells);
      return LoadNeighbours(lines[0], 2 * step, cells);
    }
    if (!from_.complex) return LoadReal(lines, step, n, cells);
    const int64_t given = std::min(from_.placed.length(), n);
    for (const bool odd : {false, true}) {
      const T* half[kLanes];
      for (int64_t l = 0; l < kLanes; ++l) half[l] = lines[2 * l + (odd ? 1 : 0)];
      LoadComplex(half, step, given, false, spare);
      AddSpectra(spare, given, odd, cells);
    }
  }

  void Store(const FftCell<T>* cells, FftCell<T>* spare, const Block& block, T* to) const {
    const int64_t count = block.count;
    const int64_t n = transform_->length();
    const int64_t step = to_.placed.stride();
    const T scale = inverse_ ? T{1} / static_cast<T>(n) : T{1};
    T* lines[2 * kLanes];
    const bool neighbours = Begins(to_, block, to, lines);
    if (!pairs_) {
      if (!neighbours || count < kLanes) {
        return StoreComplex(cells, n, inverse_, scale, lines, step, count);
      }
      return StoreNeighbours(cells, scale, lines[0], 2 * step);
    }
    if (!to_.complex) return StoreReal(cells, scale, lines, step, count);
    for (const bool odd : {false, true}) {
      T* half[kLanes];
      for (int64_t l = 0; l < kLanes; ++l) half[l] = lines[2 * l + (odd ? 1 : 0)];
      const int64_t length = to_.placed.length();
      TakeSpectra(cells, odd, length, spare);
      StoreComplex(spare, length, false, T{1}, half, step, (count + (odd ? 0 : 1)) / 2);
    }
  }

  // Where each line begins; lanes beyond the last line repeat it. True if consecutive lines are one
  // element apart.
  template <class At>
  bool Begins(const Lines& side, const Block& block, At* data, At** lines) const {
    bool neighbours = true;
    int64_t begin = 0;
    for (int64_t l = 0; l < per_cell(); ++l) {
      const int64_t of_pair = block.pairs == Pairs::kBoth  ? l
                              : block.pairs == Pairs::kOdd ? l | 1
                                                           : l & ~int64_t{1};
      const int64_t offset = side.placed.Offset(block.first + std::min(of_pair, block.count - 1));
      if (l == 0) begin = offset;
      neighbours = neighbours && offset == begin + l;
      lines[l] = data + (side.complex ? 2 : 1) * offset;
    }
    return neighbours;
  }

  static void LoadComplex(const T* const* lines, int64_t step, int64_t n, bool exchanges,
                          FftCell<T>* cells) {
    const int64_t re = exchanges ? 1 : 0;
    if (step == 1) {
      return ForCpu([=](auto level)
                        HALO_INLINED { LoadLines<decltype(level)::value>(lines, n, re, cells); });
    }
    // Process a few cells of all lines at a time, which stay in the nearest cache.
    for (int64_t begin = 0; begin < n; begin += kTile) {
      for (int64_t l = 0; l < kLanes; ++l) {
        for (int64_t i = begin; i < std::min(begin + kTile, n); ++i) {
          T* to = FftParts(cells + i) + l;
          to[re * kLanes] = lines[l][2 * i * step];
          to[(1 - re) * kLanes] = lines[l][2 * i * step + 1];
        }
      }
    }
  }

  static void StoreComplex(const FftCell<T>* cells, int64_t n, bool exchanges, T scale,
                           T* const* lines, int64_t step, int64_t count) {
    const int64_t re = exchanges ? 1 : 0;
    if (step == 1) {
      return ForCpu([=](auto level) HALO_INLINED {
        StoreLines<decltype(level)::value>(cells, n, re, scale, lines, count);
      });
    }
    for (int64_t begin = 0; begin < n; begin += kTile) {
      for (int64_t l = 0; l < count; ++l) {
        for (int64_t i = begin; i < std::min(begin + kTile, n); ++i) {
          const T* from = FftParts(cells + i) + l;
          lines[l][2 * i * step] = from[re * kLanes] * scale;
          lines[l][2 * i * step + 1] = from[(1 - re) * kLanes] * scale;
        }
      }
    }
  }

  static void LoadReal(const T* const* lines, int64_t step, int64_t n, FftCell<T>* cells) {
    if (step == 1) {
      return ForCpu([=](auto level)
                        HALO_INLINED { LoadRealLines<decltype(level)::value>(lines, n, cells); });
    }
    for (int64_t begin = 0; begin < n; begin += kTile) {
      for (int64_t l = 0; l < 2 * kLanes; ++l) {
        for (int64_t i = begin; i < std::min(begin + kTile, n); ++i) {
          FftParts(cells + i)[l % 2 * kLanes + l / 2] = lines[l][i * step];
        }
      }
    }
  }

  void StoreReal(const FftCell<T>* cells, T scale, T* const* lines, int64_t step,
                 int64_t count) const {
    const int64_t n = transform_->length();
    if (step == 1) {
      return ForCpu([=](auto level) HALO_INLINED {
        StoreRealLines<decltype(level)::value>(cells, n, scale, lines, count);
      });
    }
    for (int64_t begin = 0; begin < n; begin += kTile) {
      for (int64_t l = 0; l < count; ++l) {
        for (int64_t i = begin; i < std::min(begin + kTile, n); ++i) {
          lines[l][i * step] = FftParts(cells + i)[(1 - l % 2) * kLanes + l / 2] * scale;
        }
      }
    }
  }

  void LoadNeighbours(const T* from, int64_t step, FftCell<T>* cells) const {
    const int64_t n = transform_->length();
    const int64_t re = inverse_ ? 1 : 0;
    ForCpu([=](auto level) HALO_INLINED {
      for (int64_t i = 0; i < n; ++i) {
        LoadCell<decltype(level)::value>(from + i * step, re, cells[i]);
      }
    });
  }

  void StoreNeighbours(const FftCell<T>* cells, T scale, T* to, int64_t step) const {
    const int64_t n = transform_->length();
    const int64_t re = inverse_ ? 1 : 0;
    ForCpu([=](auto level) HALO_INLINED {
      for (int64_t i = 0; i < n; ++i) {
        StoreCell<decltype(level)::value>(cells[i], re, scale, to + i * step);
      }
    });
  }

  // Spectra of which one half is given and the other is its mirror image, as new cells with their
  // parts swapped or, multiplied by i, added to these.
  void AddSpectra(const FftCell<T>* half, int64_t given, bool odd, FftCell<T>* cells) const {
    const int64_t n = transform_->length();
    ForCpu([=](auto) HALO_INLINED {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t mirrored = n - i;
        FftCell<T> value = {};
        if (i < given) {
          value.re = half[i].re;
          if (i != 0 && mirrored != i) value.im = half[i].im;
        } else if (mirrored < given) {
          value.re = half[mirrored].re;
          value.im = -half[mirrored].im;
        }
        if (odd) {
          cells[i].im -= value.im;
          cells[i].re += value.re;
        } else {
          cells[i].im = value.re;
          cells[i].re = value.im;
        }
      }
    });
  }

  // The spectra of the even or the odd lines of pairs: the conjugate-symmetric part of what was
  // transformed, or the antisymmetric part.
  void TakeSpectra(const FftCell<T>* cells, bool odd, int64_t length, FftCell<T>* half) const {
    const int64_t n = transform_->length();
    constexpr T kHalf = static_cast<T>(0.5);
    ForCpu([=](auto) HALO_INLINED {
      for (int64_t i = 0; i < length; ++i) {
        const FftCell<T>& a = cells[i];
        const FftCell<T>& b = cells[i == 0 ? 0 : n - i];
        half[i].re = (odd ? a.im + b.im : a.re + b.re) * kHalf;
        half[i].im = (odd ? b.re - a.re : a.im - b.im) * kHalf;
      }
    });
  }

  Lines from_, to_;
  bool inverse_, pairs_;
  int64_t shares_ = 1;  // of the scratch memory; the team may grow before the transform runs
  std::shared_ptr<FftLines<T>> transform_;
  std::shared_ptr<const LongFft<T>> long_;
  std::shared_ptr<const LongRealFft<T>> long_real_;
};

template <class T>
class FftOp : public LibraryOp {
 public:
  FftOp(const Placed& operand, const Placed& result, size_t transformed, bool inverse)
      : count_(result.count()) {
    const size_t last = operand.dims.size() - 1;
    const size_t first = operand.dims.size() - transformed;
    const bool to_real = InfoOf(result.type).klass != ElementClass::kComplex;
    // Between passes, complex numbers are stored in the result or, if it is real, in scratch.
    Placed work = result;
    if (to_real && transformed > 1) {
      work = RowMajor(sizeof(T) == 4 ? ElementType::kC64 : ElementType::kC128, operand.dims);
      work_at_ = scratch_.Take(work.bytes());
    }
    if (!inverse) {
      Add(operand, result, last, operand.dims[last], false);
      for (size_t dim = last; dim-- > first;) Add(result, result, dim, result.dims[dim], false);
    } else {
      const Placed* from = &operand;
      for (size_t dim = last; dim-- > first;) {
        Add(*from, work, dim, work.dims[dim], true);
        from = &work;
      }
      Add(*from, result, last, result.dims[last], true);
    }
    int64_t workspace = 0;
    for (const FftPass<T>& pass : passes_) {
      workspace = std::max(workspace, pass.scratch_bytes());
    }
    workspace_at_ = scratch_.Take(workspace);
  }

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    if (count_ == 0) return std::nullopt;
    auto* workspace = static_cast<uint8_t*>(scratch);
    void* work = work_at_ ? workspace + *work_at_ : buffers[1];
    for (size_t i = 0; i < passes_.size(); ++i) {
      passes_[i].Run(i == 0 ? buffers[0] : work, i + 1 == passes_.size() ? buffers[1] : work,
                     workspace + workspace_at_);
    }
    return std::nullopt;
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return scratch_.bytes(); }
  [[nodiscard]] std::string Text() const override {
    return "fft in " + std::to_string(passes_.size()) + " passes";
  }

 private:
  void Add(const Placed& from, const Placed& to, size_t dim, int64_t n, bool inverse) {
    passes_.emplace_back(Lines(from, dim), Lines(to, dim), std::max<int64_t>(n, 1), inverse);
  }

  int64_t count_;
  std::vector<FftPass<T>> passes_;
  std::optional<int64_t> work_at_;
  int64_t workspace_at_ = 0;
  ScratchLayout scratch_;
};

}  // namespace

std::unique_ptr<LibraryOp> MakeFftOp(const Module& module, InstId id) {
  using enum ElementType;
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 1 || !results || results->size() != 1) return nullptr;
  const Placed& operand = (*operands)[0];
  const Placed& result = (*results)[0];
  const std::string_view kind = module.TextOr(inst.attrs, AttrKey::k_fft_type);
  const size_t transformed = module.IntsOf(inst.attrs, AttrKey::k_fft_length).size();
  const auto is_known = [](ElementType type, bool wide) {
    return wide ? type == kF64 || type == kC128 : type == kF32 || type == kC64;
  };
  const bool wide = result.type == kF64 || result.type == kC128;
  // Lines must have the same numbering on both sides of a pass.
  const auto order = [](const Placed& array) {
    std::vector<size_t> dims(array.dims.size());
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = i;
    std::ranges::sort(dims,
                      [&](size_t a, size_t b) { return array.strides[a] > array.strides[b]; });
    return dims;
  };
  if (transformed == 0 || transformed > operand.dims.size() || !is_known(operand.type, wide) ||
      !is_known(result.type, wide) || operand.count() == 0) {
    return nullptr;
  }
  const bool row_major = operand.strides == RowMajorStrides(operand.dims) &&
                         result.strides == RowMajorStrides(result.dims);
  if (!row_major && (operand.dims != result.dims || order(operand) != order(result))) {
    return nullptr;
  }
  const bool inverse = kind == "IFFT" || kind == "IRFFT";
  if (wide) return std::make_unique<FftOp<double>>(operand, result, transformed, inverse);
  return std::make_unique<FftOp<float>>(operand, result, transformed, inverse);
}

}  // namespace halo
