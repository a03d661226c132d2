// HLO is written bottom up: an instruction's operands and the computations it calls come before it.
#include <vector>

#include "halo/semantics/rules/rule_context.h"
#include "halo/semantics/verify/verify_source.h"

namespace halo {
namespace {

// Returns the position of each computation in the text.
std::vector<size_t> Positions(const Module& module) {
  std::vector<size_t> positions(module.comps.size(), 0);
  for (size_t i = 0; i < module.order.size(); ++i) positions[module.order[i].index()] = i;
  return positions;
}

class Order {
 public:
  Order(const Module& module, RuleFindings& findings)
      : module_(module), findings_(findings), positions_(Positions(module)) {}

  void Verify(InstId id) {
    const Inst& inst = module_.inst(id);
    for (const InstId operand : module_.operands_of(inst)) Above(id, operand, "operand ");
    for (const int64_t before : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      Above(id, InstId(static_cast<uint32_t>(before)), "control predecessor ");
    }
    called_.clear();
    module_.CalledBy(inst, called_);
    for (const CompId comp : called_) CompAbove(id, comp);
  }

 private:
  void Above(InstId id, InstId used, std::string_view role) {
    if (used.index() >= module_.insts.size() || used.index() < id.index()) return;
    if (module_.inst(used).parent != module_.inst(id).parent) return;
    Report(id, Cat(role, module_.name_of(module_.inst(used)), " is defined below"));
  }

  void CompAbove(InstId id, CompId comp) {
    if (comp.index() >= module_.comps.size()) return;
    const Computation& called = module_.comp(comp);
    if (!called.defined || called.hidden) return;
    if (positions_[comp.index()] < positions_[module_.inst(id).parent.index()]) return;
    Report(id, Cat("computation ", module_.text(called.name), " is defined below"));
  }

  void Report(InstId id, std::string message) {
    findings_.Add({Rule::kDefinitionOrder, module_.inst(id).parent, id, std::move(message)});
  }

  const Module& module_;
  RuleFindings& findings_;
  std::vector<size_t> positions_;
  std::vector<CompId> called_;
};

}  // namespace

void VerifyDefinitionOrder(const Module& module, RuleFindings& findings) {
  Order order(module, findings);
  for (size_t i = 0; i < module.insts.size(); ++i) order.Verify(InstId(i));
}

}  // namespace halo
