// Kernels that compute their results element by element, and in-place updates of part of an array.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <utility>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/forms/stream_out.h"
#include "halo/codegen/forms/tiled_loop.h"
#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {
namespace {

constexpr size_t kMostPieces = 16;
constexpr int64_t kCopyBlock = int64_t{1} << 16;

// A box in the index space of the results.
struct Region {
  std::vector<int64_t> dims, offsets;
};

// All positions of a box of these dimensions; just zeros without dimensions.
std::vector<std::vector<int64_t>> PositionsOf(const std::vector<size_t>& inner,
                                              const std::vector<int64_t>& dims) {
  std::vector<std::vector<int64_t>> positions = {std::vector<int64_t>(dims.size(), 0)};
  for (const size_t dim : inner) {
    std::vector<std::vector<int64_t>> more;
    for (const std::vector<int64_t>& each : positions) {
      for (int64_t i = 0; i < dims[dim]; ++i) {
        more.push_back(each);
        more.back()[dim] = i;
      }
    }
    positions = std::move(more);
  }
  return positions;
}

// The elements at all positions of the `inner` dimensions, whose variables are zero. Computes all
// values before storing any, because a result may alias an operand.
ElementCode ElementwiseCode(const BodyPtr& body, const std::vector<size_t>& roots,
                            const Region& region, const std::vector<size_t>& inner = {}) {
  return
      [=, positions = PositionsOf(inner, region.dims)](KernelFrame& frame, const Index& variables) {
        std::vector<Index> indices;
        Values values;
        for (const std::vector<int64_t>& position : positions) {
          Index& index = indices.emplace_back(variables);
          for (size_t i = 0; i < index.size(); ++i) {
            index[i] = frame.space.AddConstant(index[i], region.offsets[i] + position[i]);
          }
          for (const size_t k : roots) {
            values.push_back(frame.emitter.At(body->roots[k], index, body->parts[k]));
          }
        }
        if (frame.emitter.failed()) return;
        for (size_t i = 0; i < values.size(); ++i) {
          frame.emitter.StoreTo(body->result_leaf(roots[i % roots.size()]),
                                indices[i / roots.size()], values[i]);
        }
      };
}

// A concatenate has one region per operand; anything else has a single region.
std::vector<Region> RegionsOf(const KernelBody& body) {
  const ArrayView& view = body.result(0);
  const Region whole{view.dims, std::vector<int64_t>(view.dims.size(), 0)};
  const InstId root = body.roots[0];
  if (body.roots.size() != 1 || body.inputs.contains(root.value) ||
      body.at(root).opcode != Opcode::kConcatenate || body.operands(root).size() > kMostPieces) {
    return {whole};
  }
  const auto along = static_cast<size_t>(body.ints(root, AttrKey::k_dimensions)[0]);
  std::vector<Region> regions;
  Region next = whole;
  for (const InstId part : body.operands(root)) {
    next.dims[along] = body.dims(part)[along];
    if (next.dims[along] != 0) regions.push_back(next);
    next.offsets[along] += next.dims[along];
  }
  return regions;
}

// An inner loop of a few elements is written out, and the one around it is vectorized instead.
std::optional<KernelPart> WrittenOut(const BodyPtr& body, const std::vector<size_t>& roots,
                                     const Region& region, const LoopSpace& loops) {
  constexpr int64_t kFew = 8;
  constexpr int64_t kMany = 16;
  constexpr int64_t kManyElements = 1024;  // worth the longer code
  const size_t last = loops.groups.size() - 1;
  if (last == 0 || loops.size(last) > kFew || loops.size(last - 1) < kMany ||
      loops.count() < kManyElements || HasFolds(*body)) {
    return std::nullopt;
  }
  const std::vector<size_t>& inner = loops.groups[last];
  std::vector<int64_t> dims = region.dims;
  for (const size_t dim : inner) dims[dim] = 1;
  LoopSpace around = SeparateLoops(dims, body->result(roots[0]).major_to_minor);
  const ElementCode code = ElementwiseCode(body, roots, region, inner);
  std::string too_much;
  if (!JoinLoops(around, *body, code, too_much)) return std::nullopt;
  return PartOver(body, std::move(around), code, {}, loops.size(last));
}

bool PlanRoots(const BodyPtr& body, const std::vector<size_t>& roots, const Region& region,
               KernelSchedule& plan, std::string& why) {
  const ElementCode code = ElementwiseCode(body, roots, region);
  LoopSpace loops = SeparateLoops(region.dims, body->result(roots[0]).major_to_minor);
  std::vector<LoadSite> loads;
  if (!JoinLoops(loops, *body, code, why, &loads)) return false;
  std::optional<KernelPart> part = TiledPart(body, loops, code, loads, roots);
  if (!part) part = WrittenOut(body, roots, region, loops);
  if (!part) {
    const std::vector<size_t>& inner = loops.groups.back();
    const bool streamed = !inner.empty() && IsStreamed(*body, roots, inner.back());
    part = PartOver(body, loops, code, streamed ? roots : std::vector<size_t>());
  }
  plan.parts.push_back(*std::move(part));
  return true;
}

// Finds the array that is updated, looking through ops that leave its bytes unchanged.
std::optional<uint32_t> SourceLeaf(const KernelBody& body, InstId inst) {
  while (true) {
    if (const auto input = body.inputs.find(inst.value); input != body.inputs.end()) {
      if (body.module->shapes.is_tuple(body.at(inst).shape)) return std::nullopt;
      return input->second;
    }
    if (body.at(inst).opcode != Opcode::kBitcast) return std::nullopt;
    inst = body.operands(inst)[0];
  }
}

// The dynamic-update-slice at a root, if its operand is in memory.
std::optional<InstId> UpdateOf(const KernelBody& body, size_t root) {
  InstId inst = body.roots[root];
  while (!body.inputs.contains(inst.value) && body.at(inst).opcode == Opcode::kBitcast) {
    inst = body.operands(inst)[0];
  }
  if (body.inputs.contains(inst.value) || body.at(inst).opcode != Opcode::kDynamicUpdateSlice ||
      StoredBytes(body.type(inst)) != StoredBytes(body.result(root).type)) {
    return std::nullopt;
  }
  if (!SourceLeaf(body, body.operands(inst)[0])) return std::nullopt;
  return inst;
}

}  // namespace

