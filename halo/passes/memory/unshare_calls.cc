// Walks the calls from the entry. The first caller of a computation keeps it; the others get
// copies, whose calls are walked in turn.
#include "halo/passes/memory/unshare_calls.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/unfolded_size.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

bool IsShared(const Module& module) {
  std::vector<uint32_t> calls(module.comps.size(), 0);
  std::vector<CompId> called;
  for (const Inst& inst : module.insts) {
    if (!OwnsItsComputations(inst.opcode)) continue;
    called.clear();
    module.CalledBy(inst, called);
    for (const CompId comp : called) ++calls[comp.index()];
  }
  return std::any_of(calls.begin(), calls.end(), [](uint32_t count) { return count > 1; });
}

class Unsharer {
 public:
  explicit Unsharer(Module module) : edit_(std::move(module)) {}

  Module Run() {
    taken_.assign(edit_.module().comps.size(), false);
    work_.push_back(edit_.module().entry);
    while (!work_.empty()) {
      const CompId comp = work_.back();
      work_.pop_back();
      for (const InstId id : edit_.instructions(comp)) {
        if (OwnsItsComputations(edit_.inst(id).opcode)) TakeCalled(id);
      }
    }
    return edit_.Finish();
  }

 private:
  void TakeCalled(InstId id) {
    const std::span<const Attr> stored = edit_.module().attrs_of(edit_.inst(id));
    std::vector<Attr> attrs(stored.begin(), stored.end());
    bool changed = false;
    for (Attr& attr : attrs) {
      const AttrKind kind = InfoOf(attr.key).kind;
      if (kind == AttrKind::kComp) {
        const CompId own = Take(CompId(attr.value));
        changed |= own.value != attr.value;
        attr.value = own.value;
      }
      if (kind != AttrKind::kCompList) continue;
      const std::span<const int64_t> listed = edit_.module().list(attr.value);
      std::vector<int64_t> comps(listed.begin(), listed.end());
      for (int64_t& comp : comps) comp = Take(CompId(static_cast<uint32_t>(comp))).value;
      const uint32_t list = edit_.tables().Ints(comps).value;
      changed |= list != attr.value;
      attr.value = list;
    }
    if (changed) edit_.SetAttrs(id, attrs);
  }

  CompId Take(CompId comp) {
    if (!taken_[comp.index()]) {
      taken_[comp.index()] = true;
      work_.push_back(comp);
      return comp;
    }
    const CompId copy = edit_.AddComputation(
        std::string(edit_.module().text(edit_.module().comp(comp).name)), comp);
    taken_.resize(edit_.module().comps.size(), true);
    const std::vector<InstId> from = edit_.instructions(comp);
    std::vector<InstId> operands;
    renamed_.resize(edit_.module().insts.size());
    for (const InstId id : from) {
      operands.clear();
      for (const InstId operand : edit_.operands(id)) {
        operands.push_back(renamed_[operand.index()]);
      }
      const InstId clone = edit_.Clone(id, copy, operands);
      renamed_[id.index()] = clone;
    }
    edit_.SetRoot(copy, renamed_[edit_.root(comp).index()]);
    work_.push_back(copy);
    return copy;
  }

  ModuleEditor edit_;
  std::vector<bool> taken_;
  std::vector<CompId> work_;
  std::vector<InstId> renamed_;
};

}  // namespace

Result<Module> UnshareCalls(Module module) {
  if (!IsShared(module)) return module;
  const CallGraph calls(module);
  if (calls.cyclic().valid() || UnfoldedSize(module, calls) > kMostUnfolded) {
    return MakeBinaryDiagnostic(diag::kCannotPlan, 0,
                                "this module's calls of calls unfold to more than " +
                                    std::to_string(kMostUnfolded) + " instructions and arrays");
  }
  return Unsharer(std::move(module)).Run();
}

}  // namespace halo
