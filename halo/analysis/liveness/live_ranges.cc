// The text order of a scheduled module is its schedule. An async computation runs before the first
// op of its chain that has all operands, and its values live until the chain is done.
#include "halo/analysis/liveness/live_ranges.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace halo {
namespace {

constexpr int64_t kUnknown = -1;

// True if both are the same tree of types and sizes, whatever the layouts.
bool Compatible(const Dataflow& flow, ShapeId a, ShapeId b) {
  const ShapeTable& shapes = flow.module().shapes;
  const ShapeTrees& trees = flow.trees();
  if (a == b) return true;
  if (trees.count(a) != trees.count(b)) return false;
  for (uint32_t node = 0; node < trees.count(a); ++node) {
    const ShapeId x = trees.shape_at(a, node), y = trees.shape_at(b, node);
    if (shapes.type(x) != shapes.type(y)) return false;
    if (shapes.is_tuple(x)) {
      if (shapes.elements(x).size() != shapes.elements(y).size()) return false;
      continue;
    }
    const std::span<const int64_t> m = shapes.dims(x), n = shapes.dims(y);
    if (!std::equal(m.begin(), m.end(), n.begin(), n.end())) return false;
  }
  return true;
}

}  // namespace

LiveRanges::LiveRanges(const Dataflow& flow, const Buffers& buffers, const LiveRangeRules& rules)
    : flow_(flow), module_(flow.module()), rules_(rules) {
  Flatten();
  Measure(buffers);
  TrimWithinBuffers(buffers);
}

void LiveRanges::Flatten() {
  times_.assign(module_.insts.size(), kUnknown);
  spans_.assign(module_.comps.size(), {});
  carried_.assign(module_.comps.size(), {});
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    const Inst& inst = module_.insts[i];
    if (inst.opcode == Opcode::kParameter && inst.extra == 0) {
      carried_[inst.parent.index()] = InstId(i);
    }
  }
  async_spans_.assign(module_.comps.size(), {});
  struct Frame {
    CompId comp;
    uint32_t next;
    CompId async_context;
    std::vector<CompId> to_enter;  // last first
    bool called;
  };
  std::vector<CompId> context_of(module_.comps.size());
  std::vector<bool> entered(module_.comps.size(), false);
  std::vector<Frame> stack;
  const auto enter = [&](CompId comp, CompId async_context) {
    if (!comp.valid() || entered[comp.index()]) return;
    entered[comp.index()] = true;
    context_of[comp.index()] = async_context;
    spans_[comp.index()].start = static_cast<int64_t>(sequence_.size());
    stack.push_back({comp, 0, async_context, {}, false});
  };
  enter(module_.entry, {});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const Computation& computation = module_.comp(frame.comp);
    if (frame.next == computation.count) {
      spans_[frame.comp.index()].end = static_cast<int64_t>(sequence_.size());
      stack.pop_back();
      continue;
    }
    const InstId id(computation.first + frame.next);
    const Inst& inst = module_.inst(id);
    const bool is_async = inst.opcode == Opcode::kAsyncStart ||
                          inst.opcode == Opcode::kAsyncUpdate || inst.opcode == Opcode::kAsyncDone;
    if (!frame.called) {
      frame.called = true;
      if (inst.opcode == Opcode::kCall || inst.opcode == Opcode::kConditional ||
          inst.opcode == Opcode::kWhile) {
        CalledComputations(module_, inst, frame.to_enter);
        if (inst.opcode != Opcode::kWhile) {
          std::reverse(frame.to_enter.begin(), frame.to_enter.end());
        }
      } else if (is_async) {
        const CompId comp = flow_.async_computation(id);
        if (comp.valid() && BindsComputation(id, comp)) frame.to_enter.push_back(comp);
      }
    }
    if (!frame.to_enter.empty()) {
      const CompId comp = frame.to_enter.back();
      frame.to_enter.pop_back();
      enter(comp, is_async ? comp : frame.async_context);
      continue;
    }
    times_[id.index()] = static_cast<int64_t>(sequence_.size());
    sequence_.push_back(id);
    frame.called = false;
    ++frame.next;
  }
  FindAsyncEnds(context_of);
}

bool LiveRanges::IsBound(InstId async, CompId comp) const {
  const Inst& inst = module_.inst(async);
  const Computation& computation = module_.comp(comp);
  ShapeId chain = inst.shape;
  if (inst.opcode == Opcode::kAsyncDone) {
    if (inst.operand_count == 0 || !module_.operands_of(inst)[0].valid()) return false;
    chain = module_.inst(module_.operands_of(inst)[0]).shape;
  }
  const auto operands = flow_.trees().Child(chain, 0);
  const auto output = flow_.trees().Child(chain, 1);
  if (!operands || !output || !computation.root.valid()) return false;
  const ShapeId bound = flow_.trees().shape_at(chain, *operands);
  size_t parameters = 0;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const Inst& parameter = module_.insts[computation.first + i];
    if (parameter.opcode != Opcode::kParameter) continue;
    ++parameters;
    const auto node = flow_.trees().Child(bound, parameter.extra);
    if (!node || !Compatible(flow_, flow_.trees().shape_at(bound, *node), parameter.shape)) {
      return false;
    }
  }
  const ShapeId result =
      inst.opcode == Opcode::kAsyncDone ? inst.shape : flow_.trees().shape_at(chain, *output);
  return module_.shapes.elements(bound).size() == parameters &&
         Compatible(flow_, result, module_.inst(computation.root).shape);
}

