// scatter: copies the operands where needed, then combines the update window of each index vector
// into the results, in order, since windows may overlap. Threads split the window, not the list of
// index vectors. A window that is not entirely in bounds is skipped.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/base/containers/contains.h"
#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/kernel/temp_layout.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kMostTile = 1024;
constexpr int64_t kWorthSharing = 64;

struct ScatterForm {
  size_t count = 0;  // number of operands
  InstId indices;
  std::vector<int64_t> window;       // sizes, one per operand dimension
  std::vector<int64_t> update_dims;  // for each operand dimension, that of the updates, or -1
  std::vector<size_t> batch;         // the updates' other dimensions
  int64_t vectors = 1;
};

ScatterForm ScatterFormOf(const KernelBody& body) {
  ScatterForm form;
  const InstId id = body.inst;
  const std::span<const InstId> operands = body.operands(id);
  form.count = (operands.size() - 1) / 2;
  form.indices = operands[form.count];
  const size_t rank = body.dims(operands[0]).size();
  const std::span<const int64_t> updates = body.dims(operands[form.count + 1]);
  const std::span<const int64_t> window_dims = body.ints(id, AttrKey::k_update_window_dims);
  form.window.assign(rank, 1);
  form.update_dims.assign(rank, -1);
  size_t next = 0;
  for (size_t i = 0; i < rank && next < window_dims.size(); ++i) {
    if (Contains(body.ints(id, AttrKey::k_inserted_window_dims), i) ||
        Contains(body.ints(id, AttrKey::k_input_batching_dims), i)) {
      continue;
    }
    form.update_dims[i] = window_dims[next++];
    form.window[i] = updates[static_cast<size_t>(form.update_dims[i])];
  }
  for (size_t i = 0; i < updates.size(); ++i) {
    if (Contains(window_dims, i)) continue;
    form.batch.push_back(i);
    form.vectors *= updates[i];
  }
  return form;
}

class ScatterLowering {
 public:
  ScatterLowering(BodyPtr body, ScatterForm form, Folder folder, LoopSpace window,
                  std::optional<int64_t> wide)
      : body_(std::move(body)),
        form_(std::move(form)),
        folder_(std::move(folder)),
        window_(std::move(window)),
        wide_(wide) {}

