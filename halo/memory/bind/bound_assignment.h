// An assignment linked to its module: which instruction and which node of its shape define each
// value, which instructions use it, and what runs when, as ids. The planner creates the links while
// planning; for an assignment read from text they are created once, by name. Explaining and
// advising never look up a name after that. Works without a module too: then nothing is linked, and
// only times are known.
#ifndef HALO_MEMORY_BIND_BOUND_ASSIGNMENT_H_
#define HALO_MEMORY_BIND_BOUND_ASSIGNMENT_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Where a value is defined.
struct BoundValue {
  InstId inst;        // invalid if the module does not have it
  uint32_t node = 0;  // of the instruction's shape, in pre-order (ShapeTrees)
  ShapeId shape;      // at that node; invalid if there is no such node
};

// The ids behind the names of an assignment, row by row.
struct AssignmentIds {
  std::vector<BoundValue> values;  // by ValueId
  std::vector<InstId> users;       // by row of Assignment::uses
  std::vector<InstId> sequence;    // by time
};

AssignmentIds BindByName(const Assignment& assignment, const Module& module);
// Whether an assignment bound by name belongs to the module: most of its values are defined there.
bool Belongs(const AssignmentIds& ids);

class BoundAssignment {
 public:
  // Binds by name; `module` may be null. Both must outlive this.
  BoundAssignment(const Assignment& assignment, const Module* module);
  // Uses ids that are already known.
  BoundAssignment(const Assignment& assignment, const Module* module, AssignmentIds ids);

  [[nodiscard]] const Assignment& assignment() const { return assignment_; }
  [[nodiscard]] const Module* module() const { return module_; }

  // Invalid without a module, or if the module does not have it.
  [[nodiscard]] BoundValue value(ValueId id) const {
    return id.index() < ids_.values.size() ? ids_.values[id.index()] : BoundValue();
  }
  // `use` must be one of the assignment's.
  [[nodiscard]] InstId user(const ValueUse& use) const {
    const auto row = static_cast<size_t>(&use - assignment_.uses.data());
    return row < ids_.users.size() ? ids_.users[row] : InstId();
  }
  [[nodiscard]] InstId at(int64_t time) const {
    const auto row = static_cast<size_t>(time);
    return row < ids_.sequence.size() ? ids_.sequence[row] : InstId();
  }
  // When an instruction runs; -1 if it is in no sequence (inside a fusion, say).
  [[nodiscard]] int64_t time(InstId inst) const {
    return inst.valid() && inst.index() < times_.size() ? times_[inst.index()] : -1;
  }
  // The same by the assignment's own text, which is also known without a module.
  [[nodiscard]] int64_t time(TextId instruction) const {
    const auto found = text_times_.find(instruction.value);
    return found == text_times_.end() ? -1 : found->second;
  }

 private:
  const Assignment& assignment_;
  const Module* module_;
  AssignmentIds ids_;
  std::vector<int64_t> times_;                        // by instruction
  std::unordered_map<uint32_t, int64_t> text_times_;  // by text
};

}  // namespace halo

#endif  // HALO_MEMORY_BIND_BOUND_ASSIGNMENT_H_
