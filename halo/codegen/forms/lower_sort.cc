// Sorts whose comparator is any computation on scalars. The comparator is emitted inline, and rows
// are merged in the order of halo/eval/lanes/merge_sort.h, so that a comparator that is no order
// gives the evaluator's result as well. Sorts by numeric keys are faster and belong to
// library/sort.
#include <algorithm>
#include <bit>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/kernel/temp_layout.h"

namespace halo {
namespace {

// Rows are dealt out to this many workers at most, each with its own temporary memory.
constexpr int64_t kSortWorkers = 64;
constexpr int64_t kSortGrainWork = 8192;
constexpr ElementType kPosition = ElementType::kS64;

// Elements are moved as bits.
ElementType BitsOf(ElementType type) {
  switch (StoredBytes(type)) {
    case 1: return ElementType::kU8;
    case 2: return ElementType::kU16;
    case 4: return ElementType::kU32;
    case 8: return ElementType::kU64;
    default: return ElementType::kC128;
  }
}

class SortLowering {
 public:
  SortLowering(BodyPtr body, size_t dim, CompId comparator)
      : body_(std::move(body)), dim_(dim), comparator_(comparator) {
    const ArrayView& first = body_->result(0);
    length_ = first.dims[dim_];
    rows_ = first.count / length_;
    workers_ = std::min(rows_, kSortWorkers);
    TempLayout temp;
    for (int64_t& each : positions_) each = temp.Add(kPosition, workers_ * length_);
    for (size_t k = 0; k < body_->roots.size(); ++k) {
      const ElementType bits = BitsOf(body_->result(k).type);
      if (StoredBytes(bits) > StoredBytes(widest_)) widest_ = bits;
    }
    moved_ = temp.Add(widest_, workers_ * length_);
    temp_bytes_ = temp.bytes();
  }

  KernelSchedule Schedule() const {
    KernelPart part;
    part.iterations = workers_;
    part.grain = std::max<int64_t>(1, kSortGrainWork / (length_ * (rows_ / workers_)));
    part.code = [self = *this](KernelFrame& frame) {
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* worker, const Values&) {
                 EmitLoop(frame.b, worker, frame.Number(self.rows_), self.workers_, {},
                          frame.memory, {}, [&](llvm::Value* row, const Values&) {
                            self.SortRow(frame, worker, row);
                            return Values();
                          });
                 return Values();
               });
    };
    KernelSchedule plan;
    plan.parts.push_back(std::move(part));
    plan.temp_bytes = temp_bytes_;
    return plan;
  }

 private:
  // An array of temporary memory that belongs to a worker.
  llvm::Value* Own(KernelFrame& frame, int64_t offset, ElementType type,
                   llvm::Value* worker) const {
    const auto bytes = static_cast<int64_t>(StoredBytes(type)) * length_;
    return frame.b.CreateInBoundsGEP(frame.b.getInt8Ty(), TempAddress(frame, offset),
                                     frame.b.CreateNSWMul(worker, frame.Number(bytes)));
  }

  // The offset of a row's first element.
  llvm::Value* RowStart(KernelFrame& frame, const ArrayView& view, llvm::Value* row) const {
    llvm::Value* start = frame.Number(0);
    for (size_t d = view.dims.size(); d-- > 0;) {
      if (d == dim_) continue;
      llvm::Value* size = frame.Number(view.dims[d]);
      llvm::Value* digit = frame.b.CreateURem(row, size);
      row = frame.b.CreateUDiv(row, size);
      start =
          frame.b.CreateNSWAdd(start, frame.b.CreateNSWMul(digit, frame.Number(view.strides[d])));
    }
    return start;
  }
  llvm::Value* At(KernelFrame& frame, uint32_t leaf, llvm::Value* start,
                  llvm::Value* position) const {
    return frame.b.CreateNSWAdd(
        start, frame.b.CreateNSWMul(position, frame.Number(body_->buffers[leaf].strides[dim_])));
  }
  static uint32_t Operand(size_t k) { return static_cast<uint32_t>(k); }

