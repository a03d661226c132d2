// The meaning of sizes. Every dimension of a program is a node, and the relations that ops impose
// on dimensions unify nodes. A node is a product of factors (a reshape of 32 into [4,8] splits it),
// a sum of parts (a concatenation), or undivided. Undivided nodes that are not pinned are free: a
// new size for each of them determines the size of every dimension, and all relations still hold.
//
// Relations that cannot be preserved for all sizes (a product that is sliced at uneven offsets, a
// sum that is also a product) pin the nodes they involve, with the cause.
#ifndef HALO_SHRINK_DIMS_DIM_SPACE_H_
#define HALO_SHRINK_DIMS_DIM_SPACE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halo/base/ids.h"
#include "halo/ir/module.h"

namespace halo {

using DimId = Id<struct DimNodeTag>;

// Why a size must stay: the instruction that requires it, and an explanation.
struct PinReason {
  InstId inst;  // none: requested by the caller
  std::string text;
};

class DimSpace {
 public:
  struct SumTerm {
    DimId part;          // none: a number
    int64_t number = 0;  // may be negative
  };
  using SumForm = std::vector<SumTerm>;  // in the order of the parts

  DimSpace();

  // The dimension of size one, which has no factors.
  [[nodiscard]] DimId one() const { return DimId(0u); }
  DimId Make(int64_t size);
  // A size that never changes.
  DimId Constant(int64_t size, InstId why);

  [[nodiscard]] int64_t size(DimId node) const { return nodes_[node.index()].size; }
  [[nodiscard]] DimId Find(DimId node) const;

  // States that both mean the same.
  void Unify(DimId a, DimId b, InstId why) { UnifyProducts({&a, 1}, {&b, 1}, why); }
  // States that both lists of factors, major to minor, have the same product, position by position.
  void UnifyProducts(std::span<const DimId> a, std::span<const DimId> b, InstId why);
  // Splits the node into [size / minor, minor]. If it cannot be split there, pins it and returns
  // false.
  bool SplitAt(DimId node, int64_t minor, InstId why, DimId* hi, DimId* lo);

  // The sum of the terms; a plain node if there is only one.
  DimId Sum(const SumForm& terms, InstId why);

  // Pins the node and everything below it.
  void Pin(DimId node, InstId why, const std::string& text);
  [[nodiscard]] bool IsPinned(DimId node) const;  // all of it
  [[nodiscard]] const PinReason* ReasonOf(DimId leaf) const;

  // Appends the factors, recursively, major to minor: undivided nodes and sums.
  void Factors(DimId node, std::vector<DimId>& out) const;
  [[nodiscard]] bool IsSum(DimId node) const { return nodes_[Find(node).index()].sum >= 0; }
  [[nodiscard]] const SumForm& sum(DimId node) const {
    return sums_[static_cast<size_t>(nodes_[Find(node).index()].sum)];
  }
  // Products that are equal but have no common factors in their order, as when an array is
  // rearranged into rows of another length. The `dependent` nodes take what the others leave.
  struct Retile {
    std::vector<DimId> given, kept, dependent;
    InstId why;
  };
  // Decides which nodes depend on which, once all relations are known; pins the nodes where neither
  // side can.
  void ResolveRetiles();
  [[nodiscard]] const Retile* RetileOf(DimId leaf) const;
  // Nodes shared by several retilings: their size becomes one if anything changes.
  [[nodiscard]] const std::vector<DimId>& units() const { return units_; }

  // Appends the undivided nodes below, including parts of sums, each once.
  void Leaves(DimId node, std::vector<DimId>& out) const;
  // The two factors of a split node; invalid ids if it is not split.
  [[nodiscard]] std::pair<DimId, DimId> SplitOf(DimId node) const;

  [[nodiscard]] size_t count() const { return nodes_.size(); }

 private:
  struct Node {
    int64_t size = 1;
    DimId link;    // the node it was unified with; none: itself
    DimId hi, lo;  // if it is split
    int32_t sum = -1;
    int32_t pin = -1;     // index of an undivided node's pin reason
    int32_t retile = -1;  // set if an undivided node depends on others
  };

  void UnifyFactor(DimId a, DimId b, InstId why);
  void UnifySums(DimId a, DimId b, InstId why);
  // Flattens nested sums; pinned parts are added to the number.
  [[nodiscard]] std::vector<DimId> MovingParts(const SumForm& form, int64_t* number) const;
  void Link(DimId from, DimId to);
  void PinAll(std::span<const DimId> nodes, InstId why, const std::string& text);
  // Turns a sum into a plain pinned number, so that it can be split.
  void Freeze(DimId node, InstId why, const std::string& text);
  void PinLeaf(DimId leaf, int32_t reason);
  void SplitLeaf(DimId leaf, int64_t minor);

  mutable std::vector<Node> nodes_;  // Find shortens links
  std::vector<SumForm> sums_;
  std::vector<PinReason> reasons_;
  std::vector<Retile> retiles_;
  std::vector<DimId> units_;
};

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_DIM_SPACE_H_
