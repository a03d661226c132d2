// Windows that extend from one end of a dimension to each of its positions: running sums and
// similar ops, in one pass. Several rows are processed at a time, so that none waits for its own
// previous sum. Along other dimensions, neighbouring elements are processed side by side.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kRowsAtOnce = 8;
constexpr int64_t kScanTile = 512;
constexpr int64_t kScanGrainWork = 32768;

struct ScanForm {
  InstId window;  // the reduce-window
  size_t along = 0;
  bool backward = false;
};

// Matches a window that extends back to the first element at every position, or forward to the
// last.
std::optional<ScanForm> FindScan(const KernelBody& body) {
  const InstId root = body.roots[0];
  if (body.inputs.contains(root.value) || body.at(root).opcode != Opcode::kReduceWindow) {
    return std::nullopt;
  }
  for (const InstId each : body.roots) {
    if (each != root) return std::nullopt;
  }
  const std::span<const int64_t> dims = body.dims(body.operands(root)[0]);
  Window window = DecodeWindow(body.ints(root, AttrKey::k_window));
  window.dims.resize(dims.size());
  std::optional<ScanForm> form;
  for (size_t i = 0; i < dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    if (dim.stride != 1 || dim.lhs_dilate > 1 || dim.rhs_dilate > 1) return std::nullopt;
    if (dim.size == 1 && dim.pad_low == 0 && dim.pad_high == 0) continue;
    if (form || dim.size < dims[i] || dims[i] < 2) return std::nullopt;
    const bool forward = dim.pad_low == dim.size - 1 && dim.pad_high == 0;
    const bool backward = dim.pad_high == dim.size - 1 && dim.pad_low == 0;
    if (!forward && !backward) return std::nullopt;
    form = ScanForm{root, i, backward};
  }
  return form;
}

class ScanLowering {
 public:
  ScanLowering(BodyPtr body, const ScanForm& form, Folder folder, LoopSpace loops)
      : body_(std::move(body)),
        form_(form),
        folder_(std::move(folder)),
        loops_(std::move(loops)),
        others_(GroupRange(0, loops_.groups.size() - 1)) {}

