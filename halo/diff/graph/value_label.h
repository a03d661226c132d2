// What an instruction computes, apart from its operands: one digest of opcode, element type,
// dimensions, the attributes that decide the result, constants and applied computations. Names,
// metadata, layouts, shardings, channels and configurations of the backend are left out; they are
// compared between matched values.
#ifndef HALO_DIFF_GRAPH_VALUE_LABEL_H_
#define HALO_DIFF_GRAPH_VALUE_LABEL_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

uint64_t HashWords(std::initializer_list<uint64_t> words);

// True if the order of its two operands does not matter.
bool IsCommutative(const Module& module, const Inst& inst);

// True for attributes that decide what an instruction computes.
bool DecidesResult(AttrKey key);

// The permutation if a bitcast only transposes, empty if it only reshapes; nothing if it does
// something else, such as reinterpreting tiles.
std::optional<std::vector<int64_t>> BitcastPermutation(const ShapeTable& shapes, ShapeId from,
                                                       ShapeId to);

// What labels leave out, for telling apart why programs differ.
struct LabelOptions {
  bool ignore_constants = false;  // their elements
  bool ignore_precision = false;  // operand_precision
};

class ValueLabels {
 public:
  explicit ValueLabels(const Module& module, const LabelOptions& options = {});

  [[nodiscard]] uint64_t Of(InstId id) { return Of(id, module_.inst(id).shape); }
  // For an op that is split into a start and a done: `shape` is that of the result.
  [[nodiscard]] uint64_t Of(InstId id, ShapeId shape);
  // The same for an op that is given by its parts: a bitcast that transposes.
  [[nodiscard]] uint64_t Transpose(ShapeId shape, const std::vector<int64_t>& permutation);
  // Of element type and dimensions, without layout.
  [[nodiscard]] uint64_t OfShape(ShapeId shape);
  // Of the value of one attribute.
  [[nodiscard]] uint64_t OfAttr(const Attr& attr);
  [[nodiscard]] uint64_t OfUnknown(const Attr& attr) const;
  // Of the dimensions alone.
  [[nodiscard]] uint64_t OfDims(ShapeId shape);

 private:
  uint64_t OfAttrs(AttrListId list);
  uint64_t OfLiteral(LiteralId id);
  void DigestComputations();

  const Module& module_;
  LabelOptions options_;
  std::vector<uint64_t> shapes_, dims_;  // by ShapeId; 0: not yet known
  std::vector<uint64_t> attrs_;          // by AttrListId
  std::vector<uint64_t> literals_;       // by LiteralId
  std::vector<uint64_t> comps_;          // by CompId; digests of computations as functions
  std::unordered_map<uint32_t, uint64_t> groups_;  // by StrId; of replica groups
  bool digested_ = false;
};

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_VALUE_LABEL_H_
