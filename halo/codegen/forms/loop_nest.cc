// Selects and emits loop nests.
#include "halo/codegen/forms/loop_nest.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <optional>
#include <unordered_set>

#include "halo/codegen/forms/loop_boxes.h"
#include "halo/codegen/forms/row_cache.h"
#include "halo/codegen/forms/stream_out.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/passes/rewrite/op_cost.h"
#include "halo/runtime/kernel_call.h"

namespace halo {
namespace {

// Threads never share a unit of this many elements, so that no two of them write to the same cache
// line.
constexpr int64_t kUnit = 256;
// An inner loop longer than this is split when there are too few outer iterations.
constexpr int64_t kLongInner = 16384;
constexpr int64_t kNestChunk = 8192;
// Work of a thread, in elements of the cheapest kernels and in units of BodyCost: about 8 us.
// Waking the other threads takes nearly as long.
constexpr int64_t kNestGrainElements = 65536;
constexpr int64_t kNestGrainWork = 8 * kNestGrainElements;
// Loops and calls inside an element.
constexpr int64_t kFoldCost = 128;
constexpr int64_t kCallCost = 1024;

// All instructions that the roots depend on, up to values in memory.
std::vector<InstId> Needed(const KernelBody& body) {
  std::vector<InstId> work(body.roots.begin(), body.roots.end());
  std::unordered_set<uint32_t> seen;
  std::vector<InstId> found;
  while (!work.empty()) {
    const InstId at = work.back();
    work.pop_back();
    if (!seen.insert(at.value).second) continue;
    found.push_back(at);
    if (body.inputs.contains(at.value)) continue;
    for (const InstId operand : body.operands(at)) work.push_back(operand);
  }
  return found;
}

// Where the expressions that are a variable plus a constant become zero, for each variable.
std::vector<std::vector<int64_t>> ChangesOf(const LoopSpace& loops, const Index& variables,
                                            const std::vector<IndexExpr>& zeros) {
  std::vector<std::vector<int64_t>> changes(loops.dims.size());
  for (size_t dim = 0; dim < loops.dims.size(); ++dim) {
    std::vector<int64_t>& own = changes[dim];
    for (const IndexExpr& zero : zeros) {
      if (zero.terms == variables[dim].terms && -zero.constant > 0 &&
          -zero.constant < loops.dims[dim]) {
        own.push_back(-zero.constant);
      }
    }
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());
  }
  return changes;
}

}  // namespace

int64_t LoopSpace::size(size_t group) const {
  int64_t product = 1;
  for (const size_t dim : groups[group]) product *= dims[dim];
  return product;
}

int64_t LoopSpace::count() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

Index LoopSpace::Variables(IndexSpace& space) const {
  Index variables;
  for (const int64_t dim : dims) variables.push_back(space.Variable(dim));
  return variables;
}

IndexExpr LoopSpace::Number(IndexSpace& space, const Index& variables, size_t group) const {
  IndexExpr number;
  int64_t weight = 1;
  for (size_t i = groups[group].size(); i-- > 0;) {
    number = space.Add(number, IndexSpace::Scale(variables[groups[group][i]], weight));
    weight *= dims[groups[group][i]];
  }
  return number;
}

void LoopSpace::Set(KernelFrame& frame, const Index& variables, size_t group,
                    llvm::Value* value) const {
  if (groups[group].size() == 1) {
    frame.space.SetValue(variables[groups[group][0]], value);
    return;
  }
  Index digits;
  for (const size_t dim : groups[group]) digits.push_back(variables[dim]);
  frame.space.SetMerged(digits, value);
}

LoopSpace SeparateLoops(std::span<const int64_t> dims, std::span<const int64_t> order) {
  LoopSpace loops;
  loops.dims.assign(dims.begin(), dims.end());
  for (const int64_t dim : order) {
    if (dims[static_cast<size_t>(dim)] != 1) loops.groups.push_back({static_cast<size_t>(dim)});
  }
  if (loops.groups.empty()) loops.groups.emplace_back();
  return loops;
}

