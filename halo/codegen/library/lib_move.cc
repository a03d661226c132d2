// Axes are sorted in the result's order and collapsed where both sides allow it. Short runs that
// are contiguous on both sides are moved as one larger element. If source and result are then still
// contiguous along different axes, the elements are moved in tiles.
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

constexpr int64_t kTile = 32;  // a side of a tile, unless the array is narrower
constexpr int64_t kMostElementBytes = 64;

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
    case 16: return CopyStrided<16>(from, stride, to, to_stride, n);
    case 32: return CopyStrided<32>(from, stride, to, to_stride, n);
    default: return CopyStrided<kMostElementBytes>(from, stride, to, to_stride, n);
  }
}

// to[j, i] = from[i, j] for rows x columns of the source: whole vectors of both in squares.
template <class T>
void TransposeTile(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows,
                   int64_t columns) {
  ForCpu([=](auto level) HALO_INLINED {
    using Vectors = LevelVectors<T, decltype(level)::value>;
    constexpr int64_t kSide = Vectors::kCount;
    if (columns == 2 && from_row == 2) {
      for (int64_t i = 0; i < rows; ++i) {
        to[i] = from[2 * i];
        to[to_row + i] = from[2 * i + 1];
      }
      return;
    }
    if (rows == 2 && to_row == 2) {
      for (int64_t j = 0; j < columns; ++j) {
        to[2 * j] = from[j];
        to[2 * j + 1] = from[from_row + j];
      }
      return;
    }
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
  // Squares of many lanes do not fit the registers, and large elements need no squares.
  switch (bytes) {
    case 4: return as(uint32_t{});
    case 8: return as(uint64_t{});
    default:
      const auto size = static_cast<int64_t>(bytes);
      for (int64_t j = 0; j < columns; ++j) {
        CopyRow(bytes, from + j * size, from_row, to + j * to_row * size, 1, rows);
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

Move::Move(ElementType from, ElementType to, std::vector<MoveAxis> axes)
    : from_(from),
      to_(to),
      from_bytes_(static_cast<int64_t>(StoredBytes(from))),
      to_bytes_(static_cast<int64_t>(StoredBytes(to))) {
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
  MoveRunsWhole();
  if (from_ != to_ || inner_.to != 1 || inner_.from == 1) return;
  const auto across =
      std::ranges::find_if(axes_, [](const MoveAxis& axis) { return axis.from == 1; });
  if (across == axes_.end()) return;
  transposes_ = true;
  across_ = *across;
  axes_.erase(across);
  // As many elements in a tile of a narrow array.
  const auto side = [](int64_t other) {
    return other >= kTile ? kTile : kTile * kTile / std::max<int64_t>(other, 1);
  };
  tile_rows_ = side(across_.size);
  tile_columns_ = side(inner_.size);
}

// Makes a short run that is contiguous on both sides one element.
void Move::MoveRunsWhole() {
  if (from_ != to_ || inner_.from != 1 || inner_.to != 1 || axes_.empty()) return;
  const int64_t bytes = inner_.size * from_bytes_;
  if (bytes > kMostElementBytes || !std::has_single_bit(static_cast<uint64_t>(bytes))) return;
  const int64_t run = inner_.size;
  if (std::ranges::any_of(axes_, [run](const MoveAxis& axis) {
        return axis.from % run != 0 || axis.to % run != 0;
      })) {
    return;
  }
  for (MoveAxis& axis : axes_) {
    axis.from /= run;
    axis.to /= run;
  }
  from_bytes_ = to_bytes_ = bytes;
  inner_ = axes_.back();
  axes_.pop_back();
}

Move::Move(ElementType from, ElementType to, std::span<const int64_t> dims,
           std::span<const int64_t> from_strides, std::span<const int64_t> to_strides)
    : Move(from, to, Zip(dims, from_strides, to_strides)) {}

void Move::Row(const uint8_t* from, uint8_t* to) const {
  if (from_ == to_) {
    CopyRow(static_cast<size_t>(from_bytes_), from, inner_.from, to, inner_.to, inner_.size);
  } else if (inner_.from == 1 && inner_.to == 1) {
    ConvertRun(from_, to_, from, to, inner_.size);
  } else {
    ConvertByLanes(from_, to_, from, inner_.from, to, inner_.to, inner_.size);
  }
}

// All tiles of one row of tiles: some elements of the inner axis, all of the one across.
void Move::Tiles(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const {
  const int64_t bytes = from_bytes_;
  for (int64_t j = 0; j < across_.size; j += tile_columns_) {
    TransposeAny(static_cast<size_t>(bytes), from + (begin * inner_.from + j) * bytes, inner_.from,
                 to + (begin + j * across_.to) * bytes, across_.to, end - begin,
                 std::min(tile_columns_, across_.size - j));
  }
}

void Move::Rows(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const {
  const int64_t tiles = transposes_ ? (inner_.size + tile_rows_ - 1) / tile_rows_ : 1;
  // Counts up, since a division for each axis would take longer than a short row.
  std::vector<int64_t> index(axes_.size());
  int64_t from_at = 0;
  int64_t to_at = 0;
  int64_t rest = begin / tiles;
  for (size_t i = axes_.size(); i-- > 0;) {
    index[i] = rest % axes_[i].size;
    from_at += index[i] * axes_[i].from;
    to_at += index[i] * axes_[i].to;
    rest /= axes_[i].size;
  }
  int64_t tile = begin % tiles;
  for (int64_t number = begin; number < end; ++number) {
    const uint8_t* source = from + from_at * from_bytes_;
    uint8_t* target = to + to_at * to_bytes_;
    if (transposes_) {
      const int64_t first = tile * tile_rows_;
      Tiles(source, target, first, std::min(first + tile_rows_, inner_.size));
      if (++tile < tiles) continue;
      tile = 0;
    } else {
      Row(source, target);
    }
    for (size_t i = axes_.size(); i-- > 0;) {
      from_at += axes_[i].from;
      to_at += axes_[i].to;
      if (++index[i] < axes_[i].size) break;
      from_at -= axes_[i].size * axes_[i].from;
      to_at -= axes_[i].size * axes_[i].to;
      index[i] = 0;
    }
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
    TeamFor(inner_.size, kWorthAThread, [&](int64_t begin, int64_t end) {
      ConvertRun(from_, to_, source + begin * from_bytes_, target + begin * to_bytes_, end - begin);
    });
    return;
  }
  int64_t per_row = inner_.size;
  if (transposes_) {
    rows *= (inner_.size + tile_rows_ - 1) / tile_rows_;
    per_row = std::min(tile_rows_, inner_.size) * across_.size;
  }
  TeamFor(rows, std::max<int64_t>(1, kWorthAThread / per_row),
          [&](int64_t begin, int64_t end) { Rows(source, target, begin, end); });
}

}  // namespace halo
