// Turns dots that are no matrix products into elementwise ops, which fuse with their neighbours:
// without a sum, a dot is a multiplication, and with one row and one column, it is a sum of
// products. Libraries would compute one tiny product after the other. Only f32 and f64: sums of
// narrower types need a wider one.
#include <algorithm>
#include <optional>
#include <vector>

#include "halo/eval/lanes/lanes.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

using DimList = std::vector<int64_t>;

bool Contains(const DimList& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

class DotExpander {
 public:
  explicit DotExpander(Module& module) : edit_(std::move(module)) {}

  void Run(PassLog& log) {
    const size_t count = edit_.module().insts.size();
    for (size_t i = 0; i < count; ++i) {
      const InstId id(i);
      if (edit_.inst(id).opcode != Opcode::kDot || edit_.operands(id).size() != 2) continue;
      const InstId by = Expanded(id);
      if (!by.valid()) continue;
      log.Note("%", edit_.module().name_of(edit_.inst(id)), " becomes elementwise ops");
      edit_.Replace(id, by);
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  struct Side {
    InstId value;
    DimList dims, batch, summed, free;
  };

  [[nodiscard]] DimList DimsOf(InstId id) const {
    const auto dims = edit_.module().shapes.dims(edit_.inst(id).shape);
    return {dims.begin(), dims.end()};
  }
  [[nodiscard]] ElementType TypeOf(InstId id) const {
    return edit_.module().shapes.type(edit_.inst(id).shape);
  }
  [[nodiscard]] DimList Ints(InstId id, AttrKey key) const {
    const auto ints = edit_.module().IntsOf(edit_.inst(id).attrs, key);
    return {ints.begin(), ints.end()};
  }

  [[nodiscard]] Side SideOf(InstId dot, size_t number) const {
    Side side{edit_.operand(dot, number), {}, {}, {}, {}};
    side.dims = DimsOf(side.value);
    side.batch = Ints(dot, number == 0 ? AttrKey::k_lhs_batch_dims : AttrKey::k_rhs_batch_dims);
    side.summed =
        Ints(dot, number == 0 ? AttrKey::k_lhs_contracting_dims : AttrKey::k_rhs_contracting_dims);
    for (int64_t i = 0; i < static_cast<int64_t>(side.dims.size()); ++i) {
      if (!Contains(side.batch, i) && !Contains(side.summed, i)) side.free.push_back(i);
    }
    return side;
  }

  static bool AllOne(const Side& side, const DimList& which) {
    return std::ranges::all_of(
        which, [&](int64_t dim) { return side.dims[static_cast<size_t>(dim)] == 1; });
  }

  InstId Expanded(InstId dot) {
    const ElementType type = TypeOf(dot);
    if (type != ElementType::kF32 && type != ElementType::kF64) return {};
    const Side lhs = SideOf(dot, 0);
    const Side rhs = SideOf(dot, 1);
    if (TypeOf(lhs.value) != type || TypeOf(rhs.value) != type) return {};
    if (std::ranges::find(lhs.dims, 0) != lhs.dims.end() ||
        std::ranges::find(rhs.dims, 0) != rhs.dims.end()) {
      return {};
    }
    if (AllOne(lhs, lhs.summed)) return Multiplied(dot, lhs, rhs);
    if (AllOne(lhs, lhs.free) && AllOne(rhs, rhs.free)) return Summed(dot, lhs, rhs);
    return {};
  }

  // The dimensions `order` of an operand, in that order; those left out have size 1.
  InstId Arranged(const Side& side, const DimList& order, InstId dot) {
    const CompId comp = edit_.inst(dot).parent;
    const ElementType type = TypeOf(side.value);
    DimList kept = order;
    std::ranges::sort(kept);
    InstId value = side.value;
    DimList dims;
    for (const int64_t dim : kept) dims.push_back(side.dims[static_cast<size_t>(dim)]);
    const auto position = [](const DimList& list, int64_t dim) {
      return std::ranges::find(list, dim) - list.begin();
    };
    DimList layout;  // of the kept dimensions, as they are in memory
    for (const int64_t dim : MinorToMajor(edit_.module().shapes, edit_.inst(value).shape)) {
      if (Contains(kept, dim)) layout.push_back(position(kept, dim));
    }
    if (kept.size() != side.dims.size()) {
      const ShapeId shape = DenseShape(edit_.tables().shapes, type, dims, layout);
      value = edit_.Add(comp, Opcode::kReshape, shape, {value}, {}, dot);
    }
    if (kept == order) return value;
    DimList permutation;
    DimList turned;
    for (const int64_t dim : order) {
      permutation.push_back(position(kept, dim));
      turned.push_back(side.dims[static_cast<size_t>(dim)]);
    }
    DimList turned_layout;
    for (const int64_t dim : layout) turned_layout.push_back(position(permutation, dim));
    const ShapeId shape = DenseShape(edit_.tables().shapes, type, turned, turned_layout);
    const Attr attr = edit_.tables().MakeInts(AttrKey::k_dimensions, permutation);
    return edit_.Add(comp, Opcode::kTranspose, shape, {value}, {&attr, 1}, dot);
  }

  // An operand spread over the result, whose dimensions are batch, free ones of the left and of the
  // right operand.
  InstId Spread(const Side& side, size_t free_at, InstId dot) {
    DimList order = side.batch;
    order.insert(order.end(), side.free.begin(), side.free.end());
    DimList to;
    for (size_t i = 0; i < order.size(); ++i) {
      to.push_back(
          static_cast<int64_t>(i < side.batch.size() ? i : free_at + i - side.batch.size()));
    }
    const InstId value = Arranged(side, order, dot);
    const Attr attr = edit_.tables().MakeInts(AttrKey::k_dimensions, to);
    return edit_.Add(edit_.inst(dot).parent, Opcode::kBroadcast, edit_.inst(dot).shape, {value},
                     {&attr, 1}, dot);
  }

  InstId Multiplied(InstId dot, const Side& lhs, const Side& rhs) {
    const InstId a = Spread(lhs, lhs.batch.size(), dot);
    const InstId b = Spread(rhs, lhs.batch.size() + lhs.free.size(), dot);
    return edit_.Add(edit_.inst(dot).parent, Opcode::kMultiply, edit_.inst(dot).shape, {a, b}, {},
                     dot);
  }

  InstId Summed(InstId dot, const Side& lhs, const Side& rhs) {
    const CompId comp = edit_.inst(dot).parent;
    const ElementType type = TypeOf(dot);
    const auto all = [](const Side& side) {
      DimList order = side.batch;
      order.insert(order.end(), side.summed.begin(), side.summed.end());
      return order;
    };
    DimList dims;
    for (const int64_t dim : all(lhs)) dims.push_back(lhs.dims[static_cast<size_t>(dim)]);
    const ShapeId whole = DenseShape(edit_.tables().shapes, type, dims);
    const InstId a = Arranged(lhs, all(lhs), dot);
    const InstId b = Arranged(rhs, all(rhs), dot);
    const InstId product = edit_.Add(comp, Opcode::kMultiply, whole, {a, b}, {}, dot);
    DimList reduced;
    for (size_t i = lhs.batch.size(); i < dims.size(); ++i) {
      reduced.push_back(static_cast<int64_t>(i));
    }
    dims.resize(lhs.batch.size());
    const ShapeId scalar = DenseShape(edit_.tables().shapes, type, {});
    const std::vector<uint8_t> zero(type == ElementType::kF64 ? 8 : 4, 0);
    const Attr attrs[] = {edit_.tables().MakeInts(AttrKey::k_dimensions, reduced),
                          {AttrKey::k_to_apply, AttrForm::kPlain, 0, SumOf(type).value}};
    const ShapeId batch = DenseShape(edit_.tables().shapes, type, dims);
    const InstId sum = edit_.Add(comp, Opcode::kReduce, batch,
                                 {product, edit_.AddConstant(comp, scalar, zero, dot)}, attrs, dot);
    if (dims == DimsOf(dot)) return sum;
    return edit_.Add(comp, Opcode::kReshape, edit_.inst(dot).shape, {sum}, {}, dot);
  }

  CompId SumOf(ElementType type) {
    std::optional<CompId>& sum = sums_[type == ElementType::kF64 ? 1 : 0];
    if (!sum) {
      sum = edit_.AddComputation("add");
      const ShapeId shape = DenseShape(edit_.tables().shapes, type, {});
      const InstId a = edit_.AddParameter(*sum, 0, shape, "sum");
      const InstId b = edit_.AddParameter(*sum, 1, shape, "value");
      edit_.SetRoot(*sum, edit_.Add(*sum, Opcode::kAdd, shape, {a, b}));
    }
    return *sum;
  }

  ModuleEditor edit_;
  std::optional<CompId> sums_[2];
};

}  // namespace

bool ExpandDots(Module& module, PassLog& log) {
  DotExpander expander(module);
  expander.Run(log);
  const bool changed = expander.changed();
  module = expander.Finish();
  return changed;
}

}  // namespace halo
