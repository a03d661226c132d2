// Reductions inside the computation of an element: all of a small box of elements is reduced
// inline, unrolled if that is short and as a loop otherwise.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <unordered_set>

#include "halo/codegen/kernel/element_emitter.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kAlwaysWrittenOut = 8;
constexpr int64_t kMostWrittenOut = 64;
constexpr int64_t kWrittenOutWork = 1500;
// From this many contiguous elements on, the fold is vectorized instead of the loop around it,
// which would have to gather. Measured on sums of 64 complex products: an eighth of the time.
constexpr int64_t kVectorized = 32;
constexpr int kVectorWidth = 16;

// The number of instructions that a value depends on, up to values in memory.
int64_t ConeSize(const KernelBody& body, InstId inst) {
  std::vector<InstId> work = {inst};
  std::unordered_set<uint32_t> seen = {inst.value};
  while (!work.empty()) {
    const InstId at = work.back();
    work.pop_back();
    if (body.inputs.contains(at.value)) continue;
    for (const InstId operand : body.operands(at)) {
      if (seen.insert(operand.value).second) work.push_back(operand);
    }
  }
  return static_cast<int64_t>(seen.size());
}

}  // namespace

std::optional<Folder> ElementEmitter::FolderOf(InstId id) {
  const std::span<const InstId> operands = body_.operands(id);
  const size_t count = operands.size() / 2;
  std::vector<ElementType> inputs;
  std::vector<ElementType> results;
  for (size_t k = 0; k < count; ++k) {
    inputs.push_back(body_.type(operands[k]));
    results.push_back(body_.type(id, static_cast<uint32_t>(k)));
  }
  std::optional<Folder> folder =
      Folder::Make(*body_.module, body_.computation(id), std::move(inputs), std::move(results));
  if (!folder) Fail("a reduction whose computation is not one of scalars");
  return folder;
}

Values ElementEmitter::Initial(InstId id, const Folder& folder) {
  const std::span<const InstId> operands = body_.operands(id);
  Values initial;
  std::vector<ElementType> types;
  for (size_t k = 0; k < folder.count(); ++k) {
    initial.push_back(At(operands[folder.count() + k], {}));
    types.push_back(body_.type(operands[folder.count() + k]));
  }
  if (failed_) return {};
  Values accumulators = folder.Start(b_, initial, types);
  if (accumulators.empty()) Fail("a reduction that starts from another kind of type");
  return accumulators;
}

Values ElementEmitter::FoldBox(int64_t cone, std::span<const int64_t> dims, const LoopHints& inner,
                               Values accumulators,
                               const std::function<Values(const Index&, const Values&)>& step) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  if (count == 0) return accumulators;
  Index index(dims.size());
  if (count <= kAlwaysWrittenOut ||
      (inner.width <= 1 && count <= kMostWrittenOut && count * cone <= kWrittenOutWork)) {
    for (int64_t at = 0; at < count && !failed_; ++at) {
      int64_t rest = at;
      for (size_t i = dims.size(); i-- > 0;) {
        index[i] = ConstantIndex(rest % dims[i]);
        rest /= dims[i];
      }
      accumulators = step(index, accumulators);
    }
    return accumulators;
  }
  const std::function<Values(size_t, const Values&)> nest = [&](size_t level, const Values& in) {
    if (level == dims.size()) {
      Enter();
      Values out = step(index, in);
      Leave();
      return out;
    }
    index[level] = space_.Variable(dims[level]);
    if (index[level].is_constant()) return nest(level + 1, in);
    const LoopHints hints = level + 1 == dims.size() ? inner : LoopHints();
    return EmitLoop(b_, b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(dims[level])), 1, hints,
                    memory_, in, [&](llvm::Value* i, const Values& carried) {
                      space_.SetValue(index[level], i);
                      Values out = nest(level + 1, carried);
                      return failed_ ? carried : out;
                    });
  };
  return nest(0, accumulators);
}

