// An inserted instruction follows everything it reads, and only later instructions read it, so that
// the order of the second program stays an order in which operands come first.
#include "halo/view/compare/merged_module.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/ir/reorder.h"

namespace halo::view {
namespace {

constexpr int kMostSteps = 64;  // through callers, and through what only passes values on

// Among the last ones; a few repeated operands do no harm.
bool IsRecent(const std::vector<InstId>& list, InstId id) {
  const auto begin = list.end() - std::min<ptrdiff_t>(kMostSteps, std::ssize(list));
  return std::find(begin, list.end(), id) != list.end();
}

class Merger {
 public:
  Merger(const Module& before, const Module& after, const InstMatch& match)
      : a_(before),
        b_(after),
        match_(match),
        calls_a_(before),
        calls_b_(after),
        users_(before),
        own_(static_cast<uint32_t>(after.insts.size())) {}

  MergedModule Merge() {
    merged_.module = b_;
    merged_.of_before.assign(a_.insts.size(), InstId());
    targets_.assign(a_.comps.size(), CompId());
    for (uint32_t i = 0; i < a_.comps.size(); ++i) targets_[i] = TargetOf(CompId(i));
    for (uint32_t i = 0; i < a_.insts.size(); ++i) {
      if (match_.before.states[i] == InstState::kOnly) Insert(InstId(i));
    }
    AddUses();
    Arrange();
    return std::move(merged_);
  }

 private:
  // The computation of the second program that shows what only a computation of the first one has.
  [[nodiscard]] CompId TargetOf(CompId comp) const {
    for (int step = 0; step < kMostSteps; ++step) {
      const CompId other = match_.before.comps[comp.index()];
      if (other.valid()) return other;
      const auto callers = calls_a_.callers(comp);
      // What is in a kernel that is gone is shown as that kernel.
      if (callers.empty() || match_.before.states[callers.front().index()] == InstState::kOnly) {
        return {};
      }
      comp = a_.inst(callers.front()).parent;
    }
    return {};
  }

  // What shows an instruction of the first program in a computation of the second one: an id of
  // the module that is being made; invalid if nothing does.
  [[nodiscard]] InstId ShownAs(InstId inst, CompId comp) const {
    for (int step = 0; step < kMostSteps && inst.valid(); ++step) {
      const InstId made = merged_.of_before[inst.index()];
      if (made.valid()) {
        return merged_.module.inst(made).parent == comp ? made : InstId();
      }
      const InstId partner = match_.before.partners[inst.index()];
      if (partner.valid()) return Climb(partner, comp);
      const Inst& record = a_.inst(inst);
      if (record.operand_count == 0) return {};
      inst = a_.operands_of(record)[0];
    }
    return {};
  }

  // The instruction of `comp` that is, or calls what contains, an instruction.
  [[nodiscard]] InstId Climb(InstId inst, CompId comp) const {
    for (int step = 0; step < kMostSteps; ++step) {
      const CompId parent = b_.inst(inst).parent;
      if (parent == comp) return inst;
      const auto callers = calls_b_.callers(parent);
      if (callers.empty()) return {};
      inst = callers.front();
    }
    return {};
  }

  // The instruction of the second program that an id follows: itself, or what comes before it.
  [[nodiscard]] int64_t Position(InstId id) const {
    return id.value < own_ ? int64_t{id.value} : follows_[id.value - own_];
  }

  void SetOperands(InstId id, const std::vector<InstId>& operands) {
    Inst& record = merged_.module.insts[id.index()];
    record.operands_begin = static_cast<uint32_t>(merged_.module.operands.size());
    record.operand_count = static_cast<uint32_t>(operands.size());
    for (const InstId each : operands) merged_.module.operands.push_back(each);
  }

  void Insert(InstId gone) {
    const CompId comp = targets_[a_.inst(gone).parent.index()];
    if (!comp.valid()) return;
    Module& module = merged_.module;
    std::vector<InstId> operands;
    int64_t follows = int64_t{b_.comp(comp).first} - 1;
    for (const InstId operand : a_.operands_of(a_.inst(gone))) {
      const InstId as = ShownAs(operand, comp);
      if (!as.valid() || IsRecent(operands, as)) continue;
      operands.push_back(as);
      follows = std::max(follows, Position(as));
    }
    const InstId made(module.insts.size());
    Inst record = a_.inst(gone);
    record.name = module.AddName(a_.name_of(record));
    record.shape = module.shapes.Import(a_.shapes, record.shape);
    const std::string_view op_name = a_.MetadataText(record, AttrKey::k_op_name);
    std::vector<Attr> attrs;
    if (!op_name.empty()) {
      const Attr metadata = module.MakeText(AttrKey::k_op_name, op_name);
      attrs.push_back(
          {AttrKey::k_metadata, AttrForm::kPlain, 0, module.Attrs({&metadata, 1}).value});
    }
    record.attrs = module.Attrs(attrs);
    record.extra = 0;
    if (record.opcode == Opcode::kConstant) record.extra = LiteralId::kNoneValue;
    if (record.opcode == Opcode::kUnknown)
      record.extra = module.Str(a_.opcode_text(a_.inst(gone))).value;
    record.flags &= kInstSugar;
    record.parent = comp;
    module.insts.push_back(record);
    SetOperands(made, operands);
    merged_.of_before[gone.index()] = made;
    inserted_.push_back(gone);
    follows_.push_back(follows);
  }

