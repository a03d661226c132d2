// The only code that resolves an assignment's names to instructions. Each distinct name is looked
// up once.
#include "halo/memory/bind/bound_assignment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "halo/analysis/dataflow/shape_trees.h"

namespace halo {
namespace {

class NameBinder {
 public:
  NameBinder(const Assignment& assignment, const Module& module) : assignment_(assignment) {
    by_name_.reserve(module.insts.size());
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      by_name_.emplace(module.name_of(module.insts[i]), InstId(i));
    }
  }

  InstId Find(TextId text) {
    const auto [entry, is_new] = by_text_.try_emplace(text.value);
    if (is_new) {
      const auto found = by_name_.find(assignment_.text(text));
      if (found != by_name_.end()) entry->second = found->second;
    }
    return entry->second;
  }

 private:
  const Assignment& assignment_;
  std::unordered_map<std::string_view, InstId> by_name_;
  std::unordered_map<uint32_t, InstId> by_text_;
};

}  // namespace

AssignmentIds BindByName(const Assignment& assignment, const Module& module) {
  NameBinder binder(assignment, module);
  const ShapeTrees trees(module.shapes);
  AssignmentIds ids;
  ids.values.reserve(assignment.values.size());
  for (const AssignedValue& value : assignment.values) {
    BoundValue& bound = ids.values.emplace_back();
    bound.inst = binder.Find(value.instruction);
    if (!bound.inst.valid() || !trees.ok()) continue;
    const ShapeId shape = module.inst(bound.inst).shape;
    const std::optional<uint32_t> node = trees.NodeAt(shape, assignment.index(value.index));
    if (!node) continue;
    bound.node = *node;
    bound.shape = trees.shape_at(shape, *node);
  }
  ids.users.reserve(assignment.uses.size());
  for (const ValueUse& use : assignment.uses) ids.users.push_back(binder.Find(use.instruction));
  ids.sequence.reserve(assignment.sequence.size());
  for (const TextId text : assignment.sequence) ids.sequence.push_back(binder.Find(text));
  return ids;
}

bool Belongs(const AssignmentIds& ids) {
  const auto known = std::count_if(ids.values.begin(), ids.values.end(),
                                   [](const BoundValue& value) { return value.inst.valid(); });
  return static_cast<size_t>(known) * 2 >= ids.values.size();
}

BoundAssignment::BoundAssignment(const Assignment& assignment, const Module* module)
    : BoundAssignment(assignment, module,
                      module == nullptr ? AssignmentIds() : BindByName(assignment, *module)) {}

BoundAssignment::BoundAssignment(const Assignment& assignment, const Module* module,
                                 AssignmentIds ids)
    : assignment_(assignment), module_(module), ids_(std::move(ids)) {
  for (size_t i = 0; i < assignment.sequence.size(); ++i) {
    text_times_.emplace(assignment.sequence[i].value, static_cast<int64_t>(i));
  }
  if (module == nullptr) return;
  times_.assign(module->insts.size(), -1);
  for (size_t i = 0; i < ids_.sequence.size(); ++i) {
    const InstId inst = ids_.sequence[i];
    if (inst.valid() && times_[inst.index()] < 0) times_[inst.index()] = static_cast<int64_t>(i);
  }
}

}  // namespace halo
