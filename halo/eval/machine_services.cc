// The part of OpContext that queries the machine that runs the op: memory, limits, calls, devices.
#include <utility>

#include "halo/base/containers/aligned_block.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/op_context.h"
#include "halo/eval/machine.h"

namespace halo {
namespace {

constexpr int kMaxCallDepth = 100;

}  // namespace

CompId OpContext::computation(AttrKey key) const {
  const Attr* attr = module.Find(inst, key);
  return attr == nullptr ? CompId() : CompId(attr->value);
}

Array OpContext::Make(ElementType type, std::span<const int64_t> dims) const {
  return {type, dims, machine_.state().meter};
}

std::optional<Diagnostic> OpContext::CheckBudget(int64_t bytes) const {
  const int64_t live = machine_.state().meter->live.load();
  if (bytes <= machine_.state().options.max_bytes - live) {
    if (AlignedBlock::IsAvailable(bytes)) return std::nullopt;
    return Fail(diag::kMemoryLimit,
                "the system has no memory for " + std::to_string(bytes) + " bytes more");
  }
  return Fail(diag::kMemoryLimit, "needs " + std::to_string(bytes) + " bytes more than the " +
                                      std::to_string(live) + " in use, beyond the limit of " +
                                      std::to_string(machine_.state().options.max_bytes));
}

std::optional<Diagnostic> OpContext::Spend(int64_t work) const {
  int64_t& spent = machine_.state().work;
  if (__builtin_add_overflow(spent, work, &spent)) spent = INT64_MAX;
  if (EvalProgress* progress = machine_.state().options.progress) {
    progress->steps = machine_.state().steps;
    progress->work = spent;
    if (progress->stop) return Fail(diag::kInterrupted, "stopped during the run");
  }
  if (spent <= machine_.state().options.max_work) return std::nullopt;
  return Fail(diag::kStepLimit, "the limit of computed elements is reached");
}

LaneProgram* OpContext::Lanes(CompId comp) const { return machine_.state().LanesOf(comp); }

Result<Value> OpContext::Call(CompId comp, std::vector<Value> arguments) const {
  if (machine_.depth() >= kMaxCallDepth) {
    return Fail(diag::kCannotEvaluate, "calls are nested too deeply");
  }
  Machine inner(machine_.state(), machine_.device(), machine_.depth() + 1);
  inner.Start(comp, std::move(arguments));
  inner.Run();
  switch (inner.status()) {
    case Machine::Status::kDone: return inner.TakeResult();
    case Machine::Status::kFailed: return inner.error();
    default:
      return Fail(diag::kCannotEvaluate,
                  "a computation that is applied to elements contains a collective");
  }
}

int64_t OpContext::device() const { return machine_.device(); }
int64_t OpContext::replica() const { return machine_.device() / machine_.state().grid.partitions; }
int64_t OpContext::partition() const {
  return machine_.device() % machine_.state().grid.partitions;
}
int64_t OpContext::partitions() const { return machine_.state().grid.partitions; }
bool OpContext::threads() const { return machine_.state().options.threads; }
const EvalOptions& OpContext::options() const { return machine_.state().options; }
const CustomCallRegistry& OpContext::custom_calls() const { return machine_.state().custom_calls; }
uint64_t OpContext::CountDraw() const {
  const auto key = static_cast<uint64_t>(machine_.device()) << 32 | id.value;
  return machine_.state().rng_draws[key]++;
}
Value& OpContext::ConstantSlot() const { return machine_.state().constants[id.value]; }

Diagnostic OpContext::Fail(DiagCode code, std::string message, std::string help) const {
  Diagnostic diagnostic = MakeBinaryDiagnostic(
      code, 0,
      std::string(module.opcode_text(inst)) + " %" + std::string(module.name_of(inst)) + " in %" +
          std::string(module.text(module.comp(inst.parent).name)) + ": " + std::move(message));
  if (!help.empty()) diagnostic.help = std::move(help);
  return diagnostic;
}

}  // namespace halo