bool LiveRanges::BindsComputation(InstId async, CompId comp) const {
  if (module_.inst(async).opcode == Opcode::kAsyncDone) return true;  // at the latest
  return IsBound(async, comp);
}

LiveRanges::AsyncEnds LiveRanges::EndsOf(CompId context) const {
  AsyncEnds ends;
  for (const InstId caller : flow_.calls().callers(context)) {
    if (module_.inst(caller).opcode != Opcode::kAsyncStart) continue;
    ends.start = std::max(ends.start, times_[caller.index()]);
    InstId link = caller;
    for (size_t steps = 0; link.valid() && steps < module_.insts.size(); ++steps) {
      InstId next;
      for (const InstId user : flow_.users().of(link)) {
        const Opcode opcode = module_.inst(user).opcode;
        if (opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone) next = user;
      }
      if (!next.valid()) break;
      link = next;
    }
    const bool done = link.valid() && module_.inst(link).opcode == Opcode::kAsyncDone &&
                      times_[link.index()] != kUnknown;
    if (done) ends.end = std::max(ends.end, times_[link.index()]);
    ends.may_not_end = ends.may_not_end || !done;
  }
  return ends;
}

void LiveRanges::FindAsyncEnds(const std::vector<CompId>& contexts) {
  std::unordered_map<uint32_t, AsyncEnds> known;
  for (size_t i = 0; i < module_.comps.size(); ++i) {
    const CompId context = contexts[i];
    if (!context.valid()) continue;
    const auto [found, is_new] = known.try_emplace(context.value);
    if (is_new) found->second = EndsOf(context);
    const AsyncEnds& ends = found->second;
    Span& span = async_spans_[i];
    span.start = std::max(span.start, ends.start);
    span.end = std::max(span.end, ends.end);
    if (ends.may_not_end) span.end = std::max(span.end, spans_[i].end);
  }
}

int64_t LiveRanges::LastUse(FlowId value) const {
  int64_t last = kUnknown;
  flow_.ForEachUse(value, [&](InstId user, int64_t, uint32_t) {
    const Inst& inst = module_.inst(user);
    // The called computation's own uses count instead.
    if (inst.opcode == Opcode::kCall) return;
    int64_t time = times_[user.index()];
    if (inst.opcode == Opcode::kWhile) {
      // The loop-carried buffer takes over the initial value when the body starts.
      const Attr* body = module_.Find(inst, AttrKey::k_body);
      const InstId parameter = body == nullptr ? InstId() : carried_[CompId(body->value).index()];
      if (parameter.valid()) time = times_[parameter.index()];
    }
    last = std::max(last, time);
  });
  return last;
}

void LiveRanges::Measure(const Buffers& buffers) {
  ranges_.assign(flow_.size(), {});
  last_positions_.assign(flow_.size(), 0);
  for (size_t i = 0; i < flow_.size(); ++i) {
    const FlowId value(i);
    if (!flow_.value(value).exists) continue;
    const Position defined = flow_.value(value).defined;
    const int64_t time = times_[defined.inst.index()];
    if (time == kUnknown) continue;
    const Inst& inst = module_.inst(defined.inst);
    const Span span = spans_[inst.parent.index()];
    TimeSpan& range = ranges_[i];
    const bool is_parameter = inst.opcode == Opcode::kParameter;
    range.start = is_parameter ? span.start : time;
    range.end = flow_.is_root(defined.inst) ? span.end : time;
    const Span async = async_spans_[inst.parent.index()];
    range.end = std::max(range.end, async.end);
    if (rules_.async_results_begin_at_start && !is_parameter) {
      range.start = std::max(range.start, async.start);
    }
    const std::span<const Position> positions = flow_.positions(value);
    for (uint32_t k = 1; k < positions.size(); ++k) {
      const InstId inst_there = positions[k].inst;
      const int64_t there = flow_.is_root(inst_there)
                                ? spans_[module_.inst(inst_there).parent.index()].end
                                : times_[inst_there.index()];
      if (there <= range.end) continue;
      range.end = there;
      last_positions_[i] = k;
    }
    if (is_parameter && inst.parent == module_.entry &&
        !buffers.is_donated(inst.extra, defined.node)) {
      range.end = end();
    } else {
      range.end = std::max(range.end, LastUse(value));
    }
  }
}

void LiveRanges::TrimWithinBuffers(const Buffers& buffers) {
  std::vector<FlowId> live;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::span<const FlowId> values = buffers.values(BufferId(i));
    if (values.size() < 2) continue;
    live.clear();
    for (const FlowId value : values) {
      if (ranges_[value.index()].known()) live.push_back(value);
    }
    std::sort(live.begin(), live.end(), [&](FlowId a, FlowId b) {
      const TimeSpan& x = ranges_[a.index()];
      const TimeSpan& y = ranges_[b.index()];
      return std::tuple(x.start, x.end, a) < std::tuple(y.start, y.end, b);
    });
    for (size_t k = 0; k + 1 < live.size(); ++k) {
      TimeSpan& first = ranges_[live[k].index()];
      TimeSpan& second = ranges_[live[k + 1].index()];
      second.end = std::max(first.end, second.end);
      first.end = std::min(first.end, second.start);
    }
  }
}

}  // namespace halo
