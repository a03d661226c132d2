// Cells, which hold one element of as many lines as a vector has lanes, and how complex numbers in
// memory become cells and back: neighbouring numbers as lanes, or whole lines, by transposing tiles
// in registers. Functions with a level compute in vectors of that level and are called from ForCpu.
#ifndef HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_CELLS_H_
#define HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_CELLS_H_

#include <cstdint>
#include <utility>

#include "halo/codegen/library/lib_vectors.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {

template <class T>
struct FftLanes {
  using Vector = T __attribute__((vector_size(64)));
  static constexpr int64_t kCount = 64 / sizeof(T);
};

// One element of several lines.
template <class T>
struct FftCell {
  typename FftLanes<T>::Vector re, im;
};

template <class T>
T* FftParts(FftCell<T>* cells) {
  return reinterpret_cast<T*>(cells);
}
template <class T>
const T* FftParts(const FftCell<T>* cells) {
  return reinterpret_cast<const T*>(cells);
}

namespace fft {

// The even (kOdd = 0) or odd elements of two vectors.
template <int kOdd, class V, size_t... kLane>
HALO_INLINE V EverySecond(const V& a, const V& b, std::index_sequence<kLane...> /*lanes*/) {
  return __builtin_shufflevector(a, b, static_cast<int>(2 * kLane + kOdd)...);
}

// The first (kUpper = 0) or second half of the elements of two vectors in turn.
template <int kUpper, class V, size_t... kLane>
HALO_INLINE V InTurn(const V& a, const V& b, std::index_sequence<kLane...> /*lanes*/) {
  constexpr size_t kCount = sizeof...(kLane);
  return __builtin_shufflevector(
      a, b, static_cast<int>(kLane % 2 * kCount + kUpper * (kCount / 2) + kLane / 2)...);
}

}  // namespace fft

// One cell from consecutive complex numbers. With `re` 1, real and imaginary parts are swapped.
template <CpuLevel kLevel, class T>
HALO_INLINE void LoadCell(const T* from, int64_t re, FftCell<T>& cell) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  T* parts = FftParts(&cell);
  for (int64_t l = 0; l < kLanes; l += Vectors::kCount) {
    const auto a = Vectors::Load(from + 2 * l);
    const auto b = Vectors::Load(from + 2 * l + Vectors::kCount);
    Vectors::Store(fft::EverySecond<0>(a, b, typename Vectors::Lanes()), parts + re * kLanes + l);
    Vectors::Store(fft::EverySecond<1>(a, b, typename Vectors::Lanes()),
                   parts + (1 - re) * kLanes + l);
  }
}

template <CpuLevel kLevel, class T>
HALO_INLINE void StoreCell(const FftCell<T>& cell, int64_t re, T scale, T* to) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  const T* parts = FftParts(&cell);
  for (int64_t l = 0; l < kLanes; l += Vectors::kCount) {
    const auto a = Vectors::Load(parts + re * kLanes + l) * scale;
    const auto b = Vectors::Load(parts + (1 - re) * kLanes + l) * scale;
    Vectors::Store(fft::InTurn<0>(a, b, typename Vectors::Lanes()), to + 2 * l);
    Vectors::Store(fft::InTurn<1>(a, b, typename Vectors::Lanes()), to + 2 * l + Vectors::kCount);
  }
}

// A square of cells of which element j of lane i becomes element i of lane j. The first `count` of
// the new cells are stored.
template <CpuLevel kLevel, class T>
HALO_INLINE void TransposeCells(const FftCell<T>* from, int64_t count, FftCell<T>* to) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  constexpr int64_t kTile = Vectors::kCount;
  for (int64_t part = 0; part < 2; ++part) {
    for (int64_t i = 0; i < count; i += kTile) {
      for (int64_t l = 0; l < kLanes; l += kTile) {
        typename Vectors::Vector v[kTile];
        const T* at = FftParts(from + l) + part * kLanes + i;
        for (int64_t k = 0; k < kTile; ++k) v[k] = Vectors::Load(at + k * 2 * kLanes);
        TransposeVectors<Vectors>(v);
        T* out = FftParts(to + i) + part * kLanes + l;
        for (int64_t k = 0; k < kTile; ++k) {
          if (i + k < count) Vectors::Store(v[k], out + k * 2 * kLanes);
        }
      }
    }
  }
}

