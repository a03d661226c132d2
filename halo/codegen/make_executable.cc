// Walks the computations that run as blocks of steps and decides how each instruction is computed:
// by a library, by generated code or by the evaluator.
#include "halo/codegen/make_executable.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/analysis/dataflow/dataflow.h"
#include "halo/base/round_up.h"
#include "halo/codegen/forms/lower_kernel.h"
#include "halo/codegen/kernel/kernel_key.h"
#include "halo/codegen/library/make_library_op.h"
#include "halo/codegen/whole_loop.h"
#include "halo/ir/op_properties.h"
#include "halo/runtime/buffer_map.h"
#include "halo/runtime/kernel_call.h"
#include "halo/runtime/make_collective.h"
#include "halo/runtime/reference_step.h"

namespace halo {
namespace {

constexpr int64_t kTempAlignment = 64;

bool EndsCollective(Opcode opcode) {
  return HasTrait(opcode, kAsyncDone) && FlowOf(opcode) != OpFlow::kCopyDone;
}

class ExecutableBuilder {
 public:
  ExecutableBuilder(const PreparedModule& prepared, const ExecutableOptions& options)
      : prepared_(prepared),
        module_(prepared.module),
        options_(options),
        flow_(module_),
        map_(flow_, prepared.assignment) {}

  Result<PlannedModule> Make() {
    if (!flow_.problem().empty()) return Failure(std::string(flow_.problem()));
    AddAllocations();
    AddBlock(module_.entry);
    // Filling a block may append new blocks, so iterate by index rather than by reference.
    for (size_t i = 0; i < made_.plan.blocks.size() && !failed_; ++i) Fill(i);
    if (failed_) return *std::move(failed_);
    AddLeaves(module_.comp(module_.entry).root, made_.plan.results);
    AddTemporary();
    if (options_.joins_loops) JoinLoopSteps();
    AddUnits();
    return std::move(made_);
  }

 private:
  static Diagnostic Failure(std::string message) {
    return MakeBinaryDiagnostic(diag::kCannotPlan, 0, std::move(message));
  }

  [[nodiscard]] BufferRef At(InstId id, uint32_t node = 0);
  void AddAllocations();
  uint32_t AddBlock(CompId comp);
  void Fill(size_t block);
  void AddStep(size_t block, InstId id);
  // Appends the locations of the array leaves of an instruction's result.
  void AddLeaves(InstId id, std::vector<BufferRef>& out);
  void Decide(Step& step);
  // Adds the start of a collective, and its await immediately after it unless another instruction
  // (its done) completes it.
  void AddCollective(size_t block, InstId id);
  void AddAwait(size_t block, InstId done);
  [[nodiscard]] bool has_devices() const {
    return options_.eval.replicas * options_.eval.partitions > 1;
  }
  bool Lower(Step& step);
  void AddTemporary();
  // Replaces loops of small kernels by whole loops.
  void JoinLoopSteps();
  [[nodiscard]] std::optional<std::vector<LoopPart>> PartsOf(uint32_t block) const;
  // The functions of all steps that run by themselves.
  void AddUnits();

