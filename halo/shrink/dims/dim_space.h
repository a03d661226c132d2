// What sizes mean: every dimension of a program is a node, and what ops say about dimensions joins
// nodes. A node is a product of factors (a reshape of 32 into [4,8] splits it), or a sum of parts
// (a concatenation), or undivided. Undivided nodes that are not pinned are free: giving each a new
// size gives every dimension one, and all that ops said about them still holds.
//
// Relations that cannot be kept for all sizes (a product that is cut at odd places, a sum that is
// also a product) pin the nodes they speak of, with the reason.
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

// Why a size must stay: what asks for it, in words.
struct PinReason {
  InstId inst;  // none: asked for by the caller
  std::string text;
};

class DimSpace {
 public:
  struct SumTerm {
    DimId part;          // none: a number
    int64_t number = 0;  // may be negative
  };
  using SumForm = std::vector<SumTerm>;  // in the order in which the parts lie

  DimSpace();

  // The dimension of size one: no factor at all.
  [[nodiscard]] DimId one() const { return DimId(0u); }
  DimId Make(int64_t size);
  // A size that is what it is.
  DimId Constant(int64_t size, InstId why);

  [[nodiscard]] int64_t size(DimId node) const { return nodes_[node.index()].size; }
  [[nodiscard]] DimId Find(DimId node) const;

  // Both mean the same.
  void Unify(DimId a, DimId b, InstId why) { UnifyProducts({&a, 1}, {&b, 1}, why); }
  // The factors of both, major to minor, multiply to the same, position by position.
  void UnifyProducts(std::span<const DimId> a, std::span<const DimId> b, InstId why);
  // The node as [size / minor, minor]; false, and the node pinned, if it cannot be cut there.
  bool SplitAt(DimId node, int64_t minor, InstId why, DimId* hi, DimId* lo);

  // The sum of the terms; a plain node if it comes to one.
  DimId Sum(const SumForm& terms, InstId why);

  // All below stays as it is.
  void Pin(DimId node, InstId why, const std::string& text);
  [[nodiscard]] bool IsPinned(DimId node) const;  // all of it
  [[nodiscard]] const PinReason* ReasonOf(DimId leaf) const;

  // Factors and their factors, major to minor: undivided nodes and sums.
  void Factors(DimId node, std::vector<DimId>& out) const;
  [[nodiscard]] bool IsSum(DimId node) const { return nodes_[Find(node).index()].sum >= 0; }
  [[nodiscard]] const SumForm& sum(DimId node) const {
    return sums_[static_cast<size_t>(nodes_[Find(node).index()].sum)];
  }
  // Products that are equal but have no common factors in their order, as when an array is laid
  // out anew in rows of another length. The `dependent` nodes take what the others leave.
  struct Retile {
    std::vector<DimId> given, kept, dependent;
    InstId why;
  };
  // Decides who depends on whom, once all is said; pins where nobody can.
  void ResolveRetiles();
  [[nodiscard]] const Retile* RetileOf(DimId leaf) const;
  // Nodes that several retilings share: they become one if anything changes.
  [[nodiscard]] const std::vector<DimId>& units() const { return units_; }

  // Undivided nodes below, parts of sums included, each once.
  void Leaves(DimId node, std::vector<DimId>& out) const;
  // The two factors of a node that is split; invalid ids if it is not.
  [[nodiscard]] std::pair<DimId, DimId> SplitOf(DimId node) const;

  [[nodiscard]] size_t count() const { return nodes_.size(); }

 private:
  struct Node {
    int64_t size = 1;
    DimId link;    // what it is the same as; none: itself
    DimId hi, lo;  // if it is split
    int32_t sum = -1;
    int32_t pin = -1;     // of an undivided node: its reason
    int32_t retile = -1;  // of an undivided node that depends on others
  };

  void UnifyFactor(DimId a, DimId b, InstId why);
  void UnifySums(DimId a, DimId b, InstId why);
  // Sums within sums taken apart; what is pinned counts as a number.
  [[nodiscard]] std::vector<DimId> MovingParts(const SumForm& form, int64_t* number) const;
  void Link(DimId from, DimId to);
  void PinAll(std::span<const DimId> nodes, InstId why, const std::string& text);
  // A sum becomes a plain pinned number, so that it can be split.
  void Freeze(DimId node, InstId why, const std::string& text);
  void PinLeaf(DimId leaf, int32_t reason);
  void SplitLeaf(DimId leaf, int64_t minor);

  std::vector<Node> nodes_;
  std::vector<SumForm> sums_;
  std::vector<PinReason> reasons_;
  std::vector<Retile> retiles_;
  std::vector<DimId> units_;
};

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_DIM_SPACE_H_
