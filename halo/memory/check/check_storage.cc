// Numbers the positions of a module, determines which computations own memory, and keeps the
// classes of joined positions. check_flow.cc decides what is joined.
#include "halo/memory/check/check_storage.h"

#include <algorithm>
#include <utility>

namespace halo::check {
namespace {

// A few nested tuples can name more positions than fit in memory.
uint64_t MaxNodes(const Module& module) {
  return std::min<uint64_t>(1u << 30, (1u << 16) + 256 * module.insts.size());
}

bool IsSequentialCall(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional ||
         opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

}  // namespace

std::vector<CompId> CalledComps(const Module& module, const Inst& inst) {
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  std::erase_if(called, [&](CompId id) {
    return id.index() >= module.comps.size() || !module.comp(id).defined;
  });
  return called;
}

CompId AsyncBody(const Module& module, const Inst& inst) {
  const Inst* at = &inst;
  for (int step = 0; step < 1000; ++step) {
    const std::vector<CompId> called = CalledComps(module, *at);
    if (!called.empty()) return called[0];
    const auto operands = module.operands_of(*at);
    if (operands.empty() || !operands[0].valid()) return {};
    at = &module.inst(operands[0]);
  }
  return {};
}

Storage::Storage(const Module& module) : module_(&module) {
  if (!CountShapes()) return;
  FindRoles();
  if (!NumberNodes()) return;
  parents_.resize(shapes_.size());
  for (uint32_t i = 0; i < parents_.size(); ++i) parents_[i] = i;
  writes_.assign(shapes_.size(), true);
  usable_ = true;
}

bool Storage::CountShapes() {
  const uint64_t max_nodes = MaxNodes(*module_);
  const ShapeTable& shapes = module_->shapes;
  counts_.assign(shapes.size(), 1);
  child_begins_.assign(shapes.size(), 0);
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    if (!shapes.is_tuple(ShapeId(i))) continue;
    child_begins_[i] = static_cast<uint32_t>(child_offsets_.size());
    uint64_t count = 1;
    for (const ShapeId element : shapes.elements(ShapeId(i))) {
      child_offsets_.push_back(static_cast<uint32_t>(count));
      // Elements are interned before the tuple, so their counts are known.
      if (element.value >= i) return false;
      count += counts_[element.index()];
      if (count > max_nodes) return false;
    }
    counts_[i] = static_cast<uint32_t>(count);
  }
  return true;
}

void Storage::FindRoles() {
  roles_.assign(module_->comps.size(), CompRole::kUnreached);
  if (!module_->entry.valid()) return;
  std::vector<std::pair<CompId, CompRole>> work{{module_->entry, CompRole::kSequential}};
  while (!work.empty()) {
    const auto [comp_id, role] = work.back();
    work.pop_back();
    CompRole& known = roles_[comp_id.index()];
    // A computation reached in two ways keeps the role with the stronger requirements.
    if (known != CompRole::kUnreached && known <= role) continue;
    known = role;
    const Computation& comp = module_->comp(comp_id);
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module_->insts[comp.first + i];
      CompRole callee = CompRole::kEmbedded;
      if (inst.opcode == Opcode::kFusion) {
        callee = CompRole::kFused;
      } else if (IsSequentialCall(inst.opcode) && role == CompRole::kSequential) {
        callee = role;
      }
      for (const CompId id : CalledComps(*module_, inst)) work.emplace_back(id, callee);
    }
  }
}

bool Storage::NumberNodes() {
  firsts_.assign(module_->insts.size(), kNoNode);
  const uint64_t max_nodes = MaxNodes(*module_);
  uint64_t total = 0;
  for (size_t i = 0; i < module_->insts.size(); ++i) {
    const Inst& inst = module_->insts[i];
    const CompRole role = inst.parent.valid() ? roles_[inst.parent.index()] : CompRole::kUnreached;
    if (role != CompRole::kSequential && role != CompRole::kEmbedded) continue;
    firsts_[i] = static_cast<uint32_t>(total);
    total += counts_[inst.shape.index()];
    if (total > max_nodes) return false;
  }
  shapes_.reserve(total);
  std::vector<ShapeId> stack;
  for (size_t i = 0; i < module_->insts.size(); ++i) {
    if (firsts_[i] == kNoNode) continue;
    stack.assign(1, module_->insts[i].shape);
    while (!stack.empty()) {
      const ShapeId shape = stack.back();
      stack.pop_back();
      shapes_.push_back(shape);
      if (!module_->shapes.is_tuple(shape)) continue;
      const std::span<const ShapeId> elements = module_->shapes.elements(shape);
      for (size_t k = elements.size(); k-- > 0;) stack.push_back(elements[k]);
    }
  }
  return true;
}

uint32_t Storage::count(InstId inst) const { return counts_[module_->inst(inst).shape.index()]; }

uint32_t Storage::Child(uint32_t node, int64_t step) const {
  if (node == kNoNode) return kNoNode;
  const ShapeId shape = shapes_[node];
  if (!module_->shapes.is_tuple(shape) || step < 0) return kNoNode;
  if (static_cast<size_t>(step) >= module_->shapes.elements(shape).size()) return kNoNode;
  return node + child_offsets_[child_begins_[shape.index()] + static_cast<size_t>(step)];
}

uint32_t Storage::Node(InstId inst, std::span<const int64_t> index) const {
  if (!inst.valid()) return kNoNode;
  uint32_t node = firsts_[inst.index()];
  for (const int64_t step : index) node = Child(node, step);
  return node;
}

uint32_t Storage::Class(uint32_t node) const {
  while (parents_[node] != node) {
    parents_[node] = parents_[parents_[node]];
    node = parents_[node];
  }
  return node;
}

void Storage::Join(uint32_t from, uint32_t to) {
  if (from == kNoNode || to == kNoNode) return;
  const uint32_t a = Class(from);
  const uint32_t b = Class(to);
  parents_[std::max(a, b)] = std::min(a, b);
}

bool Storage::IsAlike(uint32_t a, uint32_t b) const {
  if (a == kNoNode || b == kNoNode || CountAt(a) != CountAt(b)) return false;
  return module_->shapes.is_tuple(shapes_[a]) == module_->shapes.is_tuple(shapes_[b]);
}

void Storage::JoinTrees(uint32_t from, uint32_t to, bool forwarded) {
  if (!IsAlike(from, to)) return;
  const uint32_t count = CountAt(from);
  for (uint32_t i = 0; i < count; ++i) {
    Join(from + i, to + i);
    if (forwarded) writes_[to + i] = false;
  }
}

void Storage::JoinLeaves(uint32_t from, uint32_t to) {
  if (!IsAlike(from, to)) return;
  const uint32_t count = CountAt(from);
  for (uint32_t i = 0; i < count; ++i) {
    if (module_->shapes.is_tuple(shapes_[to + i])) continue;
    Join(from + i, to + i);
    writes_[to + i] = false;
  }
}

}  // namespace halo::check
