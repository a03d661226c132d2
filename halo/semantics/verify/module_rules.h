// The groups of rules that examine more than one instruction, each in its own file verify_*.cc. All
// take time linear in what they examine.
#ifndef HALO_SEMANTICS_VERIFY_MODULE_RULES_H_
#define HALO_SEMANTICS_VERIFY_MODULE_RULES_H_

#include <numeric>

#include "halo/ir/module.h"
#include "halo/semantics/facts/module_facts.h"
#include "halo/semantics/rules/finding.h"
#include "halo/semantics/rules/rule_context.h"

namespace halo {

class ModuleContext {
 public:
  ModuleContext(const Module& module, const ModuleFacts& facts, RuleFindings& findings)
      : module_(module), facts_(facts), findings_(findings) {}

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const ModuleFacts& facts() const { return facts_; }
  [[nodiscard]] const ShapeTable& shapes() const { return module_.shapes; }
  [[nodiscard]] RuleContext op(InstId id) const { return {module_, facts_, id, findings_}; }
  [[nodiscard]] std::string_view CompName(CompId comp) const {
    return module_.text(module_.comp(comp).name);
  }
  [[nodiscard]] std::string_view NameOf(InstId inst) const {
    return module_.name_of(module_.inst(inst));
  }
  // Before partitioning, shapes are those of whole arrays, and each may be divided among the
  // devices. Returns what is the same for all sizes that may be equal on each device.
  [[nodiscard]] int64_t SizeOnDevices(int64_t bytes) const {
    const int64_t partitions = facts_.num_partitions();
    if (partitions <= 1 || module_.is_scheduled() || bytes <= 0) return bytes;
    for (int64_t common = 0; (common = std::gcd(bytes, partitions)) > 1;) bytes /= common;
    return bytes;
  }

  // Report about an instruction, a computation, or the module's header.
  template <class... Parts>
  void Report(Rule rule, InstId inst, const Parts&... parts) {
    Add(rule, module_.inst(inst).parent, inst, parts...);
  }
  template <class... Parts>
  void Report(Rule rule, CompId comp, const Parts&... parts) {
    Add(rule, comp, {}, parts...);
  }
  template <class... Parts>
  void ReportHeader(Rule rule, const Parts&... parts) {
    Add(rule, {}, {}, parts...);
  }

  // Calls `visit` for each reachable instruction whose operands could be read.
  template <class Visit>
  void ForEachInst(const Visit& visit) const {
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      if (facts_.operands_ok(InstId(i)) && facts_.reachable(inst.parent)) visit(InstId(i), inst);
    }
  }

 private:
  template <class... Parts>
  void Add(Rule rule, CompId comp, InstId inst, const Parts&... parts) {
    if (findings_.full()) {
      findings_.Count(rule);
    } else {
      findings_.Add({rule, comp, inst, Cat(parts...)});
    }
  }

  const Module& module_;
  const ModuleFacts& facts_;
  RuleFindings& findings_;
};

void VerifyOperands(ModuleContext& context);      // and control predecessors
void VerifyComputations(ModuleContext& context);  // parameters, roots, callers, recursion, threads
void VerifySchedule(ModuleContext& context);
void VerifyFusions(ModuleContext& context);
void VerifyAsyncPairs(ModuleContext& context);
void VerifyChannels(ModuleContext& context);
void VerifyAliasing(ModuleContext& context);         // of the module's parameters and results
void VerifyOperandAliasing(ModuleContext& context);  // of single instructions
void VerifyLayouts(ModuleContext& context);
void VerifyEntryLayout(ModuleContext& context);
void VerifyShardings(ModuleContext& context);
void VerifyCustomCalls(ModuleContext& context);
void FindSuspicious(ModuleContext& context);  // legal, but suspicious

}  // namespace halo

#endif  // HALO_SEMANTICS_VERIFY_MODULE_RULES_H_
