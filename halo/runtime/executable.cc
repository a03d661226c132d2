// Prints an executable as text.
#include "halo/runtime/executable.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/base/strings/printable.h"

namespace halo {
namespace {

class Printer {
 public:
  Printer(const Module& module, const Executable& plan) : module_(module), plan_(plan) {}

  std::string Print() {
    for (size_t i = 0; i < plan_.allocations.size(); ++i) PrintAllocation(i);
    if (plan_.scratch_bytes > 0) text_ += "scratch " + HumanBytes(plan_.scratch_bytes) + "\n";
    text_ += "in all " + HumanBytes(plan_.TotalBytes()) + "\n";
    if (!plan_.blocks.empty()) PrintBlock(0, 0);
    return std::move(text_);
  }

 private:
  void PrintAllocation(size_t i) {
    const ExecutableAllocation& each = plan_.allocations[i];
    text_ += "memory " + std::to_string(i) + ": " + HumanBytes(each.bytes);
    if (each.kind == ExecutableAllocation::Kind::kParameter) {
      text_ += ", parameter " + std::to_string(each.parameter);
      if (each.is_written) text_ += ", written over";
    }
    if (each.kind == ExecutableAllocation::Kind::kConstant) text_ += ", constant";
    if (each.lives_out) text_ += ", result";
    text_ += "\n";
  }

  // Beyond this depth, it is a number: indentation would be most of the text.
  void Indent(int depth) {
    constexpr int kDeepest = 40;
    text_.append(static_cast<size_t>(std::min(depth, kDeepest)) * 2, ' ');
    if (depth > kDeepest) text_ += "[" + std::to_string(depth) + "] ";
  }

  // Blocks nest as deeply as computations call each other; compilation bounds that depth.
  void PrintBlock(uint32_t block, int depth) {  // NOLINT(misc-no-recursion)
    for (const Step& step : plan_.blocks[block].steps) {
      const Inst& inst = module_.inst(step.inst);
      Indent(depth);
      text_ += TextOf(step.kind);
      text_ += " %";
      text_ += Printable(module_.name_of(inst));
      text_ += " ";
      text_ += Printable(module_.opcode_text(inst));
      text_ += " " + module_.shapes.Text(inst.shape);
      if (step.library != nullptr) text_ += ": " + step.library->Text();
      if (!step.why.empty()) text_ += ": " + Printable(step.why);
      if (step.kind == Step::Kind::kCollective) {
        text_ += ": " + CollectiveText(plan_.collectives[step.collective]);
      }
      if (step.is_whole) text_ += ", in one call";
      for (const KernelCall& call : step.calls) text_ += " " + call.symbol;
      if (!step.buffers.empty()) text_ += " at";
      for (const BufferRef& buffer : step.buffers) {
        text_ += " " + std::to_string(buffer.allocation) + "+" + std::to_string(buffer.offset);
      }
      text_ += "\n";
      for (const uint32_t inner : step.blocks) PrintBlock(inner, depth + 1);
    }
  }

  const Module& module_;
  const Executable& plan_;
  std::string text_;
};

}  // namespace

int64_t Executable::TotalBytes() const {
  int64_t bytes = scratch_bytes;
  for (const ExecutableAllocation& each : allocations) bytes += each.bytes;
  return bytes;
}

std::vector<bool> RunBlocks(const Executable& plan) {
  std::vector<bool> is_run(plan.blocks.size(), false);
  if (!is_run.empty()) is_run[0] = true;
  // A block comes after the first block that enters it.
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    if (!is_run[i]) continue;
    for (const Step& step : plan.blocks[i].steps) {
      if (step.is_whole) continue;
      for (const uint32_t inner : step.blocks) is_run[inner] = true;
    }
  }
  return is_run;
}

std::string ExecutableText(const Module& module, const Executable& plan) {
  return Printer(module, plan).Print();
}

std::string_view TextOf(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kKernel: return "kernel";
    case Step::Kind::kLibrary: return "library";
    case Step::Kind::kReference: return "reference";
    case Step::Kind::kLoop: return "loop";
    case Step::Kind::kConditional: return "conditional";
    case Step::Kind::kCall: return "call";
    case Step::Kind::kCollective: return "start";
    case Step::Kind::kAwait: return "await";
  }
  return {};
}

}  // namespace halo