bool JoinLoops(LoopSpace& loops, const KernelBody& body, const ElementCode& code, std::string& why,
               std::vector<LoadSite>* loads) {
  std::vector<IndexExpr> log;
  std::vector<std::pair<uint32_t, IndexExpr>> offsets;
  std::vector<IndexExpr> changes;
  Index variables;
  const auto probe = [&](KernelFrame& frame) {
    variables = loops.Variables(frame.space);
    for (size_t g = 0; g < loops.groups.size(); ++g) {
      if (!loops.groups[g].empty()) loops.Set(frame, variables, g, frame.begin);
    }
    frame.emitter.SetInner(variables);
    frame.emitter.SetLoader([&](uint32_t leaf, const IndexExpr& offset) -> llvm::Value* {
      offsets.emplace_back(leaf, offset);
      return nullptr;
    });
    frame.emitter.LogChanges(&changes);
    code(frame, variables);
    loops.values = frame.emitter.emitted();
  };
  if (!TryFunction(body, probe, why, &log)) return false;
  const auto factor = [&](const IndexExpr& a, size_t dim) -> int64_t {
    if (variables[dim].is_constant()) return 0;
    for (const auto& [atom, value] : a.terms) {
      if (atom == variables[dim].terms[0].first) return value;
    }
    return 0;
  };
  std::vector<std::vector<size_t>> joined;
  size_t boundary = 0;
  for (size_t g = 0; g < loops.groups.size(); ++g) {
    const std::vector<size_t>& group = loops.groups[g];
    if (g == loops.boundary) boundary = joined.size();
    bool fits = !joined.empty() && !group.empty() && !joined.back().empty() &&
                (g != loops.boundary || g == 0);
    if (fits) {
      const size_t outer = joined.back().back();
      const size_t inner = group.front();
      for (const IndexExpr& a : log) {
        fits = fits && factor(a, outer) == factor(a, inner) * loops.dims[inner];
      }
    }
    if (fits) {
      joined.back().insert(joined.back().end(), group.begin(), group.end());
    } else {
      joined.push_back(group);
    }
  }
  loops.groups = std::move(joined);
  loops.boundary = boundary;
  loops.changes = ChangesOf(loops, variables, changes);
  if (loads == nullptr) return true;
  for (const auto& [leaf, offset] : offsets) {
    LoadSite site{leaf, offset.constant, {}};
    size_t known = 0;
    for (size_t dim = 0; dim < loops.dims.size(); ++dim) {
      site.factors.push_back(factor(offset, dim));
      known += site.factors.back() != 0 ? 1 : 0;
    }
    if (known == offset.terms.size()) loads->push_back(std::move(site));
  }
  return true;
}

std::vector<size_t> GroupRange(size_t begin, size_t end) {
  std::vector<size_t> groups;
  for (size_t g = begin; g < end; ++g) groups.push_back(g);
  return groups;
}

int VectorWidth(const KernelBody& body) {
  int width = 64;
  for (const InstId id : Needed(body)) {
    const ShapeId shape = body.at(id).shape;
    if (!body.module->shapes.is_array(shape)) continue;
    const ElementTypeInfo& info = InfoOf(body.module->shapes.type(shape));
    const int bits = info.klass == ElementClass::kFloat     ? std::max(info.bits, 32)
                     : info.klass == ElementClass::kComplex ? info.bits / 2  // of each part
                                                            : info.bits;
    // Loop-invariant scalars do not affect the vector width.
    if (body.module->shapes.dims(shape).empty() && body.inputs.contains(id.value)) continue;
    width = std::min(width, bits > 32 ? 8 : bits > 16 ? 16 : bits > 8 ? 32 : 64);
  }
  return width;
}

namespace {

bool Folds(Opcode opcode) {
  const OpCategory category = PropertiesOf(opcode).category;
  return category == OpCategory::kReduce || category == OpCategory::kMatmul;
}

bool TakesComplex(const KernelBody& body, InstId id) {
  const std::span<const InstId> operands = body.operands(id);
  return !operands.empty() && body.module->shapes.is_array(body.shape(operands.back())) &&
         InfoOf(body.type(operands.back())).klass == ElementClass::kComplex;
}

// What an op on complex numbers that is emitted inline takes in times of the same op on real ones:
// parts are separated and joined again, products are corrected, and magnitudes scaled.
int64_t ComplexFactor(Opcode opcode) {
  if (opcode == Opcode::kAbs) return 24;
  return opcode == Opcode::kMultiply || opcode == Opcode::kDivide ? 12 : 2;
}

}  // namespace

bool HasFolds(const KernelBody& body) {
  return std::ranges::any_of(Needed(body), [&](InstId id) {
    return !body.inputs.contains(id.value) && Folds(body.at(id).opcode);
  });
}

