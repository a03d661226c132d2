// The fft instruction: one pass per transformed dimension, each over all lines along it, as many at
// a time as a vector has lanes. Real lines are processed in pairs, one as the real and one as the
// imaginary part. A few long lines are left to lib_fft_long.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "halo/codegen/library/fft/lib_fft_lines.h"
#include "halo/codegen/library/fft/lib_fft_long.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/lib_shapes.h"

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
    return long_real_ != nullptr ? long_real_->scratch_bytes() : shares() * share_bytes();
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
  [[nodiscard]] int64_t shares() const {
    return ShareCount((lines() + per_cell() - 1) / per_cell(), transform_->workspace() * kLanes);
  }

  void RunBlocks(const void* from, void* to, void* scratch) const {
    const int64_t blocks = (lines() + per_cell() - 1) / per_cell();
    ForShares(blocks, shares(), [&](int64_t share, int64_t begin, int64_t end) {
      auto* x =
          reinterpret_cast<FftCell<T>*>(static_cast<uint8_t*>(scratch) + share * share_bytes());
      FftCell<T>* y = x + transform_->workspace();
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * per_cell();
        const int64_t count = std::min(per_cell(), lines() - first);
        Load(static_cast<const T*>(from), first, count, x);
        Store(transform_->Run(x, y), first, count, static_cast<T*>(to));
      }
    });
  }

  static constexpr int64_t kLanes = FftLanes<T>::kCount;
  static constexpr int64_t kTile = 16;
  [[nodiscard]] int64_t per_cell() const { return pairs_ ? 2 * kLanes : kLanes; }
  static T* Re(FftCell<T>* cells) { return reinterpret_cast<T*>(cells); }

  // An inverse transform is a forward one with real and imaginary parts swapped.
  void Load(const T* from, int64_t first, int64_t count, FftCell<T>* cells) const {
    const int64_t n = transform_->length();
    T* to = Re(cells);
    if (count < per_cell()) std::memset(to, 0, static_cast<size_t>(n) * sizeof(FftCell<T>));
    const int64_t step = from_.placed.stride();
    int64_t offsets[2 * kLanes];
    const bool neighbours = Offsets(from_, first, count, offsets);
    if (!pairs_ && neighbours && count == kLanes) {
      LoadNeighbours(from + 2 * offsets[0], 2 * step, to);
      return;
    }
    // Process a few cells of all lines at a time, which stay in the nearest cache.
    for (int64_t begin = 0; begin < n && (!pairs_ || !from_.complex); begin += kTile) {
      const int64_t end = std::min(begin + kTile, n);
      for (int64_t l = 0; l < count; ++l) {
        if (!pairs_) {
          LoadComplexLine(from + 2 * offsets[l], 2 * step, begin, end, inverse_, to + l);
        } else {
          const T* line = from + offsets[l];
          T* part = to + l / 2 + (l % 2) * kLanes;
          for (int64_t i = begin; i < end; ++i) part[i * 2 * kLanes] = line[i * step];
        }
      }
    }
    for (int64_t l = 0; pairs_ && from_.complex && l < count; ++l) {
      LoadHalfLine(from + 2 * offsets[l], 2 * step, n, l % 2 == 1, to + l / 2);
    }
  }

  // True if consecutive lines are one element apart.
  static bool Offsets(const Lines& lines, int64_t first, int64_t count, int64_t* offsets) {
    bool neighbours = true;
    for (int64_t l = 0; l < count; ++l) {
      offsets[l] = lines.placed.Offset(first + l);
      neighbours = neighbours && offsets[l] == offsets[0] + l;
    }
    return neighbours;
  }

  void LoadNeighbours(const T* from, int64_t step, T* to) const {
    const int64_t re = inverse_ ? kLanes : 0;
    const int64_t im = kLanes - re;
    for (int64_t i = 0; i < transform_->length(); ++i) {
      const T* cell = from + i * step;
      T* at = to + i * 2 * kLanes;
      for (int64_t l = 0; l < kLanes; ++l) at[re + l] = cell[2 * l];
      for (int64_t l = 0; l < kLanes; ++l) at[im + l] = cell[2 * l + 1];
    }
  }

  void StoreNeighbours(const T* from, T scale, T* to, int64_t step) const {
    const int64_t re = inverse_ ? kLanes : 0;
    const int64_t im = kLanes - re;
    for (int64_t i = 0; i < transform_->length(); ++i) {
      const T* at = from + i * 2 * kLanes;
      T* cell = to + i * step;
      for (int64_t l = 0; l < kLanes; ++l) {
        cell[2 * l] = at[re + l] * scale;
        cell[2 * l + 1] = at[im + l] * scale;
      }
    }
  }

  static void LoadComplexLine(const T* line, int64_t step, int64_t begin, int64_t end,
                              bool exchanges, T* to) {
    const int64_t re = exchanges ? kLanes : 0;
    const int64_t im = kLanes - re;
    for (int64_t i = begin; i < end; ++i) {
      to[i * 2 * kLanes + re] = line[i * step];
      to[i * 2 * kLanes + im] = line[i * step + 1];
    }
  }

  // Loads a spectrum of which one half is given and the other is its mirror image: either as a new
  // line or, multiplied by i, added to one. Real and imaginary parts are swapped.
  void LoadHalfLine(const T* line, int64_t step, int64_t n, bool second, T* to) const {
    const int64_t given = std::min(from_.placed.length(), n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t mirrored = n - i;
      T re = 0;
      T im = 0;
      if (i < given) {
        re = line[i * step];
        im = i == 0 || mirrored == i ? T{0} : line[i * step + 1];
      } else if (mirrored < given) {
        re = line[mirrored * step];
        im = -line[mirrored * step + 1];
      }
      T* at = to + i * 2 * kLanes;
      if (second) {
        at[kLanes] -= im;
        at[0] += re;
      } else {
        at[kLanes] = re;
        at[0] = im;
      }
    }
  }

  void Store(FftCell<T>* cells, int64_t first, int64_t count, T* to) const {
    const int64_t n = transform_->length();
    const T* from = Re(cells);
    const int64_t step = to_.placed.stride();
    const T scale = inverse_ ? T{1} / static_cast<T>(n) : T{1};
    const int64_t re = inverse_ ? kLanes : 0;
    const int64_t im = kLanes - re;
    int64_t offsets[2 * kLanes];
    if (Offsets(to_, first, count, offsets) && !pairs_ && count == kLanes) {
      StoreNeighbours(from, scale, to + 2 * offsets[0], 2 * step);
      return;
    }
    for (int64_t begin = 0; begin < n && (!pairs_ || !to_.complex); begin += kTile) {
      const int64_t end = std::min(begin + kTile, n);
      for (int64_t l = 0; l < count; ++l) {
        if (!pairs_) {
          T* line = to + 2 * offsets[l];
          for (int64_t i = begin; i < end; ++i) {
            line[2 * i * step] = from[i * 2 * kLanes + re + l] * scale;
            line[2 * i * step + 1] = from[i * 2 * kLanes + im + l] * scale;
          }
        } else {
          T* line = to + offsets[l];
          const T* part = from + l / 2 + (l % 2 == 0 ? re : im);
          for (int64_t i = begin; i < end; ++i) line[i * step] = part[i * 2 * kLanes] * scale;
        }
      }
    }
    for (int64_t l = 0; pairs_ && to_.complex && l < count; ++l) {
      StoreHalfLine(from + l / 2, l % 2 == 1, n, to + 2 * offsets[l], 2 * step);
    }
  }

  // Extracts one of the two real lines whose spectra were added: the conjugate-symmetric part or
  // the antisymmetric part.
  void StoreHalfLine(const T* from, bool second, int64_t n, T* line, int64_t step) const {
    for (int64_t i = 0; i < to_.placed.length(); ++i) {
      const T* a = from + i * 2 * kLanes;
      const T* b = from + (i == 0 ? 0 : n - i) * 2 * kLanes;
      const T half = static_cast<T>(0.5);
      line[i * step] = half * (second ? a[kLanes] + b[kLanes] : a[0] + b[0]);
      line[i * step + 1] = half * (second ? b[0] - a[0] : a[kLanes] - b[kLanes]);
    }
  }

  Lines from_, to_;
  bool inverse_, pairs_;
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
