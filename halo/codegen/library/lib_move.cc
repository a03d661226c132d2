// Axes are sorted in the result's order and collapsed where both sides allow it. If source and
// result are then still contiguous along different axes, the elements are moved in tiles.
#include "halo/codegen/library/lib_move.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "halo/codegen/library/lib_vectors.h"
#include "halo/codegen/library/lib_widen.h"
#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

constexpr int64_t kTile = 32;

void WidenBF16(const uint16_t* from, float* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i)
      to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i]) << 16);
  });
}

void NarrowBF16(const float* from, uint16_t* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<uint32_t>(from[i]);
      const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
      const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
      to[i] = static_cast<uint16_t>(is_nan ? (bits >> 16) | 0x40U : rounded);
    }
  });
}

void WidenF16(const _Float16* from, float* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
  });
}

void NarrowF16(const float* from, _Float16* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<_Float16>(from[i]);
  });
}

void WidenBytes(ElementType type, const uint8_t* from, float* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    WithWidening(type, [=](auto widened) HALO_INLINED { widen::Run(widened, from, to, n); });
  });
}

// Every 8-bit float but those that are only exponents is also a bf16.
void BytesToBF16(ElementType type, const uint8_t* from, uint16_t* to, int64_t n) {
  constexpr int64_t kRun = 512;
  float wide[kRun];
  for (int64_t at = 0; at < n; at += kRun) {
    const int64_t count = std::min(kRun, n - at);
    WidenBytes(type, from + at, wide, count);
    NarrowBF16(wide, to + at, count);
  }
}

template <class From, class To>
void Cast(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<To*>(to)[i] = static_cast<To>(static_cast<const From*>(from)[i]);
  }
}

void ConvertByLanes(ElementType from_type, ElementType to_type, const uint8_t* from, int64_t stride,
                    uint8_t* to, int64_t to_stride, int64_t n) {
  const auto from_bytes = static_cast<int64_t>(StoredBytes(from_type));
  const auto to_bytes = static_cast<int64_t>(StoredBytes(to_type));
  LaneBlock in;
  LaneBlock out;
  for (int64_t at = 0; at < n; at += static_cast<int64_t>(kBlock)) {
    const auto count = static_cast<size_t>(std::min<int64_t>(kBlock, n - at));
    LoadLanes(from_type, from + at * stride * from_bytes, stride, count, in.bytes);
    ConvertLanes(from_type, to_type, in.bytes, out.bytes, count);
    StoreLanesStrided(to_type, out.bytes, count, to + at * to_stride * to_bytes, to_stride);
  }
}

template <int64_t kBytes>
void CopyStrided(const uint8_t* from, int64_t stride, uint8_t* to, int64_t to_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(to + i * to_stride * kBytes, from + i * stride * kBytes, kBytes);
  }
}

void CopyRow(size_t bytes, const uint8_t* from, int64_t stride, uint8_t* to, int64_t to_stride,
             int64_t n) {
  if (stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * bytes);
    return;
  }
  switch (bytes) {
    case 1: return CopyStrided<1>(from, stride, to, to_stride, n);
    case 2: return CopyStrided<2>(from, stride, to, to_stride, n);
    case 4: return CopyStrided<4>(from, stride, to, to_stride, n);
    case 8: return CopyStrided<8>(from, stride, to, to_stride, n);
    default: return CopyStrided<16>(from, stride, to, to_stride, n);
  }
}