int64_t BodyCost(const KernelBody& body) {
  int64_t cost = 0;
  for (const InstId id : Needed(body)) {
    if (body.inputs.contains(id.value)) continue;
    const Opcode opcode = body.at(id).opcode;
    const int64_t own = OpCost(opcode);
    // Library functions are called for one element after the other.
    const ElementType type =
        body.module->shapes.is_tuple(body.shape(id)) ? ElementType::kF32 : body.type(id);
    const bool is_call =
        own > 4 && (type == ElementType::kF64 ? CallsLibrary(opcode) : StoredBytes(type) == 8);
    const int64_t inlined = TakesComplex(body, id) ? own * ComplexFactor(opcode) : own;
    cost += Folds(opcode) ? kFoldCost : is_call ? kCallCost : inlined;
  }
  return std::max<int64_t>(cost, 1);
}

void SetDigits(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
               std::span<const size_t> groups, llvm::Value* number) {
  for (size_t i = groups.size(); i-- > 0;) {
    if (loops.groups[groups[i]].empty()) continue;
    llvm::Value* size = frame.Number(loops.size(groups[i]));
    loops.Set(frame, variables, groups[i], i == 0 ? number : frame.b.CreateURem(number, size));
    if (i > 0) number = frame.b.CreateUDiv(number, size);
  }
}

void EmitNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
              std::span<const size_t> groups, const LoopHints& hints,
              const std::function<void()>& inside) {
  EmitCarriedNest(frame, loops, variables, groups, hints, {}, [&](const Values&) {
    inside();
    return Values();
  });
}

Values EmitCarriedNest(KernelFrame& frame, const LoopSpace& loops, const Index& variables,
                       std::span<const size_t> groups, const LoopHints& hints,
                       const Values& carried, const std::function<Values(const Values&)>& inside,
                       const std::pair<llvm::Value*, llvm::Value*>* range) {
  if (groups.empty() || loops.groups[groups[0]].empty()) {
    if (groups.size() > 1) {
      return EmitCarriedNest(frame, loops, variables, groups.subspan(1), hints, carried, inside);
    }
    frame.emitter.Enter();
    Values out = inside(carried);
    frame.emitter.Leave();
    return out;
  }
  LoopHints own = groups.size() == 1 ? hints : LoopHints{};
  const int64_t size = loops.size(groups[0]);
  while (own.width > size) own.width /= 2;
  llvm::Value* from = range == nullptr ? frame.Number(0) : range->first;
  llvm::Value* to = range == nullptr ? frame.Number(size) : range->second;
  return EmitLoop(
      frame.b, from, to, 1, own, frame.memory, carried, [&](llvm::Value* i, const Values& now) {
        loops.Set(frame, variables, groups[0], i);
        return EmitCarriedNest(frame, loops, variables, groups.subspan(1), hints, now, inside);
      });
}

