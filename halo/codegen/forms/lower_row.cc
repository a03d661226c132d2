// Reductions along minor-most dimensions: row sums, softmax, layer norms, full reductions. Each row
// runs through stages: one loop over its columns per level of reductions, and one for the results
// of the full shape. When there are few long rows, they are split into chunks whose partial results
// are combined through temporary memory.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <unordered_set>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/forms/lower_tiny_rows.h"
#include "halo/codegen/forms/reduction_form.h"
#include "halo/codegen/forms/row_cache.h"
#include "halo/codegen/forms/stream_out.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/kernel/temp_layout.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kRowGrainWork = 65536;
constexpr int64_t kSkinnyRows = 32;
constexpr int64_t kLongRow = 65536;
constexpr int64_t kRowChunk = 32768;
// While a row is processed, this many elements of the next row are prefetched at a time, from
// several parts of the row in parallel. Measured on a softmax, four parts take 80 to 86 % of the
// time of one.
constexpr int64_t kAhead = 256;
constexpr int64_t kChunks = 4;
constexpr int64_t kLeastAhead = 1024;
constexpr size_t kMostAhead = 3;
// Rows up to this size are prefetched into the nearest cache.
constexpr int64_t kNearBytes = 24576;

class RowLowering {
 public:
  RowLowering(BodyPtr body, ReductionForm form, LoopSpace loops, std::span<const LoadSite> loads)
      : body_(std::move(body)),
        form_(std::move(form)),
        loops_(std::move(loops)),
        rows_(GroupRange(0, loops_.boundary)),
        columns_(GroupRange(loops_.boundary, loops_.groups.size())),
        width_(VectorWidth(*body_)),
        cost_(BodyCost(*body_)) {
    FindAhead(loads);
    ChooseFetchStage();
  }

  // One thread per row.
  KernelPart WholeRows() const {
    KernelPart part;
    part.iterations = form_.rows;
    part.grain = std::max<int64_t>(1, kRowGrainWork / std::clamp<int64_t>(cost_ / 4, 1, 16) /
                                          std::max<int64_t>(1, form_.columns));
    part.code = [self = *this](KernelFrame& frame) {
      RowCache cache(self.form_, *self.body_, frame);
      std::optional<StreamOut> stream;
      if (self.IsStreamed()) stream.emplace(frame, self.form_.element_roots);
      self.EachRow(frame, [&](const ElementIndex& at, const Index& variables) {
        for (size_t level = 0; level < self.form_.levels.size(); ++level) {
          const Values folded = self.Fold(frame, level, at, variables,
                                          InitialAll(frame, self.form_, level), nullptr, &cache);
          GiveResults(frame, self.form_, level, at, folded);
          cache.Use(level, at);
        }
        self.StoreElements(frame, at, variables, nullptr, stream ? &*stream : nullptr);
        self.StoreRows(frame, at);
      });
    };
    return part;
  }

