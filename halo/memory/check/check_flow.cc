// The rules by which positions are one piece of memory: what an instruction forwards, what flows
// into and out of called computations, what an op updates in place, and what the header aliases.
#include <cstddef>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/memory/check/check_inplace.h"
#include "halo/memory/check/check_storage.h"
#include "halo/semantics/facts/parameters.h"

namespace halo::check {
namespace {

class Flows {
 public:
  Flows(Storage& storage, CheckRules rules)
      : storage_(storage), module_(storage.module()), rules_(rules) {}

  void JoinAll() {
    CountCallers();
    for (const CompId id : module_.order) {
      if (storage_.role(id) != CompRole::kSequential && storage_.role(id) != CompRole::kEmbedded) {
        continue;
      }
      const Computation& comp = module_.comp(id);
      for (uint32_t i = 0; i < comp.count; ++i) JoinInst(InstId(comp.first + i));
    }
    JoinHeader();
  }

 private:
  void CountCallers() {
    callers_.assign(module_.comps.size(), 0);
    parameters_.resize(module_.comps.size());
    for (const Inst& inst : module_.insts) {
      if (inst.parent.valid() && storage_.role(inst) != CompRole::kUnreached &&
          inst.opcode != Opcode::kAsyncUpdate && inst.opcode != Opcode::kAsyncDone) {
        for (const CompId id : CalledComps(module_, inst)) ++callers_[id.index()];
      }
    }
    for (const CompId id : module_.order) parameters_[id.index()] = ParametersOf(module_, id);
  }

  [[nodiscard]] uint32_t First(InstId inst) const {
    return inst.valid() ? storage_.first(inst) : Storage::kNoNode;
  }
  [[nodiscard]] uint32_t Operand(const Inst& inst, size_t k) const {
    const auto operands = module_.operands_of(inst);
    return k < operands.size() ? First(operands[k]) : Storage::kNoNode;
  }
  [[nodiscard]] InstId Parameter(CompId comp, size_t number) const {
    const std::vector<InstId>& list = parameters_[comp.index()];
    return number < list.size() ? list[number] : InstId();
  }
  // With several callers a parameter has several values, and this check cannot tell which of them
  // share.
  [[nodiscard]] bool CalledOnce(CompId comp) const { return callers_[comp.index()] == 1; }

  // Computations that run in parallel get separate copies of their parameters.
  void PassIn(uint32_t from, CompId comp, size_t number) {
    if (storage_.role(comp) == CompRole::kSequential) Pass(from, First(Parameter(comp, number)));
  }

  void Pass(uint32_t from, uint32_t to) { storage_.JoinTrees(from, to, true); }

  void EnterAndLeave(CompId comp, const Inst& inst, size_t first_operand, size_t operand_count,
                     uint32_t result) {
    if (!CalledOnce(comp)) return;
    for (size_t k = 0; k < operand_count; ++k) {
      PassIn(Operand(inst, first_operand + k), comp, k);
    }
    Pass(First(module_.comp(comp).root), result);
  }

  void JoinWhile(const Inst& inst, uint32_t to) {
    const std::vector<CompId> called = CalledComps(module_, inst);
    Pass(Operand(inst, 0), to);
    for (const CompId comp : called) {
      if (CalledOnce(comp)) Pass(to, First(Parameter(comp, 0)));
    }
    const Attr* body = module_.Find(inst, AttrKey::k_body);
    if (body != nullptr && body->value < callers_.size() && CalledOnce(CompId(body->value))) {
      // The root still writes the values it defines.
      storage_.JoinTrees(to, First(module_.comp(CompId(body->value)).root), false);
    }
  }

  void JoinConditional(const Inst& inst, uint32_t to) {
    const std::vector<CompId> called = CalledComps(module_, inst);
    for (size_t i = 0; i < called.size(); ++i) EnterAndLeave(called[i], inst, i + 1, 1, to);
  }

  void JoinCall(const Inst& inst, uint32_t to) {
    const std::vector<CompId> called = CalledComps(module_, inst);
    for (const CompId comp : called) EnterAndLeave(comp, inst, 0, inst.operand_count, to);
  }

  // ((operands), result, contexts...)
  void JoinAsyncStart(const Inst& inst, uint32_t to) {
    const uint32_t operands = storage_.Child(to, 0);
    const uint32_t result = storage_.Child(to, 1);
    for (size_t k = 0; k < inst.operand_count; ++k) {
      storage_.JoinLeaves(Operand(inst, k), storage_.Child(operands, static_cast<int64_t>(k)));
    }
    const std::vector<CompId> called = CalledComps(module_, inst);
    if (called.empty()) {
      if (inst.wrapped == Opcode::kDynamicUpdateSlice) {
        storage_.JoinLeaves(Operand(inst, 0), result);
      }
      return;
    }
    if (!CalledOnce(called[0])) return;
    for (size_t k = 0; k < inst.operand_count; ++k) {
      PassIn(Operand(inst, k), called[0], k);
    }
    storage_.JoinLeaves(First(module_.comp(called[0]).root), result);
  }