  const PreparedModule& prepared_;
  const Module& module_;
  const ExecutableOptions& options_;
  Dataflow flow_;
  BufferMap map_;
  PlannedModule made_;
  std::unordered_map<uint32_t, uint32_t> blocks_;   // by computation
  std::unordered_map<uint32_t, Step> awaits_;       // by the instruction that starts it
  std::unordered_map<uint32_t, LoopPart> kernels_;  // by instruction
  std::vector<JitUnit> wholes_;
  int64_t temp_bytes_ = 0;
  std::optional<Diagnostic> failed_;
};

BufferRef ExecutableBuilder::At(InstId id, uint32_t node) {
  const Location& at = map_.At(id, node);
  if (!at.known()) {
    failed_ = Failure("%" + std::string(module_.name_of(module_.inst(id))) + " has no memory");
    return {};
  }
  return {
      .allocation = static_cast<uint32_t>(at.allocation), .offset = at.offset, .bytes = at.size};
}

void ExecutableBuilder::AddAllocations() {
  const Assignment& assignment = prepared_.assignment;
  for (const Allocation& from : assignment.allocations) {
    ExecutableAllocation& to = made_.plan.allocations.emplace_back();
    to.bytes = from.is_thread_local ? 0 : from.size;
    to.lives_out = from.maybe_live_out;
    if (from.parameter >= 0 && !from.is_thread_local) {
      to.kind = ExecutableAllocation::Kind::kParameter;
      to.parameter = from.parameter;
      to.is_written = from.count > 1 || from.maybe_live_out;
    }
    if (from.is_constant) to.kind = ExecutableAllocation::Kind::kConstant;
  }
  // Find which leaf of its parameter each allocation holds, and the bytes of constants.
  const auto visit = [&](InstId id, const auto& found) {
    const ShapeId shape = module_.inst(id).shape;
    uint32_t leaf = 0;
    for (uint32_t node = 0; node < flow_.trees().count(shape); ++node) {
      const ShapeId part = flow_.trees().shape_at(shape, node);
      if (module_.shapes.is_array(part)) found(part, At(id, node), leaf++);
    }
  };
  ReferenceSteps constants(module_, options_.eval);
  for (uint32_t i = 0; i < module_.insts.size(); ++i) {
    const Inst& inst = module_.inst(InstId(i));
    if (inst.opcode == Opcode::kParameter && inst.parent == module_.entry) {
      visit(InstId(i), [&](ShapeId, const BufferRef& at, uint32_t leaf) {
        ExecutableAllocation& to = made_.plan.allocations[at.allocation];
        if (to.kind == ExecutableAllocation::Kind::kParameter) to.leaf = leaf;
      });
    }
    if (inst.opcode != Opcode::kConstant || !map_.At(InstId(i)).known()) continue;
    std::vector<void*> leaves;
    visit(InstId(i), [&](ShapeId, const BufferRef& at, uint32_t) {
      ExecutableAllocation& to = made_.plan.allocations[at.allocation];
      to.bits.resize(static_cast<size_t>(to.bytes));
      leaves.push_back(to.bits.data() + at.offset);
    });
    // The evaluator substitutes the values that the text elides.
    if (std::optional<Diagnostic> failed = constants.Run(InstId(i), leaves)) failed_ = failed;
  }
}

uint32_t ExecutableBuilder::AddBlock(CompId comp) {
  const auto [at, added] =
      blocks_.try_emplace(comp.value, static_cast<uint32_t>(made_.plan.blocks.size()));
  if (added) made_.plan.blocks.push_back({.comp = comp, .steps = {}});
  return at->second;
}

void ExecutableBuilder::AddLeaves(InstId id, std::vector<BufferRef>& out) {
  const ShapeId shape = module_.inst(id).shape;
  for (uint32_t node = 0; node < flow_.trees().count(shape); ++node) {
    if (module_.shapes.is_array(flow_.trees().shape_at(shape, node))) {
      out.push_back(At(id, node));
    }
  }
}

void ExecutableBuilder::Fill(size_t block) {
  const Computation& comp = module_.comp(made_.plan.blocks[block].comp);
  for (uint32_t i = 0; i < comp.count && !failed_; ++i) AddStep(block, InstId(comp.first + i));
}

void ExecutableBuilder::AddStep(size_t block, InstId id) {
  const Inst& inst = module_.inst(id);
  Step step;
  step.inst = id;
  std::vector<CompId> called;
  switch (FlowOf(inst.opcode)) {
    // These need no step: they only forward values or produce none.
    case OpFlow::kParameter:
    case OpFlow::kConstant:
    case OpFlow::kTuple:
    case OpFlow::kElement:
    case OpFlow::kBitcast:
    case OpFlow::kToken:
    case OpFlow::kForwards: return;
    case OpFlow::kWhile: {
      step.kind = Step::Kind::kLoop;
      const Attr* condition = module_.Find(inst, AttrKey::k_condition);
      const Attr* body = module_.Find(inst, AttrKey::k_body);
      if (condition == nullptr || body == nullptr) {
        failed_ = Failure("a loop without computations");
        return;
      }
      step.blocks = {AddBlock(CompId(condition->value)), AddBlock(CompId(body->value))};
      step.buffers.push_back(At(module_.comp(CompId(condition->value)).root, 0));
      break;
    }
    case OpFlow::kConditional: {
      step.kind = Step::Kind::kConditional;
      module_.CalledBy(inst, called);
      const InstId chooser = module_.operands_of(inst)[0];
      step.is_predicated = module_.shapes.type(module_.inst(chooser).shape) == ElementType::kPred;
      for (const CompId comp : called) step.blocks.push_back(AddBlock(comp));
      step.buffers.push_back(At(chooser, 0));
      break;
    }
    case OpFlow::kCall:
      step.kind = Step::Kind::kCall;
      module_.CalledBy(inst, called);
      step.blocks.push_back(AddBlock(called[0]));
      break;
    default:
      if (has_devices() && IsCollectiveStart(module_, id)) return AddCollective(block, id);
      if (has_devices() && EndsCollective(inst.opcode)) return AddAwait(block, id);
      for (const InstId operand : module_.operands_of(inst)) AddLeaves(operand, step.buffers);
      AddLeaves(id, step.buffers);
      Decide(step);
  }
  made_.plan.blocks[block].steps.push_back(std::move(step));
}

void ExecutableBuilder::AddCollective(size_t block, InstId id) {
  Result<MadeCollective> made = MakeCollective(module_, id, options_.eval);
  if (!made.ok()) {
    failed_ = made.error();
    return;
  }
  std::vector<BufferRef> operands;
  std::vector<BufferRef> results;
  for (const InstId operand : module_.operands_of(module_.inst(id))) AddLeaves(operand, operands);
  AddLeaves(id, results);
  if (failed_) return;
  for (const auto& [from, to] : made->forwarded) {
    if (operands[from].allocation == results[to].allocation &&
        operands[from].offset == results[to].offset) {
      continue;
    }
    failed_ = Failure("%" + made->op.name + " would have to copy an operand that it forwards");
    return;
  }
  Step step;
  step.kind = Step::Kind::kCollective;
  step.inst = id;
  step.collective = static_cast<uint32_t>(made_.plan.collectives.size());
  for (const uint32_t leaf : made->operand_leaves) step.buffers.push_back(operands[leaf]);
  for (const uint32_t leaf : made->result_leaves) step.buffers.push_back(results[leaf]);
  made_.plan.collectives.push_back(std::move(made->op));
  Step await;
  await.kind = Step::Kind::kAwait;
  await.inst = id;
  await.collective = step.collective;
  for (const uint32_t leaf : made->result_leaves) await.buffers.push_back(results[leaf]);
  std::vector<Step>& steps = made_.plan.blocks[block].steps;
  steps.push_back(std::move(step));
  if (HasCollectiveDone(module_, id)) {
    awaits_.emplace(id.value, std::move(await));
  } else {
    steps.push_back(std::move(await));
  }
}

void ExecutableBuilder::AddAwait(size_t block, InstId done) {
  const auto found = awaits_.find(module_.operands_of(module_.inst(done))[0].value);
  if (found == awaits_.end()) {
    failed_ = Failure("%" + std::string(module_.name_of(module_.inst(done))) +
                      " awaits a collective that was not started");
    return;
  }
  made_.plan.blocks[block].steps.push_back(found->second);
}

void ExecutableBuilder::Decide(Step& step) {
  if (options_.uses_libraries) {
    if (std::unique_ptr<LibraryOp> op = MakeLibraryOp(module_, step.inst)) {
      step.kind = Step::Kind::kLibrary;
      made_.plan.scratch_bytes = std::max(made_.plan.scratch_bytes, op->scratch_bytes());
      step.library = std::move(op);
      return;
    }
  }
  if (!options_.uses_kernels) {
    step.why = "code generation is disabled";
    return;
  }
  std::optional<LoweredKernel> kernel =
      LowerKernel(module_, step.inst, step.why, options_.max_kernel_values);
  if (!kernel) {
    if (module_.inst(step.inst).opcode == Opcode::kFusion) {
      made_.refused.insert(KernelKey(module_, step.inst));
    }
    return;
  }
  step.kind = Step::Kind::kKernel;
  step.why.clear();
  step.calls = std::move(kernel->calls);
  if (kernel->temp_bytes > 0) {
    // All steps share one temporary allocation because they run one after the other.
    step.buffers.push_back({.allocation = static_cast<uint32_t>(made_.plan.allocations.size()),
                            .offset = 0,
                            .bytes = kernel->temp_bytes});
    temp_bytes_ = std::max(temp_bytes_, RoundUp(kernel->temp_bytes, kTempAlignment));
  }
  kernels_.emplace(step.inst.value, LoopPart{.key = std::move(kernel->key),
                                             .calls = step.calls,
                                             .emit = std::move(kernel->emit),
                                             .emitted = kernel->emitted,
                                             .buffers = step.buffers});
}

std::optional<std::vector<LoopPart>> ExecutableBuilder::PartsOf(uint32_t block) const {
  std::vector<LoopPart> parts;
  for (const Step& step : made_.plan.blocks[block].steps) {
    const Inst& inst = module_.inst(step.inst);
    if (step.kind == Step::Kind::kKernel) {
      parts.push_back(kernels_.at(step.inst.value));
    } else if (step.kind == Step::Kind::kLibrary && inst.opcode == Opcode::kCopy &&
               module_.inst(module_.operands_of(inst)[0]).shape == inst.shape) {
      parts.emplace_back().buffers = step.buffers;
    } else {
      return std::nullopt;
    }
  }
  return parts;
}

void ExecutableBuilder::JoinLoopSteps() {
  // No two loops run at the same time inside each other's calls, so all share one progress.
  const BufferRef progress{.allocation = static_cast<uint32_t>(made_.plan.allocations.size()),
                           .offset = 0,
                           .bytes = sizeof(LoopProgress)};
  bool uses_progress = false;
  for (Block& block : made_.plan.blocks) {
    for (Step& step : block.steps) {
      if (step.kind != Step::Kind::kLoop) continue;
      std::optional<std::vector<LoopPart>> condition = PartsOf(step.blocks[0]);
      std::optional<std::vector<LoopPart>> body = PartsOf(step.blocks[1]);
      if (!condition || !body) continue;
      std::optional<WholeLoop> whole = MakeWholeLoop({.condition = *std::move(condition),
                                                      .body = *std::move(body),
                                                      .predicate = step.buffers[0],
                                                      .progress = progress});
      if (!whole) continue;
      step.is_whole = true;
      step.calls = {std::move(whole->call)};
      step.buffers = std::move(whole->buffers);
      wholes_.push_back(std::move(whole->unit));
      uses_progress = true;
    }
  }
  if (uses_progress) made_.plan.allocations.emplace_back().bytes = sizeof(LoopProgress);
}

void ExecutableBuilder::AddUnits() {
  const std::vector<bool> is_run = RunBlocks(made_.plan);
  std::unordered_set<std::string> keys;
  for (size_t i = 0; i < is_run.size(); ++i) {
    if (!is_run[i]) continue;
    for (const Step& step : made_.plan.blocks[i].steps) {
      if (step.kind != Step::Kind::kKernel) continue;
      const LoopPart& kernel = kernels_.at(step.inst.value);
      if (!keys.insert(kernel.key).second) continue;
      JitUnit& unit = made_.units.emplace_back();
      unit.key = kernel.key;
      for (const KernelCall& call : kernel.calls) unit.symbols.push_back(call.symbol);
      unit.emit = kernel.emit;
      unit.size = kernel.emitted;
      unit.is_brief = std::ranges::all_of(kernel.calls, [](const KernelCall& call) {
        return IsForOneThread(call.iterations, call.grain);
      });
    }
  }
  for (JitUnit& unit : wholes_) made_.units.push_back(std::move(unit));
}

void ExecutableBuilder::AddTemporary() {
  if (temp_bytes_ == 0) return;
  made_.plan.allocations.emplace_back().bytes = temp_bytes_;
}

}  // namespace

Result<PlannedModule> MakeExecutable(const PreparedModule& prepared,
                                     const ExecutableOptions& options) {
  return ExecutableBuilder(prepared, options).Make();
}

}  // namespace halo
