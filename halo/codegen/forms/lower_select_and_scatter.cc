// select-and-scatter: each window of the operand selects one of its elements, and the window's
// source value is combined into the result at that position. Windows are processed in order.
// Threads share the dimensions that windows do not extend along; neighbours along those are
// innermost.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/forms/loop_nest.h"
#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/codegen/kernel/temp_layout.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kSelectTile = 64;
constexpr int64_t kWrittenOut = 16;

struct SelectForm {
  Window window;
  std::vector<size_t> free, taken;  // dimensions without and with a window, in storage order
};

std::optional<SelectForm> SelectFormOf(const KernelBody& body) {
  SelectForm form;
  form.window = DecodeWindow(body.ints(body.inst, AttrKey::k_window));
  const ArrayView& view = body.result(0);
  form.window.dims.resize(view.dims.size());
  for (WindowDim& dim : form.window.dims) {
    dim.size = std::max<int64_t>(dim.size, 1);
    if (dim.lhs_dilate > 1) return std::nullopt;
  }
  for (const int64_t number : view.major_to_minor) {
    const auto d = static_cast<size_t>(number);
    const WindowDim& dim = form.window.dims[d];
    const bool free = dim.size == 1 && dim.stride == 1 && dim.pad_low == 0 && dim.pad_high == 0;
    if (free) form.free.push_back(d);
  }
  for (size_t d = 0; d < view.dims.size(); ++d) {
    if (std::ranges::find(form.free, d) == form.free.end()) form.taken.push_back(d);
  }
  return form;
}

class SelectLowering {
 public:
  SelectLowering(BodyPtr body, SelectForm form, Folder folder, ElementType kept,
                 std::optional<int64_t> temp)
      : body_(std::move(body)),
        form_(std::move(form)),
        folder_(std::move(folder)),
        kept_(kept),
        temp_(temp),
        operand_(body_->operands(body_->inst)[0]),
        source_(body_->operands(body_->inst)[1]),
        initial_(body_->operands(body_->inst)[2]) {}

  // Writes the initial value everywhere.
  KernelPart Fill() const {
    return PartOver(body_, Flat(), [self = *this](KernelFrame& frame, const Index& variables) {
      llvm::Value* at = frame.space.Emit(frame.b, variables[0]);
      llvm::Value* value = ConvertComputed(frame.b, self.body_->type(self.initial_), self.kept_,
                                           frame.emitter.At(self.initial_, {}), false);
      if (value == nullptr) return frame.emitter.Fail("a scatter between kinds of types");
      frame.emitter.Store(self.kept_, self.Target(frame), at, value);
    });
  }

  // Converts wide sums to the result type.
  KernelPart Narrow() const {
    return PartOver(body_, Flat(), [self = *this](KernelFrame& frame, const Index& variables) {
      llvm::Value* at = frame.space.Emit(frame.b, variables[0]);
      const ElementType type = self.body_->result(0).type;
      llvm::Value* sum = frame.emitter.Load(self.kept_, self.Target(frame), at, false);
      frame.emitter.Store(type, frame.emitter.base(self.body_->result_leaf(0)), at,
                          Round(frame.b, type, sum));
    });
  }