// n cells from lines of consecutive complex numbers, one line in each lane.
template <CpuLevel kLevel, class T>
HALO_INLINE void LoadLines(const T* const* lines, int64_t n, int64_t re, FftCell<T>* cells) {
  using Vectors = LevelVectors<T, kLevel>;
  using Lanes = typename Vectors::Lanes;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  constexpr int64_t kTile = Vectors::kCount;
  int64_t j = 0;
  for (; j + kTile <= n; j += kTile) {
    for (int64_t l = 0; l < kLanes; l += kTile) {
      typename Vectors::Vector v[kTile];
      T* to = FftParts(cells + j) + l;
      const auto store = [&](int64_t part) HALO_INLINED {
        TransposeVectors<Vectors>(v);
        for (int64_t k = 0; k < kTile; ++k) {
          Vectors::Store(v[k], to + (2 * k + part) * kLanes);
        }
      };
      const auto at = [&](int64_t k) HALO_INLINED { return lines[l + k] + 2 * j; };
      for (int64_t k = 0; k < kTile; ++k) {
        v[k] = fft::EverySecond<0>(Vectors::Load(at(k)), Vectors::Load(at(k) + kTile), Lanes());
      }
      store(re);
      for (int64_t k = 0; k < kTile; ++k) {
        v[k] = fft::EverySecond<1>(Vectors::Load(at(k)), Vectors::Load(at(k) + kTile), Lanes());
      }
      store(1 - re);
    }
  }
  for (; j < n; ++j) {
    T* to = FftParts(cells + j);
    for (int64_t l = 0; l < kLanes; ++l) {
      to[re * kLanes + l] = lines[l][2 * j];
      to[(1 - re) * kLanes + l] = lines[l][2 * j + 1];
    }
  }
}

// The first `count` lanes of n cells as lines of consecutive complex numbers.
template <CpuLevel kLevel, class T>
HALO_INLINE void StoreLines(const FftCell<T>* cells, int64_t n, int64_t re, T scale,
                            T* const* lines, int64_t count) {
  using Vectors = LevelVectors<T, kLevel>;
  using Lanes = typename Vectors::Lanes;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  constexpr int64_t kTile = Vectors::kCount;
  int64_t j = 0;
  for (; j + kTile <= n; j += kTile) {
    for (int64_t l = 0; l < count; l += kTile) {
      const T* from = FftParts(cells + j) + l;
      typename Vectors::Vector v[2][kTile];
      for (int64_t part = 0; part < 2; ++part) {
        const T* at = from + (part == 0 ? re : 1 - re) * kLanes;
        for (int64_t k = 0; k < kTile; ++k) v[part][k] = Vectors::Load(at + 2 * k * kLanes) * scale;
        TransposeVectors<Vectors>(v[part]);
      }
      for (int64_t k = 0; k < kTile && l + k < count; ++k) {
        T* to = lines[l + k] + 2 * j;
        Vectors::Store(fft::InTurn<0>(v[0][k], v[1][k], Lanes()), to);
        Vectors::Store(fft::InTurn<1>(v[0][k], v[1][k], Lanes()), to + kTile);
      }
    }
  }
  for (; j < n; ++j) {
    const T* from = FftParts(cells + j);
    for (int64_t l = 0; l < count; ++l) {
      lines[l][2 * j] = from[re * kLanes + l] * scale;
      lines[l][2 * j + 1] = from[(1 - re) * kLanes + l] * scale;
    }
  }
}

// n cells from lines of real numbers: even lines become real parts, odd ones imaginary parts.
template <CpuLevel kLevel, class T>
HALO_INLINE void LoadRealLines(const T* const* lines, int64_t n, FftCell<T>* cells) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  constexpr int64_t kTile = Vectors::kCount;
  int64_t j = 0;
  for (; j + kTile <= n; j += kTile) {
    for (int64_t part = 0; part < 2; ++part) {
      for (int64_t l = 0; l < kLanes; l += kTile) {
        typename Vectors::Vector v[kTile];
        for (int64_t k = 0; k < kTile; ++k) v[k] = Vectors::Load(lines[2 * (l + k) + part] + j);
        TransposeVectors<Vectors>(v);
        T* to = FftParts(cells + j) + part * kLanes + l;
        for (int64_t k = 0; k < kTile; ++k) Vectors::Store(v[k], to + k * 2 * kLanes);
      }
    }
  }
  for (; j < n; ++j) {
    T* to = FftParts(cells + j);
    for (int64_t l = 0; l < 2 * kLanes; ++l) to[l % 2 * kLanes + l / 2] = lines[l][j];
  }
}

// The first `count` lines of real numbers from n cells whose parts are swapped, as an inverse
// transform leaves them.
template <CpuLevel kLevel, class T>
HALO_INLINE void StoreRealLines(const FftCell<T>* cells, int64_t n, T scale, T* const* lines,
                                int64_t count) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  constexpr int64_t kTile = Vectors::kCount;
  int64_t j = 0;
  for (; j + kTile <= n; j += kTile) {
    for (int64_t part = 0; part < 2; ++part) {
      for (int64_t l = 0; 2 * l + part < count; l += kTile) {
        typename Vectors::Vector v[kTile];
        const T* from = FftParts(cells + j) + (1 - part) * kLanes + l;
        for (int64_t k = 0; k < kTile; ++k) v[k] = Vectors::Load(from + k * 2 * kLanes) * scale;
        TransposeVectors<Vectors>(v);
        for (int64_t k = 0; k < kTile && 2 * (l + k) + part < count; ++k) {
          Vectors::Store(v[k], lines[2 * (l + k) + part] + j);
        }
      }
    }
  }
  for (; j < n; ++j) {
    const T* from = FftParts(cells + j);
    for (int64_t l = 0; l < count; ++l) lines[l][j] = from[(1 - l % 2) * kLanes + l / 2] * scale;
  }
}

}  // namespace halo

#pragma clang diagnostic pop

#endif  // HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_CELLS_H_