  // Scans along the minor-most dimension.
  KernelPart Rows() const {
    const int64_t length = body_->dims(form_.window)[form_.along];
    const int64_t rows = loops_.count() / length;
    const int64_t at_once = std::min(rows, kRowsAtOnce);
    KernelPart part;
    part.iterations = (rows + at_once - 1) / at_once;
    part.grain = std::max<int64_t>(1, kScanGrainWork / (at_once * length));
    part.code = [self = *this, length, rows, at_once](KernelFrame& frame) {
      std::vector<Index> variables;
      for (int64_t r = 0; r < at_once; ++r) variables.push_back(self.loops_.Variables(frame.space));
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* block, const Values&) {
                 self.ScanRows(frame, variables, block, length, rows);
                 return Values();
               });
    };
    return part;
  }

  // Scans across it, in tiles of the innermost of the other groups.
  KernelPart Columns() const {
    const size_t inner = others_.back();
    const int64_t neighbours = loops_.size(inner);
    const int64_t tiles = (neighbours + kScanTile - 1) / kScanTile;
    const int64_t length = body_->dims(form_.window)[form_.along];
    KernelPart part;
    part.iterations = loops_.count() / length / neighbours * tiles;
    part.grain = std::max<int64_t>(1, kScanGrainWork / (std::min(neighbours, kScanTile) * length));
    part.code = [self = *this, inner, neighbours, tiles, length](KernelFrame& frame) {
      const Index variables = self.loops_.Variables(frame.space);
      const Values memory = self.Accumulators(frame, std::min(neighbours, kScanTile));
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* number, const Values&) {
                 llvm::Value* tile = frame.b.CreateURem(number, frame.Number(tiles));
                 SetDigits(frame, self.loops_, variables, GroupRange(0, inner),
                           frame.b.CreateUDiv(number, frame.Number(tiles)));
                 llvm::Value* from = frame.b.CreateNSWMul(tile, frame.Number(kScanTile));
                 llvm::Value* to = frame.EndOf(from, kScanTile, frame.Number(neighbours));
                 self.ScanTile(frame, variables, memory, from, to, length, neighbours);
                 return Values();
               });
    };
    return part;
  }

 private:
  // The position reached after `step` steps.
  llvm::Value* PositionAt(KernelFrame& frame, llvm::Value* step, int64_t length) const {
    return form_.backward ? frame.b.CreateNSWSub(frame.Number(length - 1), step) : step;
  }

  Values Step(KernelFrame& frame, const Index& index, const Values& now) const {
    Values elements;
    for (size_t k = 0; k < folder_.count(); ++k) {
      elements.push_back(frame.emitter.At(body_->operands(form_.window)[k], index));
    }
    if (frame.emitter.failed()) return now;
    Values next = folder_.Step(frame.b, now, elements);
    const Values results = next.empty() ? next : folder_.Finish(frame.b, next);
    if (results.empty()) {
      frame.emitter.Fail("a running reduction between kinds of types");
      return now;
    }
    for (size_t k = 0; k < body_->roots.size(); ++k) {
      frame.emitter.StoreTo(body_->result_leaf(k), index, results[body_->parts[k]]);
    }
    return next;
  }

  Values Initial(KernelFrame& frame) const {
    Values initial = frame.emitter.Initial(form_.window, folder_);
    if (!initial.empty()) return initial;
    for (size_t k = 0; k < folder_.count(); ++k) {
      initial.push_back(
          llvm::PoisonValue::get(ComputedType(frame.b.getContext(), folder_.type(k))));
    }
    return initial;
  }

  void ScanRows(KernelFrame& frame, const std::vector<Index>& variables, llvm::Value* block,
                int64_t length, int64_t rows) const {
    frame.emitter.Enter();
    const auto at_once = static_cast<int64_t>(variables.size());
    const Values initial = Initial(frame);
    Values carried;
    for (int64_t r = 0; r < at_once; ++r) {
      // Past the last row, repeat the last row.
      llvm::Value* row =
          frame.b.CreateNSWAdd(frame.b.CreateNSWMul(block, frame.Number(at_once)), frame.Number(r));
      row = frame.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, row, frame.Number(rows - 1));
      SetDigits(frame, loops_, variables[static_cast<size_t>(r)], others_, row);
      carried.insert(carried.end(), initial.begin(), initial.end());
    }
    EmitLoop(frame.b, frame.Number(0), frame.Number(length), 1, {}, frame.memory, carried,
             [&](llvm::Value* step, const Values& now) {
               frame.emitter.Enter();
               llvm::Value* position = PositionAt(frame, step, length);
               Values next;
               for (size_t r = 0; r < variables.size(); ++r) {
                 frame.space.SetValue(variables[r][form_.along], position);
                 const auto first = now.begin() + static_cast<int64_t>(r * folder_.count());
                 const Values out = Step(frame, variables[r],
                                         {first, first + static_cast<int64_t>(folder_.count())});
                 next.insert(next.end(), out.begin(), out.end());
               }
               frame.emitter.Leave();
               return next;
             });
    frame.emitter.Leave();
  }

  Values Accumulators(KernelFrame& frame, int64_t count) const {
    Values memory;
    for (size_t k = 0; k < folder_.count(); ++k) {
      memory.push_back(frame.Local(StoredType(frame.b.getContext(), folder_.type(k)), count));
    }
    return memory;
  }

  void ScanTile(KernelFrame& frame, const Index& variables, const Values& memory, llvm::Value* from,
                llvm::Value* to, int64_t length, int64_t neighbours) const {
    LoopHints hints{std::min(VectorWidth(*body_), folder_.type(0) == ElementType::kF64 ? 8 : 64), 0,
                    true};
    while (hints.width > neighbours) hints.width /= 2;
    Index inner;
    for (const size_t dim : loops_.groups[others_.back()]) inner.push_back(variables[dim]);
    frame.emitter.SetInner(inner);
    frame.emitter.Enter();
    const Values initial = Initial(frame);
    const auto each = [&](const std::function<void(llvm::Value*)>& inside) {
      EmitLoop(frame.b, from, to, 1, hints, frame.memory, {}, [&](llvm::Value* i, const Values&) {
        if (!inner.empty()) loops_.Set(frame, variables, others_.back(), i);
        frame.emitter.Enter();
        inside(frame.b.CreateNSWSub(i, from));
        frame.emitter.Leave();
        return Values();
      });
    };
    each([&](llvm::Value* i) {
      for (size_t k = 0; k < memory.size(); ++k) {
        frame.emitter.Store(folder_.type(k), memory[k], i, initial[k]);
      }
    });
    EmitLoop(frame.b, frame.Number(0), frame.Number(length), 1, {}, frame.memory, {},
             [&](llvm::Value* step, const Values&) {
               frame.space.SetValue(variables[form_.along], PositionAt(frame, step, length));
               each([&](llvm::Value* i) {
                 Values now;
                 for (size_t k = 0; k < memory.size(); ++k) {
                   now.push_back(frame.emitter.Load(folder_.type(k), memory[k], i, false));
                 }
                 const Values next = Step(frame, variables, now);
                 for (size_t k = 0; k < memory.size(); ++k) {
                   frame.emitter.Store(folder_.type(k), memory[k], i, next[k]);
                 }
               });
               return Values();
             });
    frame.emitter.Leave();
  }

  BodyPtr body_;
  ScanForm form_;
  Folder folder_;
  LoopSpace loops_;
  std::vector<size_t> others_;  // groups of the other dimensions; the last group is scanned
};

}  // namespace

