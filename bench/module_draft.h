// A module taken apart for editing: instructions with their operands as plain lists, which keep
// their numbers through every edit, and a module written from them in any valid order. Knows
// nothing about matching.
#ifndef BENCH_MODULE_DRAFT_H_
#define BENCH_MODULE_DRAFT_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/module.h"
#include "halo/ir/op_properties.h"

namespace halo::bench {

struct DraftInst {
  Inst record;
  std::vector<uint32_t> operands;
  bool erased = false;
};

struct DraftComp {
  std::vector<uint32_t> insts;
  uint32_t root = 0;
};

class ModuleDraft {
 public:
  explicit ModuleDraft(const Module& module) : base(module) {
    for (const Inst& inst : module.insts) {
      DraftInst draft{inst, {}, false};
      for (const InstId operand : module.operands_of(inst)) draft.operands.push_back(operand.value);
      insts.push_back(std::move(draft));
    }
    for (const Computation& comp : module.comps) {
      DraftComp draft;
      for (uint32_t i = 0; i < comp.count; ++i) draft.insts.push_back(comp.first + i);
      draft.root = comp.root.value;
      comps.push_back(std::move(draft));
    }
  }

  // Every use of an instruction becomes one of another.
  void ReplaceUses(uint32_t old_inst, uint32_t new_inst, uint32_t except = UINT32_MAX) {
    DraftComp& comp = comps[insts[old_inst].record.parent.index()];
    for (const uint32_t each : comp.insts) {
      if (each == except) continue;
      std::replace(insts[each].operands.begin(), insts[each].operands.end(), old_inst, new_inst);
    }
    if (comp.root == old_inst) comp.root = new_inst;
  }

  uint32_t Add(CompId comp, Opcode opcode, ShapeId shape, std::vector<uint32_t> operands) {
    DraftInst draft;
    draft.record.opcode = opcode;
    draft.record.shape = shape;
    draft.record.parent = comp;
    draft.record.attrs = base.Attrs({});
    draft.operands = std::move(operands);
    insts.push_back(std::move(draft));
    comps[comp.index()].insts.push_back(static_cast<uint32_t>(insts.size() - 1));
    return static_cast<uint32_t>(insts.size() - 1);
  }

  void Erase(uint32_t inst) { insts[inst].erased = true; }

  // Moves what a fusion computes into the computation that holds it.
  bool Dissolve(uint32_t fusion) {
    std::vector<CompId> called;
    base.CalledBy(insts[fusion].record, called);
    if (called.size() != 1) return false;
    const CompId parent = insts[fusion].record.parent;
    DraftComp& inner = comps[called[0].index()];
    const std::vector<uint32_t> operands = insts[fusion].operands;
    for (const uint32_t each : inner.insts) {
      if (insts[each].erased || insts[each].record.opcode != Opcode::kParameter) continue;
      if (insts[each].record.extra >= operands.size()) return false;
    }
    const std::vector<uint32_t> moved = inner.insts;
    for (const uint32_t each : moved) {
      if (insts[each].erased || insts[each].record.opcode != Opcode::kParameter) continue;
      ReplaceUses(each, operands[insts[each].record.extra]);
      Erase(each);
    }
    for (const uint32_t each : moved) {
      if (insts[each].erased) continue;
      insts[each].record.parent = parent;
      comps[parent.index()].insts.push_back(each);
    }
    const uint32_t root = inner.root;
    inner.insts.clear();
    ReplaceUses(fusion, root);
    Erase(fusion);
    return true;
  }

  // Writes the module. `numbers` receives the draft's number of each instruction written. With
  // `random`, names say nothing, and instructions are in a random order in which operands come
  // first.
  Module Write(std::mt19937_64* random, std::vector<uint32_t>& numbers) {
    Module out = base;
    out.insts.clear();
    out.operands.clear();
    numbers.clear();
    std::vector<uint32_t> new_id(insts.size(), UINT32_MAX);
    for (size_t c = 0; c < comps.size(); ++c) {
      const std::vector<uint32_t> order = Order(comps[c], random);
      Computation& comp = out.comps[c];
      comp.first = static_cast<uint32_t>(out.insts.size());
      comp.count = static_cast<uint32_t>(order.size());
      if (order.empty()) comp.root = InstId();
      for (const uint32_t each : order) {
        new_id[each] = static_cast<uint32_t>(out.insts.size());
        Inst record = insts[each].record;
        record.operands_begin = static_cast<uint32_t>(out.operands.size());
        record.operand_count = static_cast<uint32_t>(insts[each].operands.size());
        record.parent = CompId(c);
        for (const uint32_t operand : insts[each].operands) {
          out.operands.push_back(InstId(new_id[operand]));
        }
        if (random != nullptr) record.name = out.AddName("v" + std::to_string(out.insts.size()));
        record.attrs = Plain(out, record.attrs, random != nullptr);
        numbers.push_back(each);
        out.insts.push_back(record);
      }
      if (!order.empty()) comp.root = InstId(new_id[comps[c].root]);
    }
    std::vector<Attr> header;
    for (const Attr& attr : base.attrs_of(base.attrs)) {
      if (attr.key != AttrKey::k_is_scheduled) header.push_back(attr);
    }
    out.attrs = out.Attrs(header);
    return out;
  }

  Module base;
  std::vector<DraftInst> insts;
  std::vector<DraftComp> comps;

 private:
  std::vector<uint32_t> Order(const DraftComp& comp, std::mt19937_64* random) {
    std::vector<std::vector<uint32_t>> users;
    std::vector<uint32_t> local(comp.insts.size());
    std::vector<uint32_t> ready;
    std::vector<uint32_t> order;
    place_.resize(insts.size());
    users.resize(comp.insts.size());
    size_t live = 0;
    for (uint32_t i = 0; i < comp.insts.size(); ++i) place_[comp.insts[i]] = i;
    for (uint32_t i = 0; i < comp.insts.size(); ++i) {
      const DraftInst& inst = insts[comp.insts[i]];
      if (inst.erased) continue;
      ++live;
      local[i] = static_cast<uint32_t>(inst.operands.size());
      for (const uint32_t operand : inst.operands) users[place_[operand]].push_back(i);
      if (local[i] == 0) ready.push_back(i);
    }
    if (random == nullptr) std::reverse(ready.begin(), ready.end());
    while (!ready.empty()) {
      if (random != nullptr) std::swap(ready[(*random)() % ready.size()], ready.back());
      const uint32_t i = ready.back();
      ready.pop_back();
      order.push_back(comp.insts[i]);
      for (const uint32_t user : users[i]) {
        if (--local[user] == 0) ready.push_back(user);
      }
    }
    return order.size() == live ? order : std::vector<uint32_t>();
  }

  // Without control dependencies, which name instructions by number, and without metadata.
  static AttrListId Plain(Module& out, AttrListId list, bool hide) {
    std::vector<Attr> kept;
    for (const Attr& attr : out.attrs_of(list)) {
      const bool is_hidden = attr.key == AttrKey::k_metadata || attr.key == AttrKey::k_origin;
      if (attr.key == AttrKey::k_control_predecessors || (hide && is_hidden)) continue;
      kept.push_back(attr);
    }
    return out.Attrs(kept);
  }

  std::vector<uint32_t> place_;
};

}  // namespace halo::bench

#endif  // BENCH_MODULE_DRAFT_H_