KernelPart PartOver(const BodyPtr& body, LoopSpace loops, ElementCode code,
                    const std::vector<size_t>& streamed, int64_t elements) {
  const size_t last = loops.groups.size() - 1;
  const int64_t inner = loops.size(last);
  const int64_t outer = inner == 0 ? 0 : loops.count() / inner;
  const int64_t grain_elements =
      std::min(kNestGrainElements, kNestGrainWork / BodyCost(*body)) / elements;
  const int64_t chunks =
      inner > kLongInner && outer > 1 && outer < 256 ? (inner + kNestChunk - 1) / kNestChunk : 1;
  KernelPart part;
  if (outer == 1) {
    part.iterations = (inner + kUnit - 1) / kUnit;
    part.grain = std::max<int64_t>(1, grain_elements / kUnit);
  } else {
    part.iterations = outer * chunks;
    part.grain =
        std::max<int64_t>(1, grain_elements / std::min(inner, chunks > 1 ? kNestChunk : inner));
  }
  const bool is_brief = IsForOneThread(part.iterations, part.grain);
  const LoopHints hints{.width = VectorWidth(*body), .is_brief = is_brief};
  const std::vector<size_t> outer_groups = GroupRange(0, last);

  const LoopBoxes boxes(loops, !streamed.empty(), body->max_values);
  const auto least = [](llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  };
  const auto most = [](llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  };

  // The loop over [first, end) in one box of the outer dimensions.
  const auto positions = [=](KernelFrame& frame, const Index& variables, llvm::Value* first,
                             llvm::Value* end, StreamOut* stream) {
    const auto loop = [&](const Index& own, int64_t size, llvm::Value* from, llvm::Value* to,
                          const std::function<void(llvm::Value*)>& place) {
      Index inner_variables;
      for (const size_t dim : loops.groups[last]) inner_variables.push_back(own[dim]);
      frame.emitter.SetInner(inner_variables);
      EmitLoop(frame.b, from, to, 1, FitHints(hints, size), frame.memory, {},
               [&](llvm::Value* i, const Values&) {
                 place(i);
                 if (stream != nullptr) stream->At(frame.b.CreateNSWSub(i, first));
                 frame.emitter.Enter();
                 code(frame, own);
                 frame.emitter.Leave();
                 return Values();
               });
    };
    if (boxes.inner().empty()) {
      return loop(variables, inner, first, end, [&](llvm::Value* i) {
        if (!loops.groups[last].empty()) loops.Set(frame, variables, last, i);
      });
    }
    const size_t dim = boxes.inner_dim();
    for (const Segment& segment : boxes.inner()) {
      Index own = variables;
      own[dim] = SegmentPosition(frame.space, segment);
      llvm::Value* from = most(frame.b, first, frame.Number(segment.begin));
      llvm::Value* to = least(frame.b, end, frame.Number(segment.begin + segment.size));
      EmitIf(frame.b, frame.b.CreateICmpSLT(from, to), [&] {
        loop(own, segment.size, from, to,
             [&](llvm::Value* i) { PlaceInSegment(frame, segment, own[dim], i); });
      });
      // A block is written from its first position on.
      if (stream != nullptr) PlaceInSegment(frame, segment, own[dim], first);
    }
  };
  const auto inner_loop = [=](KernelFrame& frame, const Index& outer_variables, llvm::Value* from,
                              llvm::Value* to, StreamOut* stream) {
    boxes.EachOuter(frame, outer_variables, [&](const Index& variables) {
      if (stream == nullptr) return positions(frame, variables, from, to, nullptr);
      const bool whole = inner % kUnit == 0;
      static_assert(kUnit % kStreamBlock == 0 && kNestChunk % kUnit == 0);
      EachStreamBlock(frame, from, to, whole, [&](llvm::Value* first, llvm::Value* count) {
        positions(frame, variables, first, frame.b.CreateNSWAdd(first, count), stream);
        loops.Set(frame, variables, last, first);
        stream->Write(count);
      });
    });
  };

  if (outer == 1) {
    if (streamed.empty() && is_brief) {
      // A loop of constant length may need no scalar copy for what whole vectors leave over.
      part.grain = std::max<int64_t>(1, part.grain / part.iterations);
      part.iterations = 1;
      part.code = [=](KernelFrame& frame) {
        inner_loop(frame, loops.Variables(frame.space), frame.Number(0), frame.Number(inner),
                   nullptr);
      };
      return part;
    }
    part.code = [=](KernelFrame& frame) {
      const Index variables = loops.Variables(frame.space);
      llvm::Value* unit = frame.Number(kUnit);
      llvm::Value* to = least(frame.b, frame.b.CreateNSWMul(frame.end, unit), frame.Number(inner));
      std::optional<StreamOut> stream;
      if (!streamed.empty()) stream.emplace(frame, streamed);
      inner_loop(frame, variables, frame.b.CreateNSWMul(frame.begin, unit), to,
                 stream ? &*stream : nullptr);
    };
    return part;
  }
  part.code = [=](KernelFrame& frame) {
    const Index variables = loops.Variables(frame.space);
    std::optional<StreamOut> stream;
    if (!streamed.empty()) stream.emplace(frame, streamed);
    EmitLoop(frame.b, frame.begin, frame.end, 1, {}, frame.memory, {},
             [&](llvm::Value* at, const Values&) {
               llvm::Value* from = frame.Number(0);
               llvm::Value* to = frame.Number(inner);
               if (chunks > 1) {
                 llvm::Value* chunk = frame.b.CreateURem(at, frame.Number(chunks));
                 from = frame.b.CreateNSWMul(chunk, frame.Number(kNestChunk));
                 to = least(frame.b, frame.b.CreateNSWAdd(from, frame.Number(kNestChunk)), to);
                 at = frame.b.CreateUDiv(at, frame.Number(chunks));
               }
               SetDigits(frame, loops, variables, outer_groups, at);
               inner_loop(frame, variables, from, to, stream ? &*stream : nullptr);
               return Values();
             });
  };
  return part;
}

}  // namespace halo
