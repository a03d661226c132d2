// The representation of numbers during computation. Every element type is widened to one of four
// kinds of lane: int64, uint64 (unsigned and pred), double, complex<double>. An op works on lanes
// and rounds its result once, to its element type. So a float op yields the exact result, rounded
// (f64 and transcendental functions: as accurate as the C library), and an integer op wraps to its
// width.
#ifndef HALO_EVAL_LANES_LANES_H_
#define HALO_EVAL_LANES_LANES_H_

#include <complex>
#include <cstddef>
#include <cstdint>

#include "halo/ir/types/element_type.h"

namespace halo {

enum class LaneKind : uint8_t { kInt, kUint, kFloat, kComplex };

inline constexpr size_t kLaneBytes = 16;  // enough for one lane of any kind
inline constexpr size_t kBlock = 512;     // lanes that ops process at a time

LaneKind LaneKindOf(ElementType type);
inline size_t LaneSize(LaneKind kind) { return kind == LaneKind::kComplex ? 16 : 8; }

// Storage for a block of lanes of any kind.
struct alignas(64) LaneBlock {
  unsigned char bytes[kBlock * kLaneBytes];
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes);
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(bytes);
  }
};

// Loads n elements, `stride` elements apart (1: contiguous, 0: one element repeated), into lanes.
void LoadLanes(ElementType type, const uint8_t* from, int64_t stride, size_t n, void* lanes);
// Stores lanes to n contiguous elements. Floats round to nearest even, integers wrap.
void StoreLanes(ElementType type, const void* lanes, size_t n, uint8_t* to);
void StoreLanesStrided(ElementType type, const void* lanes, size_t n, uint8_t* to, int64_t stride);
// Rounds lanes as if they were stored and loaded again.
void RoundLanes(ElementType type, size_t n, void* lanes);

// Single elements, for code that is not performance-critical.
double LoadFloat(ElementType type, const uint8_t* from);  // real types
int64_t LoadInt(ElementType type, const uint8_t* from);   // integers and pred; u64 as its bits
std::complex<double> LoadComplex(ElementType type, const uint8_t* from);
void StoreFloat(ElementType type, double value, uint8_t* to);
void StoreInt(ElementType type, int64_t value, uint8_t* to);
void StoreComplex(ElementType type, std::complex<double> value, uint8_t* to);

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANES_H_