std::optional<KernelSchedule> LowerScan(const BodyPtr& body, std::string& why) {
  const std::optional<ScanForm> form = FindScan(*body);
  if (!form) return std::nullopt;
  std::vector<ElementType> inputs;
  std::vector<ElementType> results;
  const std::span<const InstId> operands = body->operands(form->window);
  for (size_t k = 0; k < operands.size() / 2; ++k) {
    inputs.push_back(body->type(operands[k]));
    results.push_back(body->type(form->window, static_cast<uint32_t>(k)));
  }
  std::optional<Folder> folder =
      Folder::Make(*body->module, body->computation(form->window), inputs, results);
  if (!folder || (form->backward && !folder->any_order())) return std::nullopt;
  // A long sum in sequential order needs a wider accumulator than many short sums.
  folder->WidenSum();
  const ArrayView& view = body->result(0);
  LoopSpace loops;
  loops.dims = view.dims;
  size_t minor = form->along;
  for (const int64_t dim : view.major_to_minor) {
    const auto d = static_cast<size_t>(dim);
    if (view.dims[d] != 1) minor = d;
    if (d != form->along && view.dims[d] != 1) loops.groups.push_back({d});
  }
  if (loops.groups.empty()) loops.groups.emplace_back();
  loops.boundary = loops.groups.size();
  loops.groups.push_back({form->along});
  const ElementCode probe = [&](KernelFrame& frame, const Index& variables) {
    for (size_t k = 0; k < body->roots.size(); ++k) {
      frame.emitter.At(operands[k], variables);
      frame.space.Emit(frame.b, frame.space.Linear(variables, body->result(k).strides));
    }
  };
  if (!JoinLoops(loops, *body, probe, why)) return std::nullopt;
  KernelSchedule plan;
  const ScanLowering lowering(body, *form, *std::move(folder), std::move(loops));
  plan.parts.push_back(minor == form->along ? lowering.Rows() : lowering.Columns());
  return plan;
}

}  // namespace halo
