// Expands the short forms of async ops. New names follow XLA's reader (async_wrapped, async_param,
// the opcode) and are made unique within the module.
#include "halo/ir/async_sugar.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace halo {
namespace {

// Generates unused names.
class FreshNames {
 public:
  explicit FreshNames(SugarNames names) : plain_(names == SugarNames::kPlain) {}
  void Take(std::string_view name) { taken_.emplace(name); }
  std::string Make(std::string_view base) {
    if (plain_) return std::string(base);
    size_t& next = next_[std::string(base)];
    for (;;) {
      std::string name(base);
      if (next != 0) name += "." + std::to_string(next);
      ++next;
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  bool plain_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> next_;
};

class Expander {
 public:
  Expander(Module& module, SugarNames names)
      : module_(module), inst_names_(names), comp_names_(names) {
    if (names == SugarNames::kPlain) return;
    for (const Inst& inst : module.insts) inst_names_.Take(module.name_of(inst));
    for (const Computation& comp : module.comps) comp_names_.Take(module.text(comp.name));
  }

  void Run() {
    const size_t old_count = module_.insts.size();
    for (size_t i = 0; i < old_count; ++i) {
      const Inst inst = module_.insts[i];
      if ((inst.flags & kInstSugar) == 0) continue;
      if (inst.opcode == Opcode::kAsyncStart && inst.wrapped != Opcode::kUnknown) {
        ExpandStart(InstId(i));
      } else {
        KeepOnly(InstId(i));
      }
      module_.insts[i].flags &= static_cast<uint8_t>(~kInstSugar);
      module_.insts[i].wrapped = Opcode::kUnknown;
    }
    PlaceNewComputations();
  }

 private:
  // Attributes that describe what runs go to both the start and the op it wraps.
  static bool IsShared(AttrKey key) {
    return key == AttrKey::k_frontend_attributes || key == AttrKey::k_statistics ||
           key == AttrKey::k_origin || key == AttrKey::k_metadata ||
           key == AttrKey::k_backend_config;
  }

  static bool Owns(Opcode opcode, AttrKey key) {
    const auto own = OwnAttrsOf(opcode);
    return std::find(own.begin(), own.end(), key) != own.end();
  }

  void ExpandStart(InstId id) {
    const Inst start = module_.inst(id);
    std::vector<Attr> outer, inner;
    StrId thread;
    for (const Attr& attr : module_.attrs_of(start)) {
      const bool own = Owns(start.wrapped, attr.key);
      const bool outers = !own && (Owns(Opcode::kAsyncStart, attr.key) ||
                                   InfoOf(attr.key).scope == AttrScope::kAny);
      if (outers) outer.push_back(attr);
      if (!outers || IsShared(attr.key)) inner.push_back(attr);
      if (attr.key == AttrKey::k_async_execution_thread) thread = StrId(attr.value);
    }
    const CompId comp = AddWrapped(start, inner, thread);
    const int64_t called = comp.value;
    const Attr calls = module_.MakeInts(AttrKey::k_calls, {&called, 1}, AttrForm::kBare);
    const auto after = std::find_if(outer.begin(), outer.end(), [](const Attr& attr) {
      return InfoOf(attr.key).scope == AttrScope::kAny;
    });
    outer.insert(after, calls);
    module_.insts[id.index()].attrs = module_.Attrs(outer);
    new_of_.emplace_back(start.parent, comp);
  }

  CompId AddWrapped(const Inst& start, const std::vector<Attr>& attrs, StrId thread) {
    // ((operands...), result, ...): the shape gives the wrapped op's operands and result.
    std::vector<ShapeId> operand_shapes;
    ShapeId result = start.shape;
    const auto parts = module_.shapes.elements(start.shape);
    if (parts.size() >= 2 && module_.shapes.is_tuple(parts[0])) {
      const auto wrapped = module_.shapes.elements(parts[0]);
      operand_shapes.assign(wrapped.begin(), wrapped.end());
      result = parts[1];
    } else {
      for (const InstId operand : module_.operands_of(start)) {
        if (operand.valid()) operand_shapes.push_back(module_.inst(operand).shape);
      }
    }
    // Operands that only a later update supplies have no shape yet.
    const int arity = InfoOf(start.wrapped).operands;
    while (arity > 0 && operand_shapes.size() < static_cast<size_t>(arity)) {
      const int64_t one = 1;
      operand_shapes.push_back(
          module_.shapes.WithDefaultLayouts(module_.shapes.Array(ElementType::kF32, {&one, 1})));
    }

    const CompId comp_id(module_.comps.size());
    Computation comp;
    comp.name = module_.Str(comp_names_.Make("async_wrapped"));
    comp.first = static_cast<uint32_t>(module_.insts.size());
    comp.count = static_cast<uint32_t>(operand_shapes.size() + 1);
    comp.execution_thread = thread;
    comp.defined = true;

    Inst root;
    root.operands_begin = static_cast<uint32_t>(module_.operands.size());
    root.operand_count = static_cast<uint32_t>(operand_shapes.size());
    for (size_t i = 0; i < operand_shapes.size(); ++i) {
      Inst parameter;
      parameter.name = module_.AddName(inst_names_.Make("async_param"));
      parameter.shape = operand_shapes[i];
      parameter.operands_begin = root.operands_begin;
      parameter.attrs = AttrListId(0u);
      parameter.extra = static_cast<uint32_t>(i);
      parameter.parent = comp_id;
      parameter.opcode = Opcode::kParameter;
      module_.operands.push_back(InstId(module_.insts.size()));
      module_.insts.push_back(parameter);
    }
    root.name = module_.AddName(inst_names_.Make(TextOf(start.wrapped)));
    root.shape = result;
    root.attrs = module_.Attrs(attrs);
    root.parent = comp_id;
    root.opcode = start.wrapped;
    comp.root = InstId(module_.insts.size());
    module_.insts.push_back(root);
    module_.comps.push_back(comp);
    return comp_id;
  }

  // An update or done inherits everything else from its start.
  void KeepOnly(InstId id) {
    const Inst inst = module_.inst(id);
    std::vector<Attr> kept;
    for (const Attr& attr : module_.attrs_of(inst)) {
      if (MayHave(inst.opcode, attr.key)) kept.push_back(attr);
    }
    module_.insts[id.index()].attrs = module_.Attrs(kept);
  }

  void PlaceNewComputations() {
    if (new_of_.empty()) return;
    // new_of_ is grouped by parent, since the instructions of a computation are adjacent.
    std::unordered_map<uint32_t, size_t> first_of;
    for (size_t i = new_of_.size(); i-- > 0;) first_of[new_of_[i].first.value] = i;
    std::vector<CompId> order;
    for (const CompId comp : module_.order) {
      const auto found = first_of.find(comp.value);
      for (size_t i = found == first_of.end() ? new_of_.size() : found->second;
           i < new_of_.size() && new_of_[i].first == comp; ++i) {
        order.push_back(new_of_[i].second);
      }
      order.push_back(comp);
    }
    module_.order = std::move(order);
  }

  Module& module_;
  FreshNames inst_names_, comp_names_;
  std::vector<std::pair<CompId, CompId>> new_of_;  // user, new computation
};

}  // namespace

bool HasAsyncSugar(const Module& module) {
  return std::any_of(module.insts.begin(), module.insts.end(),
                     [](const Inst& inst) { return (inst.flags & kInstSugar) != 0; });
}

void ExpandAsyncSugar(Module& module, SugarNames names) {
  if (HasAsyncSugar(module)) Expander(module, names).Run();
}

}  // namespace halo
