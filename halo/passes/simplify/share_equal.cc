// Replaces equal instructions of a computation by one: same op, operands, shape and attributes,
// ignoring metadata. Computations that are applied to elements are equal if they have the same
// text. Instructions with effects are left alone.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/effects.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// Attributes that do not affect what is computed.
bool IsRemark(AttrKey key) {
  return key == AttrKey::k_metadata || key == AttrKey::k_statistics || key == AttrKey::k_origin ||
         key == AttrKey::k_sharding || key == AttrKey::k_frontend_attributes;
}

void Append(std::string& key, uint32_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

class Sharer {
 public:
  explicit Sharer(Module& module)
      : with_effects_(ComputationsWithEffects(module)), edit_(std::move(module)) {}

  void Run(PassLog& log) {
    const Module& module = edit_.module();
    for (size_t c = 0; c < module.comps.size(); ++c) NumberComputation(CompId(c));
    for (size_t c = 0; c < module.comps.size(); ++c) ShareIn(CompId(c), log);
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  // Identifies operands by `number_of`, and called computations by what they compute.
  template <class NumberOf>
  bool KeyOf(const Inst& inst, const NumberOf& number_of, std::string& key) {
    const Module& module = edit_.module();
    Append(key, static_cast<uint32_t>(inst.opcode));
    Append(key, inst.shape.value);
    Append(key, inst.extra);
    Append(key, inst.operand_count);
    for (const InstId operand : module.operands_of(inst)) Append(key, number_of(operand));
    for (const Attr& attr : module.attrs_of(inst)) {
      if (IsRemark(attr.key)) continue;
      Append(key, static_cast<uint32_t>(attr.key) << 8 | static_cast<uint32_t>(attr.form));
      const AttrKind kind = InfoOf(attr.key).kind;
      if (kind == AttrKind::kCompList) return false;
      Append(key, kind == AttrKind::kComp ? SameComputation(attr.value) : attr.value);
    }
    return true;
  }

  [[nodiscard]] uint32_t SameComputation(uint32_t comp) const {
    return comp < first_alike_.size() ? first_alike_[comp] : comp;
  }

  // Callees precede callers, and so have lower numbers: an earlier pass's Finish ensures it.
  void NumberComputation(CompId comp) {
    const Computation& computation = edit_.module().comp(comp);
    first_alike_.push_back(comp.value);
    if (!computation.defined || computation.count > 16) return;
    std::string key;
    for (uint32_t i = 0; i < computation.count; ++i) {
      const auto local = [&](InstId id) { return id.value - computation.first; };
      if (!KeyOf(edit_.module().insts[computation.first + i], local, key)) return;
    }
    Append(key, computation.root.value - computation.first);
    first_alike_.back() = alike_.try_emplace(std::move(key), comp.value).first->second;
  }

  void ShareIn(CompId comp, PassLog& log) {
    seen_.clear();
    const Computation computation = edit_.module().comp(comp);
    for (uint32_t i = 0; i < computation.count; ++i) {
      const InstId id(computation.first + i);
      const Inst& inst = edit_.inst(id);
      if (inst.opcode == Opcode::kParameter || HasEffect(edit_.module(), inst, with_effects_)) {
        continue;
      }
      std::string key;
      const auto current = [&](InstId each) { return edit_.Current(each).value; };
      if (!KeyOf(inst, current, key)) continue;
      const auto [at, added] = seen_.try_emplace(std::move(key), id);
      if (added) continue;
      log.Note("%", edit_.module().name_of(inst), " is %",
               edit_.module().name_of(edit_.inst(at->second)));
      edit_.Replace(id, at->second);
    }
  }

  std::vector<bool> with_effects_;
  ModuleEditor edit_;
  std::vector<uint32_t> first_alike_;  // by computation: the first identical one
  std::unordered_map<std::string, uint32_t> alike_;
  std::unordered_map<std::string, InstId> seen_;
};

}  // namespace

bool ShareEqual(Module& module, PassLog& log) {
  Sharer sharer(module);
  sharer.Run(log);
  const bool changed = sharer.changed();
  module = sharer.Finish();
  return changed;
}

}  // namespace halo