  // Splits rows into chunks.
  void Chunks(KernelSchedule& plan) const {
    const int64_t steps = loops_.size(columns_[0]);
    const int64_t unit = std::max<int64_t>(1, kRowChunk * steps / form_.columns);
    const int64_t chunks = (steps + unit - 1) / unit;
    TempLayout temp;
    std::vector<std::vector<int64_t>> partial(form_.levels.size());
    std::vector<std::vector<int64_t>> whole(form_.levels.size());
    for (size_t level = 0; level < form_.levels.size(); ++level) {
      for (const ElementType type : AccumulatorTypes(form_, level)) {
        partial[level].push_back(temp.Add(type, form_.rows * chunks));
        whole[level].push_back(temp.Add(type, form_.rows));
      }
    }
    plan.temp_bytes = temp.bytes();
    for (size_t level = 0; level < form_.levels.size(); ++level) {
      KernelPart pieces;
      pieces.iterations = form_.rows * chunks;
      pieces.code = [self = *this, unit, chunks, steps, level, partial, whole](KernelFrame& frame) {
        self.EachChunk(frame, unit, chunks, steps,
                       [&](const ElementIndex& at, const Index& variables, const Range& range,
                           llvm::Value* number) {
                         self.GiveEarlier(frame, level, at, whole);
                         const std::optional<Values> neutral = NeutralAll(frame, self.form_, level);
                         if (!neutral)
                           return frame.emitter.Fail("a reduction that cannot be split");
                         self.StoreAll(
                             frame, level, partial[level], number,
                             self.Fold(frame, level, at, variables, *neutral, &range, nullptr));
                       });
      };
      plan.parts.push_back(std::move(pieces));
      KernelPart join;
      join.iterations = form_.rows;
      join.code = [self = *this, chunks, level, partial, whole](KernelFrame& frame) {
        self.EachRow(frame, [&](const ElementIndex& at, const Index&) {
          llvm::Value* row = frame.space.Emit(frame.b, at.row());
          llvm::Value* first = frame.b.CreateNSWMul(row, frame.Number(chunks));
          const Values joined = EmitLoop(
              frame.b, frame.Number(0), frame.Number(chunks), 1, {}, frame.memory,
              InitialAll(frame, self.form_, level), [&](llvm::Value* i, const Values& now) {
                return JoinAll(
                    frame, self.form_, level, now,
                    self.LoadAll(frame, level, partial[level], frame.b.CreateNSWAdd(first, i)));
              });
          self.StoreAll(frame, level, whole[level], row, joined);
          if (level + 1 < self.form_.levels.size()) return;
          self.GiveEarlier(frame, level, at, whole);
          GiveResults(frame, self.form_, level, at, joined);
          self.StoreRows(frame, at);
        });
      };
      plan.parts.push_back(std::move(join));
    }
    if (form_.element_roots.empty()) return;
    KernelPart positions;
    positions.iterations = form_.rows * chunks;
    positions.code = [self = *this, unit, chunks, steps, whole](KernelFrame& frame) {
      self.EachChunk(
          frame, unit, chunks, steps,
          [&](const ElementIndex& at, const Index& variables, const Range& range, llvm::Value*) {
            self.GiveEarlier(frame, self.form_.levels.size(), at, whole);
            self.StoreElements(frame, at, variables, &range);
          });
    };
    plan.parts.push_back(std::move(positions));
  }

 private:
  using Range = std::pair<llvm::Value*, llvm::Value*>;

  // Finds the operands that are read along the rows, each loaded from memory by the first stage.
  void FindAhead(std::span<const LoadSite> loads) {
    if (columns_.size() != 1 || form_.columns < 2 * kLeastAhead || form_.rows < 4) return;
    for (const LoadSite& site : loads) {
      const size_t row = loops_.groups[rows_.back()].back();
      const bool known =
          std::ranges::any_of(ahead_, [&](const LoadSite& each) { return each.leaf == site.leaf; });
      if (!known && ahead_.size() < kMostAhead && site.factors[row] != 0 &&
          site.factors[loops_.groups[columns_[0]].back()] == 1) {
        ahead_.push_back(site);
      }
    }
  }

  // Prefetch the next row during the stage that computes the most; among equals, during the one
  // that writes results, since memory reads and writes overlap. The first stage is excluded: its
  // own data has not arrived yet.
  void ChooseFetchStage() {
    std::unordered_set<uint32_t> before;
    const std::vector<InstId> divides = RowDivides();
    int64_t most = -1;
    for (size_t level = 0; level <= form_.levels.size(); ++level) {
      if (level == form_.levels.size() && form_.element_roots.empty()) break;
      int64_t cost = 0;
      for (const uint32_t number : StageValues(*body_, form_, level)) {
        if (!before.insert(number).second) continue;
        const InstId id(number);
        const bool cheap = std::ranges::find(divides, id) != divides.end();
        cost += !cheap && IsExpensive(body_->at(id).opcode) ? 8 : 1;
      }
      if (level > 0 && cost >= most) {
        most = cost;
        fetch_stage_ = level;
      }
    }
  }

  // True for results of the full shape, as large as the index space and with the same layout.
  [[nodiscard]] bool IsStreamed() const {
    if (columns_.size() != 1 || form_.columns < kLeastAhead || form_.element_roots.empty())
      return false;
    for (const size_t k : form_.element_roots) {
      if (body_->result(k).dims != form_.dims) return false;
    }
    return halo::IsStreamed(*body_, form_.element_roots, loops_.groups[columns_[0]].back());
  }

