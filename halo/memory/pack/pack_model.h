// A packing problem in the form that the rules and the search work on: time split into sections in
// which the set of live items is constant, sizes rounded to the grain that all offsets share, and
// independent ranges of time separated. Also computes the lower bound that follows from sums alone.
#ifndef HALO_MEMORY_PACK_PACK_MODEL_H_
#define HALO_MEMORY_PACK_PACK_MODEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/memory/pack/pack.h"

namespace halo {

struct SectionRange {
  int32_t begin = 0;
  int32_t end = 0;  // exclusive
  friend bool operator==(const SectionRange&, const SectionRange&) = default;
};

struct ModelItem {
  int64_t size = 0;  // rounded up to the grain
  int64_t pad = 0;   // how much of it is rounding; free if nothing is above
  int64_t alignment = 1;
  int64_t fixed = -1;
  int64_t duration = 0;
  int64_t ticks = 0;  // its length on XLA's clock, which counts definitions and frees
  SectionRange hull;
  uint32_t first_piece = 0;
  uint32_t piece_count = 0;
  uint32_t source = 0;  // the item of the problem
};

struct PackComponent {
  uint32_t first = 0, last = 0;  // its items
  int64_t bound = 0;
};

struct PackModel {
  std::vector<ModelItem> items;  // those with bytes, by hull.begin: components are contiguous
  std::vector<SectionRange> pieces;
  std::vector<PackComponent> components;
  std::vector<int64_t> totals;    // per section: bytes live
  std::vector<int64_t> top_pads;  // per section: the largest pad of a live item
  int64_t bound = 0;
  int64_t grain = 1;  // divides every alignment and fixed offset

  [[nodiscard]] std::span<const SectionRange> pieces_of(const ModelItem& item) const {
    return {pieces.data() + item.first_piece, item.piece_count};
  }
  // True if both are live at the same time.
  [[nodiscard]] bool Overlap(const ModelItem& a, const ModelItem& b) const {
    if (a.hull.begin >= b.hull.end || b.hull.begin >= a.hull.end) return false;
    return (a.piece_count == 1 && b.piece_count == 1) || PiecesOverlap(a, b);
  }
  [[nodiscard]] bool PiecesOverlap(const ModelItem& a, const ModelItem& b) const;
};

// The problem must be free of faults.
PackModel MakePackModel(const PackProblem& problem);

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_MODEL_H_
