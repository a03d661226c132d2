// Runs a planned module in the simplest way: evaluates each instruction by its definition on the
// memory of its operands and writes the value to its own memory. Memory starts as garbage, so that
// reads that come too early and writes that come too soon are detected.
#ifndef HALO_CODEGEN_TEST_ARENA_RUN_H_
#define HALO_CODEGEN_TEST_ARENA_RUN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/sharing/can_share.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/model/assignment.h"
#include "halo/runtime/buffer_map.h"
#include "halo/runtime/reference_step.h"
#include "halo/runtime/stored_array.h"

namespace halo {

class ArenaRun {
 public:
  ArenaRun(const Module& module, const Assignment& assignment)
      : module_(module),
        flow_(module),
        in_place_(flow_, SharingRules()),
        can_share_(flow_, in_place_, SharingRules()),
        map_(flow_, assignment),
        reference_(module, options_) {
    for (const Allocation& each : assignment.allocations) {
      memory_.emplace_back(static_cast<size_t>(each.size), uint8_t{0xCD});
      is_read_only_.push_back(each.is_constant || (each.parameter >= 0 && !each.maybe_live_out));
    }
  }

  // The first error; empty if there was none.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

  Value Run(std::span<const Value> arguments) {
    for (uint32_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      if (inst.opcode == Opcode::kConstant && map_.At(InstId(i)).known()) Compute(InstId(i));
      if (inst.opcode != Opcode::kParameter || inst.parent != module_.entry) continue;
      const std::vector<void*> leaves = Leaves(InstId(i));
      std::span<void* const> left(leaves);
      if (!StoreValue(module_.shapes, inst.shape, arguments[inst.extra], left)) {
        Complain("an argument of another shape");
      }
    }
    const std::vector<std::vector<uint8_t>> before = memory_;
    RunComputation(module_.entry);
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (is_read_only_[i] && memory_[i] != before[i]) {
        Complain("allocation " + std::to_string(i) + " was written");
      }
    }
    const InstId root = module_.comp(module_.entry).root;
    CheckApart(root);
    const std::vector<void*> leaves = Leaves(root);
    std::span<void* const> left(leaves);
    return LoadValue(module_.shapes, module_.inst(root).shape, left);
  }

 private:
  void Complain(std::string what) {
    if (complaint_.empty()) complaint_ = std::move(what);
  }

  std::vector<void*> Leaves(InstId inst) {
    std::vector<void*> leaves;
    const ShapeId shape = module_.inst(inst).shape;
    for (uint32_t node = 0; node < flow_.trees().count(shape); ++node) {
      if (!module_.shapes.is_array(flow_.trees().shape_at(shape, node))) continue;
      const Location& at = map_.At(inst, node);
      if (!at.known()) {
        Complain(std::string(module_.name_of(module_.inst(inst))) + " has no memory");
        return {};
      }
      leaves.push_back(memory_[static_cast<size_t>(at.allocation)].data() + at.offset);
    }
    return leaves;
  }

  // Checks that results do not share memory with each other or with read-only allocations.
  void CheckApart(InstId root) {
    std::vector<Location> seen;
    const ShapeId shape = module_.inst(root).shape;
    for (uint32_t node = 0; node < flow_.trees().count(shape); ++node) {
      if (!module_.shapes.is_array(flow_.trees().shape_at(shape, node))) continue;
      const Location& at = map_.At(root, node);
      if (is_read_only_[static_cast<size_t>(at.allocation)]) Complain("a result is read-only");
      for (const Location& other : seen) {
        const bool apart = other.allocation != at.allocation ||
                           other.offset + other.size <= at.offset ||
                           at.offset + at.size <= other.offset;
        if (!apart) Complain("two results share memory");
      }
      seen.push_back(at);
    }
  }

  // Checks that a result overwrites an operand only where the op is known to read each element
  // first.
  void CheckOverwriting(InstId inst) {
    for (uint32_t part = 0; part < map_.NodeCount(inst); ++part) {
      for (const InstId operand : module_.operands_of(module_.inst(inst))) {
        for (uint32_t node = 0; node < map_.NodeCount(operand); ++node) {
          const Location& to = map_.At(inst, part);
          const Location& from = map_.At(operand, node);
          const bool apart = !to.known() || to.allocation != from.allocation ||
                             to.offset + to.size <= from.offset ||
                             from.offset + from.size <= to.offset;
          if (apart || (to == from && can_share_({operand, node}, {inst, part}))) continue;
          Complain(std::string(module_.name_of(module_.inst(inst))) +
                   " overwrites an operand that it reads");
        }
      }
    }
  }

  void Compute(InstId inst) {
    CheckOverwriting(inst);
    std::vector<void*> leaves;
    for (const InstId operand : module_.operands_of(module_.inst(inst))) {
      const std::vector<void*> more = Leaves(operand);
      leaves.insert(leaves.end(), more.begin(), more.end());
    }
    const std::vector<void*> results = Leaves(inst);
    leaves.insert(leaves.end(), results.begin(), results.end());
    const std::optional<Diagnostic> failed = reference_.Run(inst, leaves);
    if (failed) Complain(failed->message);
  }

  int64_t Scalar(InstId inst) {
    const std::vector<void*> leaves = Leaves(inst);
    if (module_.shapes.type(module_.inst(inst).shape) == ElementType::kPred) {
      return *static_cast<const uint8_t*>(leaves[0]);
    }
    return *static_cast<const int32_t*>(leaves[0]);
  }

  CompId Called(const Inst& inst, AttrKey key) { return CompId(module_.Find(inst, key)->value); }

  void RunComputation(CompId comp) {
    const Computation& computation = module_.comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) RunInstruction(InstId(computation.first + i));
  }

  void RunInstruction(InstId id) {
    const Inst& inst = module_.inst(id);
    std::vector<CompId> called;
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kParameter:
      case OpFlow::kConstant:
      case OpFlow::kTuple:
      case OpFlow::kElement:
      case OpFlow::kBitcast: return;
      case OpFlow::kWhile: {
        const CompId condition = Called(inst, AttrKey::k_condition);
        for (RunComputation(condition); Scalar(module_.comp(condition).root) != 0;
             RunComputation(condition)) {
          RunComputation(Called(inst, AttrKey::k_body));
        }
        return;
      }
      case OpFlow::kConditional: {
        module_.CalledBy(inst, called);
        const InstId chooser = module_.operands_of(inst)[0];
        const bool is_predicate =
            module_.shapes.type(module_.inst(chooser).shape) == ElementType::kPred;
        int64_t chosen = Scalar(chooser);
        if (is_predicate) chosen = chosen != 0 ? 0 : 1;
        const auto count = static_cast<int64_t>(called.size());
        if (chosen < 0 || chosen >= count) chosen = count - 1;
        RunComputation(called[static_cast<size_t>(chosen)]);
        return;
      }
      case OpFlow::kCall:
        module_.CalledBy(inst, called);
        RunComputation(called[0]);
        return;
      default: Compute(id);
    }
  }

  const Module& module_;
  EvalOptions options_;
  Dataflow flow_;
  InPlacePairs in_place_;
  CanShare can_share_;
  BufferMap map_;
  ReferenceSteps reference_;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<bool> is_read_only_;
  std::string complaint_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_ARENA_RUN_H_
