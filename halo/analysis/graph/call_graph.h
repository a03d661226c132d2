// Which computations call which, and how. `while`, `call`, `conditional` and async ops run a
// computation as part of the program's own sequence (control flow). `reduce`, `fusion` and the like
// embed it, so its values are in no buffer of the program.
#ifndef HALO_ANALYSIS_GRAPH_CALL_GRAPH_H_
#define HALO_ANALYSIS_GRAPH_CALL_GRAPH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// The computations of an instruction in XLA's order: a while's body comes before its condition,
// whatever the text says.
void CalledComputations(const Module& module, const Inst& inst, std::vector<CompId>& out);

// True for opcodes whose computations run in the program's sequence.
bool RunsItsComputations(Opcode opcode);

class CallGraph {
 public:
  enum class Context : uint8_t { kUnreached, kControlFlow, kEmbedded, kBoth };

  explicit CallGraph(const Module& module);

  // Each instruction that calls `comp`, once, in text order.
  [[nodiscard]] std::span<const InstId> callers(CompId comp) const {
    return {callers_.data() + caller_begins_[comp.index()],
            callers_.data() + caller_begins_[comp.index() + 1]};
  }
  // How often instructions name `comp`: one may do so several times, as two branches of a
  // conditional.
  [[nodiscard]] uint32_t call_sites(CompId comp) const { return call_sites_[comp.index()]; }
  // Each computation that `comp` calls, once, in order of first call.
  [[nodiscard]] std::span<const CompId> callees(CompId comp) const {
    return {callees_.data() + callee_begins_[comp.index()],
            callees_.data() + callee_begins_[comp.index() + 1]};
  }
  // `kUnreached` for every computation if cyclic.
  [[nodiscard]] Context context(CompId comp) const { return contexts_[comp.index()]; }
  // Callees before callers, from the entry only. Meaningless if cyclic.
  [[nodiscard]] const std::vector<CompId>& post_order() const { return post_order_; }
  // A computation that calls itself, perhaps through others; invalid in programs that XLA made.
  [[nodiscard]] CompId cyclic() const { return cyclic_; }

 private:
  void Visit(const Module& module);
  void FindContexts(const Module& module);

  std::vector<uint32_t> caller_begins_, callee_begins_;
  std::vector<uint32_t> call_sites_;
  std::vector<InstId> callers_;
  std::vector<CompId> callees_;
  std::vector<Context> contexts_;
  std::vector<CompId> post_order_;
  CompId cyclic_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_CALL_GRAPH_H_