  // Forwards what was bound before, and may itself bind operands and the result.
  void JoinAsyncUpdate(const Inst& inst, uint32_t to) {
    const uint32_t from = Operand(inst, 0);
    const uint32_t operands = storage_.Child(to, 0);
    const uint32_t result = storage_.Child(to, 1);
    storage_.JoinLeaves(storage_.Child(from, 0), operands);
    for (size_t k = 1; k < inst.operand_count; ++k) {
      storage_.JoinLeaves(Operand(inst, k), storage_.Child(operands, static_cast<int64_t>(k) - 1));
    }
    const uint32_t bound = storage_.Child(from, 1);
    if (storage_.IsAlike(bound, result)) {
      return storage_.JoinLeaves(bound, result);
    }
    const CompId body = AsyncBody(module_, inst);
    if (!body.valid() || !CalledOnce(body)) return;
    for (size_t k = 1; k < inst.operand_count; ++k) {
      PassIn(Operand(inst, k), body, k - 1);
    }
    storage_.JoinLeaves(First(module_.comp(body).root), result);
  }

  void JoinPermuteStart(const Inst& inst, uint32_t to) {
    const uint32_t sources = storage_.Child(to, 0);
    const bool in_place = module_.Find(inst, AttrKey::k_slice_sizes) != nullptr;
    if (!in_place && inst.operand_count > 1) {
      for (size_t k = 0; k < inst.operand_count; ++k) {
        Pass(Operand(inst, k), storage_.Child(sources, static_cast<int64_t>(k)));
      }
      return;
    }
    storage_.JoinLeaves(Operand(inst, 0), sources);
  }

  void JoinPassedOn(const Inst& inst, uint32_t to) {
    const uint32_t operand = Operand(inst, 0);
    switch (inst.opcode) {
      case Opcode::kBitcast:
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAllReduceDone: return Pass(operand, to);
      case Opcode::kCopyDone: return Pass(storage_.Child(operand, 0), to);
      case Opcode::kGetTupleElement:
        return Pass(storage_.Child(operand, module_.IntOr(inst.attrs, AttrKey::k_index, 0)), to);
      case Opcode::kTuple:
        for (size_t k = 0; k < inst.operand_count; ++k) {
          Pass(Operand(inst, k), storage_.Child(to, static_cast<int64_t>(k)));
        }
        return;
      case Opcode::kCopy:
        // A copied tuple is a new table of the same elements.
        if (!module_.shapes.is_tuple(inst.shape)) return;
        for (size_t k = 0; k < module_.shapes.elements(inst.shape).size(); ++k) {
          const auto step = static_cast<int64_t>(k);
          Pass(storage_.Child(operand, step), storage_.Child(to, step));
        }
        return;
      case Opcode::kCopyStart: return Pass(operand, storage_.Child(to, 1));
      case Opcode::kSend: return Pass(operand, storage_.Child(to, 0));
      case Opcode::kRecvDone: return Pass(storage_.Child(operand, 0), storage_.Child(to, 0));
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone:
      case Opcode::kAsyncDone: return storage_.JoinLeaves(storage_.Child(operand, 1), to);
      case Opcode::kAllGatherStart:
        if (inst.operand_count == 1) return Pass(operand, storage_.Child(to, 0));
        for (size_t k = 0; k < inst.operand_count; ++k) {
          Pass(Operand(inst, k), storage_.Child(storage_.Child(to, 0), static_cast<int64_t>(k)));
        }
        return;
      default: return;
    }
  }

  void JoinInst(InstId id) {
    const Inst& inst = module_.inst(id);
    const uint32_t to = First(id);
    switch (inst.opcode) {
      case Opcode::kWhile: JoinWhile(inst, to); break;
      case Opcode::kConditional: JoinConditional(inst, to); break;
      case Opcode::kCall: JoinCall(inst, to); break;
      case Opcode::kAsyncStart: JoinAsyncStart(inst, to); break;
      case Opcode::kAsyncUpdate: JoinAsyncUpdate(inst, to); break;
      case Opcode::kCollectivePermuteStart: JoinPermuteStart(inst, to); break;
      default: JoinPassedOn(inst, to);
    }
    for (const InPlacePair& pair : MustShare(module_, inst, rules_)) {
      storage_.Join(storage_.Node(module_.operands_of(inst)[pair.operand], pair.operand_index),
                    storage_.Node(id, pair.output_index));
    }
  }

  void JoinHeader() {
    if (!module_.entry.valid()) return;
    const InstId root = module_.comp(module_.entry).root;
    const auto list = module_.IntsOf(module_.attrs, AttrKey::k_input_output_alias);
    for (const AliasEntry& entry : DecodeAliases(list)) {
      if (entry.number < 0) continue;
      const InstId parameter = Parameter(module_.entry, static_cast<size_t>(entry.number));
      storage_.Join(storage_.Node(parameter, entry.input_index),
                    storage_.Node(root, entry.output_index));
    }
  }

  Storage& storage_;
  const Module& module_;
  CheckRules rules_;
  std::vector<uint32_t> callers_;
  std::vector<std::vector<InstId>> parameters_;
};

}  // namespace

void JoinFlows(Storage& storage, CheckRules rules) {
  if (storage.usable()) Flows(storage, rules).JoinAll();
}

}  // namespace halo::check