KernelPart CopyPart(const BodyPtr& body, uint32_t from, uint32_t to) {
  const int64_t bytes = body->buffers[to].bytes();
  KernelPart part;
  part.iterations = (bytes + kCopyBlock - 1) / kCopyBlock;
  part.copied_from = from;
  part.copied_to = to;
  part.code = [=](KernelFrame& frame) {
    llvm::Value* block = frame.Number(kCopyBlock);
    llvm::Value* begin = frame.b.CreateNSWMul(frame.begin, block);
    llvm::Value* end = frame.b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, frame.b.CreateNSWMul(frame.end, block), frame.Number(bytes));
    frame.b.CreateMemCpy(
        frame.b.CreateInBoundsGEP(frame.b.getInt8Ty(), frame.emitter.base(to), begin),
        llvm::Align(1),
        frame.b.CreateInBoundsGEP(frame.b.getInt8Ty(), frame.emitter.base(from), begin),
        llvm::Align(1), frame.b.CreateSub(end, begin));
  };
  return part;
}

std::optional<KernelSchedule> LowerLoop(const BodyPtr& body, std::string& why) {
  KernelSchedule plan;
  std::vector<size_t> roots;
  for (size_t k = 0; k < body->roots.size(); ++k) {
    if (body->result(k).dims != body->result(0).dims) {
      why = "results of different dimensions";
      return std::nullopt;
    }
    roots.push_back(k);
  }
  for (const Region& region : RegionsOf(*body)) {
    if (!PlanRoots(body, roots, region, plan, why)) return std::nullopt;
  }
  return plan;
}

std::optional<KernelSchedule> LowerUpdate(const BodyPtr& body, std::string& why) {
  std::optional<size_t> updated;
  std::vector<size_t> others;
  for (size_t k = 0; k < body->roots.size(); ++k) {
    if (!updated && UpdateOf(*body, k)) {
      updated = k;
    } else {
      others.push_back(k);
    }
  }
  if (!updated) return std::nullopt;
  KernelSchedule plan;
  // First compute the results that read the original array.
  for (const size_t k : others) {
    const ArrayView& view = body->result(k);
    const Region whole{view.dims, std::vector<int64_t>(view.dims.size(), 0)};
    if (view.count > 0 && !PlanRoots(body, {k}, whole, plan, why)) return std::nullopt;
  }
  const InstId update = *UpdateOf(*body, *updated);
  const InstId part = body->operands(update)[1];
  const uint32_t leaf = body->result_leaf(*updated);
  const ArrayView whole = ViewOf(*body->module, body->shape(update));
  const std::span<const int64_t> dims = body->dims(part);
  plan.parts.push_back(CopyPart(body, *SourceLeaf(*body, body->operands(update)[0]), leaf));
  if (std::ranges::find(dims, 0) != dims.end()) return plan;
  const ElementCode code = [=](KernelFrame& frame, const Index& variables) {
    const Index starts = frame.emitter.Starts(update, 2, body->dims(update), body->dims(part));
    Index to = starts;
    for (size_t i = 0; i < to.size(); ++i) to[i] = frame.space.Add(to[i], variables[i]);
    llvm::Value* value = frame.emitter.At(part, variables);
    if (frame.emitter.failed()) return;
    frame.emitter.Store(whole.type, frame.emitter.base(leaf),
                        frame.space.Emit(frame.b, frame.space.Linear(to, whole.strides)), value);
  };
  LoopSpace loops = SeparateLoops(dims, whole.major_to_minor);
  if (!JoinLoops(loops, *body, code, why)) return std::nullopt;
  plan.parts.push_back(PartOver(body, std::move(loops), code));
  return plan;
}

}  // namespace halo
