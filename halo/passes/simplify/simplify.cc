// Applies the local rewrites to a whole module, operands first, until nothing changes.
#include <vector>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/relayout.h"
#include "halo/passes/rewrite/rewriter.h"
#include "halo/passes/simplify/simplify_rules.h"

namespace halo {
namespace {

constexpr int kMaxRounds = 6;

InstId Simpler(ModuleEditor& edit, InstId id) {
  for (const auto rule :
       {SimplifyStructure, SimplifyArithmetic, SimplifyMovement, SimplifyReduce}) {
    const InstId simple = rule(edit, id);
    if (!simple.valid()) continue;
    // The replacement must keep the layout of the original instruction.
    return Relayout(edit, simple, edit.inst(id).shape);
  }
  return {};
}

bool Round(Module& module, PassLog& log) {
  ModuleEditor edit(std::move(module));
  const size_t count = edit.module().insts.size();
  for (size_t i = 0; i < count; ++i) {
    const InstId id(i);
    const InstId simple = Simpler(edit, id);
    if (!simple.valid() || simple == id) continue;
    log.Note("%", edit.module().name_of(edit.inst(id)), ": ",
             edit.module().opcode_text(edit.inst(id)), " becomes %",
             edit.module().name_of(edit.inst(simple)), ", ",
             edit.module().opcode_text(edit.inst(simple)));
    edit.Replace(id, simple);
  }
  const bool changed = edit.changed();
  module = edit.Finish();
  return changed;
}

}  // namespace

bool Simplify(Module& module, PassLog& log) {
  bool changed = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!Round(module, log)) break;
    changed = true;
  }
  return changed;
}

}  // namespace halo
