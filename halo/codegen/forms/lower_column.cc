// Reductions along dimensions that are not minor-most: column sums. A tile of neighbouring elements
// is reduced side by side, with its accumulators in a local buffer of the function. Where there are
// few neighbours, the reduced dimension is split and partial results are combined through temporary
// memory.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <span>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/forms/reduction_form.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/kernel/temp_layout.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kColumnTile = 4096;
constexpr int64_t kFewTiles = 32;
constexpr int64_t kPieceElements = 65536;
constexpr int64_t kColumnGrainWork = 65536;
constexpr int64_t kChunk = 64;  // elements of a column summed before they are added to its total

class ColumnLowering {
 public:
  ColumnLowering(BodyPtr body, ReductionForm form, LoopSpace loops)
      : body_(std::move(body)),
        form_(std::move(form)),
        loops_(std::move(loops)),
        inner_(loops_.boundary - 1),
        outer_(GroupRange(0, inner_)),
        folded_(GroupRange(loops_.boundary, loops_.groups.size())),
        hints_{VectorWidth(*body_), 0, true},
        types_(AccumulatorTypes(form_, 0)) {
    const int64_t neighbours = loops_.size(inner_);
    tiles_ = (neighbours + kColumnTile - 1) / kColumnTile;
    tile_ = std::min(neighbours, kColumnTile);
  }

  [[nodiscard]] int64_t iterations() const { return form_.rows / loops_.size(inner_) * tiles_; }
  [[nodiscard]] int64_t pieces() const {
    const int64_t steps = loops_.size(folded_[0]);
    const int64_t wanted =
        std::min(kFewTiles / iterations(), form_.rows * form_.columns / kPieceElements);
    return std::clamp<int64_t>(wanted, 1, steps);
  }