  KernelPart Part() const {
    const size_t inner = window_.groups.size() - 1;
    const int64_t size = window_.size(inner);
    const bool shared = size >= kWorthSharing;
    // At least a few tiles, in whole cache lines.
    const int64_t tile = std::clamp<int64_t>(size / 8 / 64 * 64, 64, kMostTile);
    const int64_t tiles = shared ? (size + tile - 1) / tile : 1;
    KernelPart part;
    if (shared) part.iterations = window_.count() / size * tiles;
    part.code = [self = *this, shared, inner, size, tile, tiles](KernelFrame& frame) {
      const Index window = self.window_.Variables(frame.space);
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* number, const Values&) {
                 std::pair<llvm::Value*, llvm::Value*> range(frame.Number(0), frame.Number(size));
                 std::vector<size_t> groups = GroupRange(0, inner + 1);
                 if (shared) {
                   llvm::Value* own = frame.b.CreateURem(number, frame.Number(tiles));
                   SetDigits(frame, self.window_, window, GroupRange(0, inner),
                             frame.b.CreateUDiv(number, frame.Number(tiles)));
                   range.first = frame.b.CreateNSWMul(own, frame.Number(tile));
                   range.second = frame.EndOf(range.first, tile, range.second);
                   groups = {inner};
                 }
                 self.EachVector(frame, window, groups, shared ? &range : nullptr);
                 return Values();
               });
    };
    return part;
  }

  // Combines one element of the window at an index vector. Also used to inspect its index
  // expressions.
  void Combine(KernelFrame& frame, const Index& window, const Index& batch,
               const Index& starts) const {
    Index to(form_.window.size());
    Index from = batch;
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = frame.space.Add(starts[i], window[i]);
      if (form_.update_dims[i] >= 0) from[static_cast<size_t>(form_.update_dims[i])] = window[i];
    }
    Values now;
    Values updates;
    for (size_t k = 0; k < form_.count; ++k) {
      now.push_back(Load(frame, k, to));
      updates.push_back(frame.emitter.At(body_->operands(body_->inst)[form_.count + 1 + k], from));
    }
    if (frame.emitter.failed()) return;
    std::vector<ElementType> types;
    for (size_t k = 0; k < form_.count; ++k) {
      types.push_back(wide_ ? ElementType::kF32 : body_->result(k).type);
    }
    const Values started = folder_.Start(frame.b, now, types);
    const Values next = started.empty() ? started : folder_.Step(frame.b, started, updates);
    const Values results = wide_ || next.empty() ? next : folder_.Finish(frame.b, next);
    if (results.empty()) return frame.emitter.Fail("a scatter between kinds of types");
    for (size_t k = 0; k < form_.count; ++k) Store(frame, k, to, results[k]);
  }

 private:
  llvm::Value* Load(KernelFrame& frame, size_t k, const Index& index) const {
    if (!wide_) return frame.emitter.LoadFrom(body_->result_leaf(k), index);
    return frame.emitter.Load(ElementType::kF32, TempAddress(frame, *wide_), Offset(frame, index),
                              false);
  }
  void Store(KernelFrame& frame, size_t k, const Index& index, llvm::Value* value) const {
    if (!wide_) return frame.emitter.StoreTo(body_->result_leaf(k), index, value);
    frame.emitter.Store(ElementType::kF32, TempAddress(frame, *wide_), Offset(frame, index), value);
  }
  llvm::Value* Offset(KernelFrame& frame, const Index& index) const {
    return frame.space.Emit(frame.b, frame.space.Linear(index, body_->result(0).strides));
  }

  void EachVector(KernelFrame& frame, const Index& window, const std::vector<size_t>& groups,
                  const std::pair<llvm::Value*, llvm::Value*>* range) const {
    const std::span<const int64_t> updates =
        body_->dims(body_->operands(body_->inst)[form_.count + 1]);
    Index batch(updates.size());
    std::vector<IndexExpr> digits;
    for (const size_t dim : form_.batch) {
      batch[dim] = frame.space.Variable(updates[dim]);
      digits.push_back(batch[dim]);
    }
    EmitLoop(frame.b, frame.Number(0), frame.Number(form_.vectors), 1, {}, frame.memory, {},
             [&](llvm::Value* vector, const Values&) {
               for (size_t i = digits.size(); i-- > 0;) {
                 llvm::Value* size = frame.Number(updates[form_.batch[i]]);
                 frame.space.SetValue(digits[i],
                                      i == 0 ? vector : frame.b.CreateURem(vector, size));
                 if (i > 0) vector = frame.b.CreateUDiv(vector, size);
               }
               frame.emitter.Enter();
               llvm::Value* inside = frame.b.getTrue();
               const Index starts = Starts(frame, batch, inside);
               EmitIf(frame.b, inside, [&] {
                 Index inner;
                 for (const size_t dim : window_.groups.back()) inner.push_back(window[dim]);
                 frame.emitter.SetInner(inner);
                 EmitCarriedNest(
                     frame, window_, window, groups, {VectorWidth(*body_), 0, true}, {},
                     [&](const Values&) {
                       Combine(frame, window, batch, starts);
                       return Values();
                     },
                     range);
               });
               frame.emitter.Leave();
               return Values();
             });
  }

  // Where an index vector points, and whether its window is in bounds.
  Index Starts(KernelFrame& frame, const Index& batch, llvm::Value*& inside) const {
    const InstId id = body_->inst;
    const std::span<const int64_t> dims = body_->dims(id, 0);
    const auto vector_dim = static_cast<size_t>(
        body_->module->IntOr(body_->at(id).attrs, AttrKey::k_index_vector_dim, 0));
    const size_t rank = body_->dims(form_.indices).size();
    Index position(rank);
    size_t next = 0;
    for (const size_t dim : form_.batch) {
      if (next == vector_dim) ++next;
      if (next < rank) position[next++] = batch[dim];
    }
    Index starts(dims.size());
    const std::span<const int64_t> map = body_->ints(id, AttrKey::k_scatter_dims_to_operand_dims);
    for (size_t k = 0; k < map.size(); ++k) {
      if (vector_dim < rank) position[vector_dim] = ConstantIndex(static_cast<int64_t>(k));
      const auto dim = static_cast<size_t>(map[k]);
      const int64_t positions = dims[dim] - form_.window[dim] + 1;
      llvm::Value* start = frame.emitter.StartAt(form_.indices, position);
      // Compare unsigned, so that one comparison checks both bounds.
      inside = frame.b.CreateAnd(
          inside, frame.b.CreateICmpULT(start, frame.Number(std::max<int64_t>(positions, 0))));
      starts[dim] = frame.space.FromValue(start, std::max<int64_t>(positions, 1));
    }
    const std::span<const int64_t> batching = body_->ints(id, AttrKey::k_input_batching_dims);
    const std::span<const int64_t> from = body_->ints(id, AttrKey::k_scatter_indices_batching_dims);
    for (size_t k = 0; k < batching.size(); ++k) {
      starts[static_cast<size_t>(batching[k])] = position[static_cast<size_t>(from[k])];
    }
    return starts;
  }

  BodyPtr body_;
  ScatterForm form_;
  Folder folder_;
  LoopSpace window_;  // over the operand dimensions
  std::optional<int64_t> wide_;
};

