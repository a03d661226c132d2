// Flattens a schedule: callees run before the calling instruction, a loop's condition before its
// body.
#include "halo/memory/check/check_times.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace halo::check {
namespace {

void FromSequence(const Assignment& assignment, const Storage& storage, ModuleTimes& times) {
  const Module& module = storage.module();
  std::unordered_map<std::string_view, int64_t> by_name;
  by_name.reserve(assignment.sequence.size());
  for (size_t t = 0; t < assignment.sequence.size(); ++t) {
    by_name.try_emplace(assignment.text(assignment.sequence[t]), static_cast<int64_t>(t));
  }
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    if (!inst.parent.valid() || storage.role(inst) != CompRole::kSequential) continue;
    const auto at = by_name.find(module.name_of(inst));
    if (at != by_name.end()) times.of[i] = at->second;
  }
}

void FromOrder(const Storage& storage, ModuleTimes& times) {
  const Module& module = storage.module();
  struct Frame {
    CompId comp;
    uint32_t next = 0;
    bool called = false;  // the callees of the next instruction were entered
  };
  std::vector<bool> entered(module.comps.size(), false);
  std::vector<Frame> stack{{module.entry}};
  entered[module.entry.index()] = true;
  int64_t time = 0;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const Computation& comp = module.comp(frame.comp);
    if (frame.next == comp.count) {
      stack.pop_back();
      continue;
    }
    const uint32_t at = comp.first + frame.next;
    if (!frame.called) {
      frame.called = true;
      std::vector<CompId> called = CalledComps(module, module.insts[at]);
      // Pushed in reverse, so that the condition of a while comes off the stack before its body.
      for (size_t k = called.size(); k-- > 0;) {
        const CompId id = called[k];
        if (storage.role(id) != CompRole::kSequential || entered[id.index()]) continue;
        entered[id.index()] = true;
        stack.push_back({id});
      }
      continue;
    }
    frame.called = false;
    ++frame.next;
    times.of[at] = time++;
  }
}

// The body of an async op is listed before its start, but cannot run before the start, nor before
// the instructions that bind its operands.
void DelayAsync(const Storage& storage, ModuleTimes& times) {
  const Module& module = storage.module();
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    const bool binds = inst.opcode == Opcode::kAsyncStart ||
                       (inst.opcode == Opcode::kAsyncUpdate && inst.operand_count > 1);
    if (!binds || times.of[i] < 0) continue;
    const CompId body = AsyncBody(module, inst);
    if (!body.valid() || storage.role(body) != CompRole::kSequential) continue;
    times.at_once[body.index()] = true;
    const Computation& comp = module.comp(body);
    for (uint32_t k = comp.first; k < comp.first + comp.count; ++k) {
      if (times.of[k] >= 0) times.of[k] = std::max(times.of[k], times.of[i]);
    }
  }
}

}  // namespace

ModuleTimes TimesOf(const Assignment& assignment, const Storage& storage) {
  const Module& module = storage.module();
  ModuleTimes times;
  times.of.assign(module.insts.size(), -1);
  times.starts.assign(module.comps.size(), -1);
  times.ends.assign(module.comps.size(), -1);
  times.at_once.assign(module.comps.size(), false);
  if (!assignment.sequence.empty()) {
    FromSequence(assignment, storage, times);
  } else if (module.is_scheduled()) {
    FromOrder(storage, times);
  }
  DelayAsync(storage, times);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    if (times.of[i] < 0) continue;
    const size_t comp = module.insts[i].parent.index();
    int64_t& start = times.starts[comp];
    start = start < 0 ? times.of[i] : std::min(start, times.of[i]);
    times.ends[comp] = std::max(times.ends[comp], times.of[i] + 1);
    times.end = std::max(times.end, times.of[i] + 1);
  }
  times.end = std::max(times.end, assignment.schedule_end);
  if (times.ends[module.entry.index()] >= 0) times.ends[module.entry.index()] = times.end;
  return times;
}

}  // namespace halo::check
