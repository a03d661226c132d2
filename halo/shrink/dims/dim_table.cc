// Counts and lays out dimensions, shape by shape. Elements of a tuple are interned before the tuple
// itself, so one pass counts them all.
#include "halo/shrink/dims/dim_table.h"

#include <algorithm>

namespace halo {
namespace {

constexpr size_t kMaxDims = 1 << 26;

}  // namespace

DimTable::DimTable(const Module& module, DimSpace& space) : module_(module) {
  const ShapeTable& shapes = module.shapes;
  // The dimensions of each shape, flattened, shared by all instructions with that shape.
  std::vector<std::vector<int64_t>> sizes(shapes.size());
  counts_.resize(shapes.size(), 0);
  size_t total = 0;
  for (uint32_t i = 0; i < shapes.size() && ok_; ++i) {
    const ShapeId shape(i);
    if (shapes.is_array(shape)) {
      const auto dims = shapes.dims(shape);
      sizes[i].assign(dims.begin(), dims.end());
    } else if (shapes.is_tuple(shape)) {
      for (const ShapeId part : shapes.elements(shape)) {
        if (part.index() >= i) {
          ok_ = false;
          return;
        }
        total += sizes[part.index()].size();
        if (total > kMaxDims) {
          ok_ = false;
          return;
        }
        sizes[i].insert(sizes[i].end(), sizes[part.index()].begin(), sizes[part.index()].end());
      }
    } else if (shapes.is_buffer(shape) && shapes.buffer_inner(shape).index() < i) {
      sizes[i] = sizes[shapes.buffer_inner(shape).index()];
    }
    counts_[i] = static_cast<uint32_t>(sizes[i].size());
  }
  offsets_.Build(shapes, counts_);
  total = 0;
  begins_.reserve(module.insts.size() + 1);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    begins_.push_back(nodes_.size());
    total += counts_[module.insts[i].shape.index()];
    if (total > kMaxDims) {
      ok_ = false;
      return;
    }
    for (const int64_t size : sizes[module.insts[i].shape.index()]) {
      nodes_.push_back(space.Make(std::max<int64_t>(size, 0)));
    }
  }
  begins_.push_back(nodes_.size());
}

std::span<const DimId> DimTable::element(InstId inst, std::span<const int64_t> path) const {
  const auto part = offsets_.Find(module_.shapes, module_.inst(inst).shape, path);
  if (!part) return {};
  return {nodes_.data() + begins_[inst.index()] + part->first, count(part->shape)};
}

}  // namespace halo