  // Emits one stage of a row, together with the prefetch of the next row.
  Values EachColumn(KernelFrame& frame, const Index& variables, const LoopHints& hints,
                    const Values& carried, const Range* range, bool fetches,
                    const std::function<Values(const Values&)>& inside,
                    StreamOut* stream = nullptr) const {
    if ((!fetches || ahead_.empty()) && stream == nullptr) {
      return EmitCarriedNest(frame, loops_, variables, columns_, hints, carried, inside, range);
    }
    const int64_t all = loops_.size(columns_[0]);
    if (stream != nullptr) {
      EachStreamBlock(frame, frame.Number(0), frame.Number(all), all % kStreamBlock == 0,
                      [&](llvm::Value* from, llvm::Value* count) {
                        loops_.Set(frame, variables, columns_[0], from);
                        if (fetches) Fetch(frame, variables, kStreamBlock);
                        const Range part(from, frame.b.CreateNSWAdd(from, count));
                        EmitCarriedNest(
                            frame, loops_, variables, columns_, hints, {},
                            [&](const Values&) {
                              const IndexExpr i =
                                  loops_.Number(frame.space, variables, columns_[0]);
                              stream->At(frame.b.CreateNSWSub(frame.space.Emit(frame.b, i), from));
                              return inside({});
                            },
                            &part);
                        loops_.Set(frame, variables, columns_[0], from);
                        stream->Write(count);
                      });
      return {};
    }
    return EmitLoop(frame.b, frame.Number(0), frame.Number(all), kAhead, {}, frame.memory, carried,
                    [&](llvm::Value* from, const Values& now) {
                      llvm::Value* share = frame.b.CreateUDiv(from, frame.Number(kChunks));
                      for (int64_t i = 0; i < kChunks; ++i) {
                        const int64_t chunk = all / (kChunks * kAhead) * kAhead * i;
                        loops_.Set(frame, variables, columns_[0],
                                   frame.b.CreateNSWAdd(share, frame.Number(chunk)));
                        Fetch(frame, variables, kAhead / kChunks);
                      }
                      llvm::Value* to = frame.EndOf(from, kAhead, frame.Number(all));
                      const Range part(from, to);
                      return EmitCarriedNest(frame, loops_, variables, columns_, hints, now, inside,
                                             &part);
                    });
  }

  // Prefetches the cache lines of the next row, starting at the current column.
  void Fetch(KernelFrame& frame, const Index& variables, int64_t count) const {
    for (const LoadSite& site : ahead_) {
      const ArrayView& view = body_->buffers[site.leaf];
      IndexExpr offset = frame.space.Linear(variables, site.factors);
      offset.constant += site.constant + site.factors[loops_.groups[rows_.back()].back()];
      llvm::Type* stored = StoredType(frame.b.getContext(), view.type);
      const auto bytes = static_cast<int64_t>(StoredBytes(view.type));
      const int nearness = form_.columns * bytes <= kNearBytes ? 3 : 2;
      llvm::Value* first = frame.space.Emit(frame.b, offset);
      for (int64_t i = 0; i < count; i += std::max<int64_t>(1, 64 / bytes)) {
        // Not inbounds: out of bounds for the last row, where nothing is read.
        llvm::Value* address = frame.b.CreateGEP(stored, frame.emitter.base(site.leaf),
                                                 frame.b.CreateAdd(first, frame.Number(i)));
        frame.b.CreateIntrinsic(
            llvm::Intrinsic::prefetch, {address->getType()},
            {address, frame.b.getInt32(0), frame.b.getInt32(nearness), frame.b.getInt32(1)});
      }
    }
  }

  void SetInner(KernelFrame& frame, const Index& variables) const {
    Index inner;
    for (const size_t dim : loops_.groups[columns_.back()]) inner.push_back(variables[dim]);
    frame.emitter.SetInner(inner);
  }

