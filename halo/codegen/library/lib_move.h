// Moves all elements of a box from one memory layout to another and converts them if the types
// differ. This is what packing an operand for a library and unpacking its result amount to.
// Multithreaded.
#ifndef HALO_CODEGEN_LIBRARY_LIB_MOVE_H_
#define HALO_CODEGEN_LIBRARY_LIB_MOVE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/types/element_type.h"

namespace halo {

struct MoveAxis {
  int64_t size = 1, from = 0, to = 0;  // strides in elements
};

class Move {
 public:
  Move() = default;
  Move(ElementType from, ElementType to, std::vector<MoveAxis> axes);
  // The same, with strides by dimension.
  Move(ElementType from, ElementType to, std::span<const int64_t> dims,
       std::span<const int64_t> from_strides, std::span<const int64_t> to_strides);

  void Run(const void* from, void* to) const;

 private:
  void Rows(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const;
  void Row(const uint8_t* from, uint8_t* to) const;
  void Tiles(const uint8_t* from, uint8_t* to, int64_t begin, int64_t end) const;
  void MoveRunsWhole();

  ElementType from_ = ElementType::kPred, to_ = ElementType::kPred;
  int64_t from_bytes_ = 1, to_bytes_ = 1;  // of an element, which may be a run of such types
  std::vector<MoveAxis> axes_;             // from the largest stride of the result to the smallest
  MoveAxis inner_;
  bool transposes_ = false;
  MoveAxis across_;  // if transposes_: the axis along which the source is contiguous
  int64_t tile_rows_ = 1, tile_columns_ = 1;
};

// Converts n contiguous elements from one type to another, as HLO's convert does.
void ConvertRun(ElementType from_type, ElementType to_type, const void* from, void* to, int64_t n);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_MOVE_H_
