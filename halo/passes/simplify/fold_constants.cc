// Evaluates instructions that depend on constants alone, using the evaluator, where the result is
// small. A result whose elements are all equal becomes a broadcast scalar. Broadcasts and iotas,
// and cheap arithmetic on large ones, stay: kernels compute them faster than they load them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "halo/eval/evaluate.h"
#include "halo/ir/op_properties.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/op_cost.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

constexpr int64_t kMaxBytes = 64 << 10;
constexpr int64_t kMaxCheapElements = 1024;
constexpr int64_t kMaxWork = 20'000'000;

class Folder {
 public:
  explicit Folder(const Module& module) : module_(module), known_(module.insts.size(), kNot) {}

  // The values to compute: known values that an unknown instruction uses.
  std::vector<InstId> Find() {
    for (size_t i = 0; i < module_.insts.size(); ++i) Classify(InstId(i));
    std::vector<bool> wanted(module_.insts.size(), false);
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      if (known_[i] != kNot) continue;
      for (const InstId operand : module_.operands_of(module_.insts[i])) {
        wanted[operand.index()] = true;
      }
    }
    for (const Computation& comp : module_.comps) {
      if (comp.root.valid()) wanted[comp.root.index()] = true;
    }
    std::vector<InstId> found;
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      if (wanted[i] && IsWorthIt(InstId(i))) found.emplace_back(i);
    }
    return found;
  }

 private:
  enum Known : uint8_t { kNot, kCheap, kDear };

  void Classify(InstId id) {
    const Inst& inst = module_.inst(id);
    if (!module_.shapes.is_array(inst.shape)) return;
    const auto bytes = module_.shapes.ByteSize(inst.shape);
    if (!bytes || *bytes > kMaxBytes) return;
    if (inst.opcode == Opcode::kConstant) {
      if (!module_.literals.is_elided(LiteralId(inst.extra))) known_[id.index()] = kCheap;
      return;
    }
    if (!HasFlag(inst.opcode, kFoldable)) return;
    Known known = OpCost(inst.opcode) >= 4 || inst.opcode == Opcode::kReduce ? kDear : kCheap;
    for (const InstId operand : module_.operands_of(inst)) {
      if (known_[operand.index()] == kNot) return;
      if (known_[operand.index()] == kDear) known = kDear;
    }
    known_[id.index()] = known;
  }

  [[nodiscard]] bool IsWorthIt(InstId id) const {
    const Inst& inst = module_.inst(id);
    if (HasFlag(inst.opcode, kGenerates)) return false;
    if (known_[id.index()] == kNot) return false;
    return known_[id.index()] == kDear ||
           module_.shapes.ElementCount(inst.shape).value_or(0) <= kMaxCheapElements;
  }

  const Module& module_;
  std::vector<Known> known_;
};

// Builds a module that returns the given values.
Module Yielding(Module module, const std::vector<InstId>& wanted, std::vector<InstId>& copies) {
  ModuleEditor edit(std::move(module));
  const CompId comp = edit.AddComputation("folded");
  std::vector<InstId> copy_of(edit.module().insts.size());
  std::vector<InstId> stack;
  std::vector<InstId> operands;
  for (const InstId want : wanted) {
    stack.push_back(want);
    while (!stack.empty()) {
      const InstId id = stack.back();
      bool ready = true;
      if (!copy_of[id.index()].valid()) {
        for (const InstId operand : edit.operands(id)) {
          if (copy_of[operand.index()].valid()) continue;
          stack.push_back(operand);
          ready = false;
        }
      }
      if (!ready) continue;
      stack.pop_back();
      if (copy_of[id.index()].valid()) continue;
      operands.clear();
      for (const InstId operand : edit.operands(id)) operands.push_back(copy_of[operand.index()]);
      copy_of[id.index()] = edit.Clone(id, comp, operands);
    }
    copies.push_back(copy_of[want.index()]);
  }
  edit.SetRoot(comp, edit.AddTuple(comp, copies));
  edit.SetEntry(comp);
  return edit.Finish();
}

InstId AddValue(ModuleEditor& edit, InstId like, const Array& array) {
  const Inst inst = edit.inst(like);
  const size_t width = array.element_bytes();
  const std::span<const uint8_t> bits(array.bytes(), array.byte_count());
  bool splat = array.count() > 1;
  for (size_t at = width; splat && at < bits.size(); at += width) {
    splat = std::memcmp(bits.data(), bits.data() + at, width) == 0;
  }
  if (!splat) return edit.AddConstant(inst.parent, inst.shape, bits, like);
  const ShapeId scalar = DenseShape(edit.tables().shapes, array.type(), {});
  const InstId element = edit.AddConstant(inst.parent, scalar, bits.first(width), like);
  const Attr dims = edit.tables().MakeInts(AttrKey::k_dimensions, {});
  return edit.Add(inst.parent, Opcode::kBroadcast, inst.shape, {element}, {&dims, 1}, like);
}

}  // namespace

bool FoldConstants(Module& module, PassLog& log) {
  const std::vector<InstId> wanted = Folder(module).Find();
  if (wanted.empty()) return false;
  std::vector<InstId> copies;
  const Module folded = Yielding(module, wanted, copies);
  EvalOptions options;
  options.replicas = 1;
  options.partitions = 1;
  options.max_work = kMaxWork;
  options.max_bytes = int64_t{256} << 20;
  const Result<EvalOutput> output = Evaluate(folded, {{}}, options);
  if (!output.ok()) {
    log.Note("constants stay as they are: ", output.error().message);
    return false;
  }
  ModuleEditor edit(std::move(module));
  const std::span<const Value> values = output->results[0].elements();
  for (size_t i = 0; i < wanted.size(); ++i) {
    log.Note("%", edit.module().name_of(edit.inst(wanted[i])), " is known");
    edit.Replace(wanted[i], AddValue(edit, wanted[i], values[i].array()));
  }
  module = edit.Finish();
  return true;
}

}  // namespace halo