  template <class Inside>
  void EachRow(KernelFrame& frame, const Inside& inside) const {
    const Index variables = loops_.Variables(frame.space);
    SetInner(frame, variables);
    EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
             [&](llvm::Value* row, const Values&) {
               SetDigits(frame, loops_, variables, rows_, row);
               frame.emitter.Enter();
               inside(ElementIndex(form_, *body_, frame.space, variables), variables);
               frame.emitter.Leave();
               return Values();
             });
  }

  template <class Inside>
  void EachChunk(KernelFrame& frame, int64_t unit, int64_t chunks, int64_t steps,
                 const Inside& inside) const {
    const Index variables = loops_.Variables(frame.space);
    SetInner(frame, variables);
    EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
             [&](llvm::Value* number, const Values&) {
               llvm::Value* all = frame.Number(chunks);
               SetDigits(frame, loops_, variables, rows_, frame.b.CreateUDiv(number, all));
               llvm::Value* from =
                   frame.b.CreateNSWMul(frame.b.CreateURem(number, all), frame.Number(unit));
               llvm::Value* to = frame.EndOf(from, unit, frame.Number(steps));
               frame.emitter.Enter();
               inside(ElementIndex(form_, *body_, frame.space, variables), variables,
                      Range(from, to), number);
               frame.emitter.Leave();
               return Values();
             });
  }

  Values Fold(KernelFrame& frame, size_t level, const ElementIndex& at, const Index& variables,
              const Values& initial, const Range* range, RowCache* cache) const {
    LoopHints hints;
    if (form_.any_order) {
      int64_t cost = 0;
      for (const uint32_t number : StageValues(*body_, form_, level)) {
        cost += IsExpensive(body_->at(InstId(number)).opcode) ? 8 : 1;
      }
      // Cheap steps are latency-bound unless several are interleaved.
      const bool is_short = cost <= 2 && form_.columns >= kLeastAhead;
      hints = FitHints({width_,
                        is_short     ? 8
                        : cost <= 8  ? 4
                        : cost <= 30 ? 2
                                     : 1,
                        true},
                       loops_.size(columns_.back()));
    }
    return EachColumn(frame, variables, hints, initial, range,
                      cache != nullptr && level == fetch_stage_, [&](const Values& now) {
                        const Values elements = FoldedElements(frame, form_, level, at);
                        if (cache != nullptr) cache->Keep(level, at, variables);
                        return StepAll(frame, form_, level, now, elements);
                      });
  }

  void StoreElements(KernelFrame& frame, const ElementIndex& at, const Index& variables,
                     const Range* range, StreamOut* stream = nullptr) const {
    if (form_.element_roots.empty()) return;
    const auto stage = [&] {
      EachColumn(
          frame, variables, FitHints({width_, 0, true}, loops_.size(columns_.back())), {}, range,
          range == nullptr && form_.levels.size() == fetch_stage_,
          [&](const Values&) {
            StoreRoots(frame, form_.element_roots,
                       [&](std::span<const int64_t> dims) { return at.Position(dims); });
            return Values();
          },
          stream);
    };
    const std::vector<InstId> divides = RowDivides();
    if (divides.empty()) return stage();
    // Multiply by reciprocals where the row's divisors are far from the limits of their range.
    llvm::Value* moderate = frame.b.getTrue();
    Values reciprocals;
    for (const InstId divide : divides) {
      llvm::Value* divisor = frame.emitter.At(body_->operands(divide)[1], at.Position(form_.dims));
      llvm::Type* type = divisor->getType();
      llvm::Value* size = frame.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
      moderate = frame.b.CreateAnd(
          moderate,
          frame.b.CreateAnd(frame.b.CreateFCmpOGT(size, llvm::ConstantFP::get(type, 0x1p-100)),
                            frame.b.CreateFCmpOLT(size, llvm::ConstantFP::get(type, 0x1p+100))));
      reciprocals.push_back(frame.b.CreateFDiv(llvm::ConstantFP::get(type, 1.0), divisor));
    }
    for (const bool fast : {true, false}) {
      EmitIf(frame.b, fast ? moderate : frame.b.CreateNot(moderate), [&] {
        for (size_t i = 0; i < divides.size(); ++i) {
          frame.emitter.SetReciprocal(divides[i], fast ? reciprocals[i] : nullptr);
        }
        stage();
      });
    }
  }

  // The divisions in the last stage whose divisor is constant within a row.
  [[nodiscard]] std::vector<InstId> RowDivides() const {
    std::vector<InstId> found;
    for (const uint32_t number : StageValues(*body_, form_, form_.levels.size())) {
      const InstId id(number);
      if (body_->at(id).opcode != Opcode::kDivide || body_->type(id) != ElementType::kF32) continue;
      const InstId divisor = body_->operands(id)[1];
      if (body_->inputs.contains(divisor.value) ||
          body_->at(divisor).opcode != Opcode::kBroadcast) {
        continue;
      }
      const std::span<const int64_t> mapped = body_->ints(divisor, AttrKey::k_dimensions);
      if (std::ranges::all_of(mapped, [&](int64_t dim) {
            return std::ranges::find(form_.kept, static_cast<size_t>(dim)) != form_.kept.end();
          })) {
        found.push_back(id);
      }
    }
    std::ranges::sort(found, {}, [](InstId id) { return id.value; });
    return found;
  }

  void StoreRows(KernelFrame& frame, const ElementIndex& at) const {
    StoreRoots(frame, form_.row_roots, [&](std::span<const int64_t> dims) { return at.Row(dims); });
  }

  // Computes all values before storing any.
  template <class IndexOf>
  void StoreRoots(KernelFrame& frame, const std::vector<size_t>& roots,
                  const IndexOf& index_of) const {
    Values values;
    for (const size_t k : roots) {
      values.push_back(
          frame.emitter.At(body_->roots[k], index_of(body_->result(k).dims), body_->parts[k]));
    }
    if (frame.emitter.failed()) return;
    for (size_t i = 0; i < roots.size(); ++i) {
      frame.emitter.StoreTo(body_->result_leaf(roots[i]), index_of(body_->result(roots[i]).dims),
                            values[i]);
    }
  }

  void StoreAll(KernelFrame& frame, size_t level, const std::vector<int64_t>& positions,
                llvm::Value* at, const Values& values) const {
    const std::vector<ElementType> types = AccumulatorTypes(form_, level);
    for (size_t k = 0; k < positions.size() && !frame.emitter.failed(); ++k) {
      frame.emitter.Store(types[k], TempAddress(frame, positions[k]), at, values[k]);
    }
  }
  Values LoadAll(KernelFrame& frame, size_t level, const std::vector<int64_t>& positions,
                 llvm::Value* at) const {
    const std::vector<ElementType> types = AccumulatorTypes(form_, level);
    Values values;
    for (size_t k = 0; k < positions.size(); ++k) {
      values.push_back(frame.emitter.Load(types[k], TempAddress(frame, positions[k]), at, false));
    }
    return values;
  }
  // Provides the results of earlier levels, loaded from temporary memory.
  void GiveEarlier(KernelFrame& frame, size_t levels, const ElementIndex& at,
                   const std::vector<std::vector<int64_t>>& whole) const {
    for (size_t level = 0; level < levels; ++level) {
      GiveResults(frame, form_, level, at,
                  LoadAll(frame, level, whole[level], frame.space.Emit(frame.b, at.row())));
    }
  }

  BodyPtr body_;
  ReductionForm form_;
  LoopSpace loops_;
  std::vector<size_t> rows_, columns_;  // groups
  int width_;
  int64_t cost_;
  std::vector<LoadSite> ahead_;
  size_t fetch_stage_ = 0;  // 0: none
};

}  // namespace

std::optional<KernelSchedule> LowerRow(const BodyPtr& body, std::string& why) {
  std::optional<ReductionForm> form = FindReductionForm(*body, why);
  if (!form || !form->minor_is_folded()) return std::nullopt;
  if (std::optional<KernelPart> part = LowerTinyRows(body, *form, why)) {
    KernelSchedule plan;
    plan.parts.push_back(*std::move(part));
    return plan;
  }
  why.clear();
  std::vector<LoadSite> loads;
  std::optional<LoopSpace> loops = ReductionLoops(*form, *body, why, &loads);
  if (!loops) return std::nullopt;
  KernelSchedule plan;
  const bool chunks = form->any_order && form->rows < kSkinnyRows && form->columns > kLongRow;
  const RowLowering lowering(body, *std::move(form), *std::move(loops), loads);
  if (chunks) {
    lowering.Chunks(plan);
    bool fits = true;
    for (const KernelPart& part : plan.parts) fits = fits && TryFunction(*body, part.code, why);
    if (fits) return plan;
    plan = {};
    why.clear();
  }
  plan.parts.push_back(lowering.WholeRows());
  return plan;
}

}  // namespace halo
