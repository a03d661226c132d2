// Enters into a DimSpace what each op implies about the dimensions of its operands and results.
// There is one function per family of ops, in relate_*.cc; an unknown op pins everything it
// touches.
#ifndef HALO_SHRINK_RELATIONS_RELATIONS_H_
#define HALO_SHRINK_RELATIONS_RELATIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/analysis/graph/parameter_index.h"
#include "halo/ir/module.h"
#include "halo/shrink/dims/device_axes.h"
#include "halo/shrink/dims/dim_space.h"
#include "halo/shrink/dims/dim_table.h"

namespace halo {

// Up to this many elements at an edge are a halo, not a share of the dimension.
inline constexpr int64_t kEdge = 16;

// A size stored under a key in a library call's configuration.
struct ConfigSize {
  InstId inst;
  std::string key;
  std::vector<DimId> factors;
};

class Relations {
 public:
  using Dims = std::span<const DimId>;

  // Relates all instructions of the module.
  Relations(const Module& module, DimSpace& space, DimTable& dims, DeviceAxes& devices);

  [[nodiscard]] const std::vector<ConfigSize>& config_sizes() const { return config_sizes_; }
  // Sizes with a lower bound.
  [[nodiscard]] const std::vector<std::pair<DimId, int64_t>>& at_least() const { return at_least_; }
  // A dynamic-slice's operand as pieces of the slice's size; the number of pieces stays.
  struct Pieces {
    DimId count, part;
    InstId inst;
  };
  [[nodiscard]] const std::vector<Pieces>& pieces() const { return pieces_; }

 private:
  void Relate(InstId id);
  // One function per family; each returns false if the opcode is not in its family.
  bool RelateElementwise(InstId id);
  bool RelateStructure(InstId id);
  bool RelateMovement(InstId id);
  bool RelateIndexing(InstId id);
  bool RelateArithmetic(InstId id);
  bool RelateCollective(InstId id);

  // relate_structure.cc
  void Call(InstId id, CompId comp, size_t first_operand);
  void RelateConditional(InstId id);
  void RelateAsync(InstId id);
  // relate_movement.cc
  void RelateBroadcast(InstId id);
  void RelateTranspose(InstId id);
  void RelateBitcast(InstId id);
  void RelateSlice(InstId id);
  void RelatePad(InstId id);
  void RelateConcatenate(InstId id);
  DimId SliceOf(DimId whole, int64_t start, int64_t limit, int64_t stride, InstId why);
  // relate_indexing.cc
  void PartOf(DimId whole, DimId part, InstId why);
  void RelateGather(InstId id);
  void RelateScatter(InstId id);
  void RelateIndexVectors(InstId id);
  // relate_arithmetic.cc
  void RelateDot(InstId id);
  void Product(InstId id, Dims lhs, Dims rhs, Dims result, const std::span<const int64_t> batch[2],
               const std::span<const int64_t> contracted[2]);
  void RelateReduce(InstId id);
  void RelateWindows(InstId id);
  void RelateConvolution(InstId id);
  // relate_collective.cc
  void Gathered(InstId id, Dims part, Dims whole);
  // relate_calls.cc
  void RelateCustomCall(InstId id);
  bool RelateGemm(InstId id, std::string_view target);
  bool RelateTeAttention(InstId id, std::string_view target);

  [[nodiscard]] const Inst& inst(InstId id) const { return module_.inst(id); }
  [[nodiscard]] InstId operand(InstId id, size_t i) const {
    return module_.operands_of(inst(id))[i];
  }
  [[nodiscard]] size_t operand_count(InstId id) const { return inst(id).operand_count; }
  [[nodiscard]] Dims of(InstId id) const { return dims_.of(id); }
  // None for an operand that does not exist: custom calls may have any number.
  [[nodiscard]] Dims operand_dims(InstId id, size_t i) const {
    return i < operand_count(id) ? of(operand(id, i)) : Dims();
  }
  [[nodiscard]] std::span<const int64_t> ints(InstId id, AttrKey key) const {
    return module_.IntsOf(inst(id).attrs, key);
  }
  // Unifies dimension by dimension; does nothing if the ranks differ.
  void Same(Dims a, Dims b, InstId why);
  void PinDims(Dims dims, InstId why, const std::string& text);
  void PinAll(InstId id, const std::string& text);

  const Module& module_;
  DimSpace& space_;
  DimTable& dims_;
  DeviceAxes& devices_;
  ParameterIndex parameters_;
  std::vector<ConfigSize> config_sizes_;
  std::vector<std::pair<DimId, int64_t>> at_least_;
  std::vector<Pieces> pieces_;
  std::unordered_set<uint32_t> pinned_;  // operands of instructions that were pinned whole
};

}  // namespace halo

#endif  // HALO_SHRINK_RELATIONS_RELATIONS_H_