// Converts between a narrow array and its wide sums in temporary memory.
KernelPart WidePart(const BodyPtr& body, uint32_t leaf, int64_t temp, bool widen) {
  LoopSpace loops;
  loops.dims = {body->buffers[leaf].count};
  loops.groups = {{0}};
  return PartOver(body, loops, [=](KernelFrame& frame, const Index& variables) {
    llvm::Value* at = frame.space.Emit(frame.b, variables[0]);
    llvm::Value* wide = TempAddress(frame, temp);
    const ElementType type = body->buffers[leaf].type;
    llvm::Value* array = frame.emitter.base(leaf);
    if (widen) {
      frame.emitter.Store(ElementType::kF32, wide, at, frame.emitter.Load(type, array, at, false));
    } else {
      llvm::Value* sum = frame.emitter.Load(ElementType::kF32, wide, at, false);
      frame.emitter.Store(type, array, at, Round(frame.b, type, sum));
    }
  });
}

}  // namespace

std::optional<KernelSchedule> LowerScatter(const BodyPtr& body, std::string& why) {
  ScatterForm form = ScatterFormOf(*body);
  std::vector<ElementType> inputs;
  std::vector<ElementType> results;
  const std::span<const InstId> operands = body->operands(body->inst);
  for (size_t k = 0; k < form.count; ++k) {
    inputs.push_back(body->type(operands[form.count + 1 + k]));
    results.push_back(body->result(k).type);
  }
  std::optional<Folder> folder =
      Folder::Make(*body->module, body->computation(body->inst), inputs, results);
  if (!folder) {
    why = "a scatter whose computation is not one of scalars";
    return std::nullopt;
  }
  KernelSchedule plan;
  TempLayout temp;
  std::optional<int64_t> wide;
  if (folder->is_sum() && InfoOf(results[0]).bits < 32) {
    wide = temp.Add(ElementType::kF32, body->result(0).count);
    plan.temp_bytes = temp.bytes();
    plan.parts.push_back(WidePart(body, 0, *wide, true));
  } else {
    for (uint32_t k = 0; k < form.count; ++k) {
      plan.parts.push_back(CopyPart(body, k, body->result_leaf(k)));
    }
  }
  int64_t elements = form.vectors;
  for (const int64_t size : form.window) elements *= size;
  if (elements > 0) {
    LoopSpace window = SeparateLoops(form.window, body->result(0).major_to_minor);
    const ElementCode probe = [&](KernelFrame& frame, const Index& variables) {
      const Index batch(body->dims(operands[form.count + 1]).size());
      ScatterLowering(body, form, *folder, window, wide)
          .Combine(frame, variables, batch, Index(variables.size()));
    };
    if (!JoinLoops(window, *body, probe, why)) return std::nullopt;
    plan.parts.push_back(ScatterLowering(body, form, *folder, std::move(window), wide).Part());
  }
  if (wide) plan.parts.push_back(WidePart(body, body->result_leaf(0), *wide, false));
  return plan;
}

}  // namespace halo