Values ElementEmitter::Reduce(InstId id, const Index& index) {
  const std::optional<Folder> folder = FolderOf(id);
  if (!folder) return {};
  const std::span<const InstId> operands = body_.operands(id);
  const std::span<const int64_t> dims = body_.dims(operands[0]);
  const std::span<const int64_t> folded = body_.ints(id, AttrKey::k_dimensions);
  std::vector<size_t> kept;
  std::vector<size_t> gone;
  std::vector<int64_t> box;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool is_folded = std::ranges::find(folded, static_cast<int64_t>(i)) != folded.end();
    (is_folded ? gone : kept).push_back(i);
    if (is_folded) box.push_back(dims[i]);
  }
  Values accumulators = Initial(id, *folder);
  if (failed_) return {};
  LoopHints inner;
  const ArrayView view = ViewOf(*body_.module, body_.shape(operands[0]));
  if (folder->any_order() && !gone.empty() && box.back() >= kVectorized &&
      view.major_to_minor.back() == static_cast<int64_t>(gone.back())) {
    inner = FitHints({kVectorWidth, 2, true}, box.back());
  }
  accumulators = FoldBox(ConeSize(body_, id), box, inner, std::move(accumulators),
                         [&](const Index& at, const Values& now) {
                           Index from(dims.size());
                           for (size_t i = 0; i < kept.size(); ++i) from[kept[i]] = index[i];
                           for (size_t i = 0; i < gone.size(); ++i) from[gone[i]] = at[i];
                           Values elements;
                           for (size_t k = 0; k < folder->count(); ++k) {
                             elements.push_back(At(operands[k], from));
                           }
                           if (failed_) return now;
                           Values next = folder->Step(b_, now, elements);
                           if (next.empty()) Fail("a reduction between kinds of types");
                           return failed_ ? now : next;
                         });
  if (failed_) return {};
  Values results = folder->Finish(b_, accumulators);
  if (results.empty()) Fail("a reduction into another kind of type");
  return results;
}

Values ElementEmitter::ReduceWindow(InstId id, const Index& index) {
  const std::optional<Folder> folder = FolderOf(id);
  if (!folder) return {};
  const std::span<const InstId> operands = body_.operands(id);
  const std::span<const int64_t> dims = body_.dims(operands[0]);
  Window window = DecodeWindow(body_.ints(id, AttrKey::k_window));
  window.dims.resize(dims.size());
  std::vector<int64_t> box;
  for (const WindowDim& dim : window.dims) box.push_back(std::max<int64_t>(dim.size, 1));
  Values accumulators = Initial(id, *folder);
  if (failed_ || std::ranges::find(dims, 0) != dims.end()) {
    return failed_ ? Values() : folder->Finish(b_, accumulators);
  }
  const auto step = [&](const Index& position, const Values& now) -> Values {
    Condition condition;
    Index from(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      const WindowDim& dim = window.dims[i];
      IndexExpr at = space_.Add(IndexSpace::Scale(index[i], dim.stride),
                                IndexSpace::Scale(position[i], dim.rhs_dilate));
      at = space_.AddConstant(at, -dim.pad_low);
      const int64_t holes = std::max<int64_t>(dim.lhs_dilate, 1);
      const int64_t extent = (dims[i] - 1) * holes + 1;
      const IndexSpace::Range range = space_.RangeOf(at);
      if (range.min >= extent || range.max < 0) return now;
      Inside(condition, at, extent);
      from[i] = at;
      if (holes == 1) continue;
      llvm::Value* hole =
          b_.CreateURem(space_.Emit(b_, at), b_.getInt64(static_cast<uint64_t>(holes)));
      llvm::Value* hit = b_.CreateICmpEQ(hole, b_.getInt64(0));
      condition.value = condition.value == nullptr ? hit : b_.CreateAnd(condition.value, hit);
      condition.varies = condition.varies || Varies(at);
    }
    Values elements;
    for (size_t k = 0; k < folder->count(); ++k) {
      elements.push_back(Guarded(
          condition,
          [&] {
            Index clamped = from;
            for (size_t i = 0; i < dims.size(); ++i) {
              const int64_t holes = std::max<int64_t>(window.dims[i].lhs_dilate, 1);
              if (!condition.varies) clamped[i] = Clamp(from[i], (dims[i] - 1) * holes + 1);
              if (holes != 1) clamped[i] = space_.Div(clamped[i], holes);
            }
            return At(operands[k], clamped);
          },
          [&] {
            return llvm::Constant::getNullValue(
                ComputedType(b_.getContext(), body_.type(operands[k])));
          }));
    }
    if (failed_) return now;
    Values next = folder->Step(b_, now, elements);
    if (next.empty()) {
      Fail("a reduction between kinds of types");
      return now;
    }
    if (condition.value == nullptr) return next;
    for (size_t k = 0; k < next.size(); ++k) {
      next[k] = b_.CreateSelect(condition.value, next[k], now[k]);
    }
    return next;
  };
  accumulators = FoldBox(ConeSize(body_, id), box, {}, std::move(accumulators), step);
  if (failed_) return {};
  Values results = folder->Finish(b_, accumulators);
  if (results.empty()) Fail("a reduction into another kind of type");
  return results;
}

}  // namespace halo