  void AddUses() {
    std::map<InstId, std::vector<InstId>> more;  // by reader
    for (const InstId gone : inserted_) {
      const InstId made = merged_.of_before[gone.index()];
      const CompId comp = merged_.module.inst(made).parent;
      for (const InstId user : users_.of(gone)) {
        const InstId reader = ReaderOf(user, comp);
        if (!reader.valid() || reader.value >= own_) continue;
        if (int64_t{reader.value} > Position(made)) more[reader].push_back(made);
      }
    }
    for (const auto& [reader, list] : more) {
      const auto old = merged_.module.operands_of(merged_.module.inst(reader));
      std::vector<InstId> operands(old.begin(), old.end());
      for (const InstId each : list) {
        if (!IsRecent(operands, each)) operands.push_back(each);
      }
      SetOperands(reader, operands);
    }
  }

  [[nodiscard]] InstId ReaderOf(InstId user, CompId comp) const {
    if (merged_.of_before[user.index()].valid()) return {};  // reads it as its operand
    const InstId partner = match_.before.partners[user.index()];
    return partner.valid() ? Climb(partner, comp) : InstId();
  }

  void Arrange() {
    Module& module = merged_.module;
    std::vector<InstId> by_position(inserted_.size());
    for (uint32_t i = 0; i < by_position.size(); ++i) by_position[i] = InstId(own_ + i);
    std::sort(by_position.begin(), by_position.end(), [&](InstId x, InstId y) {
      const auto place = [&](InstId id) {
        return std::tuple(module.comp(module.inst(id).parent).first, Position(id), id);
      };
      return place(x) < place(y);
    });
    std::vector<CompId> comps;
    for (uint32_t i = 0; i < module.comps.size(); ++i) comps.emplace_back(i);
    std::sort(comps.begin(), comps.end(), [&](CompId x, CompId y) {
      return std::pair(b_.comp(x).first, x) < std::pair(b_.comp(y).first, y);
    });
    std::vector<InstId> order;
    order.reserve(module.insts.size());
    auto next = by_position.begin();
    for (const CompId id : comps) {
      const Computation& old = b_.comp(id);
      if (old.count == 0) continue;
      const auto first = static_cast<uint32_t>(order.size());
      const auto take = [&](int64_t position) {
        while (next != by_position.end() && module.inst(*next).parent == id &&
               Position(*next) == position) {
          order.push_back(*next++);
        }
      };
      take(int64_t{old.first} - 1);
      for (uint32_t i = old.first; i < old.first + old.count; ++i) {
        order.emplace_back(i);
        take(i);
      }
      module.comps[id.index()].first = first;
      module.comps[id.index()].count = static_cast<uint32_t>(order.size()) - first;
    }
    if (order.size() != module.insts.size()) return Abandon();
    std::vector<InstId> now(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) now[order[i].index()] = InstId(i);
    ReorderInstructions(module, order);
    Number(now);
  }

  // Instructions outside all computations: an invalid module is shown as it is.
  void Abandon() {
    merged_.module = b_;
    inserted_.clear();
    std::vector<InstId> now(own_);
    for (uint32_t i = 0; i < own_; ++i) now[i] = InstId(i);
    Number(now);
  }

  void Number(const std::vector<InstId>& now) {
    merged_.before.assign(now.size(), InstId());
    merged_.after.assign(now.size(), InstId());
    merged_.states.assign(now.size(), InstState::kOnly);
    merged_.of_before.assign(a_.insts.size(), InstId());
    merged_.of_after.assign(own_, InstId());
    for (uint32_t i = 0; i < own_; ++i) {
      const InstId id = now[i];
      const InstId partner = match_.after.partners[i];
      merged_.after[id.index()] = InstId(i);
      merged_.before[id.index()] = partner;
      merged_.states[id.index()] = match_.after.states[i];
      merged_.of_after[i] = id;
      if (!partner.valid()) continue;
      merged_.of_before[partner.index()] = id;
      InstState& state = merged_.states[id.index()];
      state = std::max(state, match_.before.states[partner.index()]);
    }
    for (uint32_t i = 0; i < inserted_.size(); ++i) {
      const InstId id = now[own_ + i];
      merged_.before[id.index()] = inserted_[i];
      merged_.of_before[inserted_[i].index()] = id;
    }
  }

  const Module& a_;
  const Module& b_;
  const InstMatch& match_;
  CallGraph calls_a_, calls_b_;
  Users users_;
  uint32_t own_;                 // instructions of the second program
  std::vector<CompId> targets_;  // by computation of the first program
  std::vector<InstId> inserted_;
  std::vector<int64_t> follows_;  // by inserted one: the position in the second program
  MergedModule merged_;
};

}  // namespace

MergedModule MergeModules(const Module& before, const Module& after, const InstMatch& match) {
  return Merger(before, after, match).Merge();
}

}  // namespace halo::view