  KernelPart Scatter() const {
    LoopSpace loops;
    const std::span<const int64_t> placements = body_->dims(source_);
    loops.dims.assign(placements.begin(), placements.end());
    for (const size_t dim : form_.free) loops.groups.push_back({dim});
    if (loops.groups.empty()) loops.groups.emplace_back();
    loops.boundary = loops.groups.size();
    for (const size_t dim : form_.taken) loops.groups.push_back({dim});
    const size_t inner = loops.boundary - 1;
    const int64_t neighbours = loops.size(inner);
    const int64_t tiles = (neighbours + kSelectTile - 1) / kSelectTile;
    KernelPart part;
    part.iterations = tiles;
    for (size_t g = 0; g < inner; ++g) part.iterations *= loops.size(g);
    part.code = [self = *this, loops, inner, neighbours, tiles](KernelFrame& frame) {
      const Index placement = loops.Variables(frame.space);
      EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
               [&](llvm::Value* number, const Values&) {
                 llvm::Value* tile = frame.b.CreateURem(number, frame.Number(tiles));
                 SetDigits(frame, loops, placement, GroupRange(0, inner),
                           frame.b.CreateUDiv(number, frame.Number(tiles)));
                 llvm::Value* from = frame.b.CreateNSWMul(tile, frame.Number(kSelectTile));
                 llvm::Value* to = frame.EndOf(from, kSelectTile, frame.Number(neighbours));
                 const std::vector<size_t> taken = GroupRange(loops.boundary, loops.groups.size());
                 EmitNest(frame, loops, placement, taken, {}, [&] {
                   EmitLoop(frame.b, from, to, 1, {}, frame.memory, {},
                            [&](llvm::Value* i, const Values&) {
                              if (!loops.groups[inner].empty())
                                loops.Set(frame, placement, inner, i);
                              frame.emitter.Enter();
                              self.Window(frame, placement);
                              frame.emitter.Leave();
                              return Values();
                            });
                 });
                 return Values();
               });
    };
    return part;
  }

 private:
  [[nodiscard]] LoopSpace Flat() const {
    LoopSpace loops;
    loops.dims = {body_->result(0).count};
    loops.groups = {{0}};
    return loops;
  }
  llvm::Value* Target(KernelFrame& frame) const {
    return temp_ ? TempAddress(frame, *temp_) : frame.emitter.base(body_->result_leaf(0));
  }

  // Carried values: the selected offset, its value, and whether there is one.
  Values Duel(KernelFrame& frame, const Index& placement, const Index& position,
              const Values& held) const {
    const ArrayView& view = body_->result(0);
    Index from(placement.size());
    llvm::Value* inside = frame.b.getTrue();
    for (size_t i = 0; i < placement.size(); ++i) {
      const WindowDim& dim = form_.window.dims[i];
      IndexExpr at = frame.space.Add(IndexSpace::Scale(placement[i], dim.stride),
                                     IndexSpace::Scale(position[i], dim.rhs_dilate));
      at = frame.space.AddConstant(at, -dim.pad_low);
      const IndexSpace::Range range = frame.space.RangeOf(at);
      if (range.max < 0 || range.min >= view.dims[i]) return held;
      from[i] = at;
      if (range.min >= 0 && range.max < view.dims[i]) continue;
      llvm::Value* value = frame.space.Emit(frame.b, at);
      inside = frame.b.CreateAnd(inside, frame.b.CreateICmpULT(value, frame.Number(view.dims[i])));
      value = frame.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, frame.Number(0));
      value = frame.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                            frame.Number(view.dims[i] - 1));
      from[i] = frame.space.FromValue(value, view.dims[i]);
    }
    llvm::Value* rival = frame.emitter.At(operand_, from);
    if (frame.emitter.failed()) return held;
    const std::optional<Values> keeps =
        EmitComputation(frame.b, *body_->module, body_->computation(body_->inst, AttrKey::k_select),
                        Values{held[1], rival});
    if (!keeps || keeps->size() != 1 || !(*keeps)[0]->getType()->isIntegerTy(1)) {
      frame.emitter.Fail("a selection that is not one of scalars");
      return held;
    }
    llvm::Value* loses =
        frame.b.CreateOr(frame.b.CreateNot(held[2]), frame.b.CreateNot((*keeps)[0]));
    llvm::Value* takes = frame.b.CreateAnd(inside, loses);
    llvm::Value* offset = frame.space.Emit(frame.b, frame.space.Linear(from, view.strides));
    return {frame.b.CreateSelect(takes, offset, held[0]),
            frame.b.CreateSelect(takes, rival, held[1]), frame.b.CreateOr(held[2], inside)};
  }

  void Window(KernelFrame& frame, const Index& placement) const {
    Values held = {
        frame.Number(0),
        llvm::Constant::getNullValue(ComputedType(frame.b.getContext(), body_->type(operand_))),
        frame.b.getFalse()};
    LoopSpace box;
    int64_t count = 1;
    for (size_t i = 0; i < placement.size(); ++i) {
      box.dims.push_back(form_.window.dims[i].size);
      box.groups.push_back({i});
      count *= box.dims.back();
      if (box.dims.back() == 1) box.groups.pop_back();
    }
    if (count <= kWrittenOut) {
      for (int64_t at = 0; at < count; ++at) {
        Index position(placement.size());
        int64_t rest = at;
        for (size_t i = placement.size(); i-- > 0;) {
          position[i] = ConstantIndex(rest % box.dims[i]);
          rest /= box.dims[i];
        }
        held = Duel(frame, placement, position, held);
      }
    } else {
      const Index position = box.Variables(frame.space);
      held =
          EmitCarriedNest(frame, box, position, GroupRange(0, box.groups.size()), {}, held,
                          [&](const Values& now) { return Duel(frame, placement, position, now); });
    }
    llvm::Value* brought = frame.emitter.At(source_, placement);
    if (frame.emitter.failed()) return;
    EmitIf(frame.b, held[2], [&] {
      const ElementType types[] = {kept_};
      llvm::Value* target = Target(frame);
      const Values now =
          folder_.Start(frame.b, {frame.emitter.Load(kept_, target, held[0], false)}, types);
      const Values next = now.empty() ? now : folder_.Step(frame.b, now, {brought});
      const Values result = next.empty() || temp_ ? next : folder_.Finish(frame.b, next);
      if (result.empty()) return frame.emitter.Fail("a scatter between kinds of types");
      frame.emitter.Store(kept_, target, held[0], result[0]);
    });
  }

  BodyPtr body_;
  SelectForm form_;
  Folder folder_;
  ElementType kept_;  // the type the result is accumulated in
  std::optional<int64_t> temp_;
  InstId operand_, source_, initial_;
};

}  // namespace

std::optional<KernelSchedule> LowerSelectAndScatter(const BodyPtr& body, std::string& why) {
  const std::optional<SelectForm> form = SelectFormOf(*body);
  const ElementType type = body->result(0).type;
  const std::optional<Folder> folder =
      Folder::Make(*body->module, body->computation(body->inst, AttrKey::k_scatter),
                   {body->type(body->operands(body->inst)[1])}, {type});
  if (!form || !folder) {
    why = form ? "a scatter whose computation is not one of scalars" : "a dilated window";
    return std::nullopt;
  }
  KernelSchedule plan;
  TempLayout temp;
  std::optional<int64_t> wide;
  if (folder->is_sum() && InfoOf(type).bits < 32) {
    wide = temp.Add(ElementType::kF32, body->result(0).count);
    plan.temp_bytes = temp.bytes();
  }
  const SelectLowering lowering(body, *form, *folder, wide ? ElementType::kF32 : type, wide);
  plan.parts.push_back(lowering.Fill());
  const std::span<const int64_t> placements = body->dims(body->operands(body->inst)[1]);
  if (std::ranges::find(placements, 0) == placements.end())
    plan.parts.push_back(lowering.Scatter());
  if (wide) plan.parts.push_back(lowering.Narrow());
  return plan;
}

}  // namespace halo