  // Whether the element at `left` comes before that at `right`.
  llvm::Value* Before(KernelFrame& frame, const Values& starts, llvm::Value* left,
                      llvm::Value* right) const {
    Values arguments;
    for (size_t k = 0; k < starts.size(); ++k) {
      for (llvm::Value* position : {left, right}) {
        const uint32_t leaf = Operand(k);
        arguments.push_back(frame.emitter.Load(body_->buffers[leaf].type, frame.emitter.base(leaf),
                                               At(frame, leaf, starts[k], position), false));
      }
    }
    const std::optional<Values> before =
        EmitComputation(frame.b, *body_->module, comparator_, arguments);
    if (before && before->size() == 1 && (*before)[0]->getType()->isIntegerTy(1)) {
      return (*before)[0];
    }
    frame.emitter.Fail("a comparator that is not a computation on scalars");
    return frame.b.getFalse();
  }

  // Merges two neighbouring runs of sorted positions.
  void Merge(KernelFrame& frame, const Values& starts, llvm::Value* from, llvm::Value* to,
             llvm::Value* low, llvm::Value* width) const {
    llvm::IRBuilderBase& b = frame.b;
    llvm::Value* length = frame.Number(length_);
    const auto capped = [&](llvm::Value* end) {
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, length);
    };
    llvm::Value* middle = capped(b.CreateNSWAdd(low, width));
    llvm::Value* high = capped(b.CreateNSWAdd(middle, width));
    EmitLoop(b, low, high, 1, {}, frame.memory, {low, middle},
             [&](llvm::Value* at, const Values& now) -> Values {
               llvm::Value* has_right = b.CreateICmpSLT(now[1], high);
               llvm::Value* has_both = b.CreateAnd(has_right, b.CreateICmpSLT(now[0], middle));
               llvm::Value* takes_right = EmitChoice(
                   b, has_both,
                   [&] {
                     llvm::Value* left = frame.emitter.Load(kPosition, from, now[0], false);
                     llvm::Value* right = frame.emitter.Load(kPosition, from, now[1], false);
                     return Before(frame, starts, right, left);
                   },
                   [&] { return has_right; });
               llvm::Value* taken = b.CreateSelect(takes_right, now[1], now[0]);
               frame.emitter.Store(kPosition, to, at,
                                   frame.emitter.Load(kPosition, from, taken, false));
               llvm::Value* step = b.CreateZExt(takes_right, b.getInt64Ty());
               return {b.CreateNSWAdd(now[0], b.CreateNSWSub(frame.Number(1), step)),
                       b.CreateNSWAdd(now[1], step)};
             });
  }

  // Returns the array with the sorted positions.
  llvm::Value* SortPositions(KernelFrame& frame, const Values& starts, llvm::Value* first,
                             llvm::Value* second) const {
    llvm::IRBuilderBase& b = frame.b;
    EmitLoop(b, frame.Number(0), frame.Number(length_), 1, {}, frame.memory, {},
             [&](llvm::Value* i, const Values&) {
               frame.emitter.Store(kPosition, first, i, i);
               return Values();
             });
    if (length_ == 1) return first;
    const auto rounds = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(length_ - 1)));
    return EmitLoop(
        b, frame.Number(0), frame.Number(rounds), 1, {}, frame.memory, {first, second},
        [&](llvm::Value* round, const Values& arrays) -> Values {
          llvm::Value* width = b.CreateShl(frame.Number(1), round);
          llvm::Value* both = b.CreateShl(width, 1);
          llvm::Value* pairs =
              b.CreateNSWAdd(b.CreateUDiv(frame.Number(length_ - 1), both), frame.Number(1));
          EmitLoop(b, frame.Number(0), pairs, 1, {}, frame.memory, {},
                   [&](llvm::Value* pair, const Values&) {
                     Merge(frame, starts, arrays[0], arrays[1], b.CreateNSWMul(pair, both), width);
                     return Values();
                   });
          return {arrays[1], arrays[0]};
        })[0];
  }

  // Through temporary memory, because a result may have the memory of its operand.
  void Permute(KernelFrame& frame, size_t k, llvm::Value* start, llvm::Value* row,
               llvm::Value* positions, llvm::Value* moved) const {
    const uint32_t from = Operand(k);
    const uint32_t to = body_->result_leaf(k);
    const ElementType bits = BitsOf(body_->buffers[to].type);
    llvm::Value* target = RowStart(frame, body_->buffers[to], row);
    const auto each = [&](const std::function<void(llvm::Value*)>& inside) {
      EmitLoop(frame.b, frame.Number(0), frame.Number(length_), 1, {}, frame.memory, {},
               [&](llvm::Value* i, const Values&) {
                 inside(i);
                 return Values();
               });
    };
    each([&](llvm::Value* i) {
      llvm::Value* position = frame.emitter.Load(kPosition, positions, i, false);
      frame.emitter.Store(bits, moved, i,
                          frame.emitter.Load(bits, frame.emitter.base(from),
                                             At(frame, from, start, position), false));
    });
    each([&](llvm::Value* i) {
      frame.emitter.Store(bits, frame.emitter.base(to), At(frame, to, target, i),
                          frame.emitter.Load(bits, moved, i, false));
    });
  }

  void SortRow(KernelFrame& frame, llvm::Value* worker, llvm::Value* row) const {
    Values starts;
    for (size_t k = 0; k < body_->roots.size(); ++k) {
      starts.push_back(RowStart(frame, body_->buffers[Operand(k)], row));
    }
    llvm::Value* first = Own(frame, positions_[0], kPosition, worker);
    llvm::Value* second = Own(frame, positions_[1], kPosition, worker);
    llvm::Value* sorted = SortPositions(frame, starts, first, second);
    llvm::Value* moved = Own(frame, moved_, widest_, worker);
    for (size_t k = 0; k < starts.size(); ++k) {
      Permute(frame, k, starts[k], row, sorted, moved);
    }
  }

  BodyPtr body_;
  size_t dim_;
  CompId comparator_;
  int64_t length_ = 0, rows_ = 0, workers_ = 0;
  int64_t positions_[2] = {0, 0};  // offsets in temporary memory
  int64_t moved_ = 0;
  ElementType widest_ = ElementType::kU8;
  int64_t temp_bytes_ = 0;
};

}  // namespace

