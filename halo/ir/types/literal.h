// Constant values: a shape and the bits of its elements in row-major order, regardless of the
// layout. The leaves of a tuple follow one another. Sub-byte elements take a byte each. A value
// printed as {...} has a shape but no bits; so has one that this version does not understand, which
// keeps its text. Equal small values are stored once.
#ifndef HALO_IR_TYPES_LITERAL_H_
#define HALO_IR_TYPES_LITERAL_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "halo/base/containers/span_pool.h"
#include "halo/base/ids.h"
#include "halo/ir/types/shape.h"

namespace halo {

using LiteralId = Id<struct LiteralTag>;

class LiteralTable {
 public:
  LiteralId Add(ShapeId shape, std::span<const uint8_t> bits);
  LiteralId AddElided(ShapeId shape);
  // An elided value that prints as `text`.
  LiteralId AddVerbatim(ShapeId shape, std::string_view text);
  // A value of another table, whose shape is `shape` here.
  LiteralId Import(const LiteralTable& from, LiteralId id, ShapeId shape);

  [[nodiscard]] size_t size() const { return records_.size(); }
  [[nodiscard]] ShapeId shape(LiteralId id) const { return ShapeId(records_[id.value][0]); }
  [[nodiscard]] bool is_elided(LiteralId id) const {
    return records_[id.value][1] == kElided || is_verbatim(id);
  }
  [[nodiscard]] bool is_verbatim(LiteralId id) const { return records_[id.value][1] == kVerbatim; }
  [[nodiscard]] std::string_view verbatim_text(LiteralId id) const;
  [[nodiscard]] std::span<const uint8_t> bits(LiteralId id) const;

  void Clear();
  void Shrink();
  [[nodiscard]] size_t bytes() const;

 private:
  static constexpr uint32_t kElided = 0, kSmall = 1, kLarge = 2, kVerbatim = 3;
  static constexpr size_t kSmallBytes = 4096;

  SpanPool<uint32_t> records_;  // [shape, storage kind, index]
  SpanPool<uint8_t> small_;
  std::vector<std::vector<uint8_t>> large_;
};

}  // namespace halo

#endif  // HALO_IR_TYPES_LITERAL_H_