  KernelPart Whole() const {
    KernelPart part;
    part.iterations = iterations();
    part.grain = std::max<int64_t>(1, kColumnGrainWork / (tile_ * form_.columns));
    part.code = [self = *this](KernelFrame& frame) {
      const Values memory = self.Accumulators(frame);
      self.EachTile(frame, 1, [&](const Index& variables, const Range& tile, llvm::Value*) {
        self.Fill(frame, memory, tile, InitialAll(frame, self.form_, 0));
        self.Fold(frame, variables, memory, tile, nullptr);
        self.EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
          const ElementIndex at(self.form_, *self.body_, frame.space, variables);
          self.Finish(frame, at, self.Load(frame, memory, i));
        });
      });
    };
    return part;
  }

  void Pieces(KernelSchedule& plan) const {
    TempLayout temp;
    std::vector<int64_t> positions;
    const int64_t count = pieces();
    for (const ElementType type : types_) positions.push_back(temp.Add(type, form_.rows * count));
    plan.temp_bytes = temp.bytes();
    const int64_t steps = loops_.size(folded_[0]);
    const int64_t unit = (steps + count - 1) / count;
    KernelPart pieces;
    pieces.iterations = iterations() * count;
    pieces.code = [self = *this, count, unit, steps, positions](KernelFrame& frame) {
      const std::optional<Values> neutral = NeutralAll(frame, self.form_, 0);
      if (!neutral) return frame.emitter.Fail("a reduction that cannot be split");
      const Values memory = self.Accumulators(frame);
      self.EachTile(frame, count,
                    [&](const Index& variables, const Range& tile, llvm::Value* piece) {
                      self.Fill(frame, memory, tile, *neutral);
                      llvm::Value* from = frame.b.CreateNSWMul(piece, frame.Number(unit));
                      llvm::Value* to = frame.EndOf(from, unit, frame.Number(steps));
                      EmitIf(frame.b, frame.b.CreateICmpSLT(from, to), [&] {
                        const Range range(from, to);
                        self.Fold(frame, variables, memory, tile, &range);
                      });
                      self.EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
                        llvm::Value* at = self.PositionOf(frame, variables, piece);
                        const Values values = self.Load(frame, memory, i);
                        for (size_t k = 0; k < positions.size(); ++k) {
                          frame.emitter.Store(self.types_[k], TempAddress(frame, positions[k]), at,
                                              values[k]);
                        }
                      });
                    });
    };
    plan.parts.push_back(std::move(pieces));
    KernelPart join;
    join.iterations = iterations();
    join.grain = std::max<int64_t>(1, kColumnGrainWork / (tile_ * count));
    join.code = [self = *this, count, positions](KernelFrame& frame) {
      const Values memory = self.Accumulators(frame);
      self.EachTile(frame, 1, [&](const Index& variables, const Range& tile, llvm::Value*) {
        self.Fill(frame, memory, tile, InitialAll(frame, self.form_, 0));
        EmitLoop(frame.b, frame.Number(0), frame.Number(count), 1, {}, frame.memory, {},
                 [&](llvm::Value* piece, const Values&) {
                   self.EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
                     llvm::Value* at = self.PositionOf(frame, variables, piece);
                     Values partial;
                     for (size_t k = 0; k < positions.size(); ++k) {
                       partial.push_back(frame.emitter.Load(
                           self.types_[k], TempAddress(frame, positions[k]), at, false));
                     }
                     self.Store(
                         frame, memory, i,
                         JoinAll(frame, self.form_, 0, self.Load(frame, memory, i), partial));
                   });
                   return Values();
                 });
        self.EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
          const ElementIndex at(self.form_, *self.body_, frame.space, variables);
          self.Finish(frame, at, self.Load(frame, memory, i));
        });
      });
    };
    plan.parts.push_back(std::move(join));
  }

 private:
  using Range = std::pair<llvm::Value*, llvm::Value*>;

  // inside(variables, the tile's range of neighbours, piece)
  template <class Inside>
  void EachTile(KernelFrame& frame, int64_t pieces, const Inside& inside) const {
    const Index variables = loops_.Variables(frame.space);
    Index inner;
    for (const size_t dim : loops_.groups[inner_]) inner.push_back(variables[dim]);
    frame.emitter.SetInner(inner);
    EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
             [&](llvm::Value* number, const Values&) {
               llvm::Value* piece = frame.b.CreateURem(number, frame.Number(pieces));
               number = frame.b.CreateUDiv(number, frame.Number(pieces));
               llvm::Value* tile = frame.b.CreateURem(number, frame.Number(tiles_));
               SetDigits(frame, loops_, variables, outer_,
                         frame.b.CreateUDiv(number, frame.Number(tiles_)));
               llvm::Value* from = frame.b.CreateNSWMul(tile, frame.Number(kColumnTile));
               llvm::Value* to = frame.EndOf(from, kColumnTile, frame.Number(loops_.size(inner_)));
               frame.emitter.Enter();
               inside(variables,
                      tiles_ == 1 ? Range(frame.Number(0), frame.Number(tile_)) : Range(from, to),
                      piece);
               frame.emitter.Leave();
               return Values();
             });
  }

  // inside(index of the neighbour within its tile)
  template <class Inside>
  void EachNeighbour(KernelFrame& frame, const Index& variables, const Range& tile,
                     const Inside& inside) const {
    LoopHints hints = hints_;
    while (hints.width > tile_) hints.width /= 2;
    EmitLoop(frame.b, tile.first, tile.second, 1, hints, frame.memory, {},
             [&](llvm::Value* i, const Values&) {
               if (!loops_.groups[inner_].empty()) loops_.Set(frame, variables, inner_, i);
               frame.emitter.Enter();
               inside(frame.b.CreateNSWSub(i, tile.first));
               frame.emitter.Leave();
               return Values();
             });
  }

  // Long sums are computed in chunks. Their error then grows with the length of a chunk and with
  // the number of chunks, not with the product of both.
  void Fold(KernelFrame& frame, const Index& variables, const Values& memory, const Range& tile,
            const Range* range) const {
    const std::optional<Values> neutral =
        IsLongSum() ? NeutralAll(frame, form_, 0) : std::optional<Values>();
    if (!neutral) return FoldGroups(frame, variables, folded_, memory, tile, range);
    size_t cut = folded_.size() - 1;
    int64_t below = 1;
    while (cut > 0 && below * loops_.size(folded_[cut]) < kChunk) {
      below *= loops_.size(folded_[cut--]);
    }
    const int64_t step = (kChunk + below - 1) / below;
    const std::span<const size_t> groups = folded_;
    const Values chunk = Accumulators(frame);
    const auto by_chunks = [&](const Range& steps) {
      EmitLoop(frame.b, steps.first, steps.second, step, {}, frame.memory, {},
               [&](llvm::Value* from, const Values&) {
                 llvm::Value* to = frame.EndOf(from, step, steps.second);
                 const Range part(from, to);
                 Fill(frame, chunk, tile, *neutral);
                 FoldGroups(frame, variables, groups.subspan(cut), chunk, tile, &part);
                 EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
                   Store(frame, memory, i,
                         JoinAll(frame, form_, 0, Load(frame, memory, i), Load(frame, chunk, i)));
                 });
                 return Values();
               });
    };
    const Range all(frame.Number(0), frame.Number(loops_.size(folded_[cut])));
    if (cut == 0) return by_chunks(range == nullptr ? all : *range);
    EmitCarriedNest(
        frame, loops_, variables, groups.first(cut), {}, {},
        [&](const Values&) {
          by_chunks(all);
          return Values();
        },
        range);
  }

  [[nodiscard]] bool IsLongSum() const {
    return form_.columns >= 2 * kChunk &&
           std::all_of(form_.folders.begin(), form_.folders.end(),
                       [](const Folder& folder) { return folder.is_sum(); });
  }

  void FoldGroups(KernelFrame& frame, const Index& variables, std::span<const size_t> groups,
                  const Values& memory, const Range& tile, const Range* range) const {
    EmitCarriedNest(
        frame, loops_, variables, groups, {}, {},
        [&](const Values&) {
          EachNeighbour(frame, variables, tile, [&](llvm::Value* i) {
            const ElementIndex at(form_, *body_, frame.space, variables);
            const Values elements = FoldedElements(frame, form_, 0, at);
            Store(frame, memory, i, StepAll(frame, form_, 0, Load(frame, memory, i), elements));
          });
          return Values();
        },
        range);
  }

  Values Accumulators(KernelFrame& frame) const {
    Values memory;
    for (const ElementType type : types_) {
      memory.push_back(frame.Local(StoredType(frame.b.getContext(), type), tile_));
    }
    return memory;
  }
  Values Load(KernelFrame& frame, const Values& memory, llvm::Value* i) const {
    Values values;
    for (size_t k = 0; k < memory.size(); ++k) {
      values.push_back(frame.emitter.Load(types_[k], memory[k], i, false));
    }
    return values;
  }
  void Store(KernelFrame& frame, const Values& memory, llvm::Value* i, const Values& values) const {
    for (size_t k = 0; k < memory.size() && !frame.emitter.failed(); ++k) {
      frame.emitter.Store(types_[k], memory[k], i, values[k]);
    }
  }
  void Fill(KernelFrame& frame, const Values& memory, const Range& tile,
            const Values& values) const {
    LoopHints hints = hints_;
    while (hints.width > tile_) hints.width /= 2;
    EmitLoop(frame.b, frame.Number(0), frame.b.CreateNSWSub(tile.second, tile.first), 1, hints,
             frame.memory, {}, [&](llvm::Value* i, const Values&) {
               Store(frame, memory, i, values);
               return Values();
             });
  }
  // The index of a row's partial result in temporary memory.
  llvm::Value* PositionOf(KernelFrame& frame, const Index& variables, llvm::Value* piece) const {
    Index index;
    std::vector<int64_t> strides;
    int64_t stride = 1;
    for (size_t g = loops_.boundary; g-- > 0;) {
      for (size_t i = loops_.groups[g].size(); i-- > 0;) {
        index.push_back(variables[loops_.groups[g][i]]);
        strides.push_back(stride);
        stride *= loops_.dims[loops_.groups[g][i]];
      }
    }
    llvm::Value* row = frame.space.Emit(frame.b, frame.space.Linear(index, strides));
    return frame.b.CreateNSWAdd(frame.b.CreateNSWMul(piece, frame.Number(form_.rows)), row);
  }

  void Finish(KernelFrame& frame, const ElementIndex& at, const Values& accumulators) const {
    GiveResults(frame, form_, 0, at, accumulators);
    Values values;
    for (const size_t k : form_.row_roots) {
      values.push_back(
          frame.emitter.At(body_->roots[k], at.Row(body_->result(k).dims), body_->parts[k]));
    }
    if (frame.emitter.failed()) return;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t k = form_.row_roots[i];
      frame.emitter.StoreTo(body_->result_leaf(k), at.Row(body_->result(k).dims), values[i]);
    }
  }

  BodyPtr body_;
  ReductionForm form_;
  LoopSpace loops_;
  size_t inner_;                        // the group of the neighbours
  std::vector<size_t> outer_, folded_;  // groups
  LoopHints hints_;
  std::vector<ElementType> types_;
  int64_t tile_ = 1, tiles_ = 1;
};

}  // namespace

std::optional<KernelSchedule> LowerColumn(const BodyPtr& body, std::string& why) {
  std::optional<ReductionForm> form = FindReductionForm(*body, why);
  if (!form || form->minor_is_folded()) return std::nullopt;
  if (form->levels.size() != 1 || !form->element_roots.empty()) {
    why = "a reduction of columns with more than sums behind it";
    return std::nullopt;
  }
  std::optional<LoopSpace> loops = ReductionLoops(*form, *body, why);
  if (!loops) return std::nullopt;
  const bool any_order = form->any_order;
  const ColumnLowering lowering(body, *std::move(form), *std::move(loops));
  KernelSchedule plan;
  if (any_order && lowering.iterations() < kFewTiles && lowering.pieces() > 1) {
    lowering.Pieces(plan);
    bool fits = true;
    for (const KernelPart& part : plan.parts) fits = fits && TryFunction(*body, part.code, why);
    if (fits) return plan;
    plan = {};
    why.clear();
  }
  plan.parts.push_back(lowering.Whole());
  return plan;
}

}  // namespace halo