std::optional<KernelSchedule> LowerSort(const BodyPtr& body, std::string& why) {
  const std::span<const InstId> operands = body->operands(body->inst);
  const std::span<const int64_t> dims = body->ints(body->inst, AttrKey::k_dimensions);
  const CompId comparator = body->computation(body->inst);
  if (dims.size() != 1 || operands.size() != body->roots.size() || !comparator.valid()) {
    why = "a sort without one dimension and a comparator";
    return std::nullopt;
  }
  const Computation& comp = body->module->comp(comparator);
  for (size_t k = 0; k < operands.size(); ++k) {
    const ArrayView& operand = body->buffers[k];
    const ArrayView& result = body->result(k);
    if (operand.type != result.type || operand.dims != body->result(0).dims ||
        result.dims != operand.dims) {
      why = "a sort whose operands and results differ";
      return std::nullopt;
    }
  }
  // Mixed precision is left to the evaluator.
  for (uint32_t i = 0; i < comp.count; ++i) {
    const InstId each(comp.first + i);
    const Inst& inst = body->at(each);
    if (inst.opcode != Opcode::kParameter) continue;
    if (inst.extra / 2 >= operands.size() ||
        body->type(each) != body->buffers[inst.extra / 2].type) {
      why = "a comparator of other types than the operands";
      return std::nullopt;
    }
  }
  return SortLowering(body, static_cast<size_t>(dims[0]), comparator).Schedule();
}

}  // namespace halo
