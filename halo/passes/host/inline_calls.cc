// Inlines calls and fusions into one flat computation: how another compiler grouped instructions
// for its device means nothing on this one. Computations that are applied to elements and the
// bodies of loops and branches stay.
#include <string>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/unfolded_size.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/relayout.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// Upper bound on copies.
constexpr size_t kMaxCopies = 2'000'000;

class Inliner {
 public:
  Inliner(Module& module, PassLog& log)
      : graph_(module), edit_(std::move(module)), log_(log), flat_(edit_.module().comps.size()) {}

  // Callees come first, so that whatever is copied is already flat.
  void Run() {
    if (graph_.cyclic().valid() || UnfoldedSize(edit_.module(), graph_) > kMostUnfolded) {
      log_.Note("calls stay: the module would become too large");
      return;
    }
    for (const CompId comp : graph_.post_order()) {
      if (edit_.module().comp(comp).defined) Flatten(comp);
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  void Flatten(CompId comp) {
    const Computation computation = edit_.module().comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const InstId id(computation.first + i);
      const Opcode opcode = edit_.inst(id).opcode;
      if ((opcode != Opcode::kCall && opcode != Opcode::kFusion) || !Inline(id, comp)) {
        flat_[comp.index()].push_back(id);
      }
    }
  }

  bool Inline(InstId call, CompId comp) {
    called_.clear();
    edit_.module().CalledBy(edit_.inst(call), called_);
    if (called_.size() != 1) return false;
    const std::vector<InstId>& body = flat_[called_[0].index()];
    copies_ += body.size();
    if (copies_ > kMaxCopies) {
      log_.Note("%", edit_.module().name_of(edit_.inst(call)),
                " stays a call: the module would become too large");
      return false;
    }
    if (!Fits(call, body)) return false;
    const size_t before = edit_.module().insts.size();
    Copy(call, comp, body);
    log_.Note("inline %", edit_.module().name_of(edit_.inst(call)), ": ",
              std::to_string(edit_.module().insts.size() - before), " instructions");
    return true;
  }

  // With mixed precision, a call and its body may differ in types.
  [[nodiscard]] bool Fits(InstId call, const std::vector<InstId>& body) const {
    const ShapeTable& shapes = edit_.module().shapes;
    for (const InstId id : body) {
      const Inst& inst = edit_.inst(id);
      if (inst.opcode == Opcode::kParameter &&
          !SameButLayout(shapes, edit_.inst(edit_.operand(call, inst.extra)).shape, inst.shape)) {
        return false;
      }
    }
    return SameButLayout(shapes, edit_.inst(edit_.root(called_[0])).shape, edit_.inst(call).shape);
  }

  void Copy(InstId call, CompId comp, const std::vector<InstId>& body) {
    std::vector<InstId>& out = flat_[comp.index()];
    const std::vector<InstId> arguments = edit_.operands(call);
    std::vector<InstId> operands;
    if (copy_of_.size() < edit_.module().insts.size()) copy_of_.resize(edit_.module().insts.size());
    for (const InstId id : body) {
      const Inst inst = edit_.inst(id);
      if (inst.opcode == Opcode::kParameter) {
        // The body relies on its parameters' layouts.
        const size_t first = edit_.module().insts.size();
        const InstId argument = Relayout(edit_, arguments[inst.extra], inst.shape);
        for (size_t i = first; i < edit_.module().insts.size(); ++i) out.emplace_back(i);
        copy_of_[id.index()] = argument;
        continue;
      }
      operands.clear();
      for (const InstId each : edit_.operands(id)) operands.push_back(copy_of_[each.index()]);
      const InstId copy = edit_.Clone(id, comp, operands);
      copy_of_[id.index()] = copy;
      out.push_back(copy);
    }
    const size_t first = edit_.module().insts.size();
    const InstId root = copy_of_[edit_.root(called_[0]).index()];
    const InstId result = Relayout(edit_, root, edit_.inst(call).shape);
    for (size_t i = first; i < edit_.module().insts.size(); ++i) out.emplace_back(i);
    edit_.Replace(call, result);
  }

  CallGraph graph_;
  ModuleEditor edit_;
  PassLog& log_;
  std::vector<std::vector<InstId>> flat_;  // by computation: its present instructions, in order
  std::vector<InstId> copy_of_;            // within the current call
  std::vector<CompId> called_;
  size_t copies_ = 0;
};

}  // namespace

bool InlineCalls(Module& module, PassLog& log) {
  Inliner inliner(module, log);
  inliner.Run();
  const bool changed = inliner.changed();
  module = inliner.Finish();
  return changed;
}

}  // namespace halo