// to[j, i] = from[i, j] for rows x columns of the source: whole vectors of both in squares.
template <class T>
void TransposeTile(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows,
                   int64_t columns) {
  ForCpu([=](auto level) HALO_INLINED {
    using Vectors = LevelVectors<T, decltype(level)::value>;
    constexpr int64_t kSide = Vectors::kCount;
    const int64_t whole_rows = rows / kSide * kSide;
    const int64_t whole_columns = columns / kSide * kSide;
    for (int64_t j = 0; j < whole_columns; j += kSide) {
      for (int64_t i = 0; i < whole_rows; i += kSide) {
        typename Vectors::Vector v[kSide];
        for (int64_t k = 0; k < kSide; ++k) v[k] = Vectors::Load(from + (i + k) * from_row + j);
        TransposeVectors<Vectors>(v);
        for (int64_t k = 0; k < kSide; ++k) Vectors::Store(v[k], to + (j + k) * to_row + i);
      }
    }
    const auto rest = [=](int64_t first_row, int64_t end_row, int64_t first, int64_t end)
                          HALO_INLINED {
                            for (int64_t j = first; j < end; ++j) {
                              for (int64_t i = first_row; i < end_row; ++i) {
                                to[j * to_row + i] = from[i * from_row + j];
                              }
                            }
                          };
    rest(whole_rows, rows, 0, whole_columns);
    rest(0, rows, whole_columns, columns);
  });
}
void TransposeAny(size_t bytes, const uint8_t* from, int64_t from_row, uint8_t* to, int64_t to_row,
                  int64_t rows, int64_t columns) {
  const auto as = [&]<class T>(T) {
    TransposeTile(reinterpret_cast<const T*>(from), from_row, reinterpret_cast<T*>(to), to_row,
                  rows, columns);
  };
  switch (bytes) {
    case 1:
    case 2: {
      // Squares of so many lanes do not fit the registers.
      for (int64_t j = 0; j < columns; ++j) {
        const auto* line = from + j * static_cast<int64_t>(bytes);
        auto* column = to + j * to_row * static_cast<int64_t>(bytes);
        bytes == 1 ? CopyStrided<1>(line, from_row, column, 1, rows)
                   : CopyStrided<2>(line, from_row, column, 1, rows);
      }
      return;
    }
    case 4: return as(uint32_t{});
    case 8: return as(uint64_t{});
    default:
      for (int64_t j = 0; j < columns; ++j) {
        CopyStrided<16>(from + j * 16, from_row, to + j * to_row * 16, 1, rows);
      }
  }
}

std::vector<MoveAxis> Zip(std::span<const int64_t> dims, std::span<const int64_t> from,
                          std::span<const int64_t> to) {
  std::vector<MoveAxis> axes;
  for (size_t i = 0; i < dims.size(); ++i) axes.push_back({dims[i], from[i], to[i]});
  return axes;
}

}  // namespace

void ConvertRun(ElementType from_type, ElementType to_type, const void* from, void* to, int64_t n) {
  using enum ElementType;
  const auto is = [&](ElementType a, ElementType b) { return from_type == a && to_type == b; };
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<size_t>(n) * StoredBytes(from_type));
  } else if (is(kBF16, kF32)) {
    WidenBF16(static_cast<const uint16_t*>(from), static_cast<float*>(to), n);
  } else if (is(kF32, kBF16)) {
    NarrowBF16(static_cast<const float*>(from), static_cast<uint16_t*>(to), n);
  } else if (is(kF16, kF32)) {
    WidenF16(static_cast<const _Float16*>(from), static_cast<float*>(to), n);
  } else if (is(kF32, kF16)) {
    NarrowF16(static_cast<const float*>(from), static_cast<_Float16*>(to), n);
  } else if (to_type == kF32 && ValuesOfBytes(from_type) != nullptr) {
    WidenBytes(from_type, static_cast<const uint8_t*>(from), static_cast<float*>(to), n);
  } else if (to_type == kBF16 && ValuesOfBytes(from_type) != nullptr) {
    BytesToBF16(from_type, static_cast<const uint8_t*>(from), static_cast<uint16_t*>(to), n);
  } else if (is(kF32, kF64)) {
    Cast<float, double>(from, to, n);
  } else if (is(kF64, kF32)) {
    Cast<double, float>(from, to, n);
  } else {
    ConvertByLanes(from_type, to_type, static_cast<const uint8_t*>(from), 1,
                   static_cast<uint8_t*>(to), 1, n);
  }
}

Move::Move(ElementType from, ElementType to, std::vector<MoveAxis> axes) : from_(from), to_(to) {
  if (std::ranges::any_of(axes, [](const MoveAxis& a) { return a.size == 0; })) {
    inner_.size = 0;
    return;
  }
  std::erase_if(axes, [](const MoveAxis& axis) { return axis.size == 1; });
  std::ranges::sort(axes, [](const MoveAxis& a, const MoveAxis& b) { return a.to > b.to; });
  for (const MoveAxis& axis : axes) {
    if (!axes_.empty() && axes_.back().from == axis.from * axis.size &&
        axes_.back().to == axis.to * axis.size) {
      axes_.back() = {axes_.back().size * axis.size, axis.from, axis.to};
    } else {
      axes_.push_back(axis);
    }
  }
  inner_ = {1, 1, 1};
  if (axes_.empty()) return;
  inner_ = axes_.back();
  axes_.pop_back();
  if (from_ != to_ || inner_.to != 1 || inner_.from == 1) return;
  const auto across =
      std::ranges::find_if(axes_, [](const MoveAxis& axis) { return axis.from == 1; });
  if (across == axes_.end()) return;
  transposes_ = true;
  across_ = *across;
  axes_.erase(across);
}

Move::Move(ElementType from, ElementType to, std::span<const int64_t> dims,
           std::span<const int64_t> from_strides, std::span<const int64_t> to_strides)
    : Move(from, to, Zip(dims, from_strides, to_strides)) {}

void Move::Row(const uint8_t* from, uint8_t* to) const {
  if (from_ == to_) {
    CopyRow(StoredBytes(from_), from, inner_.from, to, inner_.to, inner_.size);
  } else if (inner_.from == 1 && inner_.to == 1) {
    ConvertRun(from_, to_, from, to, inner_.size);
  } else {
    ConvertByLanes(from_, to_, from, inner_.from, to, inner_.to, inner_.size);
  }
}

// All tiles of one row of tiles: kTile elements of the inner axis, all of the one across.
void Move::Tiles(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const {
  const auto bytes = static_cast<int64_t>(StoredBytes(from_));
  for (int64_t i = begin; i < end; i += kTile) {
    const int64_t rows = std::min(kTile, end - i);
    for (int64_t j = 0; j < across_.size; j += kTile) {
      TransposeAny(static_cast<size_t>(bytes), from + (i * inner_.from + j) * bytes, inner_.from,
                   to + (i + j * across_.to) * bytes, across_.to, rows,
                   std::min(kTile, across_.size - j));
    }
  }
}

void Move::Rows(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const {
  const int64_t tiles = transposes_ ? (inner_.size + kTile - 1) / kTile : 1;
  const auto from_bytes = static_cast<int64_t>(StoredBytes(from_));
  const auto to_bytes = static_cast<int64_t>(StoredBytes(to_));
  for (int64_t number = begin; number < end; ++number) {
    int64_t rest = number / tiles;
    int64_t from_at = 0;
    int64_t to_at = 0;
    for (size_t i = axes_.size(); i-- > 0;) {
      from_at += rest % axes_[i].size * axes_[i].from;
      to_at += rest % axes_[i].size * axes_[i].to;
      rest /= axes_[i].size;
    }
    const uint8_t* source = from + from_at * from_bytes;
    uint8_t* target = to + to_at * to_bytes;
    if (!transposes_) {
      Row(source, target);
      continue;
    }
    const int64_t first = number % tiles * kTile;
    Tiles(source, target, first, std::min(first + kTile, inner_.size));
  }
}

void Move::Run(const void* from, void* to) const {
  if (inner_.size == 0) return;
  const auto* source = static_cast<const uint8_t*>(from);
  auto* target = static_cast<uint8_t*>(to);
  int64_t rows = 1;
  for (const MoveAxis& axis : axes_) rows *= axis.size;
  constexpr int64_t kWorthAThread = 1 << 14;
  if (rows == 1 && !transposes_ && inner_.from == 1 && inner_.to == 1) {
    const auto from_bytes = static_cast<int64_t>(StoredBytes(from_));
    const auto to_bytes = static_cast<int64_t>(StoredBytes(to_));
    TeamFor(inner_.size, kWorthAThread, [&](int64_t begin, int64_t end) {
      ConvertRun(from_, to_, source + begin * from_bytes, target + begin * to_bytes, end - begin);
    });
    return;
  }
  int64_t per_row = inner_.size;
  if (transposes_) {
    rows *= (inner_.size + kTile - 1) / kTile;
    per_row = kTile * across_.size;
  }
  TeamFor(rows, std::max<int64_t>(1, kWorthAThread / per_row),
          [&](int64_t begin, int64_t end) { Rows(source, target, begin, end); });
}

}  // namespace halo
